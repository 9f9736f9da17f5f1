// The buffer of an operand is contiguous in the dimension in which the operand is loaded, also if a mask or another elementwise op
// follows in another layout: it is computed in the layout of the load in the end.
// RUN: nereid-opt %s --tritongpu-accelerate-matmul | FileCheck %s

// CHECK-DAG: #[[TURNED:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK-LABEL: @masked
// CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x64xbf16, #[[TURNED]], #smem>
#columns = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @masked(%p: tensor<64x64x!tt.ptr<bf16>, #columns>, %m: tensor<64x64xi1, #rows>, %b: tensor<64x64xbf16, #rows>) -> tensor<64x64xf32, #rows> {
    %zero = arith.constant dense<0.0> : tensor<64x64xbf16, #rows>
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #rows>
    %x = tt.load %p : tensor<64x64x!tt.ptr<bf16>, #columns>
    %y = ttg.convert_layout %x : tensor<64x64xbf16, #columns> -> tensor<64x64xbf16, #rows>
    %z = arith.select %m, %y, %zero : tensor<64x64xi1, #rows>, tensor<64x64xbf16, #rows>
    %a = ttg.convert_layout %z : tensor<64x64xbf16, #rows> -> tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #rows}>>
    %w = ttg.convert_layout %b : tensor<64x64xbf16, #rows> -> tensor<64x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #rows}>>
    %d = tt.dot %a, %w, %none : tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #rows}>> * tensor<64x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #rows}>> -> tensor<64x64xf32, #rows>
    tt.return %d : tensor<64x64xf32, #rows>
  }
}
