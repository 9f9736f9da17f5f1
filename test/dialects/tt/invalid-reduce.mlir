// Invalid dots, reductions, scans and histograms: each diagnostic states the expected and the actual types.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics

tt.func @dot_rank(%a: tensor<8xf16>, %c: tensor<8x8xf32>) {
  // expected-error @+1 {{'tt.dot' op expects matrices, or batches of them in 3 dimensions, got ranks 1, 1 and 2}}
  %0 = tt.dot %a, %a, %c : tensor<8xf16> * tensor<8xf16> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @dot_k(%a: tensor<16x32xf16>, %c: tensor<16x32xf32>) {
  // expected-error @+1 {{'tt.dot' op expects as many columns in a as rows in b, got 32 and 16}}
  %0 = tt.dot %a, %a, %c : tensor<16x32xf16> * tensor<16x32xf16> -> tensor<16x32xf32>
  tt.return
}

// -----

tt.func @dot_batch(%a: tensor<2x16x16xf16>, %b: tensor<4x16x16xf16>, %c: tensor<2x16x16xf32>) {
  // expected-error @+1 {{'tt.dot' op expects batches of one size in a, b and c, got 2, 4 and 2}}
  %0 = tt.dot %a, %b, %c : tensor<2x16x16xf16> * tensor<4x16x16xf16> -> tensor<2x16x16xf32>
  tt.return
}

// -----

tt.func @dot_result(%a: tensor<16x16xf16>, %c: tensor<16x32xf32>) {
  // expected-error @+1 {{'tt.dot' op expects c to be 16x16, got 16x32}}
  %0 = tt.dot %a, %a, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x32xf32>
  tt.return
}

// -----

tt.func @dot_width(%a: tensor<16x16xf16>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{'tt.dot' op expects a and b to have elements of one width, got f16 and f32}}
  %0 = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_narrow_sum(%a: tensor<16x16xf64>, %b: tensor<16x16xf64>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{'tt.dot' op multiplies f64 by f64 and accumulates in f32: expected an accumulator of floats of at least 64 bits}}
  %0 = tt.dot %a, %b, %c : tensor<16x16xf64> * tensor<16x16xf64> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_float_sum(%a: tensor<16x16xi8>, %b: tensor<16x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{'tt.dot' op multiplies i8 by i8 and accumulates in f32: expected an accumulator of integers of at least 8 bits}}
  %0 = tt.dot %a, %b, %c : tensor<16x16xi8> * tensor<16x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_scaled_k(%a: tensor<128x32xi8>, %b: tensor<32x128xf8E4M3FN>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tt.dot_scaled' op expects as many columns in a as rows in b, got 64 and 32}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<128x32xi8> * tensor<32x128xf8E4M3FN> -> tensor<128x128xf32>
  tt.return
}

// -----

tt.func @dot_scaled_rows(%a: tensor<128x64xf8E4M3FN>, %s: tensor<64x2xi8>, %b: tensor<64x128xf8E4M3FN>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tt.dot_scaled' op expects scales for each of the 128 rows of a, got 64}}
  %0 = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<64x2xi8> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
  tt.return
}

// -----

tt.func @dot_scaled_groups(%a: tensor<128x64xf8E4M3FN>, %s: tensor<128x4xi8>, %b: tensor<64x128xf8E4M3FN>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tt.dot_scaled' op expects scales for 64 elements along K in groups of 32, got 4}}
  %0 = tt.dot_scaled %a, %b scale %s, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xf8E4M3FN> * tensor<64x128xf8E4M3FN>, tensor<128x4xi8> -> tensor<128x128xf32>
  tt.return
}

// -----

tt.func @reduce_axis(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects axis to be from 0 to 0, got 1}}
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @reduce_result(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tt.reduce' op expects result #0 to be tensor<4xf32>, got tensor<8xf32>}}
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<4x8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @reduce_element(%x: tensor<4x8xf64>) {
  // expected-error @+1 {{'tt.reduce' op expects results of the operands' element types: #0 are f64 and f32}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<4x8xf64>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @reduce_shapes(%x: tensor<4x8xf32>, %y: tensor<2x8xf32>) {
  // expected-error @+1 {{'tt.reduce' op requires the same shape for all operands}}
  %0:2 = "tt.reduce"(%x, %y) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tt.reduce.return %a, %b : f32, f32
  }) : (tensor<4x8xf32>, tensor<2x8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  tt.return
}

// -----

tt.func @reduce_arguments(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.reduce' op expects a region with 2 arguments, two per operand, got 1}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @reduce_argument_type(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.reduce' op expects argument #1 of the region to be f32, got i32}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: i32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @reduce_return(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.reduce' op expects the region to return 1 values, one per operand, got 2}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a, %b : f32, f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @reduce_return_parent(%x: f32) {
  // expected-error @+1 {{'tt.reduce.return' op expects parent op 'tt.reduce'}}
  tt.reduce.return %x : f32
}

// -----

tt.func @scan_axis(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.scan' op expects axis to be one of the operand's 1 dimensions, got 1}}
  %0 = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @scan_return_type(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.scan' op expects value #0 that the region returns to be f32, got i1}}
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %b : f32
    tt.scan.return %c : i1
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @scan_return_parent(%x: f32) {
  // expected-error @+1 {{'tt.scan.return' op expects parent op 'tt.scan'}}
  tt.scan.return %x : f32
}

// -----

tt.func @histogram_floats(%x: tensor<16xf32>) {
  // expected-error @+1 {{'tt.histogram' 'src' must be ranked tensor of i1/i4/i8/i16/i32/i64 values, but got 'tensor<16xf32>'}}
  %0 = tt.histogram %x : tensor<16xf32> -> tensor<8xi32>
  tt.return
}

// -----

tt.func @histogram_rank(%x: tensor<4x4xi32>) {
  // expected-error @+1 {{'tt.histogram' op expects 1D tensors, got ranks 2 and 1}}
  %0 = tt.histogram %x : tensor<4x4xi32> -> tensor<8xi32>
  tt.return
}

// -----

tt.func @histogram_mask(%x: tensor<16xi32>, %m: tensor<8xi1>) {
  // expected-error @+1 {{'tt.histogram' op failed to verify that mask is i1 in the shape of src}}
  %0 = "tt.histogram"(%x, %m) : (tensor<16xi32>, tensor<8xi1>) -> tensor<8xi32>
  tt.return
}

// -----

tt.func @gather_rank(%x: tensor<8x4xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{'tt.gather' op expects indices of the source's rank, 2, got 1}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8x4xf32>, tensor<8xi32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @gather_axis(%x: tensor<8xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{'tt.gather' op expects axis to be one of the source's 1 dimensions, got 1}}
  %0 = tt.gather %x[%i] {axis = 1 : i32} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @gather_size(%x: tensor<8x4xf32>, %i: tensor<8x8xi32>) {
  // expected-error @+1 {{'tt.gather' op expects dimension 1 of the indices to be the source's, 4, got 8}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8x4xf32>, tensor<8x8xi32>) -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @gather_type(%x: tensor<8xf16>, %i: tensor<8xi32>) {
  // expected-error @+1 {{'tt.gather' op expects result #0 to be tensor<8xf16>, got tensor<8xf32>}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8xf16>, tensor<8xi32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @dot_scaled_segments(%a: tensor<128x64xf8E4M3FN>, %b: tensor<64x128xf8E4M3FN>, %c: tensor<128x128xf32>, %s: tensor<128x2xi8>) {
  // expected-error @+1 {{'tt.dot_scaled' op expects 1 value for operand #1, got 0 by operandSegmentSizes}}
  %0 = "tt.dot_scaled"(%a, %c, %c, %s) <{a_elem_type = 0 : i32, b_elem_type = 0 : i32, fastMath = false, operandSegmentSizes = array<i32: 1, 0, 2, 1, 0>}> : (tensor<128x64xf8E4M3FN>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x2xi8>) -> tensor<128x128xf32>
  tt.return
}
