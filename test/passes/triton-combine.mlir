// RUN: nereid-opt %s --allow-unregistered-dialect --triton-combine --canonicalize | FileCheck %s

// CHECK-LABEL: @products(
// CHECK: %[[D:.*]] = tt.dot %arg0, %arg1, %arg2
// CHECK-NOT: arith.addf
// CHECK: %[[I:.*]] = tt.dot %arg3, %arg3, %arg4
// CHECK-NOT: arith.addi
// CHECK: tt.return %[[D]], %[[I]]
tt.func public @products(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>, %c: tensor<32x32xf32>, %e: tensor<32x32xi8>, %f: tensor<32x32xi32>) -> (tensor<32x32xf32>, tensor<32x32xi32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %none = arith.constant dense<0> : tensor<32x32xi32>
  %d = tt.dot %a, %b, %zero : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %s = arith.addf %c, %d : tensor<32x32xf32>
  %g = tt.dot %e, %e, %none : tensor<32x32xi8> * tensor<32x32xi8> -> tensor<32x32xi32>
  %t = arith.addi %g, %f : tensor<32x32xi32>
  tt.return %s, %t : tensor<32x32xf32>, tensor<32x32xi32>
}

// CHECK-LABEL: @add_to_dot_scaled
// CHECK: %[[D:.*]] = tt.dot_scaled %arg0 scale %arg1, %arg2, %arg3 lhs = e2m1 rhs = bf16
// CHECK-NOT: arith.addf
// CHECK: tt.return %[[D]]
tt.func @add_to_dot_scaled(%a: tensor<32x32xi8>, %s: tensor<32x2xi8>, %b: tensor<64x32xbf16>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot_scaled %a scale %s, %b, %zero lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<32x32xi8>, tensor<32x2xi8> * tensor<64x32xbf16> -> tensor<32x32xf32>
  %r = arith.addf %c, %d : tensor<32x32xf32>
  tt.return %r : tensor<32x32xf32>
}

// Not combined: the dot has other uses, its accumulation is limited, or its accumulator is not zero.
// CHECK-LABEL: @kept(
// CHECK-COUNT-3: arith.addf
tt.func public @kept(%a: tensor<32x32xf16>, %c: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %a, %zero : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %s = arith.addf %c, %d : tensor<32x32xf32>
  %e = tt.dot %a, %a, %zero {maxNumImpreciseAcc = 32 : i32} : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %t = arith.addf %c, %e : tensor<32x32xf32>
  %f = tt.dot %a, %a, %c : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %u = arith.addf %c, %f : tensor<32x32xf32>
  tt.return %d, %s, %t, %u : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}

// The three hints of the outer operation are kept; attributes of the inner one are dropped.
// CHECK-LABEL: @hints(
// CHECK: tt.addptr %arg0, %{{.*}} {tt.constancy = dense<4> : tensor<1xi32>, tt.contiguity = dense<8> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>} : tensor<64x!tt.ptr<f32>>
tt.func public @hints(%p: tensor<64x!tt.ptr<f32>>) -> tensor<64x!tt.ptr<f32>> {
  %a = arith.constant dense<2> : tensor<64xi32>
  %b = arith.constant dense<4> : tensor<64xi32>
  %q = tt.addptr %p, %a {tt.divisibility = dense<2> : tensor<1xi32>, inner.note} : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %r = tt.addptr %q, %b {outer.a, tt.divisibility = dense<16> : tensor<1xi32>, loop.stage = 1 : i32, tt.contiguity = dense<8> : tensor<1xi32>, tt.constancy = dense<4> : tensor<1xi32>, zz} : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.return %r : tensor<64x!tt.ptr<f32>>
}

// CHECK-LABEL: @pointers(
// CHECK: %[[SUM:.*]] = arith.constant dense<14> : tensor<64xi32>
// CHECK: tt.addptr %arg0, %[[SUM]]
// CHECK-NOT: tt.addptr
tt.func public @pointers(%p: tensor<64x!tt.ptr<f32>>) -> tensor<64x!tt.ptr<f32>> {
  %a = arith.constant dense<2> : tensor<64xi32>
  %b = arith.constant dense<4> : tensor<64xi32>
  %c = arith.constant dense<8> : tensor<64xi32>
  %q = tt.addptr %p, %a : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %r = tt.addptr %q, %b : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %s = tt.addptr %r, %c : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.return %s : tensor<64x!tt.ptr<f32>>
}

// CHECK-LABEL: @selection(
// CHECK: %[[X:.*]] = tt.load %arg0, %arg1, %arg2 cacheModifier = cg
// CHECK-NOT: arith.select
// CHECK: tt.return %[[X]]
tt.func public @selection(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %x = tt.load %p, %m cacheModifier = cg : tensor<64x!tt.ptr<f32>>
  %s = arith.select %m, %x, %y : tensor<64xi1>, tensor<64xf32>
  tt.return %s : tensor<64xf32>
}

// A dot written as multiply and reduce, in either operand order; also with an addend. All operand bits count.
// CHECK-LABEL: @sum_of_products(
// CHECK: %[[D:.*]] = tt.dot %arg0, %arg1, %arg2 : tensor<32x8xf32> * tensor<8x16xf32> -> tensor<32x16xf32>
// CHECK: tt.return %[[D]]
tt.func public @sum_of_products(%a: tensor<32x8xf32>, %b: tensor<8x16xf32>, %c: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %a1 = tt.expand_dims %a {axis = 2 : i32} : tensor<32x8xf32> -> tensor<32x8x1xf32>
  %b1 = tt.expand_dims %b {axis = 0 : i32} : tensor<8x16xf32> -> tensor<1x8x16xf32>
  %a2 = tt.broadcast %a1 : tensor<32x8x1xf32> -> tensor<32x8x16xf32>
  %b2 = tt.broadcast %b1 : tensor<1x8x16xf32> -> tensor<32x8x16xf32>
  %m = arith.mulf %b2, %a2 : tensor<32x8x16xf32>
  %s = "tt.reduce"(%m) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<32x8x16xf32>) -> tensor<32x16xf32>
  %r = arith.addf %c, %s : tensor<32x16xf32>
  tt.return %r : tensor<32x16xf32>
}

// The sum is along another dimension; a single row is too small for a dot.
// CHECK-LABEL: @other_sums(
// CHECK-NOT: tt.dot
// CHECK: tt.return
tt.func public @other_sums(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>, %v: tensor<1x32xf32>) -> (tensor<32x32xf32>, tensor<1x32xf32>) {
  %a1 = tt.expand_dims %a {axis = 2 : i32} : tensor<32x32xf32> -> tensor<32x32x1xf32>
  %b1 = tt.expand_dims %b {axis = 0 : i32} : tensor<32x32xf32> -> tensor<1x32x32xf32>
  %a2 = tt.broadcast %a1 : tensor<32x32x1xf32> -> tensor<32x32x32xf32>
  %b2 = tt.broadcast %b1 : tensor<1x32x32xf32> -> tensor<32x32x32xf32>
  %m = arith.mulf %a2, %b2 : tensor<32x32x32xf32>
  %s = "tt.reduce"(%m) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<32x32x32xf32>) -> tensor<32x32xf32>
  %v1 = tt.expand_dims %v {axis = 2 : i32} : tensor<1x32xf32> -> tensor<1x32x1xf32>
  %v2 = tt.broadcast %v1 : tensor<1x32x1xf32> -> tensor<1x32x32xf32>
  %w = arith.mulf %v2, %b1 : tensor<1x32x32xf32>
  %t = "tt.reduce"(%w) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<1x32x32xf32>) -> tensor<1x32xf32>
  tt.return %s, %t : tensor<32x32xf32>, tensor<1x32xf32>
}

// CHECK-LABEL: @block_of_one_row(
// CHECK: %[[X:.*]] = tt.descriptor_load {{.*}} : !tt.tensordesc<tensor<1x64x32xf16>> -> tensor<64x32xf16>
// CHECK: %[[Y:.*]] = tt.reshape
// CHECK: tt.return %[[X]], %[[Y]]
tt.func public @block_of_one_row(%d: !tt.tensordesc<tensor<1x64x32xf16>>, %i: i32) -> (tensor<64x32xf16>, tensor<2048xf16>) {
  %x = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<tensor<1x64x32xf16>> -> tensor<1x64x32xf16>
  %y = tt.reshape %x : tensor<1x64x32xf16> -> tensor<64x32xf16>
  %z = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<tensor<1x64x32xf16>> -> tensor<1x64x32xf16>
  %w = tt.reshape %z : tensor<1x64x32xf16> -> tensor<2048xf16>
  tt.return %y, %w : tensor<64x32xf16>, tensor<2048xf16>
}

// Two tensors that are stacked by selects are joined.
// CHECK-LABEL: @stack(
// CHECK-SAME: %[[A:.*]]: tensor<16x8xf16>, %[[B:.*]]: tensor<16x8xf16>
// CHECK: %[[J:.*]] = tt.join %[[A]], %[[B]] : tensor<16x8xf16> -> tensor<16x8x2xf16>
// CHECK: %[[T:.*]] = tt.trans %[[J]] {order = array<i32: 0, 2, 1>} : tensor<16x8x2xf16> -> tensor<16x2x8xf16>
// CHECK: tt.return %[[T]]
tt.func public @stack(%a: tensor<16x8xf16>, %b: tensor<16x8xf16>) -> tensor<16x2x8xf16> {
  %zero = arith.constant dense<0.0> : tensor<16x2x8xf16>
  %c0 = arith.constant dense<0> : tensor<1x2x1xi32>
  %c1 = arith.constant dense<1> : tensor<1x2x1xi32>
  %r = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32>
  %r0 = tt.expand_dims %r {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %i = tt.expand_dims %r0 {axis = 2 : i32} : tensor<1x2xi32> -> tensor<1x2x1xi32>
  %is0 = arith.cmpi eq, %i, %c0 : tensor<1x2x1xi32>
  %is1 = arith.cmpi eq, %i, %c1 : tensor<1x2x1xi32>
  %m0 = tt.broadcast %is0 : tensor<1x2x1xi1> -> tensor<16x2x8xi1>
  %m1 = tt.broadcast %is1 : tensor<1x2x1xi1> -> tensor<16x2x8xi1>
  %ae = tt.expand_dims %a {axis = 1 : i32} : tensor<16x8xf16> -> tensor<16x1x8xf16>
  %be = tt.expand_dims %b {axis = 1 : i32} : tensor<16x8xf16> -> tensor<16x1x8xf16>
  %ab = tt.broadcast %ae : tensor<16x1x8xf16> -> tensor<16x2x8xf16>
  %bb = tt.broadcast %be : tensor<16x1x8xf16> -> tensor<16x2x8xf16>
  %first = arith.select %m0, %ab, %zero : tensor<16x2x8xi1>, tensor<16x2x8xf16>
  %both = arith.select %m1, %bb, %first : tensor<16x2x8xi1>, tensor<16x2x8xf16>
  tt.return %both : tensor<16x2x8xf16>
}

// Both selects take the same element: the other one has the value of the constant.
// CHECK-LABEL: @stack_twice(
// CHECK-NOT: tt.join
// CHECK: tt.return
tt.func public @stack_twice(%a: tensor<16x8xf16>, %b: tensor<16x8xf16>) -> tensor<16x2x8xf16> {
  %zero = arith.constant dense<0.0> : tensor<16x2x8xf16>
  %c1 = arith.constant dense<1> : tensor<1x2x1xi32>
  %r = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32>
  %r0 = tt.expand_dims %r {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %i = tt.expand_dims %r0 {axis = 2 : i32} : tensor<1x2xi32> -> tensor<1x2x1xi32>
  %is1 = arith.cmpi eq, %i, %c1 : tensor<1x2x1xi32>
  %m1 = tt.broadcast %is1 : tensor<1x2x1xi1> -> tensor<16x2x8xi1>
  %ae = tt.expand_dims %a {axis = 1 : i32} : tensor<16x8xf16> -> tensor<16x1x8xf16>
  %be = tt.expand_dims %b {axis = 1 : i32} : tensor<16x8xf16> -> tensor<16x1x8xf16>
  %ab = tt.broadcast %ae : tensor<16x1x8xf16> -> tensor<16x2x8xf16>
  %bb = tt.broadcast %be : tensor<16x1x8xf16> -> tensor<16x2x8xf16>
  %first = arith.select %m1, %ab, %zero : tensor<16x2x8xi1>, tensor<16x2x8xf16>
  %both = arith.select %m1, %bb, %first : tensor<16x2x8xi1>, tensor<16x2x8xf16>
  tt.return %both : tensor<16x2x8xf16>
}
