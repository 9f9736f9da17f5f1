// 8-bit elements that threads compute with N contiguous: written to a buffer of wgmma, which has K contiguous, one by one. Operands are
// not exchanged for them, and dots with enough rows for wgmma multiply them as f16, which wgmma reads in both orders.
// RUN: nereid-opt %s --split-input-file --tritongpu-accelerate-matmul | FileCheck %s
// RUN: nereid-opt %s --split-input-file --tritongpu-accelerate-matmul --remarks-filter-passed=tritongpu-accelerate-matmul -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 8], order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #row}>
#b = #ttg.dot_op<{opIdx = 1, parent = #row}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @rows
// CHECK-NOT: ttng.warp_group_dot
// CHECK: tt.dot {{.*}} : tensor<16x32xf16, {{.*}} * tensor<32x128xf16, {{.*}} -> tensor<16x128xf32, #mma
tt.func public @rows(%p: tensor<16x32x!tt.ptr<f8E4M3FN>, #row>, %q: tensor<32x128x!tt.ptr<i32>, #row>, %c: tensor<16x128xf32, #row>) -> tensor<16x128xf32, #row> {
  %x = tt.load %p : tensor<16x32x!tt.ptr<f8E4M3FN>, #row>
  %w = tt.load %q : tensor<32x128x!tt.ptr<i32>, #row>
  %f = arith.sitofp %w : tensor<32x128xi32, #row> to tensor<32x128xf16, #row>
  %y = tt.fp_to_fp %f, rounding = rtne : tensor<32x128xf16, #row> -> tensor<32x128xf8E4M3FN, #row>
  %xa = ttg.convert_layout %x : tensor<16x32xf8E4M3FN, #row> -> tensor<16x32xf8E4M3FN, #a>
  %yb = ttg.convert_layout %y : tensor<32x128xf8E4M3FN, #row> -> tensor<32x128xf8E4M3FN, #b>
  %r = tt.dot %xa, %yb, %c : tensor<16x32xf8E4M3FN, #a> * tensor<32x128xf8E4M3FN, #b> -> tensor<16x128xf32, #row>
  tt.return %r : tensor<16x128xf32, #row>
}

// With K contiguous, a thread stores four elements at a time.
// CHECK-LABEL: @columns
// CHECK: ttng.warp_group_dot {{.*}} -> tensor<128x16xf32
tt.func public @columns(%p: tensor<16x32x!tt.ptr<f8E4M3FN>, #row>, %q: tensor<32x128x!tt.ptr<f32>, #column>, %n: i32, %c: tensor<16x128xf32, #row>) -> tensor<16x128xf32, #row> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c) -> (tensor<16x128xf32, #row>) : i32 {
    %x = tt.load %p : tensor<16x32x!tt.ptr<f8E4M3FN>, #row>
    %w = tt.load %q : tensor<32x128x!tt.ptr<f32>, #column>
    %y = tt.fp_to_fp %w, rounding = rtne : tensor<32x128xf32, #column> -> tensor<32x128xf8E4M3FN, #column>
    %xa = ttg.convert_layout %x : tensor<16x32xf8E4M3FN, #row> -> tensor<16x32xf8E4M3FN, #a>
    %yb = ttg.convert_layout %y : tensor<32x128xf8E4M3FN, #column> -> tensor<32x128xf8E4M3FN, #b>
    %r = tt.dot %xa, %yb, %s : tensor<16x32xf8E4M3FN, #a> * tensor<32x128xf8E4M3FN, #b> -> tensor<16x128xf32, #row>
    scf.yield %r : tensor<16x128xf32, #row>
  }
  tt.return %l : tensor<16x128xf32, #row>
}

// CHECK-LABEL: @many_rows
// CHECK: ttng.warp_group_dot {{.*}} : !ttg.memdesc<128x32xf16, {{.*}} * !ttg.memdesc<32x128xf16
// CHECK-LABEL: @integers
// CHECK: tt.dot {{.*}} : tensor<128x32xi8, {{.*}} * tensor<32x128xi8, {{.*}} -> tensor<128x128xi32, #mma
// REMARK: [[# @LINE + 17]]:{{.*}}mma.sync {{.*}}not wgmma: threads would write a computed operand, whose elements wgmma reads with K contiguous, one by one
tt.func public @many_rows(%p: tensor<128x32x!tt.ptr<f8E4M3FN>, #row>, %q: tensor<32x128x!tt.ptr<i32>, #row>, %c: tensor<128x128xf32, #row>) -> tensor<128x128xf32, #row> {
  %x = tt.load %p : tensor<128x32x!tt.ptr<f8E4M3FN>, #row>
  %w = tt.load %q : tensor<32x128x!tt.ptr<i32>, #row>
  %f = arith.sitofp %w : tensor<32x128xi32, #row> to tensor<32x128xf16, #row>
  %y = tt.fp_to_fp %f, rounding = rtne : tensor<32x128xf16, #row> -> tensor<32x128xf8E4M3FN, #row>
  %xa = ttg.convert_layout %x : tensor<128x32xf8E4M3FN, #row> -> tensor<128x32xf8E4M3FN, #a>
  %yb = ttg.convert_layout %y : tensor<32x128xf8E4M3FN, #row> -> tensor<32x128xf8E4M3FN, #b>
  %r = tt.dot %xa, %yb, %c : tensor<128x32xf8E4M3FN, #a> * tensor<32x128xf8E4M3FN, #b> -> tensor<128x128xf32, #row>
  tt.return %r : tensor<128x128xf32, #row>
}
tt.func public @integers(%p: tensor<128x32x!tt.ptr<i8>, #row>, %q: tensor<32x128x!tt.ptr<i32>, #row>, %c: tensor<128x128xi32, #row>) -> tensor<128x128xi32, #row> {
  %x = tt.load %p : tensor<128x32x!tt.ptr<i8>, #row>
  %w = tt.load %q : tensor<32x128x!tt.ptr<i32>, #row>
  %y = arith.trunci %w : tensor<32x128xi32, #row> to tensor<32x128xi8, #row>
  %xa = ttg.convert_layout %x : tensor<128x32xi8, #row> -> tensor<128x32xi8, #a>
  %yb = ttg.convert_layout %y : tensor<32x128xi8, #row> -> tensor<32x128xi8, #b>
  %r = tt.dot %xa, %yb, %c : tensor<128x32xi8, #a> * tensor<32x128xi8, #b> -> tensor<128x128xi32, #row>
  tt.return %r : tensor<128x128xi32, #row>
}
}
