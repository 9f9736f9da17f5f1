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
// CHECK: "fence.proxy.tensormap::generic.acquire.gpu [$0], 128; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;", "l,~{memory}"
tt.func public @acquire(%p: !tt.ptr<i8>) {
  ttng.tensormap_fenceproxy_acquire %p : !tt.ptr<i8>
  tt.return
}

// The first warp clears the scratch, its first thread sets the fields, the warp copies the map. Two maps need no barrier of
// the CTA: only this warp uses the scratch.
// CHECK-LABEL: llvm.func @create(
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.icmp "ult"
// CHECK: %[[WORD:.*]] = llvm.getelementptr %[[S:.*]][%{{.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
// CHECK: bar.warp.sync
// CHECK: "st.shared.b32 [$0], $1;", "r,r,~{memory}" %[[WORD]]
// CHECK: bar.warp.sync
// CHECK: llvm.cond_br
// CHECK: "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [$0], $1;", "r,l,~{memory}" %[[S]], %arg1
// CHECK: "tensormap.replace.tile.rank.shared::cta.b1024.b32 [$0], 1;"
// CHECK: "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [$0], 0, $1;", "r,r,~{memory}" %[[S]], %arg2
// CHECK: "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [$0], 1, $1;", "r,r,~{memory}" %[[S]], %arg3
// CHECK: "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [$0], 0, $1;", "r,r,~{memory}" %[[S]], %arg3
// CHECK: "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [$0], 1, $1;", "r,r,~{memory}" %[[S]], %arg2
// CHECK: "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [$0], 0, $1;", "r,l,~{memory}" %[[S]], %arg4
// CHECK: "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [$0], 0, $1;"
// CHECK: "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [$0], 1, $1;"
// CHECK: "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [$0], 6;"
// CHECK: "tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [$0], 0;"
// CHECK: "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [$0], 3;"
// CHECK: "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [$0], 1;"
// CHECK: bar.warp.sync
// CHECK: "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], 128;", "l,r,~{memory}" %{{.*}}, %[[S]]
// CHECK-NOT: nvvm.barrier
// CHECK: tensormap.cp_fenceproxy
// CHECK: llvm.return
tt.func public @create(%p: !tt.ptr<i8>, %base: !tt.ptr<f16>, %b: i32, %n: i32, %s: i64) {
  %one = arith.constant 1 : i32
  ttng.tensormap_create %p, %base, [%b, %n], [%n, %b], [%s], [%one, %one] {elem_type = 6 : i32, fill_mode = 1 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  ttng.tensormap_create %p, %base, [%b], [%n], [], [%one] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 0 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32) -> ()
  tt.return
}
}
