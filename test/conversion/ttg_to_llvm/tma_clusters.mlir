// Tensor copies of the CTAs of a cluster.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#smem = #ttg.shared_memory
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#half = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0], [1, 0]]}>
#boxes = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0], [2, 0]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// The second bit of the CTA's number selects 64 rows: two boxes of 32.
// CHECK-LABEL: llvm.func @load(
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: %[[BIT:.*]] = llvm.lshr %[[RANK]], %{{.*}} : i32
// CHECK: %[[ONE:.*]] = llvm.and %[[BIT]]
// CHECK: %[[ROW:.*]] = llvm.mul %[[ONE]]
// CHECK: %[[I:.*]] = llvm.add %arg1, %[[ROW]]
// CHECK: "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3}], [$4];", "r,l,r,r,r,~{memory}" %{{.*}}, %arg0, %arg2, %[[I]],
// CHECK: llvm.getelementptr %{{.*}}[4096]
// CHECK: %[[BELOW:.*]] = llvm.add %[[I]], %{{.*}} : i32
// CHECK: "cp.async.bulk.tensor.2d{{.*}} %arg0, %arg2, %[[BELOW]],
// CHECK-NOT: "cp.async.bulk.tensor
// CHECK: llvm.return
tt.func public @load(%d: !tt.tensordesc<tensor<128x64xf16, #boxes>>, %i: i32, %j: i32, %p: i1) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #half, #smem, mutable>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %j] %b, %m, %p : !tt.tensordesc<tensor<128x64xf16, #boxes>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xf16, #half, #smem, mutable>
  tt.return
}

// Of two CTAs with the same rows the first one stores.
// CHECK-LABEL: llvm.func @store(
// CHECK: llvm.add %arg1
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: %[[COPY:.*]] = llvm.and %[[RANK]]
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[COPY]]
// CHECK: %[[BOTH:.*]] = llvm.and %{{.*}}, %[[FIRST]] : i1
// CHECK: llvm.cond_br %[[BOTH]]
tt.func public @store(%d: !tt.tensordesc<tensor<128x64xf16, #boxes>>, %i: i32) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #half, #smem, mutable>
  ttng.async_tma_copy_local_to_global %d[%i, %i] %b : !tt.tensordesc<tensor<128x64xf16, #boxes>>, !ttg.memdesc<128x64xf16, #half, #smem, mutable>
  tt.return
}

// Two CTAs with the same rows, divided: each loads one of the two boxes for both, the second one 32 rows further. CTAs 0 and 1,
// or 2 and 3.
// CHECK-LABEL: llvm.func @divided(
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: %[[I:.*]] = llvm.add %arg1
// CHECK: %[[OWN:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: %[[ROW:.*]] = llvm.add %[[I]], %{{.*}} : i32
// CHECK: %[[FIRST:.*]] = llvm.and %[[OWN]]
// CHECK: %[[SET:.*]] = llvm.shl %{{.*}}, %[[FIRST]] : i32
// CHECK: %[[CTAS:.*]] = llvm.trunc %[[SET]] : i32 to i16
// CHECK: "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [$0], [$1, {$2, $3}], [$4], $5;", "r,l,r,r,r,h,~{memory}" %{{.*}}, %arg0, %arg2, %[[ROW]], %{{.*}}, %[[CTAS]] :
// CHECK-NOT: "cp.async.bulk.tensor
// CHECK: llvm.return
tt.func public @divided(%d: !tt.tensordesc<tensor<128x64xf16, #boxes>>, %i: i32, %j: i32, %p: i1) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #half, #smem, mutable>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %j] %b, %m, %p {multicast, divided} : !tt.tensordesc<tensor<128x64xf16, #boxes>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xf16, #half, #smem, mutable>
  tt.return
}

// Not divided: the first of the two loads both boxes for both.
// CHECK-LABEL: llvm.func @multicast(
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq"
// CHECK: %[[CTAS:.*]] = llvm.trunc %{{.*}} : i32 to i16
// CHECK: %[[ISSUES:.*]] = llvm.and %arg3, %[[FIRST]] : i1
// CHECK: %[[ONE:.*]] = llvm.and %{{.*}}, %[[ISSUES]]
// CHECK: llvm.cond_br %[[ONE]]
// CHECK: "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster {{.*}}, %[[CTAS]] :
// CHECK: "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster {{.*}}, %[[CTAS]] :
// CHECK-NOT: "cp.async.bulk.tensor
// CHECK: llvm.return
tt.func public @multicast(%d: !tt.tensordesc<tensor<128x64xf16, #boxes>>, %i: i32, %j: i32, %p: i1) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #half, #smem, mutable>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %j] %b, %m, %p {multicast} : !tt.tensordesc<tensor<128x64xf16, #boxes>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xf16, #half, #smem, mutable>
  tt.return
}

// A lane of each warp for each CTA: the own one, and those whose numbers differ by 1 and by 2.
// CHECK-LABEL: llvm.func @release(
// CHECK: bar.warp.sync
// CHECK: %[[ARRIVES:.*]] = llvm.icmp "ult" %{{.*}}, %{{.*}} : i32
// CHECK: %[[OWN:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: %[[CTA:.*]] = llvm.xor %[[OWN]], %{{.*}} : i32
// CHECK: "{ .reg .b32 there; @$1 mapa.shared::cluster.u32 there, $0, $2; @$1 mbarrier.arrive.shared::cluster.b64 _, [there], $3; }", "r,b,r,r,~{memory}" %{{.*}}, %[[ARRIVES]], %[[CTA]],
// CHECK: mbarrier.try_wait.parity.shared.b64 done
tt.func public @release(%phase: i32) {
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.arrive_barrier %m, 1 {ctas = 7 : i32, perWarp} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.wait_barrier %m, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// A thread for each CTA, after all warps of the CTA; the first warp waits.
// CHECK-LABEL: llvm.func @release_together(
// CHECK-NOT: bar.warp.sync
// CHECK: %[[ARRIVES:.*]] = llvm.icmp "ult" %{{.*}}, %{{.*}} : i32
// CHECK: mbarrier.arrive.shared::cluster.b64 _, [there], $3; }", "r,b,r,r,~{memory}" %{{.*}}, %[[ARRIVES]],
// CHECK: %[[FIRST:.*]] = llvm.icmp "ult" %{{.*}}, %{{.*}} : i32
// CHECK: "{ .reg .pred done; @!$2 bra over; again: mbarrier.try_wait{{.*}} %[[FIRST]] :
tt.func public @release_together(%phase: i32) {
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.arrive_barrier %m, 1 {ctas = 3 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.wait_barrier %m, %phase {firstWarp} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// CHECK-LABEL: llvm.func @synchronize(
// CHECK: "fence.mbarrier_init.release.cluster;"
// CHECK: "llvm.nvvm.barrier.cluster.arrive.aligned"
// CHECK: "llvm.nvvm.barrier.cluster.wait.aligned"
// CHECK: "llvm.nvvm.barrier.cluster.arrive.relaxed.aligned"
tt.func public @synchronize() {
  ttng.cluster_arrive {relaxed = false}
  ttng.cluster_wait
  ttng.cluster_arrive {relaxed = true}
  ttng.cluster_wait
  tt.return
}

// CHECK-LABEL: llvm.func @barriers(
// CHECK: "fence.mbarrier_init.release.cluster;"
// CHECK-NOT: fence
// CHECK: "llvm.nvvm.barrier.cluster.arrive.relaxed.aligned"
// CHECK: "llvm.nvvm.barrier.cluster.wait.aligned"
// CHECK: "llvm.nvvm.barrier.cluster.arrive.aligned"
// CHECK: "llvm.nvvm.barrier.cluster.wait.aligned"
// CHECK: llvm.return
tt.func public @barriers() {
  ttng.fence_mbarrier_init_release_cluster
  ttng.cluster_barrier {relaxed = true}
  ttng.cluster_barrier
  tt.return
}
}
