// Remarks on the rings of a pipelined loop: slots, bytes, producer, phase or pending groups, consumers, each at the op that
// fills the ring.
// RUN: nereid-opt %s --tritongpu-pipeline --remarks-filter-passed=tritongpu-pipeline 2>&1 >/dev/null | FileCheck %s
// RUN: nereid-opt %s --tritongpu-test-pipeline-lower-loop --remarks-filter-passed=tritongpu-test-pipeline-lower-loop 2>&1 >/dev/null | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!tensor = tensor<64x64xf16, #b>
!acc = tensor<64x64xf32, #mma>
!buffer = !ttg.memdesc<64x64xf16, #shared, #smem>
!turned = !ttg.memdesc<64x64xf16, #turned, #smem>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// Two loads through descriptors share the mbarrier of a slot; another stage has its own, of one slot.
tt.func public @descriptors(%d: !tt.tensordesc<tensor<64x64xf16, #shared>>, %o: tensor<64x64x!tt.ptr<f16>, #b>, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
// CHECK-DAG: ring_remarks.mlir:[[@LINE+1]]:{{.*}}ring of 3 slots of 8192 bytes: filled by TMA 2 iterations ahead; one full mbarrier per slot for 2 rings, whose phase changes every 3 iterations; read by ttng.warp_group_dot at {{.*}}ring_remarks.mlir:[[#]]:10"
    %x = tt.descriptor_load %d[%c0, %t] {loop.cluster = 2 : i32, loop.stage = 0 : i32} : !tt.tensordesc<tensor<64x64xf16, #shared>> -> !tensor
// CHECK-DAG: ring_remarks.mlir:[[@LINE+1]]:{{.*}}ring of 3 slots of 8192 bytes: filled by TMA 2 iterations ahead; one full mbarrier per slot for 2 rings, whose phase changes every 3 iterations; read by ttng.warp_group_dot at
    %y = tt.descriptor_load %d[%c1, %t] {loop.cluster = 2 : i32, loop.stage = 0 : i32} : !tt.tensordesc<tensor<64x64xf16, #shared>> -> !tensor
// CHECK-DAG: ring_remarks.mlir:[[@LINE+1]]:{{.*}}ring of 1 slot of 8192 bytes: filled by TMA 1 iteration ahead; one full mbarrier per slot, whose phase changes in each iteration; read by ttg.local_load at
    %z = tt.descriptor_load %d[%t, %t] {loop.cluster = 2 : i32, loop.stage = 1 : i32} : !tt.tensordesc<tensor<64x64xf16, #shared>> -> !tensor
    tt.store %o, %z {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<64x64x!tt.ptr<f16>, #b>
    %a = ttg.local_alloc %x {loop.cluster = 1 : i32, loop.stage = 2 : i32} : (!tensor) -> !buffer
    %b = ttg.local_alloc %y {loop.cluster = 1 : i32, loop.stage = 2 : i32} : (!tensor) -> !buffer
    %bt = ttg.memdesc_trans %b {loop.cluster = 1 : i32, loop.stage = 2 : i32, order = array<i32: 1, 0>} : !buffer -> !turned
    %u = ttng.warp_group_dot %a, %bt, %acc {inputPrecision = 0 : i32, loop.cluster = 1 : i32, loop.stage = 2 : i32} : !buffer * !turned -> !acc
    scf.yield %u : !acc
  } {tt.scheduled_max_stage = 2 : i32}
  tt.return %r : !acc
}

// cp.async, and a buffer that the threads fill with what they computed from the slot.
tt.func public @pointers(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %s = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #b>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %j = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %k = tt.broadcast %j : tensor<1x64xi32, #b> -> tensor<64x64xi32, #b>
  %q = tt.addptr %s, %k : tensor<64x64x!tt.ptr<f16>, #b>, tensor<64x64xi32, #b>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
// CHECK-DAG: ring_remarks.mlir:[[@LINE+1]]:{{.*}}ring of 2 slots of 8192 bytes: filled by cp.async 2 iterations ahead; the wait leaves 1 commit group in flight; read by ttg.local_load at
    %x = tt.load %q {loop.cluster = 2 : i32, loop.stage = 0 : i32} : tensor<64x64x!tt.ptr<f16>, #b>
    %y = math.exp %x {loop.cluster = 0 : i32, loop.stage = 2 : i32} : !tensor
// CHECK-DAG: ring_remarks.mlir:[[@LINE+1]]:{{.*}}ring of 3 slots of 8192 bytes: filled by stores of the threads 1 iteration ahead; barriers order them; read by ttng.warp_group_dot at
    %a = ttg.local_alloc %y {loop.cluster = 0 : i32, loop.stage = 2 : i32} : (!tensor) -> !buffer
    %u = ttng.warp_group_dot %a, %a, %acc {inputPrecision = 0 : i32, loop.cluster = 1 : i32, loop.stage = 3 : i32} : !buffer * !buffer -> !acc
    scf.yield %u : !acc
  } {tt.scheduled_max_stage = 3 : i32}
  tt.return %r : !acc
}
}
