// RUN: nereid-opt %s --tritongpu-assign-latencies=num-stages=3 --tritongpu-schedule-loops --tritongpu-pipeline | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#narrow = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #wide, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// A backward pass of attention with four warps: its dots need 320 registers of a thread, which has at most 255, so that a
// multiprocessor executes two CTAs. A fourth slot for dots in flight would leave it one: 128 KiB instead of 112.
// CHECK-LABEL: @backward
// CHECK-COUNT-2: ttg.local_alloc : () -> !ttg.memdesc<3x32x128xf16
tt.func public @backward(%p: tensor<32x128x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<32x128x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> (tensor<128x128xf32, #wide>, tensor<128x128xf32, #wide>) {
  %zero = arith.constant dense<0.0> : tensor<128x32xf32, #narrow>
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32, #wide>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %k = ttg.local_alloc : () -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
  %v = ttg.local_alloc : () -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%dk = %zeros, %dv = %zeros) -> (tensor<128x128xf32, #wide>, tensor<128x128xf32, #wide>) : i32 {
    %x = tt.load %p : tensor<32x128x!tt.ptr<f16>, #rows>
    %xs = ttg.local_alloc %x : (tensor<32x128xf16, #rows>) -> !ttg.memdesc<32x128xf16, #shared, #smem>
    %xt = ttg.memdesc_trans %xs {order = array<i32: 1, 0>} : !ttg.memdesc<32x128xf16, #shared, #smem> -> !ttg.memdesc<128x32xf16, #turned, #smem>
    %s = ttng.warp_group_dot %k, %xt, %zero : !ttg.memdesc<128x128xf16, #shared, #smem, mutable> * !ttg.memdesc<128x32xf16, #turned, #smem> -> tensor<128x32xf32, #narrow>
    %y = tt.load %q : tensor<32x128x!tt.ptr<f16>, #rows>
    %ys = ttg.local_alloc %y : (tensor<32x128xf16, #rows>) -> !ttg.memdesc<32x128xf16, #shared, #smem>
    %yt = ttg.memdesc_trans %ys {order = array<i32: 1, 0>} : !ttg.memdesc<32x128xf16, #shared, #smem> -> !ttg.memdesc<128x32xf16, #turned, #smem>
    %t = ttng.warp_group_dot %v, %yt, %zero : !ttg.memdesc<128x128xf16, #shared, #smem, mutable> * !ttg.memdesc<128x32xf16, #turned, #smem> -> tensor<128x32xf32, #narrow>
    %s16 = arith.truncf %s : tensor<128x32xf32, #narrow> to tensor<128x32xf16, #narrow>
    %sa = ttg.convert_layout %s16 : tensor<128x32xf16, #narrow> -> tensor<128x32xf16, #a>
    %dv1 = ttng.warp_group_dot %sa, %ys, %dv : tensor<128x32xf16, #a> * !ttg.memdesc<32x128xf16, #shared, #smem> -> tensor<128x128xf32, #wide>
    %t16 = arith.truncf %t : tensor<128x32xf32, #narrow> to tensor<128x32xf16, #narrow>
    %ta = ttg.convert_layout %t16 : tensor<128x32xf16, #narrow> -> tensor<128x32xf16, #a>
    %dk1 = ttng.warp_group_dot %ta, %xs, %dk : tensor<128x32xf16, #a> * !ttg.memdesc<32x128xf16, #shared, #smem> -> tensor<128x128xf32, #wide>
    scf.yield %dk1, %dv1 : tensor<128x128xf32, #wide>, tensor<128x128xf32, #wide>
  }
  tt.return %r#0, %r#1 : tensor<128x128xf32, #wide>, tensor<128x128xf32, #wide>
}
}
