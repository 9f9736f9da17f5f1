// Copies in im2col mode: a box of all pixels for each 64 channels, offsets from the innermost dimension; before the CTAs of a
// multicast.
// RUN: nereid-opt %s --split-input-file --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s
// RUN: nereid-opt %s --split-input-file --nereid-respell=version=3.7 | FileCheck %s --check-prefix=KEPT
// RUN: not nereid-opt %s --split-input-file --nereid-respell=version=3.6 2>&1 | FileCheck %s --check-prefix=OLD
// KEPT: ttng.async_tma_copy_global_to_local %{{.*}} offsets = [
// OLD: error: 'ttng.async_tma_copy_global_to_local' op has no form in Triton 3.6, which has no im2col mode: print the version 3.7 or later
#smem = #ttg.shared_memory
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func @images(
// CHECK-SAME: %arg0: !llvm.ptr {llvm.align = 64 : i32, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant
// CHECK: "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3, $4, $5}], [$6], {$7, $8};", "r,l,r,r,r,r,r,h,h,~{memory}" %[[B:.*]], %arg0, %arg4, %arg3, %arg2, %arg1, %[[M:.*]], %arg6, %arg5 :
// CHECK: %[[RIGHT:.*]] = llvm.getelementptr %[[B]][65536]
// CHECK: %[[C:.*]] = llvm.add %arg4,
// CHECK: "cp.async.bulk.tensor.4d{{.*}} %[[RIGHT]], %arg0, %[[C]], %arg3, %arg2, %arg1, %[[M]], %arg6, %arg5 :
// CHECK-NOT: "cp.async.bulk.tensor
// CHECK: llvm.return
tt.func public @images(%d: !ttng.tensordesc_im2col<512x128xf16, #wide>, %n: i32, %h: i32, %w: i32, %c: i32, %r: i16, %s: i16, %p: i1) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<512x128xf16, #wide, #smem, mutable>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%n, %h, %w, %c] offsets = [%r, %s] %b, %m, %p : !ttng.tensordesc_im2col<512x128xf16, #wide>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<512x128xf16, #wide, #smem, mutable>
  tt.return
}
}

// -----

#smem = #ttg.shared_memory
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#both = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func @multicast(
// CHECK: "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [$0], [$1, {$2, $3, $4}], [$5], {$6}, $7;", "r,l,r,r,r,r,h,h,~{memory}"
tt.func public @multicast(%d: !ttng.tensordesc_im2col<64x64xf16, #both>, %n: i32, %r: i16, %p: i1) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #both, #smem, mutable>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%n, %n, %n] offsets = [%r] %b, %m, %p {multicast} : !ttng.tensordesc_im2col<64x64xf16, #both>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #both, #smem, mutable>
  tt.return
}
}
