// Loads of single 8-bit or 16-bit elements for wgmma get a layout in which each warp loads whole rows; of 8-bit elements that wgmma
// reads transposed, a layout in which each thread loads 16 rows.
// RUN: nereid-opt %s --tritongpu-accelerate-matmul | FileCheck %s
// RUN: nereid-opt %s --tritongpu-accelerate-matmul --remarks-filter-passed=tritongpu-accelerate-matmul -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

#c = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#single = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [2, 2], order = [0, 1]}>
#vector = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #c}>
#b = #ttg.dot_op<{opIdx = 1, parent = #c}>

// CHECK-DAG: #[[ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-DAG: #[[NARROW:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[PATCH:.*]] = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
// CHECK-DAG: #[[SINGLE:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
// CHECK-DAG: #[[VECTOR:.*]] = #ttg.blocked<{sizePerThread = [1, 8]
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: @both
// CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f16>, #[[ROWS]]>
// CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f16>, #[[COLUMNS]]>
// CHECK: ttng.warp_group_dot
// REMARK: operand a, whose elements are loaded one by one, is loaded in whole rows by each warp
// REMARK: operand b, whose elements are loaded one by one
tt.func private @both(%p: tensor<64x64x!tt.ptr<f16>, #single>, %q: tensor<64x64x!tt.ptr<f16>, #column>, %c: tensor<64x64xf32, #c>) -> tensor<64x64xf32, #c> {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #single>
  %y = tt.load %q : tensor<64x64x!tt.ptr<f16>, #column>
  %xa = ttg.convert_layout %x : tensor<64x64xf16, #single> -> tensor<64x64xf16, #a>
  %yb = ttg.convert_layout %y : tensor<64x64xf16, #column> -> tensor<64x64xf16, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #c>
  tt.return %d : tensor<64x64xf32, #c>
}

// Rows of 16 elements: lanes are in several rows. A vector of elements is not split, and the mask follows the pointers.
// CHECK-LABEL: @narrow
// CHECK: ttg.convert_layout %{{.*}} -> tensor<64x16x!tt.ptr<f16>, #[[NARROW]]>
// CHECK: ttg.convert_layout %{{.*}} -> tensor<64x16xi1, #[[NARROW]]>
// CHECK: tt.load %{{.*}}, %{{.*}} : tensor<64x16x!tt.ptr<f16>, #[[NARROW]]>
// CHECK: tt.load %{{.*}} : tensor<16x64x!tt.ptr<f16>, #[[VECTOR]]>
tt.func private @narrow(%p: tensor<64x16x!tt.ptr<f16>, #single>, %m: tensor<64x16xi1, #single>, %q: tensor<16x64x!tt.ptr<f16>, #vector>, %c: tensor<64x64xf32, #c>) -> tensor<64x64xf32, #c> {
  %x = tt.load %p, %m : tensor<64x16x!tt.ptr<f16>, #single>
  %y = tt.load %q : tensor<16x64x!tt.ptr<f16>, #vector>
  %xa = ttg.convert_layout %x : tensor<64x16xf16, #single> -> tensor<64x16xf16, #a>
  %yb = ttg.convert_layout %y : tensor<16x64xf16, #vector> -> tensor<16x64xf16, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x16xf16, #a> * tensor<16x64xf16, #b> -> tensor<64x64xf32, #c>
  tt.return %d : tensor<64x64xf32, #c>
}

// Another use of the loaded value, and elements of other sizes: the layout stays.
// CHECK-LABEL: @kept
// CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f16>, #[[SINGLE]]>
// CHECK-LABEL: @wide
// CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f32>, #[[SINGLE]]>
tt.func private @kept(%p: tensor<64x64x!tt.ptr<f16>, #single>, %y: tensor<64x64xf16, #vector>, %c: tensor<64x64xf32, #c>) -> (tensor<64x64xf32, #c>, tensor<64x64xf16, #single>) {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #single>
  %xa = ttg.convert_layout %x : tensor<64x64xf16, #single> -> tensor<64x64xf16, #a>
  %yb = ttg.convert_layout %y : tensor<64x64xf16, #vector> -> tensor<64x64xf16, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #c>
  tt.return %d, %x : tensor<64x64xf32, #c>, tensor<64x64xf16, #single>
}
tt.func private @wide(%p: tensor<64x64x!tt.ptr<f32>, #single>, %y: tensor<64x64xf32, #vector>, %c: tensor<64x64xf32, #c>) -> tensor<64x64xf32, #c> {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #single>
  %xa = ttg.convert_layout %x : tensor<64x64xf32, #single> -> tensor<64x64xf32, #a>
  %yb = ttg.convert_layout %y : tensor<64x64xf32, #vector> -> tensor<64x64xf32, #b>
  %d = tt.dot %xa, %yb, %c, inputPrecision = tf32 : tensor<64x64xf32, #a> * tensor<64x64xf32, #b> -> tensor<64x64xf32, #c>
  tt.return %d : tensor<64x64xf32, #c>
}

// wgmma reads fp8 with K contiguous: a thread stores the elements of 16 rows of b at a time.
// CHECK-LABEL: @transposed
// CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f8E5M2>, #[[ROWS]]>
// CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f8E5M2>, #[[PATCH]]>
// REMARK: operand b, whose elements wgmma reads with K contiguous, is loaded in patches and transposed in registers
tt.func private @transposed(%p: tensor<64x64x!tt.ptr<f8E5M2>, #single>, %q: tensor<64x64x!tt.ptr<f8E5M2>, #single>, %c: tensor<64x64xf32, #c>) -> tensor<64x64xf32, #c> {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f8E5M2>, #single>
  %y = tt.load %q : tensor<64x64x!tt.ptr<f8E5M2>, #single>
  %xa = ttg.convert_layout %x : tensor<64x64xf8E5M2, #single> -> tensor<64x64xf8E5M2, #a>
  %yb = ttg.convert_layout %y : tensor<64x64xf8E5M2, #single> -> tensor<64x64xf8E5M2, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x64xf8E5M2, #a> * tensor<64x64xf8E5M2, #b> -> tensor<64x64xf32, #c>
  tt.return %d : tensor<64x64xf32, #c>
}

// 128 registers of results and 64 of elements: the addresses of patches would not fit.
// CHECK-LABEL: @transposed_large
// CHECK: tt.load %{{.*}} : tensor<128x32x!tt.ptr<f8E5M2>, #[[ROWS]]>
// CHECK: tt.load %{{.*}} : tensor<32x128x!tt.ptr<f8E5M2>, #[[ROWS]]>
tt.func private @transposed_large(%p: tensor<128x32x!tt.ptr<f8E5M2>, #single>, %q: tensor<32x128x!tt.ptr<f8E5M2>, #single>, %c: tensor<128x128xf32, #c>) -> tensor<128x128xf32, #c> {
  %x = tt.load %p : tensor<128x32x!tt.ptr<f8E5M2>, #single>
  %y = tt.load %q : tensor<32x128x!tt.ptr<f8E5M2>, #single>
  %xa = ttg.convert_layout %x : tensor<128x32xf8E5M2, #single> -> tensor<128x32xf8E5M2, #a>
  %yb = ttg.convert_layout %y : tensor<32x128xf8E5M2, #single> -> tensor<32x128xf8E5M2, #b>
  %d = tt.dot %xa, %yb, %c : tensor<128x32xf8E5M2, #a> * tensor<32x128xf8E5M2, #b> -> tensor<128x128xf32, #c>
  tt.return %d : tensor<128x128xf32, #c>
}
}
