// Buffers of operands for multiply-adds are divided among the CTAs of a cluster as the stored tensor is.
// RUN: nereid-opt %s --tritongpu-reduce-data-duplication | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#copies = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0]]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #rows}>
#b = #ttg.dot_op<{opIdx = 1, parent = #rows}>
// CHECK-DAG: #[[A:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = {{\[\[}}1, 0]]}>
// CHECK-DAG: #[[B:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = {{\[\[}}0, 0]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @product
// CHECK: ttg.local_alloc %{{.*}} : (tensor<64x32xf32, {{.*}}>) -> !ttg.memdesc<64x32xf32, #[[A]], #smem>
// CHECK: ttg.local_alloc %{{.*}} : (tensor<32x64xf32, {{.*}}>) -> !ttg.memdesc<32x64xf32, #[[B]], #smem>
tt.func private @product(%x: tensor<64x32xf32, #rows>, %y: tensor<32x64xf32, #copies>, %c: tensor<64x64xf32, #rows>) -> tensor<64x64xf32, #rows> {
  %xa = ttg.convert_layout %x : tensor<64x32xf32, #rows> -> tensor<64x32xf32, #a>
  %yb = ttg.convert_layout %y : tensor<32x64xf32, #copies> -> tensor<32x64xf32, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #rows>
  tt.return %d : tensor<64x64xf32, #rows>
}
}
