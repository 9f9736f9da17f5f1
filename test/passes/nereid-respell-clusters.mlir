// Barriers of the cluster and the fence for initialized mbarriers, which 3.6 has in parts or as assembly.
// RUN: nereid-opt %s --nereid-respell=version=3.6 | FileCheck %s --check-prefix=OLD
// RUN: nereid-opt %s --print-triton-version=3.7 | FileCheck %s --check-prefix=NEW
// RUN: nereid-opt %s --print-triton-version=3.6 | nereid-opt | FileCheck %s --check-prefix=OLD
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// OLD-LABEL: @barriers
// OLD: tt.elementwise_inline_asm "fence.mbarrier_init.release.cluster; // dummy $0" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
// OLD-NEXT: ttng.cluster_arrive {relaxed = true}
// OLD-NEXT: ttng.cluster_wait
// OLD-NEXT: ttng.cluster_arrive {relaxed = false}
// OLD-NEXT: ttng.cluster_wait
// OLD-NEXT: ttng.cluster_arrive {relaxed = false}
// OLD-NEXT: ttng.cluster_wait
// OLD-NEXT: tt.return
// NEW-LABEL: @barriers
// NEW: ttng.fence_mbarrier_init_release_cluster
// NEW-NEXT: ttng.cluster_barrier {relaxed = true}
// NEW-NEXT: ttng.cluster_barrier{{$}}
// NEW-NEXT: ttng.cluster_arrive
// NEW-NEXT: ttng.cluster_wait
// NEW-NEXT: tt.return
tt.func public @barriers(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  ttng.fence_mbarrier_init_release_cluster
  ttng.cluster_barrier {relaxed = true}
  ttng.cluster_barrier deps %b : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.cluster_arrive
  ttng.cluster_wait
  tt.return
}
}
