// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-to-tritongpu --convert-triton-gpu-to-llvm

tt.func private @exponent(%x: f32, %i: i64) -> f32 {
  // expected-error @below {{has an exponent of 64 bits: expected at most 32}}
  %y = math.fpowi %x, %i : f32, i64
  tt.return %y : f32
}

// -----

// A function of the module with the name of a libdevice function and another type.
module {
  tt.func public @__nv_sinf(%p: !tt.ptr<f32>) {
    tt.return
  }
  tt.func private @taken(%x: f32) -> f32 {
    // expected-error @below {{'__nv_sinf' is declared with another type already}}
    %y = math.sin %x : f32
    tt.return %y : f32
  }
}

// -----

tt.func private @fp8(%x: tensor<128xf8E5M2>) -> tensor<128xf8E5M2> {
  // expected-error @below {{computes on an 8-bit float: expected 16 bits at least; convert with tt.fp_to_fp}}
  %y = math.floor %x : tensor<128xf8E5M2>
  tt.return %y : tensor<128xf8E5M2>
}

// -----

tt.func private @clamp_fp8(%x: f8E5M2) -> f8E5M2 {
  // expected-error @below {{'tt.clampf' op computes on an 8-bit float: expected 16 bits at least}}
  %y = tt.clampf %x, %x, %x, propagateNan = all : f8E5M2
  tt.return %y : f8E5M2
}

// -----

tt.func private @sqrt_fp8(%x: f8E4M3FN) -> f8E4M3FN {
  // expected-error @below {{'tt.precise_sqrt' op computes on an 8-bit float}}
  %y = tt.precise_sqrt %x : f8E4M3FN
  tt.return %y : f8E4M3FN
}

// -----

tt.func private @approximate(%x: tensor<128xf16>) -> tensor<128xf16> {
  // expected-error @below {{expects f32: the approximate division has no other type; use arith.divf}}
  %y = tt.approx_divf %x, %x : tensor<128xf16>
  tt.return %y : tensor<128xf16>
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:86"} {
tt.func public @dependent() {
  // expected-error @below {{requires sm_90: earlier targets have no programmatic dependent launch}}
  tt.grid_dependency_wait
  tt.return
}
}
