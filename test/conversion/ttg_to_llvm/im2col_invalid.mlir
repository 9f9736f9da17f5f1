// RUN: nereid-opt %s --split-input-file --verify-diagnostics --allocate-shared-memory --convert-triton-gpu-to-llvm
#smem = #ttg.shared_memory
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#narrow = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @many_pixels(%d: !ttng.tensordesc_im2col<2048x16xf16, #narrow>, %n: i32, %r: i16, %p: i1) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<2048x16xf16, #narrow, #smem, mutable>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @below {{copies 2048 pixels in boxes of 1024: expected at most 1024, which the CTAs of a cluster do not divide}}
  ttng.async_tma_copy_global_to_local %d[%n, %n, %n] offsets = [%r] %b, %m, %p : !ttng.tensordesc_im2col<2048x16xf16, #narrow>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<2048x16xf16, #narrow, #smem, mutable>
  tt.return
}
}

// -----

#smem = #ttg.shared_memory
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#halves = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @divided_pixels(%d: !ttng.tensordesc_im2col<64x64xf16, #halves>, %n: i32, %r: i16, %p: i1) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #halves, #smem, mutable>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @below {{copies 64 pixels in boxes of 32: expected at most 1024, which the CTAs of a cluster do not divide}}
  ttng.async_tma_copy_global_to_local %d[%n, %n, %n] offsets = [%r] %b, %m, %p : !ttng.tensordesc_im2col<64x64xf16, #halves>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #halves, #smem, mutable>
  tt.return
}
}
