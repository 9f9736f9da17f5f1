// RUN: nereid-opt %s --tritongpu-reorder-instructions | FileCheck %s

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// The conversion and its operand sink to the store; nothing sinks into a loop.
// CHECK-LABEL: @down(
// CHECK: arith.mulf
// CHECK-NEXT: tt.splat
// CHECK-NEXT: tt.store
// CHECK-NEXT: tt.splat
// CHECK-NEXT: ttg.convert_layout
// CHECK-NEXT: tt.store
// CHECK-NEXT: ttg.convert_layout
// CHECK-NEXT: scf.for
tt.func public @down(%f: f32, %x: tensor<512xf32, #a>, %p: tensor<512x!tt.ptr<f32>, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = ttg.convert_layout %x : tensor<512xf32, #a> -> tensor<512xf32, #b>
  %s = tt.splat %f : f32 -> tensor<512xf32, #a>
  %c = ttg.convert_layout %s : tensor<512xf32, #a> -> tensor<512xf32, #b>
  %y = arith.mulf %x, %x : tensor<512xf32, #a>
  %q = tt.splat %f : f32 -> tensor<512xf32, #b>
  tt.store %p, %q : tensor<512x!tt.ptr<f32>, #b>
  tt.store %p, %c : tensor<512x!tt.ptr<f32>, #b>
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.store %p, %l : tensor<512x!tt.ptr<f32>, #b>
  }
  tt.return
}
}
