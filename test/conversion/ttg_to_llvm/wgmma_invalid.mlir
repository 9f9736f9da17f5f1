// RUN: nereid-opt %s --split-input-file --verify-diagnostics --allocate-shared-memory --convert-triton-gpu-to-llvm

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
tt.func private @old(%a: !ttg.memdesc<64x64xf16, #s, #smem>, %b: !ttg.memdesc<64x64xf16, #s, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  // expected-error @below {{is wgmma, which needs sm_90a; the target is sm_80: expected a tt.dot with a result of #ttg.nvidia_mma version 2 (mma.sync), which compiling from tt chooses}}
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #s, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
tt.func private @old_wait(%c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  // expected-error @below {{is wgmma, which needs sm_90a; the target is sm_80}}
  %d = ttng.warp_group_dot_wait %c {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}
}

// -----

// Rows of 128 bytes without a swizzle: the 8 rows of a core matrix are not adjacent.
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#plain = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @unswizzled(%a: !ttg.memdesc<64x64xf16, #plain, #smem>, %b: !ttg.memdesc<64x64xf16, #plain, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  // expected-error @below {{has operand !ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>, #ttg.shared_memory>, whose tiles of 64 rows by 32 bytes of K have no matrix descriptor of wgmma: expected #ttg.nvmma_shared with swizzlingByteWidth of 32, 64 or 128 and, for elements of other than 16 bits, K contiguous}}
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #plain, #smem> * !ttg.memdesc<64x64xf16, #plain, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}
}

// -----

// The transposed form exists for 16-bit elements only.
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @turned(%a: !ttg.memdesc<64x32xf32, #s, #smem>, %b: !ttg.memdesc<32x64xf32, #s, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  // expected-error @below {{has operand !ttg.memdesc<32x64xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>, #ttg.shared_memory>, whose tiles of 64 rows by 32 bytes of K have no matrix descriptor}}
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf32, #s, #smem> * !ttg.memdesc<32x64xf32, #s, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}
}

// -----

// Warps 4 to 7 compute other columns, but hold other rows of A.
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 64, 16]}>
#other = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
#op = #ttg.dot_op<{opIdx = 0, parent = #other, kWidth = 2}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 8 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @rows(%a: tensor<128x16xf16, #op>, %b: !ttg.memdesc<16x128xf16, #s, #smem>, %c: tensor<128x128xf32, #mma>) -> tensor<128x128xf32, #mma> {
  // expected-error @below {{has operand a in registers of tensor<128x16xf16, #ttg.dot_op<}}
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32} : tensor<128x16xf16, #op> * !ttg.memdesc<16x128xf16, #s, #smem> -> tensor<128x128xf32, #mma>
  tt.return %d : tensor<128x128xf32, #mma>
}
}

// -----

// The four warps of a group have different rows.
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 64, 16]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @rows(%a: !ttg.memdesc<256x64xf16, #s, #smem>, %b: !ttg.memdesc<64x64xf16, #s, #smem>, %c: tensor<256x64xf32, #mma>) -> tensor<256x64xf32, #mma> {
  // expected-error @below {{has a result that wgmma does not distribute in this way over threads: expected at least 64 rows and 8 columns, and a multiple of 4 in warpsPerCTA for the rows}}
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32} : !ttg.memdesc<256x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #s, #smem> -> tensor<256x64xf32, #mma>
  tt.return %d : tensor<256x64xf32, #mma>
}
}

// -----

// An encoding of another rank, of a constant that folding has created without a location: the error is at the function.
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{has an encoding that does not distribute it over threads}}
tt.func private @no_location() {
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #line> loc(unknown)
  tt.return
}
}
