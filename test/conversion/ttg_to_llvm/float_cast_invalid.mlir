// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-to-tritongpu --convert-triton-gpu-to-llvm

tt.func private @other_fp8(%x: f32) {
  // expected-error @below {{converts a float format that NVIDIA GPUs do not have: expected f8E4M3FN or f8E5M2}}
  %y = tt.fp_to_fp %x, rounding = rtne : f32 -> f8E4M3FNUZ
  tt.return
}

// -----

tt.func private @quadruple(%x: f32) {
  // expected-error @below {{'arith.extf' op has a result type that cannot be lowered: f128}}
  %y = arith.extf %x : f32 to f128
  tt.return
}

// -----

tt.func private @upward(%x: f32) -> f16 {
  // expected-error @below {{rounds in a mode that is not supported: expected to_nearest_even or toward_zero}}
  %y = arith.truncf %x upward : f32 to f16
  tt.return %y : f16
}
