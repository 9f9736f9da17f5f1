// Invalid shape operations: each diagnostic states the expected and the actual types.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics

tt.func @make_range_empty() {
  // expected-error @+1 {{'tt.make_range' op expects end to be greater than start, got [4, 2)}}
  %0 = tt.make_range {end = 2 : i32, start = 4 : i32} : tensor<2xi32>
  tt.return
}

// -----

tt.func @make_range_count() {
  // expected-error @+1 {{'tt.make_range' op expects a result of 16 elements for the range [0, 16), got 8}}
  %0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<8xi32>
  tt.return
}

// -----

tt.func @make_range_rank() {
  // expected-error @+1 {{'tt.make_range' op expects a result of 1 dimension, got 2}}
  %0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<4x4xi32>
  tt.return
}

// -----

tt.func @make_range_type() {
  // expected-error @+1 {{'tt.make_range' op expects a result of i32 elements, got i64}}
  %0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi64>
  tt.return
}

// -----

tt.func @splat(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.splat' op expects a scalar or a tensor of rank 0, got tensor<8xf32>}}
  %0 = tt.splat %x : tensor<8xf32> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @splat_type(%x: f16) {
  // expected-error @+1 {{'tt.splat' op requires the same element type for all operands and results}}
  %0 = tt.splat %x : f16 -> tensor<8xf32>
  tt.return
}

// -----

tt.func @unsplat(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.unsplat' op expects a tensor of one element, got 8}}
  %0 = tt.unsplat %x : tensor<8xf32>
  tt.return
}

// -----

tt.func @expand_dims_axis(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects axis to be from 0 to 1, got 2}}
  %0 = tt.expand_dims %x {axis = 2 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----

tt.func @expand_dims_type(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.expand_dims' op expects result #0 to be tensor<8x1xf32>, got tensor<1x8xf32>}}
  %0 = tt.expand_dims %x {axis = 1 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  tt.return
}

// -----

tt.func @reshape(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tt.reshape' op expects a result of as many elements as the operand, 32, got 16}}
  %0 = tt.reshape %x : tensor<4x8xf32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func @broadcast_rank(%x: tensor<1xf32>) {
  // expected-error @+1 {{'tt.broadcast' op expects a result of the operand's rank, 1, got 2 (tt.expand_dims adds dimensions)}}
  %0 = tt.broadcast %x : tensor<1xf32> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @broadcast_size(%x: tensor<8x2xf32>) {
  // expected-error @+1 {{'tt.broadcast' op expects dimension 1 to be unchanged or broadcast from size 1, got 2 to 8}}
  %0 = tt.broadcast %x : tensor<8x2xf32> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @cat(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.cat' op expects a result with the elements of both operands, 16, got 32}}
  %0 = tt.cat %x, %x : tensor<8xf32> -> tensor<32xf32>
  tt.return
}

// -----

tt.func @join(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.join' op expects a result of type tensor<8x2xf32>, got tensor<2x8xf32>}}
  %0 = tt.join %x, %x : tensor<8xf32> -> tensor<2x8xf32>
  tt.return
}

// -----

tt.func @split(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{expects the last dimension to have size 2, got tensor<8x4xf32>}}
  %0, %1 = tt.split %x : tensor<8x4xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func @split_type(%x: tensor<8x2xf32>) {
  // expected-error @+1 {{'tt.split' op expects result #0 to be tensor<8xf32>, got tensor<8xf16>}}
  %0, %1 = tt.split %x : tensor<8x2xf32> -> tensor<8xf16>
  tt.return
}

// -----

tt.func @trans_order(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expects order to be a permutation of the operand's 2 dimensions, got array<i32: 0, 0>}}
  %0 = tt.trans %x {order = array<i32: 0, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  tt.return
}

// -----

tt.func @trans_rank(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expects order to be a permutation of the operand's 2 dimensions, got array<i32: 0, 1, 2>}}
  %0 = tt.trans %x {order = array<i32: 0, 1, 2>} : tensor<4x8xf32> -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @trans_type(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tt.trans' op expects result #0 to be tensor<8x4xf32>, got tensor<4x8xf32>}}
  %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<4x8xf32>
  tt.return
}
