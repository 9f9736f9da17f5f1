// RUN: nereid-opt %s --tritongpu-schedule-loops --tritongpu-test-pipeline-lower-loop | FileCheck %s

// Slots of rings that wgmma reads. A dot in flight reads its slot for one step more than its own; one more slot saves a barrier
// per step, unless shared memory does not suffice or fewer CTAs would share a multiprocessor.
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @spare
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<4x64x64xf16
tt.func public @spare(%p: tensor<64x64x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
    %x = tt.load %p {tt.latency = 2 : i32} : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem>
    %d = ttng.warp_group_dot %a, %a, %acc : !ttg.memdesc<64x64xf16, #nvmma, #smem> * !ttg.memdesc<64x64xf16, #nvmma, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// Fourteen slots of 16 KB fit; a fifteenth does not.
// CHECK-LABEL: @full
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<14x64x128xf16
tt.func public @full(%p: tensor<64x128x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %b: !ttg.memdesc<128x64xf16, #nvmma, #smem>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
    %x = tt.load %p {tt.latency = 13 : i32} : tensor<64x128x!tt.ptr<f16>, #rows>
    %a = ttg.local_alloc %x : (tensor<64x128xf16, #rows>) -> !ttg.memdesc<64x128xf16, #nvmma, #smem>
    %d = ttng.warp_group_dot %a, %b, %acc : !ttg.memdesc<64x128xf16, #nvmma, #smem> * !ttg.memdesc<128x64xf16, #nvmma, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// Seven slots leave room for two CTAs, eight do not.
// CHECK-LABEL: @two_ctas
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<7x64x128xf16
tt.func public @two_ctas(%p: tensor<64x128x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %b: !ttg.memdesc<128x64xf16, #nvmma, #smem>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
    %x = tt.load %p {tt.latency = 6 : i32} : tensor<64x128x!tt.ptr<f16>, #rows>
    %a = ttg.local_alloc %x : (tensor<64x128xf16, #rows>) -> !ttg.memdesc<64x128xf16, #nvmma, #smem>
    %d = ttng.warp_group_dot %a, %b, %acc : !ttg.memdesc<64x128xf16, #nvmma, #smem> * !ttg.memdesc<128x64xf16, #nvmma, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}
// So do seven slots and another buffer of 512 bytes.
// CHECK-LABEL: @two_ctas_and_buffer
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<7x64x128xf16
tt.func public @two_ctas_and_buffer(%p: tensor<64x128x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %b: !ttg.memdesc<128x64xf16, #nvmma, #smem>, %v: tensor<128xf32, #line>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = ttg.local_alloc %v : (tensor<128xf32, #line>) -> !ttg.memdesc<128xf32, #plain, #smem>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
    %x = tt.load %p {tt.latency = 6 : i32} : tensor<64x128x!tt.ptr<f16>, #rows>
    %a = ttg.local_alloc %x : (tensor<64x128xf16, #rows>) -> !ttg.memdesc<64x128xf16, #nvmma, #smem>
    %y = ttg.local_load %s : !ttg.memdesc<128xf32, #plain, #smem> -> tensor<128xf32, #line>
    %d = ttng.warp_group_dot %a, %b, %acc : !ttg.memdesc<64x128xf16, #nvmma, #smem> * !ttg.memdesc<128x64xf16, #nvmma, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}
// Dots complete in order: one whose result nothing requires is complete when the iteration has waited for a younger one, and
// the copy at the begin of the next step may overwrite its slot.
// CHECK-LABEL: @younger_dot
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf16
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttng.warp_group_dot
tt.func public @younger_dot(%p: tensor<64x128x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %b: !ttg.memdesc<128x64xf16, #nvmma, #smem>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %sum = %c) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %x = tt.load %p {tt.latency = 1 : i32} : tensor<64x128x!tt.ptr<f16>, #rows>
    %a = ttg.local_alloc %x : (tensor<64x128xf16, #rows>) -> !ttg.memdesc<64x128xf16, #nvmma, #smem>
    %d = ttng.warp_group_dot %a, %b, %acc : !ttg.memdesc<64x128xf16, #nvmma, #smem> * !ttg.memdesc<128x64xf16, #nvmma, #smem> -> tensor<64x64xf32, #mma>
    %e = ttng.warp_group_dot %a, %b, %zero : !ttg.memdesc<64x128xf16, #nvmma, #smem> * !ttg.memdesc<128x64xf16, #nvmma, #smem> -> tensor<64x64xf32, #mma>
    %t = arith.addf %e, %sum : tensor<64x64xf32, #mma>
    scf.yield %d, %t : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  %s = arith.addf %r#0, %r#1 : tensor<64x64xf32, #mma>
  tt.return %s : tensor<64x64xf32, #mma>
}
// An older one proves nothing.
// CHECK-LABEL: @older_dot
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<3x64x128xf16
tt.func public @older_dot(%p: tensor<64x128x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %b: !ttg.memdesc<128x64xf16, #nvmma, #smem>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %sum = %c) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %x = tt.load %p {tt.latency = 1 : i32} : tensor<64x128x!tt.ptr<f16>, #rows>
    %a = ttg.local_alloc %x : (tensor<64x128xf16, #rows>) -> !ttg.memdesc<64x128xf16, #nvmma, #smem>
    %e = ttng.warp_group_dot %a, %b, %zero : !ttg.memdesc<64x128xf16, #nvmma, #smem> * !ttg.memdesc<128x64xf16, #nvmma, #smem> -> tensor<64x64xf32, #mma>
    %t = arith.addf %e, %sum : tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot %a, %b, %acc : !ttg.memdesc<64x128xf16, #nvmma, #smem> * !ttg.memdesc<128x64xf16, #nvmma, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d, %t : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  %s = arith.addf %r#0, %r#1 : tensor<64x64xf32, #mma>
  tt.return %s : tensor<64x64xf32, #mma>
}
}
