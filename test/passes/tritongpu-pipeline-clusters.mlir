// A pipelined loop of two CTAs that divide the rows: both need the same part of B and load it together, half of it each.
// RUN: nereid-opt %s --split-input-file --tritongpu-assign-latencies=num-stages=3 --tritongpu-schedule-loops --tritongpu-pipeline --canonicalize --cse | FileCheck %s
// RUN: nereid-opt %s --split-input-file --tritongpu-assign-latencies=num-stages=3 --tritongpu-schedule-loops --tritongpu-pipeline --remarks-filter-passed=tritongpu-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = [[1, 0]], instrShape = [16, 128, 16]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#all = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0]]}>
#half = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
#both = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// REMARK: ring of 4 slots of 8192 bytes: {{.*}} every 4 iterations; read by
// REMARK: ring of 4 slots of 16384 bytes: {{.*}}, multicast: each of 2 CTAs loads 1/2 of the slot for all of them; read by
// The full barrier counts the own arrival and all bytes, the empty one an arrival of each CTA. The cluster meets before
// the first copy, and after the loop.
// CHECK-LABEL: @multiply
// CHECK: %[[FULL:.*]] = ttg.local_alloc : () -> !ttg.memdesc<4x1xi64
// CHECK-COUNT-4: ttng.init_barrier %{{.*}}, 1 :
// CHECK: %[[EMPTY:.*]] = ttg.local_alloc : () -> !ttg.memdesc<4x1xi64
// CHECK-COUNT-4: ttng.init_barrier %{{.*}}, 2 :
// CHECK: ttng.cluster_arrive {relaxed = false}
// CHECK-NEXT: ttng.cluster_wait
// CHECK: ttng.barrier_expect %{{.*}}, 24576
// CHECK: scf.for {{.*}} %[[WRITES:[a-z0-9]+]] = %c2_i32, %[[WRITE_PHASE:[a-z0-9]+]] = %c0_i32, %[[REUSE:[a-z0-9]+]] = %c0_i32
// A slot that is filled again: all warps have read it, then so have those of the other CTA. The first warp waits.
// CHECK: %[[AT:.*]] = ttg.memdesc_index %[[EMPTY]][%[[WRITES]]]
// CHECK: %[[AGAIN:.*]] = arith.cmpi ne, %[[REUSE]], %c0
// CHECK: %[[PHASE:.*]] = arith.xori %[[WRITE_PHASE]], %c1
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt
// CHECK: %[[WAITS:.*]] = arith.andi %[[EXISTS]], %[[AGAIN]]
// CHECK: ttng.arrive_barrier %[[AT]], 1, %[[WAITS]] deps %{{.*}}, %{{.*}} {ctas = 3 : i32}
// CHECK: ttng.wait_barrier %[[AT]], %[[PHASE]], %{{.*}} {firstWarp}
// CHECK: %[[SLOT:.*]] = ttg.memdesc_index %[[FULL]][%[[WRITES]]]
// CHECK: ttng.barrier_expect %[[SLOT]], 24576, %[[EXISTS]]
// CHECK: ttng.async_tma_copy_global_to_local %{{.*}}, %[[SLOT]], %[[EXISTS]] :
// CHECK: ttng.async_tma_copy_global_to_local %{{.*}}, %[[SLOT]], %[[EXISTS]] {divided, multicast} :
// CHECK: ttng.warp_group_dot
// CHECK: ttng.cluster_arrive
// CHECK-NEXT: ttng.cluster_wait
// CHECK-COUNT-8: ttng.inval_barrier
tt.func public @multiply(%a: !tt.tensordesc<tensor<128x64xf16, #half>>, %b: !tt.tensordesc<tensor<64x128xf16, #both>>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %at = arith.muli %i, %c64 : i32
    %x = tt.descriptor_load %a[%c0, %at] : !tt.tensordesc<tensor<128x64xf16, #half>> -> tensor<128x64xf16, #rows>
    %y = tt.descriptor_load %b[%at, %c0] : !tt.tensordesc<tensor<64x128xf16, #both>> -> tensor<64x128xf16, #all>
    %l = ttg.local_alloc %x : (tensor<128x64xf16, #rows>) -> !ttg.memdesc<128x64xf16, #half, #smem>
    %s = ttg.local_alloc %y : (tensor<64x128xf16, #all>) -> !ttg.memdesc<64x128xf16, #both, #smem>
    %d = ttng.warp_group_dot %l, %s, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #half, #smem> * !ttg.memdesc<64x128xf16, #both, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}
}

// -----

// Warps that run partitions do not reach a barrier of the cluster: each CTA loads for itself.
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = [[1, 0]], instrShape = [16, 128, 16]}>
#all = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0]]}>
#half = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
#both = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @beside_partitions
// CHECK-NOT: ttng.cluster_arrive
// CHECK-NOT: multicast
// CHECK: tt.return
tt.func public @beside_partitions(%a: !ttg.memdesc<128x64xf16, #half, #smem, mutable>, %b: !tt.tensordesc<tensor<64x128xf16, #both>>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %y = tt.descriptor_load %b[%i, %c0] : !tt.tensordesc<tensor<64x128xf16, #both>> -> tensor<64x128xf16, #all>
    %s = ttg.local_alloc %y : (tensor<64x128xf16, #all>) -> !ttg.memdesc<64x128xf16, #both, #smem>
    %d = ttng.warp_group_dot %a, %s, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #half, #smem, mutable> * !ttg.memdesc<64x128xf16, #both, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}
}
