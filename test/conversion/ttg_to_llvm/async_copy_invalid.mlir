// RUN: nereid-opt %s --split-input-file --verify-diagnostics --allocate-shared-memory --convert-triton-gpu-to-llvm

#v1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @narrow(%q: tensor<128x!tt.ptr<f16>, #v1>) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<128xf16, #plain, #smem, mutable>
  // expected-error @below {{'ttg.async_copy_global_to_local' op can copy 2 bytes at a time: cp.async needs 4, 8 or 16, contiguous and aligned in both memories}}
  %t = ttg.async_copy_global_to_local %q, %a : tensor<128x!tt.ptr<f16>, #v1> -> <128xf16, #plain, #smem, mutable>
  tt.return
}
}
