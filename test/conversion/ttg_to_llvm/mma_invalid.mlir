// Dots that mma.sync does not compute.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics --allocate-shared-memory --convert-triton-gpu-to-llvm

#c = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #c, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #c, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
tt.func private @short(%x: tensor<64x4xf16, #a>, %y: tensor<4x8xf16, #b>, %z: tensor<64x8xf32, #c>) {
  // expected-error @below {{'tt.dot' op multiplies 4 columns of f16, but mma.sync takes at least 8: expected a larger K, padded with zeros}}
  %d = tt.dot %x, %y, %z : tensor<64x4xf16, #a> * tensor<4x8xf16, #b> -> tensor<64x8xf32, #c>
  tt.return
}
}

// -----

#c = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #c, kWidth = 1}>
#b = #ttg.dot_op<{opIdx = 1, parent = #c, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
tt.func private @exact(%x: tensor<64x16xf32, #a>, %y: tensor<16x8xf32, #b>, %z: tensor<64x8xf32, #c>) {
  // expected-error @below {{'tt.dot' op has no mma.sync for f32 * f32 -> f32: expected f16, bf16, f32 of input precision tf32, fp8, i8 or f64 for both operands, or a #ttg.blocked result}}
  %d = tt.dot %x, %y, %z, inputPrecision = ieee : tensor<64x16xf32, #a> * tensor<16x8xf32, #b> -> tensor<64x8xf32, #c>
  tt.return
}
}

// -----

#c = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #c, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #c, kWidth = 4}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:86"} {
tt.func private @fp8(%x: tensor<64x32xf8E5M2, #a>, %y: tensor<32x8xf8E5M2, #b>, %z: tensor<64x8xf32, #c>) {
  // expected-error @below {{'tt.dot' op has no mma.sync for f8E5M2 * f8E5M2 -> f32: it needs sm_89 and PTX 8.4; convert the operands to f16}}
  %d = tt.dot %x, %y, %z : tensor<64x32xf8E5M2, #a> * tensor<32x8xf8E5M2, #b> -> tensor<64x8xf32, #c>
  tt.return
}
}

// -----

#c = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #c, kWidth = 8}>
#b = #ttg.dot_op<{opIdx = 1, parent = #c, kWidth = 8}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
tt.func private @wide(%x: tensor<64x16xf16, #a>, %y: tensor<16x8xf16, #b>, %z: tensor<64x8xf32, #c>) {
  // expected-error @below {{'tt.dot' op has operands whose lanes do not all hold elements of the 16 columns: expected a kWidth of at most 4}}
  %d = tt.dot %x, %y, %z : tensor<64x16xf16, #a> * tensor<16x8xf16, #b> -> tensor<64x8xf32, #c>
  tt.return
}
}

// -----

#c = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [8, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #c, kWidth = 1}>
#b = #ttg.dot_op<{opIdx = 1, parent = #c, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
tt.func private @eight_rows(%x: tensor<64x16xf32, #a>, %y: tensor<16x8xf32, #b>, %z: tensor<64x8xf32, #c>) {
  // expected-error @below {{'tt.dot' op has a result for instructions of 8x8: expected an instrShape that ends in 16, 8, or in 8, 8 where the elements are f64}}
  %d = tt.dot %x, %y, %z, inputPrecision = tf32 : tensor<64x16xf32, #a> * tensor<16x8xf32, #b> -> tensor<64x8xf32, #c>
  tt.return
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @format(%x: tensor<16x16xf8E4M3FNUZ, #a>, %y: tensor<16x16xf8E4M3FNUZ, #b>, %z: tensor<16x16xf32, #blocked>) {
  // expected-error @below {{'tt.dot' op multiplies elements of a float format that NVIDIA GPUs do not have: expected f8E4M3FN or f8E5M2}}
  %d = tt.dot %x, %y, %z : tensor<16x16xf8E4M3FNUZ, #a> * tensor<16x16xf8E4M3FNUZ, #b> -> tensor<16x16xf32, #blocked>
  tt.return
}
}
