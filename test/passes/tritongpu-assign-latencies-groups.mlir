// Copies of one commit group have as many slots as the one with most. %x is read by the threads that copy it, %s, in another
// layout, by other warps, which takes one more slot for both. The operand %ya becomes a buffer beside the scratch of %s1.
// RUN: nereid-opt %s --tritongpu-assign-latencies=num-stages=6 --remarks-filter-missed=tritongpu-assign-latencies 2>&1 | FileCheck %s
// CHECK: 4 stages instead of 6: the copies in flight take 99328 of 100352 bytes of shared memory

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#outer = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [1, 4], order = [1, 0]}>
#line = #ttg.slice<{dim = 1, parent = #rows}>
#words = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #outer}>
#b = #ttg.dot_op<{opIdx = 1, parent = #outer}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:86", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @scaled_rows(%px: tensor<64x64x!tt.ptr<f32>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %ps: tensor<64x!tt.ptr<f32>, #words> {tt.contiguity = 64 : i32, tt.divisibility = 16 : i32}, %w: tensor<64x64xf32, #b>, %n: i32) -> tensor<64x64xf32, #outer> {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #outer>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #outer>) : i32 {
      %x = tt.load %px : tensor<64x64x!tt.ptr<f32>, #rows>
      %s = tt.load %ps : tensor<64x!tt.ptr<f32>, #words>
      %s1 = ttg.convert_layout %s : tensor<64xf32, #words> -> tensor<64xf32, #line>
      %s2 = tt.expand_dims %s1 {axis = 1 : i32} : tensor<64xf32, #line> -> tensor<64x1xf32, #rows>
      %s3 = tt.broadcast %s2 : tensor<64x1xf32, #rows> -> tensor<64x64xf32, #rows>
      %y = arith.mulf %x, %s3 : tensor<64x64xf32, #rows>
      %ya = ttg.convert_layout %y : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #a>
      %d = tt.dot %ya, %w, %acc : tensor<64x64xf32, #a> * tensor<64x64xf32, #b> -> tensor<64x64xf32, #outer>
      scf.yield %d : tensor<64x64xf32, #outer>
    }
    tt.return %r : tensor<64x64xf32, #outer>
  }
}
