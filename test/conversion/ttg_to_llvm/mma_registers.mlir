// Accumulators of wgmma become an operand of the next dot, and are reduced along rows, without shared memory.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#scores = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>
#out = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#op = #ttg.dot_op<{opIdx = 0, parent = #out, kWidth = 2}>
#rows = #ttg.slice<{dim = 1, parent = #scores}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func internal @operand(
// CHECK-NOT: {{llvm\.(store|load|select|call|inline_asm)|nvvm.shfl|barrier}}
// CHECK: llvm.return
tt.func private @operand(%p: tensor<64x32xbf16, #scores>) -> tensor<64x32xbf16, #op> {
  %a = ttg.convert_layout %p : tensor<64x32xbf16, #scores> -> tensor<64x32xbf16, #op>
  tt.return %a : tensor<64x32xbf16, #op>
}

// Rows of one encoding are those of the other, whatever the instruction's N.
// CHECK-LABEL: llvm.func internal @scale(
// CHECK-NOT: {{llvm\.(store|load|select|call|inline_asm)|nvvm.shfl|barrier}}
// CHECK: llvm.return
tt.func private @scale(%l: tensor<64x1xf32, #scores>) -> tensor<64x64xf32, #out> {
  %m = ttg.convert_layout %l : tensor<64x1xf32, #scores> -> tensor<64x1xf32, #out>
  %n = tt.broadcast %m : tensor<64x1xf32, #out> -> tensor<64x64xf32, #out>
  tt.return %n : tensor<64x64xf32, #out>
}

// Two rows of a thread, four lanes of a row.
// CHECK-LABEL: llvm.func internal @row_sums(
// CHECK-COUNT-4: llvm.nvvm.shfl.sync.bfly.f32
// CHECK-NOT: {{llvm\.(store|load|inline_asm)|shfl|barrier}}
// CHECK: llvm.return
tt.func private @row_sums(%p: tensor<64x32xf32, #scores>) -> tensor<64xf32, #rows> {
  %s = "tt.reduce"(%p) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<64x32xf32, #scores>) -> tensor<64xf32, #rows>
  tt.return %s : tensor<64xf32, #rows>
}
}
