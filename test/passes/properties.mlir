// Builds with assertions verify the requirements of passes: here that tensors have encodings.
// REQUIRES: asserts
// RUN: nereid-opt %s --split-input-file --verify-diagnostics --tritongpu-remove-layout-conversions

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @plain() {
    // expected-error @+1 {{pass 'tritongpu-remove-layout-conversions' requires property 'layouts' of its input: Every tensor has an encoding. convert-triton-to-tritongpu establishes it}}
    %0 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    tt.return
  }
}
