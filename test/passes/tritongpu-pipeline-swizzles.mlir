// Slots of values that are no operands of a dot, and of words that are narrowed to its elements: where the lanes of a wavefront read
// parts of several rows, the rows are swizzled, so that these parts are in different banks.
// RUN: nereid-opt %s --split-input-file --tritongpu-assign-latencies=num-stages=2 --tritongpu-schedule-loops --tritongpu-pipeline | FileCheck %s

// Eight rows of 16 bytes of a dot's result in bf16.
// CHECK: #[[ROWS:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK-LABEL: @halves
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<{{[0-9]}}x64x64xbf16, #[[ROWS]]
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @halves(%p: tensor<64x64x!tt.ptr<bf16>, #b> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %zero: tensor<64x64xbf16, #mma>, %n: i32, %c0: i32, %c1: i32) -> tensor<64x64xbf16, #mma> {
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xbf16, #mma>) : i32 {
    %x = tt.load %p {tt.latency = 1 : i32} : tensor<64x64x!tt.ptr<bf16>, #b>
    %y = ttg.convert_layout %x : tensor<64x64xbf16, #b> -> tensor<64x64xbf16, #mma>
    %s = arith.addf %y, %sum : tensor<64x64xbf16, #mma>
    scf.yield %s : tensor<64x64xbf16, #mma>
  }
  tt.return %r : tensor<64x64xbf16, #mma>
}
}

// -----

// The half warp of a wavefront reads four rows of 32 bytes.
// CHECK: #[[ROWS:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>
// CHECK-LABEL: @words
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<{{[0-9]}}x64x64xf32, #[[ROWS]]
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @words(%p: tensor<64x64x!tt.ptr<f32>, #b> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %zero: tensor<64x64xf32, #mma>, %n: i32, %c0: i32, %c1: i32) -> tensor<64x64xf32, #mma> {
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %x = tt.load %p {tt.latency = 1 : i32} : tensor<64x64x!tt.ptr<f32>, #b>
    %y = ttg.convert_layout %x : tensor<64x64xf32, #b> -> tensor<64x64xf32, #mma>
    %s = arith.addf %y, %sum : tensor<64x64xf32, #mma>
    scf.yield %s : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}
}

// -----

// Lanes that read whole rows need none.
// CHECK: #[[ROWS:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// CHECK-LABEL: @whole_rows
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<{{[0-9]}}x64x64xf32, #[[ROWS]]
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#w = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @whole_rows(%p: tensor<64x64x!tt.ptr<f32>, #b> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %zero: tensor<64x64xf32, #w>, %n: i32, %c0: i32, %c1: i32) -> tensor<64x64xf32, #w> {
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #w>) : i32 {
    %x = tt.load %p {tt.latency = 1 : i32} : tensor<64x64x!tt.ptr<f32>, #b>
    %y = ttg.convert_layout %x : tensor<64x64xf32, #b> -> tensor<64x64xf32, #w>
    %s = arith.addf %y, %sum : tensor<64x64xf32, #w>
    scf.yield %s : tensor<64x64xf32, #w>
  }
  tt.return %r : tensor<64x64xf32, #w>
}
}

// -----

// Words that become f16 operands of a dot: lanes read rows two apart, of which four are in different banks.
// CHECK: #[[ROWS:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
// CHECK-LABEL: @narrowed
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<{{[0-9]}}x32x64xi32, #[[ROWS]]
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @narrowed(%p: tensor<32x64x!tt.ptr<i32>, #b> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %a: tensor<16x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %zero: tensor<16x64xf32, #mma>, %n: i32, %c0: i32, %c1: i32) -> tensor<16x64xf32, #mma> {
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x64xf32, #mma>) : i32 {
    %x = tt.load %p {tt.latency = 1 : i32} : tensor<32x64x!tt.ptr<i32>, #b>
    %y = ttg.convert_layout %x : tensor<32x64xi32, #b> -> tensor<32x64xi32, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
    %f = arith.sitofp %y : tensor<32x64xi32, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> to tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
    %s = tt.dot %a, %f, %sum : tensor<16x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<16x64xf32, #mma>
    scf.yield %s : tensor<16x64xf32, #mma>
  }
  tt.return %r : tensor<16x64xf32, #mma>
}
}
