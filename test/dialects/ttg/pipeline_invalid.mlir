// RUN: nereid-opt %s --split-input-file --verify-diagnostics

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: tensor<16xf32, #a>) {
    // expected-error @+1 {{requires the same shape for all operands and results}}
    %0 = ttg.convert_layout %arg0 : tensor<16xf32, #a> -> tensor<32xf32, #a>
    tt.return
  }
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: tensor<16xf32, #a>) {
    // expected-error @+1 {{requires the same element type for all operands and results}}
    %0 = ttg.convert_layout %arg0 : tensor<16xf32, #a> -> tensor<16xf16, #a>
    tt.return
  }
}

// -----

tt.func @f(%arg0: tensor<16x32xi8>) {
  // expected-error @+1 {{axis is 2, expected 0 to 1}}
  %1 = ttg.fp4_to_fp %arg0 {axis = 2 : i32} : tensor<16x32xi8> -> tensor<16x64xbf16>
  tt.return
}

// -----

tt.func @f(%arg0: tensor<16x32xi8>) {
  // expected-error @+1 {{result has size 32 in dimension 0, expected 16}}
  %1 = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<16x32xi8> -> tensor<32x64xbf16>
  tt.return
}

// -----

tt.func @f(%arg0: tensor<16x32xi8>) {
  // expected-error @+1 {{result has element type f32, expected f16 or bf16}}
  %1 = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<16x32xi8> -> tensor<16x64xf32>
  tt.return
}

// -----

#a = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: tensor<16x32xi8, #a>) {
    // expected-error @+1 {{operand has encoding}}
    %1 = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<16x32xi8, #a> -> tensor<16x64xbf16, #a>
    tt.return
  }
}

// -----

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: tensor<16x4xi8, #a>) {
    // expected-error @+1 {{both fp4 values of a byte must be in one thread}}
    %1 = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<16x4xi8, #a> -> tensor<16x8xbf16, #a>
    tt.return
  }
}

// -----

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: tensor<16x4xi8, #a>) {
    // expected-error @+1 {{operand and result must both have an encoding, or neither}}
    %1 = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<16x4xi8, #a> -> tensor<16x8xbf16>
    tt.return
  }
}

// -----

tt.func @f(%arg0: i32, %arg1: index) {
  // expected-error @+1 {{failed to verify that all of {iv, ub, step} have same type}}
  %0 = "ttg.predicate_stage"(%arg0, %arg1, %arg0) <{maxStage = 2 : i32, stage = 0 : i32}> : (i32, index, i32) -> i1
  tt.return
}

// -----

tt.func @f(%arg0: i1) {
  // expected-error @+1 {{has 2 results, but its ttg.mask.return returns 1}}
  %0:2 = "ttg.mask"(%arg0) ({
    ttg.mask.return %arg0 : i1
  }) : (i1) -> (i1, i1)
  tt.return
}

// -----

tt.func @f(%arg0: i1) {
  // expected-error @+1 {{result #0 has type i32, but ttg.mask.return returns i1}}
  %0 = "ttg.mask"(%arg0) ({
    ttg.mask.return %arg0 : i1
  }) : (i1) -> i32
  tt.return
}

// -----

tt.func @f(%arg0: i1) {
  // expected-error @+1 {{expects parent op 'ttg.mask'}}
  ttg.mask.return %arg0 : i1
}
