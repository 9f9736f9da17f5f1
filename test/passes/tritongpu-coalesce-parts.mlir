// CTAs whose parts are not blocks: no CGALayout describes them, so another encoding would move elements to other CTAs.
// RUN: nereid-opt %s --tritongpu-coalesce | FileCheck %s

// CHECK-DAG: #[[ALTERNATE:.*]] = #ttg.linear<{{.*}}block = {{\[\[}}1]]}>
// CHECK-DAG: #[[STEPS:.*]] = #ttg.generic_linear<{{.*}}block = {{\[\[}}96]]}>
#alternate = #ttg.linear<{register = [[32], [64]], lane = [[2], [4], [8], [16], [0]], warp = [[0], [0]], block = [[1]]}>
#steps = #ttg.generic_linear<{register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]], block = [[96]]}>
#halves = #ttg.generic_linear<{register = [[32], [0]], lane = [[2], [1], [4], [8], [16]], warp = [[0], [0]], block = [[64]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @parts
  tt.func public @parts(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    // CHECK: tt.load %{{.*}} : tensor<128x!tt.ptr<f32>, #[[ALTERNATE]]>
    %0 = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #alternate>
    %1 = tt.load %0 : tensor<128x!tt.ptr<f32>, #alternate>
    tt.store %0, %1 : tensor<128x!tt.ptr<f32>, #alternate>
    // CHECK: tt.load %{{.*}} : tensor<128x!tt.ptr<f32>, #[[STEPS]]>
    %2 = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #steps>
    %3 = tt.load %2 : tensor<128x!tt.ptr<f32>, #steps>
    tt.store %2, %3 : tensor<128x!tt.ptr<f32>, #steps>
    // CHECK: tt.load %{{.*}} : tensor<128x!tt.ptr<f32>, #blocked{{[0-9]*}}>
    %4 = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #halves>
    %5 = tt.load %4 : tensor<128x!tt.ptr<f32>, #halves>
    tt.store %4, %5 : tensor<128x!tt.ptr<f32>, #halves>
    tt.return
  }
}
