// Existing encodings are kept; types of calls and callees agree.
// RUN: nereid-opt %s --convert-triton-to-tritongpu | FileCheck %s

#mine = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
// CHECK: tt.func private @callee(%{{.*}}: tensor<512xf32, #[[MINE:.*]]>) -> tensor<128xi32, #[[LINE:.*]]>
tt.func private @callee(%x: tensor<512xf32, #mine>) -> tensor<128xi32> {
  %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  tt.return %0 : tensor<128xi32>
}
// CHECK-LABEL: tt.func public @caller
// CHECK: tt.call @callee(%{{.*}}) : (tensor<512xf32, #[[MINE]]>) -> tensor<128xi32, #[[LINE]]>
tt.func public @caller(%x: tensor<512xf32, #mine>) -> tensor<128xi32> {
  %0 = tt.call @callee(%x) : (tensor<512xf32, #mine>) -> tensor<128xi32>
  tt.return %0 : tensor<128xi32>
}
}
