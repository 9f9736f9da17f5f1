// A loaded row passes through ops in a layout that no access has (#default) on its way to another one (#wide). The ops
// move to the latter, and the load with them; it is not repeated in the former, in accesses of one element.
// RUN: nereid-opt %s --tritongpu-remove-layout-conversions | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
#default = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 8], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [2, 4], order = [1, 0]}>
module attributes {"ttg.num-warps" = 8 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK: #[[WIDE:.*]] = #ttg.blocked<{sizePerThread = [1, 8]
// CHECK-LABEL: @row
// CHECK: tt.load %{{.*}} : tensor<1024x!tt.ptr<bf16>, #ttg.slice<{dim = 0, parent = #[[WIDE]]}>>
// CHECK-NOT: ttg.convert_layout
tt.func public @row(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %x: tensor<4x1024xf32, #wide>, %o: tensor<4x1024x!tt.ptr<f32>, #wide>) {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #line>
  %ps = tt.splat %p : !tt.ptr<bf16> -> tensor<1024x!tt.ptr<bf16>, #line>
  %pi = tt.addptr %ps, %i : tensor<1024x!tt.ptr<bf16>, #line>, tensor<1024xi32, #line>
  %w = tt.load %pi : tensor<1024x!tt.ptr<bf16>, #line>
  %c = ttg.convert_layout %w : tensor<1024xbf16, #line> -> tensor<1024xbf16, #ttg.slice<{dim = 0, parent = #default}>>
  %e = tt.expand_dims %c {axis = 0 : i32} : tensor<1024xbf16, #ttg.slice<{dim = 0, parent = #default}>> -> tensor<1x1024xbf16, #default>
  %f = arith.extf %e : tensor<1x1024xbf16, #default> to tensor<1x1024xf32, #default>
  %b = tt.broadcast %f : tensor<1x1024xf32, #default> -> tensor<4x1024xf32, #default>
  %d = ttg.convert_layout %b : tensor<4x1024xf32, #default> -> tensor<4x1024xf32, #wide>
  %m = arith.mulf %x, %d : tensor<4x1024xf32, #wide>
  tt.store %o, %m : tensor<4x1024x!tt.ptr<f32>, #wide>
  tt.return
}
}
