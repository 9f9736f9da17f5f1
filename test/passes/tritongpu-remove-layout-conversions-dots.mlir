// RUN: nereid-opt %s --tritongpu-remove-layout-conversions | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// In #a sixteen lanes hold the same rows and would compute the same exponentials, 256 values per thread instead of 16.
// CHECK-LABEL: @probabilities
// CHECK: math.exp %{{.*}} : tensor<64x32xf32, #blocked>
// CHECK: ttg.convert_layout %{{.*}} : tensor<64x32xf32, #blocked> -> tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>
// CHECK: tt.dot
tt.func public @probabilities(%x: tensor<64x64xf32, #a>, %y: tensor<64x32xf32, #b>, %v: tensor<32x64xf32, #b>, %c: tensor<64x32xf32, #blocked>, %acc: tensor<64x64xf32, #blocked>, %p: tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #a}>>) -> tensor<64x64xf32, #blocked> {
  %s = tt.dot %x, %y, %c : tensor<64x64xf32, #a> * tensor<64x32xf32, #b> -> tensor<64x32xf32, #blocked>
  %t = ttg.convert_layout %s : tensor<64x32xf32, #blocked> -> tensor<64x32xf32, #a>
  %e = math.exp %t : tensor<64x32xf32, #a>
  %sum = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%u: f32, %w: f32):
    %z = arith.addf %u, %w : f32
    tt.reduce.return %z : f32
  }) : (tensor<64x32xf32, #a>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #a}>>
  tt.store %p, %sum : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #a}>>
  %d = tt.dot %e, %v, %acc : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}
}
