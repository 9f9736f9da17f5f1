// Kernels whose dots need most of the registers are bounded to one CTA per multiprocessor: ptxas otherwise may keep 32
// registers per thread and spill the rest.
// RUN: nereid-opt %s --pass-pipeline='builtin.module(allocate-shared-memory,convert-triton-gpu-to-llvm)' | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
// CHECK: llvm.func @two_results
// CHECK-SAME: nvvm.minctasm = 1
tt.func public @two_results(%p: tensor<128x128x!tt.ptr<f32>, #mma>) {
  %x = arith.constant dense<1.0> : tensor<128x16xf16, #a>
  %y = arith.constant dense<2.0> : tensor<16x128xf16, #b>
  %c = tt.load %p : tensor<128x128x!tt.ptr<f32>, #mma>
  %d = tt.dot %x, %y, %c : tensor<128x16xf16, #a> * tensor<16x128xf16, #b> -> tensor<128x128xf32, #mma>
  %e = tt.dot %x, %y, %d : tensor<128x16xf16, #a> * tensor<16x128xf16, #b> -> tensor<128x128xf32, #mma>
  tt.store %p, %e : tensor<128x128x!tt.ptr<f32>, #mma>
  tt.return
}
// CHECK: llvm.func @one_result
// CHECK-NOT: nvvm.minctasm
// CHECK: llvm.return
tt.func public @one_result(%p: tensor<128x128x!tt.ptr<f32>, #mma>) {
  %x = arith.constant dense<1.0> : tensor<128x16xf16, #a>
  %y = arith.constant dense<2.0> : tensor<16x128xf16, #b>
  %c = tt.load %p : tensor<128x128x!tt.ptr<f32>, #mma>
  %d = tt.dot %x, %y, %c : tensor<128x16xf16, #a> * tensor<16x128xf16, #b> -> tensor<128x128xf32, #mma>
  tt.store %p, %d : tensor<128x128x!tt.ptr<f32>, #mma>
  tt.return
}
// Multiply-adds with 32 results per thread.
// CHECK: llvm.func @multiply_adds
// CHECK-SAME: nvvm.minctasm = 1
tt.func public @multiply_adds(%p: tensor<64x64x!tt.ptr<f32>, #blocked>) {
  %x = arith.constant dense<1.0> : tensor<64x16xf32, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>
  %y = arith.constant dense<2.0> : tensor<16x64xf32, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>
  %c = tt.load %p : tensor<64x64x!tt.ptr<f32>, #blocked>
  %d = tt.dot %x, %y, %c, inputPrecision = ieee : tensor<64x16xf32, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<16x64xf32, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
  tt.store %p, %d : tensor<64x64x!tt.ptr<f32>, #blocked>
  tt.return
}
}
