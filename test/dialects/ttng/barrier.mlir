// Round trips of fences, cluster barriers and mbarriers: custom form, generic form, bytecode.
// RUN: nereid-opt %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --emit-bytecode %s | nereid-opt | FileCheck %s

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @fences()
  tt.func @fences() {
    // CHECK: ttng.fence_async_shared {bCluster = false}
    ttng.fence_async_shared {bCluster = false}
    // CHECK: ttng.fence_async_shared {bCluster = true}
    ttng.fence_async_shared {bCluster = true}
    // CHECK: ttng.cluster_arrive {relaxed = true}
    ttng.cluster_arrive {relaxed = true}
    // CHECK: ttng.cluster_wait
    ttng.cluster_wait
    // CHECK: ttng.cluster_arrive {relaxed = false}
    ttng.cluster_arrive {relaxed = false}
    // CHECK: ttng.cluster_arrive{{$}}
    ttng.cluster_arrive
    // CHECK: ttng.cluster_barrier{{$}}
    ttng.cluster_barrier
    // CHECK: ttng.cluster_barrier {relaxed = true}
    ttng.cluster_barrier {relaxed = true}
    // CHECK: ttng.fence_mbarrier_init_release_cluster
    ttng.fence_mbarrier_init_release_cluster
    tt.return
  }

  // CHECK-LABEL: tt.func @life
  // CHECK-SAME: %[[BAR:.+]]: !ttg.memdesc<1xi64, #shared{{[0-9]*}}, #smem, mutable>, %[[P:.+]]: i1
  tt.func @life(%bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %pred: i1) {
    // CHECK: ttng.init_barrier %[[BAR]], 1 : !ttg.memdesc<1xi64, #shared{{[0-9]*}}, #smem, mutable>
    ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    // CHECK: ttng.barrier_expect %[[BAR]], 16384, %[[P]] : !ttg.memdesc<1xi64
    ttng.barrier_expect %bar, 16384, %pred : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    // CHECK: ttng.arrive_barrier %[[BAR]], 2 : !ttg.memdesc<1xi64
    ttng.arrive_barrier %bar, 2 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    // CHECK: ttng.arrive_barrier %[[BAR]], 1, %[[P]] : !ttg.memdesc<1xi64
    ttng.arrive_barrier %bar, 1, %pred : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    // CHECK: ttng.async_copy_mbarrier_arrive %[[BAR]] : !ttg.memdesc<1xi64
    ttng.async_copy_mbarrier_arrive %bar : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    // CHECK: ttng.async_copy_mbarrier_arrive %[[BAR]] {noIncrement} : !ttg.memdesc<1xi64
    ttng.async_copy_mbarrier_arrive %bar {noIncrement} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    // CHECK: ttng.inval_barrier %[[BAR]] : !ttg.memdesc<1xi64
    ttng.inval_barrier %bar : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    // CHECK: ttng.cluster_barrier deps %[[BAR]] : !ttg.memdesc<1xi64, #shared{{[0-9]*}}, #smem, mutable>
    ttng.cluster_barrier deps %bar : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tt.return
  }

  // CHECK-LABEL: tt.func @wait
  // CHECK-SAME: %[[BAR:.+]]: !ttg.memdesc<1xi64, #[[BARRIER:.+]], #smem, mutable>, %[[TILE:.+]]: !ttg.memdesc<64x64xf16, #[[SHARED:.+]], #smem, mutable>, %[[PHASE:.+]]: i32, %[[P:.+]]: i1
  tt.func @wait(%bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %tile: !ttg.memdesc<64x64xf16, #tile, #smem, mutable>, %phase: i32, %pred: i1) {
    // CHECK: ttng.wait_barrier %[[BAR]], %[[PHASE]] : !ttg.memdesc<1xi64, #[[BARRIER]], #smem, mutable>
    ttng.wait_barrier %bar, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    // CHECK: ttng.wait_barrier %[[BAR]], %[[PHASE]], %[[P]] : !ttg.memdesc<1xi64, #[[BARRIER]], #smem, mutable>
    ttng.wait_barrier %bar, %phase, %pred : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    // CHECK: ttng.wait_barrier %[[BAR]], %[[PHASE]], %[[P]] deps %[[TILE]], %[[BAR]] : !ttg.memdesc<1xi64, #[[BARRIER]], #smem, mutable>, !ttg.memdesc<64x64xf16, #[[SHARED]], #smem, mutable>, !ttg.memdesc<1xi64, #[[BARRIER]], #smem, mutable>
    ttng.wait_barrier %bar, %phase, %pred deps %tile, %bar : !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<64x64xf16, #tile, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tt.return
  }
}
