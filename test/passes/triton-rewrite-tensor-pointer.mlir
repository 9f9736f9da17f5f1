// RUN: nereid-opt %s --triton-rewrite-tensor-pointer --canonicalize | FileCheck %s --implicit-check-not=make_tensor_ptr --implicit-check-not=tt.advance

// A load and a store with a bounds check of one dimension: an unsigned comparison checks both bounds.
// CHECK-LABEL: @copy(
// CHECK: arith.cmpi ult, %{{.*}} : tensor<32xi64>
// CHECK: %[[MASK:.*]] = tt.broadcast %{{.*}} : tensor<1x32xi1> -> tensor<64x32xi1>
// CHECK: %[[X:.*]] = tt.load %{{.*}}, %[[MASK]], %{{.*}} evictionPolicy = evict_first : tensor<64x32x!tt.ptr<f16>>
// CHECK: tt.store %{{.*}}, %[[X]] : tensor<64x32x!tt.ptr<f16>>
tt.func public @copy(%p: !tt.ptr<f16>, %q: !tt.ptr<f16>, %m: i64, %n: i64, %i: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %a = tt.make_tensor_ptr %p, [%m, %n], [%n, %c1], [%i, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  %b = tt.make_tensor_ptr %q, [%m, %n], [%n, %c1], [%i, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  %x = tt.load %a evictionPolicy = evict_first {boundaryCheck = array<i32: 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf16>>
  tt.store %b, %x : !tt.ptr<tensor<64x32xf16>>
  tt.return
}

// Out-of-bounds elements are NaN.
// CHECK-LABEL: @nan(
// CHECK: %[[NAN:.*]] = arith.constant dense<0x7FC00000> : tensor<64xf32>
// CHECK: tt.load %{{.*}}, %{{.*}}, %[[NAN]]
tt.func public @nan(%p: !tt.ptr<f32>, %n: i64, %i: i32) -> tensor<64xf32> {
  %c1 = arith.constant 1 : i64
  %a = tt.make_tensor_ptr %p, [%n], [%c1], [%i] {order = array<i32: 0>} : <tensor<64xf32>>
  %x = tt.load %a {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<64xf32>>
  tt.return %x : tensor<64xf32>
}

// The loop carries only the offset that changes.
// CHECK-LABEL: @loop(
// CHECK: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[AT:.*]] = %{{.*}}) -> (tensor<64xf32>, i32)
// CHECK: tt.load
// CHECK: %[[NEXT:.*]] = arith.addi %[[AT]], %{{.*}} : i32
// CHECK: scf.yield %{{.*}}, %[[NEXT]]
tt.func public @loop(%p: !tt.ptr<f32>, %n: i64, %k: i32) -> tensor<64xf32> {
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %a = tt.make_tensor_ptr %p, [%n], [%c1], [%zero] {order = array<i32: 0>} : <tensor<64xf32>>
  %r:2 = scf.for %i = %zero to %k step %one iter_args(%sum = %none, %at = %a) -> (tensor<64xf32>, !tt.ptr<tensor<64xf32>>) : i32 {
    %x = tt.load %at {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
    %s = arith.addf %sum, %x : tensor<64xf32>
    %next = tt.advance %at, [%step] : !tt.ptr<tensor<64xf32>>
    scf.yield %s, %next : tensor<64xf32>, !tt.ptr<tensor<64xf32>>
  }
  tt.return %r#0 : tensor<64xf32>
}

// CHECK-LABEL: @branches(
// CHECK: %[[IF:.*]] = arith.select %{{.*}} : i32
// CHECK: %[[WHILE:.*]] = scf.while (%{{.*}} = %[[IF]]) : (i32) -> i32
// CHECK: arith.select %{{.*}}, %[[WHILE]], %{{.*}} : i32
// CHECK: cf.cond_br
tt.func public @branches(%p: !tt.ptr<f32>, %n: i64, %c: i1, %k: i32) {
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %v = arith.constant dense<0.0> : tensor<64xf32>
  %a = tt.make_tensor_ptr %p, [%n], [%c1], [%zero] {order = array<i32: 0>} : <tensor<64xf32>>
  %b = scf.if %c -> (!tt.ptr<tensor<64xf32>>) {
    %m = tt.advance %a, [%k] : !tt.ptr<tensor<64xf32>>
    scf.yield %m : !tt.ptr<tensor<64xf32>>
  } else {
    scf.yield %a : !tt.ptr<tensor<64xf32>>
  }
  %w = scf.while (%x = %b) : (!tt.ptr<tensor<64xf32>>) -> !tt.ptr<tensor<64xf32>> {
    %l = tt.load %p : !tt.ptr<f32>
    %f = arith.cmpf olt, %l, %l : f32
    scf.condition(%f) %x : !tt.ptr<tensor<64xf32>>
  } do {
  ^bb0(%y: !tt.ptr<tensor<64xf32>>):
    %m = tt.advance %y, [%step] : !tt.ptr<tensor<64xf32>>
    scf.yield %m : !tt.ptr<tensor<64xf32>>
  }
  %s = arith.select %c, %w, %a : !tt.ptr<tensor<64xf32>>
  tt.store %s, %v {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
  cf.cond_br %c, ^one(%s : !tt.ptr<tensor<64xf32>>), ^two
^one(%t: !tt.ptr<tensor<64xf32>>):
  tt.store %t, %v : !tt.ptr<tensor<64xf32>>
  cf.br ^two
^two:
  tt.return
}

// Functions pass and return base, shape, strides and offsets.
// CHECK-LABEL: tt.func private @moved(%{{.*}}: !tt.ptr<f32>, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i32, %{{.*}}: i32 {tt.divisibility = 4 : i32}) -> (!tt.ptr<f32>, i64, i64, i32)
// CHECK-LABEL: @calls(
// CHECK: tt.call @moved(%{{.*}}) : (!tt.ptr<f32>, i64, i64, i32, i32) -> (!tt.ptr<f32>, i64, i64, i32)
tt.func private @moved(%a: !tt.ptr<tensor<64xf32>>, %i: i32 {tt.divisibility = 4 : i32}) -> !tt.ptr<tensor<64xf32>> attributes {noinline = true} {
  %m = tt.advance %a, [%i] : !tt.ptr<tensor<64xf32>>
  tt.return %m : !tt.ptr<tensor<64xf32>>
}
tt.func public @calls(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  %c1 = arith.constant 1 : i64
  %v = arith.constant dense<0.0> : tensor<64xf32>
  %a = tt.make_tensor_ptr %p, [%n], [%c1], [%i] {order = array<i32: 0>} : <tensor<64xf32>>
  %b = tt.call @moved(%a, %i) : (!tt.ptr<tensor<64xf32>>, i32) -> !tt.ptr<tensor<64xf32>>
  tt.store %b, %v : !tt.ptr<tensor<64xf32>>
  tt.return
}
