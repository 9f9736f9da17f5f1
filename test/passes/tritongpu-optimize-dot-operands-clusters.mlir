// A transposition moves to the buffer through conversions within a CTA only: the buffer of a CTA holds what the CTA has.
// RUN: nereid-opt %s --tritongpu-optimize-dot-operands | FileCheck %s

#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1]]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1], CGALayout = [[1, 0]]}>
#other_rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#whole = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0]]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32, CGALayout = [[0, 0]]}>
#shared_rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32, CGALayout = [[1, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: tt.func @between_ctas
  // CHECK: ttg.convert_layout
  // CHECK: ttg.local_alloc
  tt.func @between_ctas(%x: tensor<64x64xf32, #columns>) -> !ttg.memdesc<64x64xf32, #shared, #smem> {
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xf32, #columns> -> tensor<64x64xf32, #rows>
    %y = ttg.convert_layout %t : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #whole>
    %s = ttg.local_alloc %y : (tensor<64x64xf32, #whole>) -> !ttg.memdesc<64x64xf32, #shared, #smem>
    tt.return %s : !ttg.memdesc<64x64xf32, #shared, #smem>
  }

  // CHECK-LABEL: tt.func @in_cta
  // CHECK-NEXT: ttg.local_alloc %arg0
  // CHECK-NEXT: ttg.memdesc_trans
  tt.func @in_cta(%x: tensor<64x64xf32, #columns>) -> !ttg.memdesc<64x64xf32, #shared_rows, #smem> {
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xf32, #columns> -> tensor<64x64xf32, #rows>
    %y = ttg.convert_layout %t : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #other_rows>
    %s = ttg.local_alloc %y : (tensor<64x64xf32, #other_rows>) -> !ttg.memdesc<64x64xf32, #shared_rows, #smem>
    tt.return %s : !ttg.memdesc<64x64xf32, #shared_rows, #smem>
  }
}
