// RUN: nereid-opt %s --split-input-file --verify-diagnostics --triton-loop-unroll | FileCheck %s

// CHECK-LABEL: @sum(
// CHECK: %[[MIDDLE:.*]] = arith.addi %arg1
// CHECK: %[[STRIDE:.*]] = arith.muli %arg3, %{{.*}} : i32
// CHECK: %[[TURNS:.*]] = scf.for %[[I:.*]] = %arg1 to %[[MIDDLE]] step %[[STRIDE]] iter_args(%[[SUM:.*]] = %{{.*}})
// CHECK: tt.addptr %arg0, %[[I]]
// CHECK: %[[X0:.*]] = tt.load
// CHECK: %[[SUM0:.*]] = arith.addf %[[SUM]], %[[X0]]
// CHECK: %[[I1:.*]] = arith.addi %[[I]]
// CHECK: tt.addptr %arg0, %[[I1]]
// CHECK: %[[X1:.*]] = tt.load
// CHECK: %[[SUM1:.*]] = arith.addf %[[SUM0]], %[[X1]]
// CHECK: %[[I2:.*]] = arith.addi %[[I]]
// CHECK: tt.addptr %arg0, %[[I2]]
// CHECK: %[[X2:.*]] = tt.load
// CHECK: %[[SUM2:.*]] = arith.addf %[[SUM1]], %[[X2]]
// CHECK-NEXT: scf.yield %[[SUM2]]
// CHECK: %[[REST:.*]] = scf.for %{{.*}} = %[[MIDDLE]] to %arg2 step %arg3 iter_args(%{{.*}} = %[[TURNS]])
// CHECK: tt.load
// CHECK: } {tt.num_stages = 1 : i32}
// CHECK: tt.return %[[REST]]
tt.func public @sum(%p: !tt.ptr<f32>, %a: i32, %b: i32, %s: i32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %a to %b step %s iter_args(%t = %zero) -> (f32) : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    %x = tt.load %q : !tt.ptr<f32>
    %u = arith.addf %t, %x : f32
    scf.yield %u : f32
  } {tt.loop_unroll_factor = 3 : i32}
  tt.return %r : f32
}

// CHECK-LABEL: @once(
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
tt.func public @once(%p: !tt.ptr<f32>, %a: i32, %b: i32, %s: i32) {
  scf.for %i = %a to %b step %s : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %p, %x : !tt.ptr<f32>
  } {tt.loop_unroll_factor = 1 : i32}
  tt.return
}

// CHECK-LABEL: @unsigned(
// CHECK: arith.maxui
// CHECK: scf.for unsigned
tt.func public @unsigned(%p: !tt.ptr<i32>, %a: i32, %b: i32) {
  %c1 = arith.constant 1 : i32
  scf.for unsigned %i = %a to %b step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}

// -----

tt.func public @much(%a: i32, %b: i32, %s: i32) {
  // expected-error @below {{tt.loop_unroll_factor is more than 1024}}
  scf.for %i = %a to %b step %s : i32 {
  } {tt.loop_unroll_factor = 4096 : i32}
  tt.return
}
