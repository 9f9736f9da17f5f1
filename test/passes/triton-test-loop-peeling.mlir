// RUN: nereid-opt %s --triton-test-loop-peeling | FileCheck %s
// RUN: nereid-opt %s --triton-test-loop-peeling --triton-test-loop-peeling -o %t && nereid-opt %s --triton-test-loop-peeling | diff - %t

// The peeled last iteration follows the loop, guarded by a trip count above zero.
// CHECK-LABEL: @harmonic
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[A:.*]]: i32, %[[B:.*]]: i32, %[[S:.*]]: i32
// CHECK: %[[END:.*]] = arith.subi %[[B]], %[[S]]
// CHECK: %[[LOOP:.*]]:2 = scf.for %{{.*}} = %[[A]] to %[[END]] step %[[S]]
// CHECK-NOT: __test_peel_epilogue
// CHECK: %[[LENGTH:.*]] = arith.subi %[[B]], %[[A]]
// CHECK: %[[LESS:.*]] = arith.subi %[[LENGTH]]
// CHECK: %[[COUNT:.*]] = arith.divsi %[[LESS]], %[[S]]
// CHECK: %[[WAY:.*]] = arith.muli %[[COUNT]], %[[S]]
// CHECK: %[[LAST:.*]] = arith.addi %[[WAY]], %[[A]]
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[A]], %[[B]]
// CHECK: %[[IF:.*]]:2 = scf.if %[[RUNS]]
// CHECK: tt.addptr %[[P]], %[[LAST]]
// CHECK: %[[SUM:.*]] = arith.addf %[[LOOP]]#0
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[LOOP]]#1
// CHECK: scf.yield %[[SUM]], %[[PRODUCT]]
// CHECK: else
// CHECK-NEXT: scf.yield %[[LOOP]]#0, %[[LOOP]]#1
// CHECK: tt.return %[[IF]]#0, %[[IF]]#1
tt.func public @harmonic(%p: !tt.ptr<f32>, %a: i32, %b: i32, %s: i32) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %a to %b step %s iter_args(%t = %zero, %u = %zero) -> (f32, f32) : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    %x = tt.load %q : !tt.ptr<f32>
    %v = arith.addf %t, %x : f32
    %w = arith.mulf %u, %x : f32
    scf.yield %v, %w : f32, f32
  } {__test_peel_epilogue}
  tt.return %r#0, %r#1 : f32, f32
}

// Unsigned loops, and loops without results; loops without the attribute stay.
// CHECK-LABEL: @effects
// CHECK: %[[UPPER:.*]] = arith.maxui %arg2, %arg3
// CHECK: %[[END:.*]] = arith.subi %[[UPPER]], %arg3
// CHECK: scf.for unsigned %{{.*}} = %arg1 to %[[END]]
// CHECK: scf.for %{{.*}} = %arg1 to %arg2 step %arg3
// CHECK: arith.divui
// CHECK: arith.cmpi ult
// CHECK: scf.if
// CHECK: scf.for %{{.*}} = %arg1 to %arg2 step %arg3
// CHECK: tt.store
// CHECK-NOT: scf.if
tt.func public @effects(%p: !tt.ptr<i32>, %a: i32, %b: i32, %s: i32) {
  scf.for unsigned %i = %a to %b step %s : i32 {
    scf.for %j = %a to %b step %s : i32 {
      tt.store %p, %j : !tt.ptr<i32>
    }
  } {__test_peel_epilogue}
  tt.return
}
