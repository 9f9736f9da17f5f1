// 224 KiB of shared memory that threads write and TMA reads, without ttg.target.
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#line = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @k(%d: !tt.tensordesc<tensor<128x128xf32, #rows>>, %x: tensor<128x128xf32, #line>, %i: i32) {
  %rest = ttg.local_alloc : () -> !ttg.memdesc<5x64x128xf32, #rows, #smem, mutable>
  %a = ttg.local_alloc %x : (tensor<128x128xf32, #line>) -> !ttg.memdesc<128x128xf32, #rows, #smem, mutable>
  ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !tt.tensordesc<tensor<128x128xf32, #rows>>, !ttg.memdesc<128x128xf32, #rows, #smem, mutable>
  ttg.local_dealloc %rest : !ttg.memdesc<5x64x128xf32, #rows, #smem, mutable>
  tt.return
}
}
