// Round trips of descriptors and copies in im2col mode: custom form, generic form, bytecode.
// RUN: nereid-opt %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --emit-bytecode %s | nereid-opt | FileCheck %s
// RUN: nereid-opt %s --print-triton-version=3.7 | FileCheck %s
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @images
  // CHECK-SAME: %[[D:[^:]+]]: !ttng.tensordesc_im2col<128x64xf16, #[[S:shared[0-9]*]]>, %{{[^:]+}}: !ttng.tensordesc_im2col<32x16xui8>, %[[T:[^:]+]]: !ttg.memdesc<{{.*}}>, %[[B:[^:]+]]: !ttg.memdesc<{{.*}}>, %[[I:[^:]+]]: i32, %[[R:[^:]+]]: i16, %[[P:[^:]+]]: i1
  tt.func @images(%d: !ttng.tensordesc_im2col<128x64xf16, #tile>, %e: !ttng.tensordesc_im2col<32x16xui8>, %to: !ttg.memdesc<128x64xf16, #tile, #smem, mutable>, %bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %i: i32, %r: i16, %pred: i1) {
    // CHECK: ttng.async_tma_copy_global_to_local %[[D]][%[[I]], %[[I]], %[[I]], %[[I]]] offsets = [%[[R]], %[[R]]] %[[T]], %[[B]], %[[P]] : !ttng.tensordesc_im2col<128x64xf16, #[[S]]>, !ttg.memdesc<1xi64
    ttng.async_tma_copy_global_to_local %d[%i, %i, %i, %i] offsets = [%r, %r] %to, %bar, %pred : !ttng.tensordesc_im2col<128x64xf16, #tile>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xf16, #tile, #smem, mutable>
    // CHECK: ttng.async_tma_copy_global_to_local %[[D]][%[[I]], %[[I]], %[[I]]] offsets = [%[[R]]] %[[T]], %[[B]], %[[P]] {multicast} :
    ttng.async_tma_copy_global_to_local %d[%i, %i, %i] offsets = [%r] %to, %bar, %pred {multicast} : !ttng.tensordesc_im2col<128x64xf16, #tile>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xf16, #tile, #smem, mutable>
    tt.return
  }
}
