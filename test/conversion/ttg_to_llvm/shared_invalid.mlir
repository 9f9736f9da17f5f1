// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm

#smem = #ttg.shared_memory
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @unplaced() {
  // expected-error @below {{'ttg.local_alloc' op has no place in shared memory: allocate-shared-memory comes first}}
  %a = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
  tt.return
}
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#padded = #ttg.padded_shared<[32:+4] {order = [0], shape = [128]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @padded(%x: tensor<128xf32, #line>) {
  // expected-error @below {{'ttg.local_alloc' op has a buffer whose encoding is not a linear layout}}
  %a = ttg.local_alloc %x {allocation.offset = 0 : i32} : (tensor<128xf32, #line>) -> !ttg.memdesc<128xf32, #padded, #smem>
  tt.return
}
}
