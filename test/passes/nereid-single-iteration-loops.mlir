// RUN: nereid-opt %s --nereid-single-iteration-loops --split-input-file | FileCheck %s

// Each program of a persistent kernel has one tile.

// CHECK-LABEL: @one_tile
// CHECK: %[[PID:.*]] = tt.get_program_id x
// CHECK: %[[UPPER:.*]] = arith.select
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[PID]], %[[UPPER]] : i32
// CHECK: scf.if %[[EXISTS]]
// CHECK: tt.addptr %{{.*}}, %[[PID]]
// CHECK-NOT: scf.for
tt.func public @one_tile(%p: !tt.ptr<i32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %pid = tt.get_program_id x : i32
  %end = arith.addi %pid, %c1 : i32
  %beyond = arith.cmpi sgt, %end, %n : i32
  %upper = arith.select %beyond, %n, %end : i32
  scf.for %i = %pid to %upper step %c1 : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
    tt.store %q, %n : !tt.ptr<i32>
  }
  tt.return
}

// -----

// Carried values: the initial ones without an iteration.

// CHECK-LABEL: @carried
// CHECK: %[[SUM:.*]] = scf.if
// CHECK: %[[ADDED:.*]] = arith.addf %arg2, %arg2
// CHECK: scf.yield %[[ADDED]]
// CHECK: else
// CHECK: scf.yield %arg2
// CHECK: tt.return %[[SUM]]
tt.func public @carried(%lower: i32, %n: i32, %x: f32) -> f32 {
  %c4 = arith.constant 4 : i32
  %end = arith.addi %c4, %lower : i32
  %upper = arith.minsi %n, %end : i32
  %sum = scf.for %i = %lower to %upper step %c4 iter_args(%s = %x) -> (f32) : i32 {
    %t = arith.addf %s, %s : f32
    scf.yield %t : f32
  }
  tt.return %sum : f32
}

// -----

// A distance of more than a step, a maximum, a distance that is not constant or not positive, and an unsigned
// comparison, with which a sum that wraps around is not less.

// CHECK-LABEL: @several
// CHECK-COUNT-5: scf.for
tt.func public @several(%p: !tt.ptr<i32>, %lower: i32, %n: i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %less = arith.constant -1 : i32
  %two = arith.addi %lower, %c2 : i32
  scf.for %i = %lower to %two step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  %one = arith.addi %lower, %c1 : i32
  %below = arith.cmpi slt, %one, %n : i32
  %most = arith.select %below, %n, %one : i32
  scf.for %i = %lower to %most step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  %any = arith.addi %lower, %n : i32
  scf.for %i = %lower to %any step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  %wrapped = arith.addi %lower, %less : i32
  scf.for %i = %lower to %wrapped step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  scf.for unsigned %i = %lower to %one step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}
