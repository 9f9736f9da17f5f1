// RUN: nereid-opt %s --tritongpu-schedule-loops | FileCheck %s

#v4 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// The first stage has the load and its address computation, including the loop-carried pointer.
// CHECK-LABEL: @carried
// CHECK: tt.load %{{.*}} {loop.cluster = 1 : i32, loop.stage = 0 : i32, tt.latency = 2 : i32}
// CHECK: arith.addf %{{.*}} {loop.cluster = 2 : i32, loop.stage = 2 : i32}
// CHECK: tt.addptr %{{.*}} {loop.cluster = 1 : i32, loop.stage = 0 : i32}
// CHECK: tt.scheduled_max_stage = 2 : i32
tt.func public @carried(%p: tensor<512x!tt.ptr<f32>, #v4>, %step: tensor<512xi32, #v4>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<512xf32, #v4>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %none, %q = %p) -> (tensor<512xf32, #v4>, tensor<512x!tt.ptr<f32>, #v4>) : i32 {
    %x = tt.load %q {tt.latency = 2 : i32} : tensor<512x!tt.ptr<f32>, #v4>
    %t = arith.addf %sum, %x : tensor<512xf32, #v4>
    %next = tt.addptr %q, %step : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
    scf.yield %t, %next : tensor<512xf32, #v4>, tensor<512x!tt.ptr<f32>, #v4>
  }
  tt.store %p, %r#0 : tensor<512x!tt.ptr<f32>, #v4>
  tt.return
}
}
