// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-to-tritongpu
// RUN: not nereid-opt %s --split-input-file --convert-triton-to-tritongpu=num-warps=0 2>&1 | FileCheck %s --check-prefix=OPTIONS
// RUN: not nereid-opt %s --split-input-file --convert-triton-to-tritongpu=num-warps=64 2>&1 | FileCheck %s --check-prefix=OPTIONS
// RUN: not nereid-opt %s --split-input-file --convert-triton-to-tritongpu=num-ctas=3 2>&1 | FileCheck %s --check-prefix=OPTIONS
// RUN: not nereid-opt %s --split-input-file --convert-triton-to-tritongpu=num-ctas=32 2>&1 | FileCheck %s --check-prefix=OPTIONS
// RUN: not nereid-opt %s --split-input-file --convert-triton-to-tritongpu=threads-per-warp=64 2>&1 | FileCheck %s --check-prefix=OPTIONS
// OPTIONS: error: expected num-warps a power of two up to 32, threads-per-warp 32 and num-ctas a power of two up to 16

// expected-error @below {{a tensor that is distributed over threads has 1 to 32 dimensions}}
tt.func public @many(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32>) {
  tt.return
}

// -----

tt.func public @scalar_like(%x: f32) {
  // expected-error @below {{a tensor that is distributed over threads has 1 to 32 dimensions}}
  %0 = tt.splat %x : f32 -> tensor<f32>
  tt.return
}

// -----

tt.func public @block_pointer(%p: !tt.ptr<f16>, %n: i64, %i: i32) -> tensor<64x32xf16> {
  // expected-error @below {{block pointers have no layouts: run triton-rewrite-tensor-pointer first}}
  %b = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  %x = tt.load %b : !tt.ptr<tensor<64x32xf16>>
  tt.return %x : tensor<64x32xf16>
}
