// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#smem = #ttg.shared_memory
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#flat = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32, rank = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// One thread issues the copies. Four boxes of 256 rows and 64 columns, in order; coordinates from the innermost
// dimension.
// CHECK-LABEL: llvm.func @load(
// CHECK: %[[B:.*]] = llvm.mlir.addressof @global_smem : !llvm.ptr<3>
// CHECK: llvm.cond_br
// CHECK: llvm.inline_asm has_side_effects "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3}], [$4];", "r,l,r,r,r,~{memory}" %[[B]], %arg0, %arg2, %arg1, %{{.*}} :
// CHECK: %[[RIGHT:.*]] = llvm.getelementptr %[[B]][65536]
// CHECK: %[[J:.*]] = llvm.add %arg2, %{{.*}} : i32
// CHECK: llvm.inline_asm {{.*}} %[[RIGHT]], %arg0, %[[J]], %arg1, %{{.*}} :
// CHECK: %[[BELOW:.*]] = llvm.getelementptr %[[B]][32768]
// CHECK: %[[I:.*]] = llvm.add %arg1, %{{.*}} : i32
// CHECK: llvm.inline_asm {{.*}} %[[BELOW]], %arg0, %arg2, %[[I]], %{{.*}} :
// CHECK: llvm.getelementptr %[[B]][98304]
// CHECK: llvm.inline_asm {{.*}}cp.async{{.*}} ->
// CHECK-NOT: cp.async
// CHECK: llvm.return
tt.func public @load(%d: !tt.tensordesc<tensor<512x128xf16, #wide>>, %i: i32, %j: i32, %p: i1) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<512x128xf16, #wide, #smem, mutable>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %j] %b, %m, %p : !tt.tensordesc<tensor<512x128xf16, #wide>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<512x128xf16, #wide, #smem, mutable>
  tt.return
}

// CHECK-LABEL: llvm.func @store(
// CHECK: llvm.addrspacecast %{{.*}} : !llvm.ptr<1> to !llvm.ptr
// CHECK: "fence.proxy.async.shared::cta;"
// CHECK: llvm.cond_br
// CHECK: "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [$1, {$2}], [$0];", "r,l,r,~{memory}"
// CHECK: "cp.async.bulk.commit_group;"
// CHECK: "cp.async.bulk.wait_group.read 1;"
// CHECK: "cp.reduce.async.bulk.tensor.1d.global.shared::cta.xor.bulk_group [$1, {$2}], [$0];"
// CHECK: "cp.async.bulk.commit_group;"
// CHECK: "fence.proxy.async.shared::cluster;"
tt.func public @store(%a: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}, %i: i32) {
  %d = ttng.reinterpret_tensor_descriptor %a : !tt.ptr<i8> to !tt.tensordesc<tensor<64xi32>>
  %b = ttg.local_alloc : () -> !ttg.memdesc<64xi32, #flat, #smem, mutable>
  ttng.fence_async_shared {bCluster = false}
  ttng.async_tma_copy_local_to_global %d[%i] %b : !tt.tensordesc<tensor<64xi32>>, !ttg.memdesc<64xi32, #flat, #smem, mutable>
  ttng.async_tma_store_wait {pendings = 1 : i32}
  ttng.async_tma_reduce xor, %d[%i] %b : !tt.tensordesc<tensor<64xi32>>, !ttg.memdesc<64xi32, #flat, #smem, mutable>
  ttng.fence_async_shared {bCluster = true}
  tt.return
}

// CHECK-LABEL: llvm.func @acquire(
// CHECK: "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;", "l,~{memory}"
tt.func public @acquire(%p: !tt.ptr<i8>) {
  ttng.tensormap_fenceproxy_acquire %p : !tt.ptr<i8>
  tt.return
}
}
