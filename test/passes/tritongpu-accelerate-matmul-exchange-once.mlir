// A small dot is exchanged for wgmma in a loop, whose other iterations hide the fence before it and its latency, not outside of one.
// RUN: nereid-opt %s --tritongpu-accelerate-matmul | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [8, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-warps" = 8 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @once
// CHECK: tt.dot
tt.func private @once(%x: tensor<16x16xbf16, #row>, %y: tensor<16x64xbf16, #row>, %c: tensor<16x64xf32, #blocked>) -> tensor<16x64xf32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<16x16xbf16, #row> -> tensor<16x16xbf16, #a>
  %yb = ttg.convert_layout %y : tensor<16x64xbf16, #row> -> tensor<16x64xbf16, #b>
  %d = tt.dot %xa, %yb, %c : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> tensor<16x64xf32, #blocked>
  tt.return %d : tensor<16x64xf32, #blocked>
}

// CHECK-LABEL: @repeated
// CHECK: ttng.warp_group_dot {{.*}} -> tensor<64x16xf32
tt.func private @repeated(%p: tensor<16x16x!tt.ptr<bf16>, #row>, %q: tensor<16x64x!tt.ptr<bf16>, #row>, %c: tensor<16x64xf32, #blocked>, %n: i32, %c0: i32, %c1: i32) -> tensor<16x64xf32, #blocked> {
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c) -> (tensor<16x64xf32, #blocked>) : i32 {
    %x = tt.load %p : tensor<16x16x!tt.ptr<bf16>, #row>
    %y = tt.load %q : tensor<16x64x!tt.ptr<bf16>, #row>
    %xa = ttg.convert_layout %x : tensor<16x16xbf16, #row> -> tensor<16x16xbf16, #a>
    %yb = ttg.convert_layout %y : tensor<16x64xbf16, #row> -> tensor<16x64xbf16, #b>
    %d = tt.dot %xa, %yb, %s : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> tensor<16x64xf32, #blocked>
    scf.yield %d : tensor<16x64xf32, #blocked>
  }
  tt.return %r : tensor<16x64xf32, #blocked>
}

// After one that is exchanged, a dot that adds to its result is exchanged, too: the accumulator is not converted.
// CHECK-LABEL: @added
// CHECK: ttng.warp_group_dot {{.*}} -> tensor<64x16xf32
// CHECK: arith.mulf
// CHECK: ttng.warp_group_dot {{.*}} -> tensor<64x16xf32
tt.func private @added(%p: tensor<16x16x!tt.ptr<bf16>, #row>, %q: tensor<16x64x!tt.ptr<bf16>, #row>, %c: tensor<16x64xf32, #blocked>, %f: tensor<16x64xf32, #blocked>, %n: i32, %c0: i32, %c1: i32) -> tensor<16x64xf32, #blocked> {
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c) -> (tensor<16x64xf32, #blocked>) : i32 {
    %x = tt.load %p : tensor<16x16x!tt.ptr<bf16>, #row>
    %y = tt.load %q : tensor<16x64x!tt.ptr<bf16>, #row>
    %xa = ttg.convert_layout %x : tensor<16x16xbf16, #row> -> tensor<16x16xbf16, #a>
    %yb = ttg.convert_layout %y : tensor<16x64xbf16, #row> -> tensor<16x64xbf16, #b>
    %d = tt.dot %xa, %yb, %s : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> tensor<16x64xf32, #blocked>
    scf.yield %d : tensor<16x64xf32, #blocked>
  }
  %g = arith.mulf %r, %f : tensor<16x64xf32, #blocked>
  %x = tt.load %p : tensor<16x16x!tt.ptr<bf16>, #row>
  %y = tt.load %q : tensor<16x64x!tt.ptr<bf16>, #row>
  %xa = ttg.convert_layout %x : tensor<16x16xbf16, #row> -> tensor<16x16xbf16, #a>
  %yb = ttg.convert_layout %y : tensor<16x64xbf16, #row> -> tensor<16x64xbf16, #b>
  %d = tt.dot %xa, %yb, %g : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> tensor<16x64xf32, #blocked>
  tt.return %d : tensor<16x64xf32, #blocked>
}
}
