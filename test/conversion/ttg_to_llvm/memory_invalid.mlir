// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @block_load(%p: !tt.ptr<tensor<64xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>>) {
  // expected-error @below {{'tt.load' op uses a block pointer; run triton-rewrite-tensor-pointer first}}
  %x = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>>
  tt.return
}
}

// -----

#v1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @block(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @below {{'tt.make_tensor_ptr' op has no lowering to LLVM}}
  %q = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<64xf32, #v1>>
  %x = tt.load %q : !tt.ptr<tensor<64xf32, #v1>>
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @shared(%p: !tt.ptr<f32, 3>) {
  // expected-error @below {{'tt.load' op uses a pointer to address space 3: expected global memory, 1}}
  %x = tt.load %p : !tt.ptr<f32, 3>
  tt.return
}
}
