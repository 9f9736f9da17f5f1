// RUN: nereid-opt %s --tritongpu-partition-scheduling --remarks-filter-missed=tritongpu-partition-scheduling 2>&1 | FileCheck %s

// A conversion between the CTAs of a cluster needs all warps of the cluster: the loop is not divided.
// CHECK: not warp-specialized: the module moves elements between the CTAs of a cluster, in which all warps take part
// CHECK-NOT: ttg.partition
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#columns = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1]]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @transposed(%a: !tt.tensordesc<tensor<128x128xf16, #shared>>, %p: tensor<128x128x!tt.ptr<f16>, #columns>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.descriptor_load %a[%i, %c0] : !tt.tensordesc<tensor<128x128xf16, #shared>> -> tensor<128x128xf16, #rows>
    %y = ttg.convert_layout %x : tensor<128x128xf16, #rows> -> tensor<128x128xf16, #columns>
    tt.store %p, %y : tensor<128x128x!tt.ptr<f16>, #columns>
  } {tt.warp_specialize}
  tt.return
}
}
