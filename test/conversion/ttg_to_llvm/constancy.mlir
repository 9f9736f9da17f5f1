// RUN: nereid-opt %s --convert-triton-gpu-to-llvm="compute-capability=90 ptx-version=87" | FileCheck %s
// With a bound divisible by 16, a comparison is equal for eight consecutive indices, and so are values derived from it
// alone. With an unknown bound there are eight comparisons.
#wide = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @kernel
  // CHECK-COUNT-1: llvm.icmp "slt"
  // CHECK-NOT: llvm.icmp "slt"
  // CHECK-COUNT-8: llvm.icmp "sgt"
  // CHECK-NOT: llvm.icmp "sgt"
  // CHECK: llvm.return
  tt.func public @kernel(%p: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %m: i32) {
    %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #wide>
    %a = tt.splat %n : i32 -> tensor<1024xi32, #wide>
    %b = tt.splat %m : i32 -> tensor<1024xi32, #wide>
    %u = arith.cmpi slt, %i, %a : tensor<1024xi32, #wide>
    %v = arith.cmpi sgt, %i, %b : tensor<1024xi32, #wide>
    %w = arith.ori %u, %v : tensor<1024xi1, #wide>
    %x = arith.extui %w : tensor<1024xi1, #wide> to tensor<1024xi8, #wide>
    %s = tt.splat %p : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>, #wide>
    %q = tt.addptr %s, %i : tensor<1024x!tt.ptr<i8>, #wide>, tensor<1024xi32, #wide>
    tt.store %q, %x : tensor<1024x!tt.ptr<i8>, #wide>
    tt.return
  }
}
