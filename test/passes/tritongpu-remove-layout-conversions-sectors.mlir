// A load is executed in the layout that uses it if warps access no more sectors of memory. A thread with 32 contiguous bytes loads a
// sector by two accesses.
// RUN: nereid-opt %s --tritongpu-remove-layout-conversions | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#sectors = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @sectors
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store
  tt.func public @sectors(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: tensor<128x!tt.ptr<f32>, #sectors>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #line>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #line>
    %a = tt.addptr %s, %r : tensor<128x!tt.ptr<f32>, #line>, tensor<128xi32, #line>
    %x = tt.load %a : tensor<128x!tt.ptr<f32>, #line>
    %y = ttg.convert_layout %x : tensor<128xf32, #line> -> tensor<128xf32, #sectors>
    tt.store %q, %y : tensor<128x!tt.ptr<f32>, #sectors>
    tt.return
  }
}
