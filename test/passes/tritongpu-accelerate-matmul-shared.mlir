// Operands that wgmma reads from shared memory, and that dots share: where they do not fit at a time, mma.sync.
// RUN: nereid-opt %s --tritongpu-accelerate-matmul --remarks-filter-passed=tritongpu-accelerate-matmul -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// Four operands of 64 KiB.
// CHECK-LABEL: @four_operands
// CHECK-NOT: warp_group_dot
// CHECK-LABEL: @two_pairs
// CHECK-COUNT-2: ttng.warp_group_dot
// REMARK-COUNT-3: not wgmma: the operands, with those of dots that share them, do not fit in shared memory
// REMARK-COUNT-2: wgmma of 64x128x16
tt.func @four_operands(%x: tensor<128x256xf16, #a>, %y: tensor<256x128xf16, #b>, %u: tensor<128x256xf16, #a>, %v: tensor<256x128xf16, #b>, %z: tensor<128x128xf32, #blocked>) -> tensor<128x128xf32, #blocked> {
  %d = tt.dot %u, %y, %z : tensor<128x256xf16, #a> * tensor<256x128xf16, #b> -> tensor<128x128xf32, #blocked>
  %e = tt.dot %x, %v, %d : tensor<128x256xf16, #a> * tensor<256x128xf16, #b> -> tensor<128x128xf32, #blocked>
  %f = tt.dot %x, %y, %e : tensor<128x256xf16, #a> * tensor<256x128xf16, #b> -> tensor<128x128xf32, #blocked>
  tt.return %f : tensor<128x128xf32, #blocked>
}

// The same operands without a shared one: the buffers of the first dot are free when those of the second are needed.
tt.func @two_pairs(%x: tensor<128x256xf16, #a>, %y: tensor<256x128xf16, #b>, %u: tensor<128x256xf16, #a>, %v: tensor<256x128xf16, #b>, %z: tensor<128x128xf32, #blocked>) -> tensor<128x128xf32, #blocked> {
  %d = tt.dot %x, %y, %z : tensor<128x256xf16, #a> * tensor<256x128xf16, #b> -> tensor<128x128xf32, #blocked>
  %e = tt.dot %u, %v, %d : tensor<128x256xf16, #a> * tensor<256x128xf16, #b> -> tensor<128x128xf32, #blocked>
  tt.return %e : tensor<128x128xf32, #blocked>
}
}
