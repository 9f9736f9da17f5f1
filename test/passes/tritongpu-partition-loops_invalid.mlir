// RUN: not nereid-opt %s --tritongpu-partition-loops 2>&1 | FileCheck %s

// An edited division: partition 0 uses a value that only partition 1 computes.
tt.func public @edited(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK: [[# @LINE + 1]]:10: error: 'arith.addi' op computes a value that partition 0 uses: expected 0 in ttg.partition
    %x = arith.addi %i, %c1 {ttg.partition = array<i32: 1>} : i32
    tt.store %p, %x {ttg.partition = array<i32: 0>} : !tt.ptr<i32>
  } {ttg.warp_specialize.tag = 0 : i32}
  tt.return
}
