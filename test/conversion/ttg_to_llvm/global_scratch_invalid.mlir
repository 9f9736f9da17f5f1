// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @unplaced() {
  // expected-error @below {{'ttg.global_scratch_alloc' op has no offset in global scratch: run tritongpu-global-scratch-memory-allocation first}}
  %a = ttg.global_scratch_alloc {nbytes = 4 : i32, alignment = 4 : i32} : !tt.ptr<i32>
  tt.return
}
}
