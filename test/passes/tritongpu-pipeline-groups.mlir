// RUN: nereid-opt %s --tritongpu-pipeline | FileCheck %s

// The first and the last load of the program are one group of copies, the one between them another. Both groups share a wait, which
// precedes all loads from slots.
// CHECK-LABEL: @interleaved
// CHECK: scf.for
// CHECK: %[[WAIT:.*]] = ttg.async_wait
// CHECK-COUNT-3: ttg.local_load %{{.*}} token %[[WAIT]]
// CHECK-NOT: ttg.async_wait
// CHECK: scf.yield
#v1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#v4 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @interleaved(%p: tensor<512x!tt.ptr<f32>, #v4>, %q: tensor<512x!tt.ptr<f32>, #v4>, %none: tensor<512xf32, #v1>, %n: i32) -> tensor<512xf32, #v1> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %none) -> (tensor<512xf32, #v1>) : i32 {
    %x = tt.load %p {loop.cluster = 3 : i32, loop.stage = 0 : i32} : tensor<512x!tt.ptr<f32>, #v4>
    %y = tt.load %q {loop.cluster = 2 : i32, loop.stage = 0 : i32} : tensor<512x!tt.ptr<f32>, #v4>
    %z = tt.load %q {loop.cluster = 3 : i32, loop.stage = 0 : i32} : tensor<512x!tt.ptr<f32>, #v4>
    %xc = ttg.convert_layout %x {loop.cluster = 1 : i32, loop.stage = 2 : i32} : tensor<512xf32, #v4> -> tensor<512xf32, #v1>
    %yc = ttg.convert_layout %y {loop.cluster = 1 : i32, loop.stage = 2 : i32} : tensor<512xf32, #v4> -> tensor<512xf32, #v1>
    %zc = ttg.convert_layout %z {loop.cluster = 1 : i32, loop.stage = 2 : i32} : tensor<512xf32, #v4> -> tensor<512xf32, #v1>
    %s = arith.addf %sum, %xc {loop.cluster = 1 : i32, loop.stage = 2 : i32} : tensor<512xf32, #v1>
    %t = arith.addf %s, %yc {loop.cluster = 1 : i32, loop.stage = 2 : i32} : tensor<512xf32, #v1>
    %u = arith.addf %t, %zc {loop.cluster = 1 : i32, loop.stage = 2 : i32} : tensor<512xf32, #v1>
    scf.yield %u : tensor<512xf32, #v1>
  } {tt.scheduled_max_stage = 2 : i32}
  tt.return %r : tensor<512xf32, #v1>
}
}
