// Buffers that are filled with accumulators, before dots that are in flight together: directly, without a conversion, and before
// the first dot, so that one wait and one barrier precede it.
// RUN: nereid-opt %s --tritongpu-pipeline | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @series
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[POWER:.*]] = %{{.*}})
// CHECK-NOT: ttg.convert_layout
// CHECK: %[[B:.*]] = ttg.local_alloc %[[SUM]] : (tensor<64x64xf32, #mma>)
// CHECK-NOT: ttg.convert_layout
// CHECK: %[[NEXT:.*]] = ttng.warp_group_dot
// CHECK: ttng.warp_group_dot_wait %[[NEXT]]
// CHECK: ttng.warp_group_dot %{{.*}}, %[[B]], %[[SUM]]
tt.func @series(%x: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x, %power = %x) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %p = ttg.convert_layout %power : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
    %pa = ttg.local_alloc %p : (tensor<64x64xf32, #blocked>) -> !ttg.memdesc<64x64xf32, #shared, #smem>
    %pb = ttg.local_alloc %p : (tensor<64x64xf32, #blocked>) -> !ttg.memdesc<64x64xf32, #columns, #smem>
    %next = ttng.warp_group_dot %pa, %pb, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf32, #shared, #smem> * !ttg.memdesc<64x64xf32, #columns, #smem> -> tensor<64x64xf32, #mma>
    %s = ttg.convert_layout %sum : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
    %sb = ttg.local_alloc %s : (tensor<64x64xf32, #blocked>) -> !ttg.memdesc<64x64xf32, #columns, #smem>
    %na = ttg.convert_layout %next : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #a>
    %d = ttng.warp_group_dot %na, %sb, %sum {inputPrecision = 0 : i32} : tensor<64x64xf32, #a> * !ttg.memdesc<64x64xf32, #columns, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d, %next : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  tt.return %r#0 : tensor<64x64xf32, #mma>
}
}
