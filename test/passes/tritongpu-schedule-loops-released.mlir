// A consumer that copies a tile to another buffer before the dot, as an 8-bit operand that wgmma cannot read transposed: the tile
// is released after the copy, in the cluster of the copy, and the mbarrier of the release is selected there, too.
// RUN: nereid-opt %s --tritongpu-automatic-warp-specialization --tritongpu-assign-latencies --tritongpu-schedule-loops | FileCheck %s
// RUN: nereid-opt %s --tritongpu-automatic-warp-specialization --tritongpu-assign-latencies --tritongpu-schedule-loops --tritongpu-pipeline | FileCheck %s --check-prefix=LOOP

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @copied
// CHECK: %[[K:.*]] = ttg.memdesc_index {{.*}} {loop.cluster = 0 : i32, loop.stage = 0 : i32}
// CHECK: ttng.wait_barrier {{.*}} deps %[[K]] {loop.cluster = 0 : i32, loop.stage = 0 : i32}
// CHECK: ttg.local_load %[[K]] {loop.cluster = 0 : i32, loop.stage = 0 : i32}
// CHECK: %[[EMPTY:.*]] = ttg.memdesc_index {{.*}} {loop.cluster = 0 : i32, loop.stage = 0 : i32}
// CHECK: ttng.arrive_barrier %[[EMPTY]], 1 deps %[[K]] {loop.cluster = 0 : i32, loop.stage = 0 : i32, perWarp}
// CHECK: ttng.warp_group_dot {{.*}} {loop.cluster = 0 : i32, loop.stage = 0 : i32,
// LOOP: scf.for
// LOOP: ttg.local_load
// LOOP-NEXT: ttg.local_alloc
// LOOP: ttng.arrive_barrier
// LOOP: ttng.warp_group_dot
tt.func public @copied(%k: !tt.tensordesc<tensor<64x64xf8E5M2, #shared>>, %n: i32, %out: tensor<128x64x!tt.ptr<f32>, #mma>) {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %q = ttg.local_alloc : () -> !ttg.memdesc<128x64xf8E5M2, #shared, #smem, mutable>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
    %x = tt.descriptor_load %k[%i, %c0] : !tt.tensordesc<tensor<64x64xf8E5M2, #shared>> -> tensor<64x64xf8E5M2, #blocked>
    %xs = ttg.local_alloc %x : (tensor<64x64xf8E5M2, #blocked>) -> !ttg.memdesc<64x64xf8E5M2, #turned, #smem>
    %s = ttng.warp_group_dot %q, %xs, %zero {maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E5M2, #shared, #smem, mutable> * !ttg.memdesc<64x64xf8E5M2, #turned, #smem> -> tensor<128x64xf32, #mma>
    %h = tt.fp_to_fp %s, rounding = rtne : tensor<128x64xf32, #mma> -> tensor<128x64xf8E5M2, #mma>
    %p = ttg.convert_layout %h : tensor<128x64xf8E5M2, #mma> -> tensor<128x64xf8E5M2, #dot>
    %y = tt.descriptor_load %k[%c0, %i] : !tt.tensordesc<tensor<64x64xf8E5M2, #shared>> -> tensor<64x64xf8E5M2, #blocked>
    %ys = ttg.local_alloc %y : (tensor<64x64xf8E5M2, #blocked>) -> !ttg.memdesc<64x64xf8E5M2, #turned, #smem>
    %d = ttng.warp_group_dot %p, %ys, %acc {maxNumImpreciseAcc = 1073741824 : i32} : tensor<128x64xf8E5M2, #dot> * !ttg.memdesc<64x64xf8E5M2, #turned, #smem> -> tensor<128x64xf32, #mma>
    scf.yield %d : tensor<128x64xf32, #mma>
  } {tt.warp_specialize}
  tt.store %out, %sum : tensor<128x64x!tt.ptr<f32>, #mma>
  tt.return
}
}
