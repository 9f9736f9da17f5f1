// RUN: nereid-opt %s --split-input-file --verify-diagnostics --nereid-insert-cluster-barriers
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<tensor<64x64xf16, #tile>>
!tile = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
!b = !ttg.memdesc<1xi64, #bar, #smem, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @kernel(%d: !desc, %x: !tile, %m: !b, %i: i32) {
  tt.call @called(%d, %x, %m, %i) : (!desc, !tile, !b, i32) -> ()
  tt.return
}
tt.func private @called(%d: !desc, %x: !tile, %m: !b, %i: i32) {
  %true = arith.constant true
  // expected-error @below {{has multicast in a function that is not a kernel: inline it}}
  ttng.async_tma_copy_global_to_local %d[%i, %i] %x, %m, %true {multicast} : !desc, !b -> !tile
  tt.return
}
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<tensor<64x64xf16, #tile>>
!tile = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
!b = !ttg.memdesc<1xi64, #bar, #smem, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @own_buffer(%d: !desc, %i: i32) {
  %m = ttg.local_alloc : () -> !b
  ttng.init_barrier %m, 1 : !b
  ttg.warp_specialize(%d, %i, %m)
  default {
    ttg.warp_yield
  }
  partition0(%e: !desc, %j: i32, %n: !b) num_warps(4) {
    %true = arith.constant true
    %x = ttg.local_alloc : () -> !tile
    // expected-error @below {{has multicast to buffers that regions of ttg.warp_specialize allocate: expected buffers and mbarriers of the kernel}}
    ttng.async_tma_copy_global_to_local %e[%j, %j] %x, %n, %true {multicast} : !desc, !b -> !tile
    ttg.warp_return
  } : (!desc, i32, !b) -> ()
  tt.return
}
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0]]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<tensor<64x64xf16, #tile>>
!tile = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
!b = !ttg.memdesc<1xi64, #bar, #smem, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @initialized(%d: !desc, %v: tensor<64x64xf16, #rows>, %i: i32, %c: i1) {
  %true = arith.constant true
  %m = ttg.local_alloc : () -> !b
  ttng.init_barrier %m, 1 : !b
  scf.if %c {
    %x = ttg.local_alloc %v : (tensor<64x64xf16, #rows>) -> !tile
    // expected-error @below {{copies to other CTAs' buffers that a loop or branch initializes: expected a ttg.local_alloc without operand}}
    ttng.async_tma_copy_global_to_local %d[%i, %i] %x, %m, %true {multicast} : !desc, !b -> !tile
  }
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @inside() {
  ttg.warp_specialize()
  default {
    // expected-error @below {{is in a region of ttg.warp_specialize, whose other warps do not take part: expected it before or after}}
    ttng.cluster_barrier
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}
