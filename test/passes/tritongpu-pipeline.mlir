// RUN: nereid-opt %s --tritongpu-schedule-loops --tritongpu-pipeline --canonicalize --cse --triton-loop-aware-cse --canonicalize | FileCheck %s --implicit-check-not=loop.stage --implicit-check-not=tt.latency

#v1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#v4 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// Two copies are issued before the loop. Iteration i issues the copy for iteration i + 2 into the slot just read, right
// after the read. The pointer is carried twice.
// CHECK-LABEL: @carried
// CHECK: %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x512xf32
// CHECK: %[[S0:.*]] = ttg.memdesc_index %[[RING]][%{{.*}}]
// CHECK: ttg.async_copy_global_to_local %{{.*}}, %[[S0]] mask %{{.*}} other %{{.*}}
// CHECK: ttg.async_commit_group
// CHECK: %[[S1:.*]] = ttg.memdesc_index %[[RING]][%{{.*}}]
// CHECK: ttg.async_copy_global_to_local %{{.*}}, %[[S1]] mask
// CHECK: ttg.async_commit_group
// CHECK-NOT: ttg.async_copy
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[AHEAD:.*]] = %{{.*}}, %[[SLOT:.*]] = %{{.*}}) -> (tensor<512xf32, #{{.*}}>, tensor<512x!tt.ptr<f32>, #{{.*}}>, i32)
// CHECK: %[[WAIT:.*]] = ttg.async_wait {num = 1 : i32}
// CHECK: %[[VIEW:.*]] = ttg.memdesc_index %[[RING]][%[[SLOT]]]
// CHECK: %[[X:.*]] = ttg.local_load %[[VIEW]] token %[[WAIT]]
// CHECK: %[[AGAIN:.*]] = ttg.memdesc_index %[[RING]][%[[SLOT]]]
// CHECK: ttg.async_copy_global_to_local %[[AHEAD]], %[[AGAIN]] mask %{{.*}} other %{{.*}} cacheModifier = cg
// CHECK: ttg.async_commit_group
// CHECK: %[[NEXT:.*]] = arith.addi %[[SLOT]], %c1_i32
// CHECK: %[[WRAPS:.*]] = arith.cmpi sge, %[[NEXT]], %c2_i32
// CHECK: %[[AFTER:.*]] = arith.select %[[WRAPS]], %c0_i32, %[[NEXT]]
// CHECK: scf.yield {{.*}}, %[[AFTER]] :
// CHECK: ttg.async_wait {num = 0 : i32}
// CHECK: ttg.local_dealloc %[[RING]]
tt.func public @carried(%p: tensor<512x!tt.ptr<f32>, #v4>, %m: tensor<512xi1, #v4>, %step: tensor<512xi32, #v4>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<512xf32, #v4>
  %one = arith.constant dense<1.0> : tensor<512xf32, #v4>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %none, %q = %p) -> (tensor<512xf32, #v4>, tensor<512x!tt.ptr<f32>, #v4>) : i32 {
    %x = tt.load %q, %m, %one cacheModifier = cg {tt.latency = 2 : i32} : tensor<512x!tt.ptr<f32>, #v4>
    %t = arith.addf %sum, %x : tensor<512xf32, #v4>
    %next = tt.addptr %q, %step : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
    scf.yield %t, %next : tensor<512xf32, #v4>, tensor<512x!tt.ptr<f32>, #v4>
  }
  tt.store %p, %r#0 : tensor<512x!tt.ptr<f32>, #v4>
  tt.return
}

// Warps read data that other warps copied: with an extra slot the copies of an iteration overwrite the slot that the
// previous one read. Two copies are still in flight while the loop waits.
// CHECK-LABEL: @crossing
// CHECK: %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x512xf32
// CHECK-COUNT-2: ttg.async_copy_global_to_local
// CHECK-NOT: ttg.async_copy
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[PUT:.*]] = %c2_i32{{.*}}, %[[SLOT:.*]] = %c0_i32{{.*}})
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK: %[[VIEW:.*]] = ttg.memdesc_index %[[RING]][%[[SLOT]]]
// CHECK: ttg.local_load %[[VIEW]]
// CHECK: %[[INTO:.*]] = ttg.memdesc_index %[[RING]][%[[PUT]]]
// CHECK: ttg.async_copy_global_to_local %{{.*}}, %[[INTO]]
// CHECK: arith.addf
tt.func public @crossing(%p: tensor<512x!tt.ptr<f32>, #v4>, %none: tensor<512xf32, #v1>, %n: i32) -> tensor<512xf32, #v1> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %none) -> (tensor<512xf32, #v1>) : i32 {
    %x = tt.load %p {tt.latency = 2 : i32} : tensor<512x!tt.ptr<f32>, #v4>
    %y = ttg.convert_layout %x : tensor<512xf32, #v4> -> tensor<512xf32, #v1>
    %t = arith.addf %sum, %y : tensor<512xf32, #v1>
    scf.yield %t : tensor<512xf32, #v1>
  }
  tt.return %r : tensor<512xf32, #v1>
}

// No room for a spare slot: the copy is at the end of the iteration, into the slot just read.
// CHECK-LABEL: @crossing_large
// CHECK: %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x4096xf32
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[SLOT:.*]] = %{{.*}}) -> (tensor<4096xf32, #{{.*}}>, i32)
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK: %[[VIEW:.*]] = ttg.memdesc_index %[[RING]][%[[SLOT]]]
// CHECK: ttg.local_load %[[VIEW]]
// CHECK: arith.addf
// CHECK: %[[AGAIN:.*]] = ttg.memdesc_index %[[RING]][%[[SLOT]]]
// CHECK: ttg.async_copy_global_to_local %{{.*}}, %[[AGAIN]]
tt.func public @crossing_large(%p: tensor<4096x!tt.ptr<f32>, #v4>, %none: tensor<4096xf32, #v1>, %n: i32) -> tensor<4096xf32, #v1> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %none) -> (tensor<4096xf32, #v1>) : i32 {
    %x = tt.load %p {tt.latency = 2 : i32} : tensor<4096x!tt.ptr<f32>, #v4>
    %y = ttg.convert_layout %x : tensor<4096xf32, #v4> -> tensor<4096xf32, #v1>
    %t = arith.addf %sum, %y : tensor<4096xf32, #v1>
    scf.yield %t : tensor<4096xf32, #v1>
  }
  tt.return %r : tensor<4096xf32, #v1>
}
}

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#wgmma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16, 16]}>
#sync = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #sync, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #sync, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// A dot of wgmma and one of mma.sync read the same slot: the second one loads its operand directly before the dot.
// CHECK-LABEL: @wgmma_and_mma_sync
// CHECK: scf.for
// CHECK: %[[WAIT:.*]] = ttg.async_wait
// CHECK-NOT: ttg.local_load
// CHECK: ttng.warp_group_dot %[[SLOT:.*]], %arg1,
// CHECK: ttng.warp_group_dot_wait
// CHECK: %[[B:.*]] = ttg.local_load %[[SLOT]] token %[[WAIT]] : {{.*}}#{{.*}}
// CHECK-NEXT: tt.dot %{{.*}}, %[[B]],
tt.func public @wgmma_and_mma_sync(%p: tensor<64x128x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: !ttg.memdesc<128x16xf16, #shared1, #smem>, %a: tensor<16x64xf16, #left>, %n: i32) -> (tensor<16x128xf32, #sync>, tensor<64x16xf32, #wgmma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #wgmma>
  %none = arith.constant dense<0.0> : tensor<16x128xf32, #sync>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %none, %max = %zero) -> (tensor<16x128xf32, #sync>, tensor<64x16xf32, #wgmma>) : i32 {
    %x = tt.load %p {tt.latency = 1 : i32} : tensor<64x128x!tt.ptr<f16>, #rows>
    %k = ttg.local_alloc %x : (tensor<64x128xf16, #rows>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %s = ttng.warp_group_dot %k, %q, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xf16, #shared, #smem> * !ttg.memdesc<128x16xf16, #shared1, #smem> -> tensor<64x16xf32, #wgmma>
    %m = arith.maxnumf %s, %max : tensor<64x16xf32, #wgmma>
    %b = ttg.convert_layout %x : tensor<64x128xf16, #rows> -> tensor<64x128xf16, #right>
    %d = tt.dot %a, %b, %sum : tensor<16x64xf16, #left> * tensor<64x128xf16, #right> -> tensor<16x128xf32, #sync>
    scf.yield %d, %m : tensor<16x128xf32, #sync>, tensor<64x16xf32, #wgmma>
  }
  tt.return %r#0, %r#1 : tensor<16x128xf32, #sync>, tensor<64x16xf32, #wgmma>
}
}
