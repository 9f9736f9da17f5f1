// Invalid pointer operations and casts: each diagnostic states the expected and the actual types.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics

tt.func @int_to_ptr(%n: i32) {
  // expected-error @+1 {{'tt.int_to_ptr' op operand #0 must be 64-bit signless integer or tensor of 64-bit signless integer values, but got 'i32'}}
  %0 = tt.int_to_ptr %n : i32 -> !tt.ptr<f32>
  tt.return
}

// -----

tt.func @ptr_to_int(%p: tensor<4x!tt.ptr<f32>>) {
  // expected-error @+1 {{'tt.ptr_to_int' op all non-scalar operands/results must have the same shape and base type}}
  %0 = tt.ptr_to_int %p : tensor<4x!tt.ptr<f32>> -> tensor<8xi64>
  tt.return
}

// -----

tt.func @bitcast_width(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.bitcast' op expects types of one width, got 32 bits to 16 bits}}
  %0 = tt.bitcast %x : tensor<8xf32> -> tensor<8xi16>
  tt.return
}

// -----

tt.func @bitcast_pointer(%p: !tt.ptr<f32>) {
  // expected-error @+1 {{'tt.bitcast' op expects pointers or no pointers on both sides, got !tt.ptr<f32> to i64}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> i64
  tt.return
}

// -----

tt.func @bitcast_address_space(%p: !tt.ptr<f32>) {
  // expected-error @+1 {{'tt.bitcast' op expects pointers of one address space, got 1 and 3}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<f32, 3>
  tt.return
}

// -----

tt.func @fp_to_fp(%x: f32) {
  // expected-error @+1 {{'tt.fp_to_fp' op expects 'rounding = rtne' or 'rounding = rtz' to convert f32 to the narrower f16}}
  %0 = tt.fp_to_fp %x : f32 -> f16
  tt.return
}

// -----

tt.func @addptr_shape(%p: tensor<8x!tt.ptr<f32>>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'tt.addptr' op all non-scalar operands/results must have the same shape and base type}}
  %0 = tt.addptr %p, %i : tensor<8x!tt.ptr<f32>>, tensor<4xi32>
  tt.return
}

// -----

tt.func @addptr_block(%p: !tt.ptr<tensor<8xf32>>, %i: i32) {
  // expected-error @+1 {{'tt.addptr' op expects pointers to scalars, got the block pointer !tt.ptr<tensor<8xf32>> (use tt.advance)}}
  %0 = tt.addptr %p, %i : !tt.ptr<tensor<8xf32>>, i32
  tt.return
}

// -----

tt.func @advance(%p: !tt.ptr<tensor<8x8xf32>>, %i: i32) {
  // expected-error @+1 {{'tt.advance' op expects 2 offsets, one per dimension of the block, got 1}}
  %0 = tt.advance %p, [%i] : <tensor<8x8xf32>>
  tt.return
}

// -----

tt.func @make_tensor_ptr_rank(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_ptr' op expects 2 sizes, strides and offsets, one per dimension of the block, got 1}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 1, 0>} : <tensor<8x8xf32>>
  tt.return
}

// -----

tt.func @make_tensor_ptr_order(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_ptr' op expects order to be a permutation of the block's 2 dimensions, got array<i32: 1, 1>}}
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 1, 1>} : <tensor<8x8xf32>>
  tt.return
}

// -----

tt.func @make_tensor_ptr_base(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_ptr' op failed to verify that base points to the block's element type}}
  %0 = "tt.make_tensor_ptr"(%p, %n, %n, %i) <{order = array<i32: 0>}> : (!tt.ptr<f16>, i64, i64, i32) -> !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

// expected-error @+2 {{expected non-function type}}
// expected-error @+1 {{failed to parse TT_PtrType parameter 'pointeeType'}}
tt.func @pointer_without_pointee(%p: !tt.ptr<>) {
  tt.return
}

// -----

// expected-error @+1 {{!tt.tensordesc expects a ranked tensor, the type of a block}}
tt.func @descriptor_of_scalar(%d: !tt.tensordesc<f32>) {
  tt.return
}
