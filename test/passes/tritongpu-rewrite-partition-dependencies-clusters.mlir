// RUN: nereid-opt %s --tritongpu-partition-scheduling --tritongpu-rewrite-partition-dependencies | FileCheck %s
// RUN: nereid-opt %s --tritongpu-partition-scheduling --tritongpu-rewrite-partition-dependencies --remarks-filter-passed=tritongpu-rewrite-partition-dependencies 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// Four CTAs compute quarters of the tile. CTAs 0 and 2, and 1 and 3, need the same rows of A; CTAs 0 and 1, and 2 and 3, the same
// columns of B. A producer fills slots of three CTAs, so it waits for the four warps of each of them.
// REMARK: ring of 4 slots of 8192 bytes: {{.*}} multicast: each of 2 CTAs loads 1/2 of the slot for all of them; read by
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0], [0, 0]]}>
#columns = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0], [0, 1]]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = [[1, 0], [0, 1]], instrShape = [16, 64, 16]}>
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0], [0, 0]]}>
#b = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0], [0, 1]]}>
#boxes = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0], [2, 0]]}>
#boxes_b = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0], [0, 1]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @product
// CHECK-COUNT-4: ttng.init_barrier %{{.*}}, 1 :
// CHECK-COUNT-4: ttng.init_barrier %{{.*}}, 12 :
// CHECK: ttng.wait_barrier {{.*}} {ttg.partition = array<i32: 1>}
// CHECK: ttng.barrier_expect %{{.*}}, 16384
// CHECK-COUNT-2: ttng.async_tma_copy_global_to_local {{.*}} {divided, multicast, ttg.partition = array<i32: 1>}
// CHECK: ttng.arrive_barrier {{.*}} {ctas = 7 : i32, perWarp, ttg.partition = array<i32: 0>}
tt.func public @product(%da: !tt.tensordesc<tensor<128x64xf16, #boxes>>, %db: !tt.tensordesc<tensor<64x128xf16, #boxes_b>>, %n: i32) -> tensor<128x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %x = tt.descriptor_load %da[%c0, %k] : !tt.tensordesc<tensor<128x64xf16, #boxes>> -> tensor<128x64xf16, #blocked>
    %xs = ttg.local_alloc %x : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #a, #smem>
    %y = tt.descriptor_load %db[%k, %c0] : !tt.tensordesc<tensor<64x128xf16, #boxes_b>> -> tensor<64x128xf16, #columns>
    %ys = ttg.local_alloc %y : (tensor<64x128xf16, #columns>) -> !ttg.memdesc<64x128xf16, #b, #smem>
    %d = ttng.warp_group_dot %xs, %ys, %acc : !ttg.memdesc<128x64xf16, #a, #smem> * !ttg.memdesc<64x128xf16, #b, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  } {tt.warp_specialize}
  tt.return %r : tensor<128x128xf32, #mma>
}
}
