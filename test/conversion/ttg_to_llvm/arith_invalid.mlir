// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-to-tritongpu --convert-triton-gpu-to-llvm

tt.func private @fp8_sum(%x: f8E4M3FN) -> f8E4M3FN {
  // expected-error @below {{computes on an 8-bit float: expected 16 bits at least; convert with tt.fp_to_fp}}
  %y = arith.addf %x, %x : f8E4M3FN
  tt.return %y : f8E4M3FN
}

// -----

tt.func private @fp8_compare(%x: tensor<128xf8E5M2>) -> tensor<128xi1> {
  // expected-error @below {{computes on an 8-bit float}}
  %y = arith.cmpf olt, %x, %x : tensor<128xf8E5M2>
  tt.return %y : tensor<128xi1>
}

// -----

tt.func private @scales(%x: i32) -> i32 {
  // expected-error @below {{'arith.constant' op has a result type that cannot be lowered: f8E8M0FNU}}
  %a = arith.constant 1.0 : f8E8M0FNU
  tt.return %x : i32
}

// -----

tt.func private @negated(%x: i32) -> i32 {
  // expected-error @below {{'ub.poison' op has a result type that cannot be lowered: f128}}
  %a = ub.poison : f128
  %b = arith.negf %a : f128
  tt.return %x : i32
}

// -----

tt.func private @quadruple(%x: f32) {
  %0 = arith.constant 1 : i32
  // expected-error @below {{'arith.sitofp' op has a result type that cannot be lowered}}
  %a = arith.sitofp %0 : i32 to f128
  tt.return
}

// -----

tt.func private @vectors(%x: i32) -> i32 {
  // expected-error @below {{'arith.constant' op has a result type that cannot be lowered: vector<4xi32>}}
  %a = arith.constant dense<1> : vector<4xi32>
  %b = arith.addi %a, %a : vector<4xi32>
  tt.return %x : i32
}

// -----

tt.func private @wide(%x: i64) -> i64 {
  // expected-error @below {{'arith.extui' op has a result type that cannot be lowered: i128}}
  %a = arith.extui %x : i64 to i128
  %b, %c = arith.mului_extended %a, %a : i128
  tt.return %x : i64
}

// -----

tt.func private @odd(%x: i32) -> i32 {
  // expected-error @below {{'arith.trunci' op has a result type that cannot be lowered: i24}}
  %a = arith.trunci %x : i32 to i24
  tt.return %x : i32
}
