// A copy with fewer elements per thread keeps the parts that the CTAs of a cluster hold.
// RUN: nereid-opt %s --tritongpu-coalesce-async-copy | FileCheck %s

// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = {{\[\[}}0, 1]]}>
// CHECK-DAG: #[[COPIES:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0], CGALayout = {{\[\[}}0, 0]]}>
#columns = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1]]}>
#copies = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0]]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[0, 1]]}>
#whole = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[0, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @columns
// CHECK: ttg.async_copy_global_to_local %{{.*}}, %{{.*}} mask %{{.*}} : tensor<64x64x!tt.ptr<f32>, #[[COLUMNS]]>
tt.func public @columns(%p: tensor<64x64x!tt.ptr<f32>, #columns>, %m: tensor<64x64xi1, #columns>, %b: !ttg.memdesc<64x64xf32, #plain, #smem, mutable>) {
  %t = ttg.async_copy_global_to_local %p, %b mask %m : tensor<64x64x!tt.ptr<f32>, #columns> -> <64x64xf32, #plain, #smem, mutable>
  tt.return
}
// CHECK-LABEL: @copies
// CHECK: ttg.async_copy_global_to_local %{{.*}}, %{{.*}} mask %{{.*}} : tensor<64x64x!tt.ptr<f32>, #[[COPIES]]>
tt.func public @copies(%p: tensor<64x64x!tt.ptr<f32>, #copies>, %m: tensor<64x64xi1, #copies>, %b: !ttg.memdesc<64x64xf32, #whole, #smem, mutable>) {
  %t = ttg.async_copy_global_to_local %p, %b mask %m : tensor<64x64x!tt.ptr<f32>, #copies> -> <64x64xf32, #whole, #smem, mutable>
  tt.return
}
}
