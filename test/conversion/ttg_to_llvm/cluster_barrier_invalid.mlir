// RUN: nereid-opt %s --split-input-file --verify-diagnostics --tritongpu-allocate-warp-groups --allocate-shared-memory --convert-triton-gpu-to-llvm

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
tt.func public @old() {
  // expected-error @below {{requires sm_90: earlier targets have no clusters}}
  ttng.cluster_arrive {relaxed = false}
  ttng.cluster_wait
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @beside_partitions() {
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  // expected-error @below {{waits for all warps of the CTA, but some run partitions of ttg.warp_specialize}}
  ttng.cluster_wait
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
tt.func public @old_fence() {
  // expected-error @below {{requires sm_90: earlier targets have no clusters}}
  ttng.fence_mbarrier_init_release_cluster
  tt.return
}
}
