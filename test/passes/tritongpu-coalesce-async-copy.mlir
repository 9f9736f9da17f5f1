// RUN: nereid-opt %s --tritongpu-coalesce-async-copy | FileCheck %s

// CHECK-DAG: #[[EIGHT:.*]] = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[FOUR:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[ONE:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#eight = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#four = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// Sixteen bytes are four floats.
// CHECK-LABEL: @wide
// CHECK: %[[P:.*]] = ttg.convert_layout %{{.*}} -> tensor<1024x!tt.ptr<f32>, #[[FOUR]]>
// CHECK: ttg.async_copy_global_to_local %[[P]], %{{.*}} : tensor<1024x!tt.ptr<f32>, #[[FOUR]]>
tt.func public @wide(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !ttg.memdesc<1024xf32, #plain, #smem, mutable>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #eight>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #eight>
  %q = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #eight>, tensor<1024xi32, #eight>
  %t = ttg.async_copy_global_to_local %q, %b : tensor<1024x!tt.ptr<f32>, #eight> -> <1024xf32, #plain, #smem, mutable>
  tt.return
}
// A mask that may differ between adjacent elements.
// CHECK-LABEL: @masked
// CHECK: ttg.async_copy_global_to_local %{{.*}}, %{{.*}} mask %{{.*}} other %{{.*}} : tensor<1024x!tt.ptr<f32>, #[[ONE]]>
tt.func public @masked(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: tensor<1024xi1, #four>, %b: !ttg.memdesc<1024xf32, #plain, #smem, mutable>) {
  %z = arith.constant dense<0.0> : tensor<1024xf32, #four>
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #four>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #four>
  %q = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #four>, tensor<1024xi32, #four>
  %t = ttg.async_copy_global_to_local %q, %b mask %m other %z : tensor<1024x!tt.ptr<f32>, #four> -> <1024xf32, #plain, #smem, mutable>
  tt.return
}
// Suitable layouts are kept.
// CHECK-LABEL: @fits
// CHECK-NOT: ttg.convert_layout
tt.func public @fits(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !ttg.memdesc<1024xf32, #plain, #smem, mutable>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #four>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #four>
  %q = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #four>, tensor<1024xi32, #four>
  %t = ttg.async_copy_global_to_local %q, %b : tensor<1024x!tt.ptr<f32>, #four> -> <1024xf32, #plain, #smem, mutable>
  tt.return
}
}
