// RUN: nereid-opt %s --triton-licm | FileCheck %s

// A load under a mask that is false when the loop does not run, and what it is used for.
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

// What is stored in the loop may be what is loaded.
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

// Out of two loops.
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
