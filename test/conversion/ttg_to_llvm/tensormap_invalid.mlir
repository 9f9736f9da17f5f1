// RUN: nereid-opt %s --split-input-file --verify-diagnostics --allocate-shared-memory --convert-triton-gpu-to-llvm=ptx-version=85

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @early(%p: !tt.ptr<i8>, %base: !tt.ptr<f16>, %n: i32) {
  // expected-error @below {{sets strides, which ptxas encodes wrongly before PTX 8.6; the PTX version is 8.5}}
  ttng.tensormap_create %p, %base, [%n], [%n], [], [%n] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 0 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32) -> ()
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:89"} {
tt.func public @old(%p: !tt.ptr<i8>, %base: !tt.ptr<f16>, %n: i32) {
  // expected-error @below {{uses the tensor memory accelerator, which needs sm_90; the target is sm_89}}
  ttng.tensormap_create %p, %base, [%n], [%n], [], [%n] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 0 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32) -> ()
  tt.return
}
}
