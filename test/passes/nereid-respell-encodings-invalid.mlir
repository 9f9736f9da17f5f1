// Warps that move along several dimensions have no form before Triton 3.8.
// RUN: nereid-opt %s --split-input-file --nereid-respell=version=3.7 --verify-diagnostics

#swizzled = #ttg.generic_linear<{register = [[1, 0], [0, 1]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [0, 8]], warp = [[8, 8], [0, 8]], block = []}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @slice() {
    // expected-error @+1 {{'tt.make_range' op has a tensor with a #ttg.generic_linear encoding whose warps move along several dimensions, which has no form in Triton 3.7: convert its layout, or print the version 3.8 or 3.9}}
    %0 = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #swizzled}>>
    tt.return
  }
}

// -----

#swizzled = #ttg.generic_linear<{register = [[1, 0], [0, 1]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [0, 8]], warp = [[8, 8], [0, 8]], block = []}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // expected-error @+1 {{'tt.func' op has a tensor with a #ttg.generic_linear encoding}}
  tt.func @argument(%a: tensor<16x16xi32, #swizzled>) {
    tt.return
  }
}
