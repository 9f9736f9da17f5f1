// Global scratch: the CTA's part of the launcher's allocation.
// RUN: nereid-opt %s --tritongpu-global-scratch-memory-allocation --convert-triton-gpu-to-llvm | FileCheck %s
// RUN: nereid run %s --on emulator --grid 3,2 --arg 0=i32[6]:zeros --out 0=%t.npy
// RUN: od -A n -t d4 -w24 -j 128 %t.npy | FileCheck %s --check-prefix=OUT
// OUT: 0 1 2 3 4 5

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func @own(
// CHECK-SAME: %arg0: !llvm.ptr<1>, %[[SCRATCH:arg1]]: !llvm.ptr<1>
// CHECK: %[[INDEX:.*]] = llvm.zext %{{.*}} : i32 to i64
// CHECK: %[[START:.*]] = llvm.mul %[[INDEX]], %{{.*}} : i64
// CHECK: llvm.getelementptr %[[SCRATCH]][%[[START]]]
// CHECK: llvm.getelementptr %{{.*}}[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
tt.func public @own(%o: !tt.ptr<i32>) {
  %a = ttg.global_scratch_alloc {nbytes = 4 : i32, alignment = 4 : i32} : !tt.ptr<i32>
  %b = ttg.global_scratch_alloc {nbytes = 4 : i32, alignment = 128 : i32} : !tt.ptr<i32>
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %three = arith.constant 3 : i32
  %row = arith.muli %y, %three : i32
  %id = arith.addi %row, %x : i32
  tt.store %a, %x : !tt.ptr<i32>
  tt.store %b, %row : !tt.ptr<i32>
  ttg.local_barrier
  %u = tt.load %a : !tt.ptr<i32>
  %v = tt.load %b : !tt.ptr<i32>
  %s = arith.addi %u, %v : i32
  %p = tt.addptr %o, %id : !tt.ptr<i32>, i32
  tt.store %p, %s : !tt.ptr<i32>
  tt.return
}
}
