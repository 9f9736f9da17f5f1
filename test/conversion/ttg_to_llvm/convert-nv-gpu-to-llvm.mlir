// The pipeline of Triton's tools, down to LLVM IR with mlir-translate.
// RUN: nereid-opt %s --allocate-shared-memory-nv='compute-capability=90 ptx-version=83' --convert-triton-gpu-to-llvm='compute-capability=90 ptx-version=83' --convert-nv-gpu-to-llvm --reconcile-unrealized-casts --llvm-optimize-for-nvvm-target | mlir-translate --mlir-to-llvmir | FileCheck %s
// RUN: nereid-opt %s --allocate-shared-memory-nv --convert-triton-gpu-to-llvm --convert-nv-gpu-to-llvm | FileCheck %s --check-prefix=MLIR
// No attribute without an LLVM equivalent remains, except for the by-value descriptor.
// MLIR: llvm.func @scale(
// MLIR-NOT: tt.
// MLIR-SAME: llvm.align = 64 : i32, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant
// CHECK: define ptx_kernel void @scale(ptr addrspace(1) %{{.*}}, float %{{.*}}, ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %
// CHECK: shfl.sync.bfly
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @scale(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %by: f32, %d: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}) {
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %a = tt.addptr %s, %i : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %x = tt.load %a : tensor<128x!tt.ptr<f32>, #b>
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%l: f32, %r: f32):
      %t = arith.addf %l, %r : f32
      tt.reduce.return %t : f32
    }) : (tensor<128xf32, #b>) -> f32
    %y = arith.mulf %sum, %by : f32
    tt.store %p, %y : !tt.ptr<f32>
    tt.return
  }
}
