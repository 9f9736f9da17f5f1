// Writes that warps of another region access by TMA are fenced by the threads that write, before the regions begin or end.
// RUN: nereid-opt %s --triton-nvidia-gpu-fence-insertion | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: @before_regions
// CHECK: ttg.local_store
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttg.warp_specialize
// CHECK: partition0
// CHECK-NOT: ttng.fence_async_shared
// CHECK: ttng.async_tma_copy_local_to_global
tt.func public @before_regions(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %i: i32, %x: tensor<64x64xf16, #rows>) {
  %a = ttg.local_alloc : () -> !tile
  ttg.local_store %x, %a : tensor<64x64xf16, #rows> -> !tile
  ttg.warp_specialize(%a, %d, %i)
  default {
    ttg.warp_yield
  }
  partition0(%b: !tile, %e: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %k: i32) num_warps(1) {
    ttng.async_tma_copy_local_to_global %e[%k, %k] %b : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !tile
    ttng.async_tma_store_wait {pendings = 0 : i32}
    ttg.warp_return
  } : (!tile, !tt.tensordesc<tensor<64x64xf16, #nvmma>>, i32) -> ()
  tt.return
}

// CHECK-LABEL: @end_of_partition
// CHECK: partition0
// CHECK: ttg.local_store
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttg.warp_return
// CHECK-NOT: ttng.fence_async_shared
// CHECK: ttng.async_tma_copy_local_to_global
tt.func public @end_of_partition(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %i: i32) {
  %a = ttg.local_alloc : () -> !tile
  ttg.warp_specialize(%a)
  default {
    ttg.warp_yield
  }
  partition0(%b: !tile) num_warps(4) {
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #rows>
    ttg.local_store %x, %b : tensor<64x64xf16, #rows> -> !tile
    ttg.warp_return
  } : (!tile) -> ()
  ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !tile
  ttng.async_tma_store_wait {pendings = 0 : i32}
  tt.return
}

// The warps of the default region continue after it, so they fence where TMA needs it.
// CHECK-LABEL: @end_of_default
// CHECK: ttg.local_store
// CHECK-NEXT: ttg.warp_yield
// CHECK: ttng.fence_async_shared
// CHECK-NEXT: ttng.async_tma_copy_local_to_global
tt.func public @end_of_default(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %i: i32, %x: tensor<64x64xf16, #rows>) {
  %a = ttg.local_alloc : () -> !tile
  ttg.warp_specialize(%i)
  default {
    ttg.local_store %x, %a : tensor<64x64xf16, #rows> -> !tile
    ttg.warp_yield
  }
  partition0(%k: i32) num_warps(1) {
    ttg.warp_return
  } : (i32) -> ()
  ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !tile
  ttng.async_tma_store_wait {pendings = 0 : i32}
  tt.return
}
}
