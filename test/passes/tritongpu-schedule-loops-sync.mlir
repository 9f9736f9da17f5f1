// Dots of mma.sync and of multiply-adds: threads issue the copies of a step themselves. The copies come
// first; after the dots where these take longer than a copy (f64), or where many CTAs hide the latency of copies.
// RUN: nereid-opt %s --split-input-file --tritongpu-schedule-loops | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @copies_first
  // CHECK: tt.load {{.*}}loop.cluster = 1 : i32, loop.stage = 0 : i32
  // CHECK: tt.load {{.*}}loop.cluster = 1 : i32, loop.stage = 0 : i32
  // CHECK: tt.dot {{.*}}loop.cluster = 2 : i32, loop.stage = 2 : i32
  tt.func public @copies_first(%p: tensor<64x32x!tt.ptr<f16>, #rows>, %q: tensor<32x64x!tt.ptr<f16>, #rows>, %n: i32, %c0: i32, %c1: i32) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %x = tt.load %p {tt.latency = 2 : i32} : tensor<64x32x!tt.ptr<f16>, #rows>
      %y = tt.load %q {tt.latency = 2 : i32} : tensor<32x64x!tt.ptr<f16>, #rows>
      %a = ttg.convert_layout %x : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #a>
      %b = ttg.convert_layout %y : tensor<32x64xf16, #rows> -> tensor<32x64xf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Two warps and 18 KiB per CTA.
  // CHECK-LABEL: @many_ctas
  // CHECK: tt.load {{.*}}loop.cluster = 2 : i32, loop.stage = 0 : i32
  // CHECK: tt.load {{.*}}loop.cluster = 2 : i32, loop.stage = 0 : i32
  // CHECK: tt.dot {{.*}}loop.cluster = 0 : i32, loop.stage = 2 : i32
  tt.func public @many_ctas(%p: tensor<32x32x!tt.ptr<f16>, #rows>, %q: tensor<32x64x!tt.ptr<f16>, #rows>, %n: i32, %c0: i32, %c1: i32) -> tensor<32x64xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<32x64xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x64xf32, #mma>) : i32 {
      %x = tt.load %p {tt.latency = 2 : i32} : tensor<32x32x!tt.ptr<f16>, #rows>
      %y = tt.load %q {tt.latency = 2 : i32} : tensor<32x64x!tt.ptr<f16>, #rows>
      %a = ttg.convert_layout %x : tensor<32x32xf16, #rows> -> tensor<32x32xf16, #a>
      %b = ttg.convert_layout %y : tensor<32x64xf16, #rows> -> tensor<32x64xf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<32x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<32x64xf32, #mma>
      scf.yield %d : tensor<32x64xf32, #mma>
    }
    tt.return %r : tensor<32x64xf32, #mma>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @slow
  // CHECK: tt.load {{.*}}loop.cluster = 2 : i32, loop.stage = 0 : i32
  // CHECK: tt.load {{.*}}loop.cluster = 2 : i32, loop.stage = 0 : i32
  // CHECK: tt.dot {{.*}}loop.cluster = 0 : i32, loop.stage = 2 : i32
  tt.func public @slow(%p: tensor<64x16x!tt.ptr<f64>, #rows>, %q: tensor<16x64x!tt.ptr<f64>, #rows>, %n: i32, %c0: i32, %c1: i32) -> tensor<64x64xf64, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x64xf64, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf64, #mma>) : i32 {
      %x = tt.load %p {tt.latency = 2 : i32} : tensor<64x16x!tt.ptr<f64>, #rows>
      %y = tt.load %q {tt.latency = 2 : i32} : tensor<16x64x!tt.ptr<f64>, #rows>
      %a = ttg.convert_layout %x : tensor<64x16xf64, #rows> -> tensor<64x16xf64, #a>
      %b = ttg.convert_layout %y : tensor<16x64xf64, #rows> -> tensor<16x64xf64, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x16xf64, #a> * tensor<16x64xf64, #b> -> tensor<64x64xf64, #mma>
      scf.yield %d : tensor<64x64xf64, #mma>
    }
    tt.return %r : tensor<64x64xf64, #mma>
  }
}
