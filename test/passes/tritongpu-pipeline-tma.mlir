// RUN: nereid-opt %s --tritongpu-assign-latencies=num-stages=3 --tritongpu-schedule-loops --tritongpu-pipeline --canonicalize --cse | FileCheck %s --implicit-check-not=loop.stage --implicit-check-not=tt.latency
// RUN: nereid-opt %s --tritongpu-assign-latencies=num-stages=3 --tritongpu-schedule-loops --tritongpu-pipeline --remarks-filter-passed='tritongpu-assign-latencies|tritongpu-pipeline' --remarks-filter-missed=tritongpu-assign-latencies 2>&1 | FileCheck %s --check-prefix=REMARK

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#words = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// One mbarrier per slot for both operands. A step expects the bytes of both copies, starts them, waits for those of its own
// iteration and leaves the dot in flight. The phase changes when the slot starts over. There is no barrier to wait for a
// free slot: a barrier of the CTA orders the copies after the dots that read it.
// REMARK-DAG: loads 3 iterations ahead, by TMA
// REMARK-DAG: 4 stages; rings for 2 values, 2 of them filled by TMA, with 5 slots: 81920 bytes of shared memory; peeled iterations: 0
// CHECK-LABEL: @product
// CHECK-DAG: %[[A:.*]] = ttg.local_alloc : () -> !ttg.memdesc<5x64x64xf16
// CHECK-DAG: %[[B:.*]] = ttg.local_alloc : () -> !ttg.memdesc<5x64x64xf16
// CHECK: %[[FULL:.*]] = ttg.local_alloc : () -> !ttg.memdesc<5x1xi64
// CHECK-COUNT-5: ttng.init_barrier
// CHECK: %[[FIRST:.*]] = arith.cmpi sgt, %{{.*}}, %c0
// CHECK: ttng.barrier_expect %{{.*}}, 16384, %[[FIRST]]
// CHECK: ttng.async_tma_copy_global_to_local %{{.*}}, %[[FIRST]]
// CHECK: ttng.async_tma_copy_global_to_local %{{.*}}, %[[FIRST]]
// CHECK: ttng.barrier_expect
// CHECK-COUNT-2: ttng.async_tma_copy_global_to_local
// CHECK: ttng.barrier_expect
// CHECK-COUNT-2: ttng.async_tma_copy_global_to_local
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[PUT:.*]] = %c3{{.*}}, %[[GET:.*]] = %c0{{.*}}, %[[PHASE:.*]] = %c0
// CHECK: %[[FILLED:.*]] = ttg.memdesc_index %[[FULL]][%[[PUT]]]
// CHECK: ttng.barrier_expect %[[FILLED]], 16384, %[[EXISTS:.*]] :
// CHECK: ttng.async_tma_copy_global_to_local %{{.*}}, %[[FILLED]], %[[EXISTS]]
// CHECK: ttng.async_tma_copy_global_to_local %{{.*}}, %[[FILLED]], %[[EXISTS]]
// CHECK: %[[AWAITED:.*]] = ttg.memdesc_index %[[FULL]][%[[GET]]]
// CHECK: ttng.wait_barrier %[[AWAITED]], %[[PHASE]] :
// CHECK-NOT: local_load
// CHECK: ttng.warp_group_dot {{.*}} isAsync = true
// CHECK: %[[NEXT:.*]] = arith.addi %[[GET]], %c1
// CHECK: %[[WRAPS:.*]] = arith.cmpi sge, %[[NEXT]], %c5
// CHECK: %[[OTHER:.*]] = arith.xori %[[PHASE]], %c1
// CHECK: %[[THEN:.*]] = arith.select %[[WRAPS]], %[[OTHER]], %[[PHASE]]
// CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK: scf.yield {{.*}}, %[[THEN]] :
// CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
// CHECK-COUNT-5: ttng.inval_barrier
// CHECK: ttg.local_dealloc %[[FULL]]
tt.func public @product(%d: !tt.tensordesc<tensor<64x64xf16, #shared>>, %e: !tt.tensordesc<tensor<64x64xf16, #shared>>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %j = arith.muli %t, %c64 : i32
    %x = tt.descriptor_load %d[%c0, %j] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #b>
    %y = tt.descriptor_load %e[%c0, %j] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #b>
    %a = ttg.local_alloc %x : (tensor<64x64xf16, #b>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %s = ttg.local_alloc %y : (tensor<64x64xf16, #b>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %u = ttg.memdesc_trans %s {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf16, #turned, #smem>
    %o = ttng.warp_group_dot %a, %u, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #turned, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %o : tensor<64x64xf32, #mma>
  } {tt.num_stages = 4 : i32}
  tt.return %r : tensor<64x64xf32, #mma>
}

// A value in registers, one iteration ahead, and a slot that is filled after it has been read: a single one, whose phase
// changes in each iteration.
// CHECK-LABEL: @single
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf32
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<1x1xi64
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[PHASE:[^ ]*]] = %c0{{[^,]*}}) ->
// CHECK: ttng.wait_barrier %{{.*}}, %[[PHASE]] :
// CHECK: ttg.local_load
// CHECK: ttng.barrier_expect
// CHECK: ttng.async_tma_copy_global_to_local
// CHECK: %[[NEXT:.*]] = arith.xori %[[PHASE]], %c1
// CHECK: scf.yield {{.*}}, %[[NEXT]] :
tt.func public @single(%d: !tt.tensordesc<tensor<64x64xf32, #words>>, %zero: tensor<64x64xf32, #b>, %n: i32) -> tensor<64x64xf32, #b> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #b>) : i32 {
    %x = tt.descriptor_load %d[%t, %c0] {tt.latency = 1 : i32} : !tt.tensordesc<tensor<64x64xf32, #words>> -> tensor<64x64xf32, #b>
    %o = arith.addf %x, %acc : tensor<64x64xf32, #b>
    scf.yield %o : tensor<64x64xf32, #b>
  } {tt.num_stages = 2 : i32}
  tt.return %r : tensor<64x64xf32, #b>
}

// The loop writes what it reads.
// REMARK-DAG: not pipelined: its loop may write the memory that it reads
// CHECK-LABEL: @written
// CHECK: scf.for
// CHECK: tt.descriptor_load
tt.func public @written(%d: !tt.tensordesc<tensor<64x64xf16, #shared>>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %x = tt.descriptor_load %d[%c0, %t] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #b>
    %a = ttg.local_alloc %x : (tensor<64x64xf16, #b>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %o = ttng.warp_group_dot %a, %a, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    tt.descriptor_store %d[%t, %c0], %x : !tt.tensordesc<tensor<64x64xf16, #shared>>, tensor<64x64xf16, #b>
    scf.yield %o : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// A store in the loop around: with 4 slots of 49152 bytes its buffer of 65536 would not fit.
// REMARK-DAG: rings for 2 values, 2 of them filled by TMA, with 3 slots: 147456 bytes
// CHECK-LABEL: @tiles
// CHECK: scf.for
// CHECK-DAG: ttg.local_alloc : () -> !ttg.memdesc<3x128x64xf16
// CHECK-DAG: ttg.local_alloc : () -> !ttg.memdesc<3x256x64xf16
// CHECK: scf.for
// CHECK: ttng.wait_barrier
// CHECK: ttng.warp_group_dot
// CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK: ttng.async_tma_copy_global_to_local
// CHECK: tt.descriptor_store
tt.func public @tiles(%d: !tt.tensordesc<tensor<128x64xf16, #shared>>, %e: !tt.tensordesc<tensor<256x64xf16, #shared>>, %o: !tt.tensordesc<tensor<128x256xf16, #shared>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x256xf32, #wide>
  scf.for %tile = %c0 to %n step %c1 : i32 {
    %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x256xf32, #wide>) : i32 {
      %x = tt.descriptor_load %d[%tile, %t] : !tt.tensordesc<tensor<128x64xf16, #shared>> -> tensor<128x64xf16, #b>
      %y = tt.descriptor_load %e[%tile, %t] : !tt.tensordesc<tensor<256x64xf16, #shared>> -> tensor<256x64xf16, #b>
      %a = ttg.local_alloc %x : (tensor<128x64xf16, #b>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %s = ttg.local_alloc %y : (tensor<256x64xf16, #b>) -> !ttg.memdesc<256x64xf16, #shared, #smem>
      %u = ttg.memdesc_trans %s {order = array<i32: 1, 0>} : !ttg.memdesc<256x64xf16, #shared, #smem> -> !ttg.memdesc<64x256xf16, #turned, #smem>
      %q = ttng.warp_group_dot %a, %u, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x256xf16, #turned, #smem> -> tensor<128x256xf32, #wide>
      scf.yield %q : tensor<128x256xf32, #wide>
    }
    %h = arith.truncf %r : tensor<128x256xf32, #wide> to tensor<128x256xf16, #wide>
    tt.descriptor_store %o[%tile, %tile], %h : !tt.tensordesc<tensor<128x256xf16, #shared>>, tensor<128x256xf16, #wide>
  }
  tt.return
}
}
