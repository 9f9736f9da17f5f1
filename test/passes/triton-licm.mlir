// RUN: nereid-opt %s --triton-licm | FileCheck %s

// Hoists a load, masked by the condition that the loop runs, and its invariant users.
// CHECK-LABEL: @load(
// CHECK: %[[SOME:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK: %[[ALL:.*]] = tt.splat %[[SOME]] : i1 -> tensor<64xi1>
// CHECK: %[[MASK:.*]] = arith.andi %{{.*}}, %[[ALL]]
// CHECK: %[[X:.*]] = tt.load %{{.*}}, %[[MASK]] evictionPolicy = evict_last
// CHECK: %[[Y:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK: scf.for
// CHECK-NEXT: arith.addf
tt.func public @load(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>, %n: i32) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %none) -> (tensor<64xf32>) : i32 {
    %x = tt.load %p, %m evictionPolicy = evict_last : tensor<64x!tt.ptr<f32>>
    %y = arith.mulf %x, %x : tensor<64xf32>
    %t = arith.addf %s, %y : tensor<64xf32>
    scf.yield %t : tensor<64xf32>
  }
  tt.return %r : tensor<64xf32>
}

// A store in the loop may alias the load.
// CHECK-LABEL: @store(
// CHECK: scf.for
// CHECK: tt.load
tt.func public @store(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %q, %x : !tt.ptr<f32>
  }
  tt.return
}

// Hoisted out of two loops.
// CHECK-LABEL: @nested(
// CHECK: arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: arith.addi %arg0
// CHECK: tt.return
tt.func public @nested(%a: i32, %n: i32, %p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      %x = arith.addi %a, %a : i32
      tt.store %p, %x : !tt.ptr<i32>
    }
  }
  tt.return
}

// Invariant ops of scf.while move out of both regions, including the condition; loads stay.
// CHECK-LABEL: @while(
// CHECK: %[[END:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: %[[TWICE:.*]] = arith.muli
// CHECK: scf.while
// CHECK-NEXT: arith.cmpi slt, %{{.*}}, %[[END]]
// CHECK: tt.load
tt.func public @while(%p: !tt.ptr<i32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %end = arith.addi %n, %n : i32
    %more = arith.cmpi slt, %i, %end : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %twice = arith.muli %n, %n : i32
    %x = tt.load %p : !tt.ptr<i32>
    %y = arith.addi %x, %twice : i32
    %z = arith.addi %y, %i : i32
    scf.yield %z : i32
  }
  tt.return %r : i32
}

// Operations with regions are invariant if all values used in them are.
// CHECK-LABEL: @regions(
// CHECK: %[[SUM:.*]] = "tt.reduce"(%{{.*}})
// CHECK: scf.for
// CHECK: "tt.reduce"
// CHECK-NOT: "tt.reduce"
// CHECK: tt.return
tt.func public @regions(%x: tensor<64xf32>, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %none) -> (f32) : i32 {
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64xf32>) -> f32
    %odd = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %s : f32
      tt.reduce.return %c : f32
    }) : (tensor<64xf32>) -> f32
    %u = arith.addf %s, %sum : f32
    %t = arith.addf %u, %odd : f32
    scf.yield %t : f32
  }
  tt.return %r : f32
}

// CHECK-LABEL: @unsigned(
// CHECK: arith.cmpi ult
// CHECK: tt.load
// CHECK: scf.for unsigned
tt.func public @unsigned(%p: !tt.ptr<i32>, %a: i32, %b: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for unsigned %i = %a to %b step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %x = tt.load %p : !tt.ptr<i32>
    %t = arith.addi %s, %x : i32
    scf.yield %t : i32
  }
  tt.return %r : i32
}
