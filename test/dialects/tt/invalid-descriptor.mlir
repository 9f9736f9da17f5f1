// Invalid descriptor operations: each diagnostic states the expected and the actual types.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics

tt.func @make_rank(%p: !tt.ptr<f32>, %n: i32, %s: i64) {
  // expected-error @+1 {{'tt.make_tensor_descriptor' op expects 2 sizes and strides, one per dimension of the block, got 1}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f32>, <tensor<8x8xf32>>
  tt.return
}

// -----

tt.func @make_element(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
  // expected-error @+1 {{'tt.make_tensor_descriptor' op expects the base to point to the block's elements, f32, got f16}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f16>, <tensor<8xf32>>
  tt.return
}

// -----

tt.func @load_indices(%d: !tt.tensordesc<tensor<8x8xf32>>, %i: i32) {
  // expected-error @+1 {{'tt.descriptor_load' op expects 2 indices, one per dimension of the block, got 1}}
  %0 = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<8x8xf32>> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @load_rank(%d: !tt.tensordesc<tensor<8x8xf32>>, %i: i32) {
  // expected-error @+1 {{'tt.descriptor_load' op expects only leading dimensions of size 1 to be missing, got a block of 8 at 0}}
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<8x8xf32>> -> tensor<8xf32>
  tt.return
}

// -----

tt.func @store_shape(%d: !tt.tensordesc<tensor<8x8xf32>>, %i: i32, %x: tensor<8x16xf32>) {
  // expected-error @+1 {{'tt.descriptor_store' op expects a tensor of the descriptor's block type, tensor<8x8xf32>, got tensor<8x16xf32>}}
  tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<tensor<8x8xf32>>, tensor<8x16xf32>
  tt.return
}

// -----

tt.func @reduce_element(%d: !tt.tensordesc<tensor<8xui32>>, %i: i32, %x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.descriptor_reduce' op expects a tensor of the descriptor's block type, tensor<8xi32>, got tensor<8xf32>}}
  tt.descriptor_reduce add, %d[%i], %x : !tt.tensordesc<tensor<8xui32>>, tensor<8xf32>
  tt.return
}

// -----

tt.func @gather_block(%d: !tt.tensordesc<tensor<2x64xf32>>, %rows: tensor<32xi32>, %i: i32) {
  // expected-error @+1 {{'tt.descriptor_gather' op expects a descriptor whose block is one row, got tensor<2x64xf32>}}
  %0 = tt.descriptor_gather %d[%rows, %i] : (!tt.tensordesc<tensor<2x64xf32>>, tensor<32xi32>, i32) -> tensor<32x64xf32>
  tt.return
}

// -----

tt.func @gather_few_rows(%d: !tt.tensordesc<tensor<1x64xf32>>, %rows: tensor<4xi32>, %i: i32) {
  // expected-error @+1 {{'tt.descriptor_gather' op expects at least 8 rows, got 4}}
  %0 = tt.descriptor_gather %d[%rows, %i] : (!tt.tensordesc<tensor<1x64xf32>>, tensor<4xi32>, i32) -> tensor<4x64xf32>
  tt.return
}

// -----

tt.func @gather_few_columns(%d: !tt.tensordesc<tensor<1x8xbf16>>, %rows: tensor<32xi32>, %i: i32) {
  // expected-error @+1 {{'tt.descriptor_gather' op expects rows of bf16 to have at least 16 columns, got 8}}
  %0 = tt.descriptor_gather %d[%rows, %i] : (!tt.tensordesc<tensor<1x8xbf16>>, tensor<32xi32>, i32) -> tensor<32x8xbf16>
  tt.return
}

// -----

tt.func @gather_wide(%d: !tt.tensordesc<tensor<1x64xf64>>, %rows: tensor<32xi32>, %i: i32) {
  // expected-error @+1 {{'tt.descriptor_gather' op expects elements of at most 32 bits, got f64}}
  %0 = tt.descriptor_gather %d[%rows, %i] : (!tt.tensordesc<tensor<1x64xf64>>, tensor<32xi32>, i32) -> tensor<32x64xf64>
  tt.return
}

// -----

tt.func @gather_row_count(%d: !tt.tensordesc<tensor<1x64xf32>>, %rows: tensor<32xi32>, %i: i32) {
  // expected-error @+1 {{'tt.descriptor_gather' op expects as many rows as indices, 32, got 16}}
  %0 = tt.descriptor_gather %d[%rows, %i] : (!tt.tensordesc<tensor<1x64xf32>>, tensor<32xi32>, i32) -> tensor<16x64xf32>
  tt.return
}

// -----

tt.func @scatter_columns(%d: !tt.tensordesc<tensor<1x64xf32>>, %rows: tensor<32xi32>, %i: i32, %x: tensor<32x128xf32>) {
  // expected-error @+1 {{'tt.descriptor_scatter' op expects as many columns as the block, 64, got 128}}
  tt.descriptor_scatter %d[%rows, %i], %x : !tt.tensordesc<tensor<1x64xf32>>, tensor<32xi32>, i32, tensor<32x128xf32>
  tt.return
}

// -----

tt.func @scatter_element(%d: !tt.tensordesc<tensor<1x64xf32>>, %rows: tensor<32xi32>, %i: i32, %x: tensor<32x64xi32>) {
  // expected-error @+1 {{'tt.descriptor_scatter' op expects elements of the block's type, f32, got i32}}
  tt.descriptor_scatter %d[%rows, %i], %x : !tt.tensordesc<tensor<1x64xf32>>, tensor<32xi32>, i32, tensor<32x64xi32>
  tt.return
}
