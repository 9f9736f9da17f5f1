// Invalid memory operations: each diagnostic states the expected and the actual types.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics

tt.func @load_scalar(%x: f32) {
  // expected-error @+1 {{'tt.load' op operand #0 must be ptr or ranked tensor of ptr values or ptr, but got 'f32'}}
  %0 = "tt.load"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (f32) -> f32
  tt.return
}

// -----

tt.func @load_type(%p: tensor<8x!tt.ptr<f32>>) {
  // expected-error @+1 {{'tt.load' op failed to verify that result has the pointee type of ptr}}
  %0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<8x!tt.ptr<f32>>) -> tensor<8xf16>
  tt.return
}

// -----

tt.func @load_mask(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-error @+1 {{'tt.load' op failed to verify that mask is i1 in the shape of ptr}}
  %0 = "tt.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<8x!tt.ptr<f32>>, tensor<4xi1>) -> tensor<8xf32>
  tt.return
}

// -----

// expected-note @+1 {{prior use here}}
tt.func @load_mask_text(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-error @+1 {{use of value '%m' expects different type than prior uses: 'tensor<8xi1>' vs 'tensor<4xi1>'}}
  %0 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @load_other(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @+1 {{'tt.load' op expects a mask together with 'other', the value of masked-off elements}}
  %0 = "tt.load"(%p, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @load_boundary(%p: !tt.ptr<tensor<8x8xf32>>) {
  // expected-error @+1 {{'tt.load' op expects boundaryCheck to name dimensions 0 to 1 of the block, got 2}}
  %0 = tt.load %p {boundaryCheck = array<i32: 2>} : !tt.ptr<tensor<8x8xf32>>
  tt.return
}

// -----

tt.func @load_boundary_pointers(%p: tensor<8x!tt.ptr<f32>>) {
  // expected-error @+1 {{'tt.load' op expects a block pointer with boundaryCheck, got tensor<8x!tt.ptr<f32>>}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>} : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @load_cache(%p: !tt.ptr<f32>) {
  // expected-error @+1 {{expected one of [none, ca, cg, wb, cs, wt, cv] for cache levels that a load or store uses, got: cx}}
  %0 = tt.load %p cacheModifier = cx : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @store_type(%p: !tt.ptr<f32>, %x: f16) {
  // expected-error @+1 {{'tt.store' op failed to verify that value has the pointee type of ptr}}
  "tt.store"(%p, %x) : (!tt.ptr<f32>, f16) -> ()
  tt.return
}

// -----

tt.func @store_mask(%p: tensor<8x!tt.ptr<f32>>, %x: tensor<8xf32>, %m: i1) {
  // expected-error @+1 {{'tt.store' op failed to verify that mask is i1 in the shape of ptr}}
  "tt.store"(%p, %x, %m) : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>, i1) -> ()
  tt.return
}

// -----

tt.func @store_boundary(%p: !tt.ptr<tensor<8xf32>>, %x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.store' op expects boundaryCheck to name dimensions 0 to 0 of the block, got -1}}
  tt.store %p, %x {boundaryCheck = array<i32: -1>} : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

tt.func @atomic_rmw_pointee(%p: !tt.ptr<f32>, %x: i32) {
  // expected-error @+1 {{'tt.atomic_rmw' op failed to verify that ptr points to the type of val}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %x : (!tt.ptr<f32>, i32) -> i32
  tt.return
}

// -----

tt.func @atomic_rmw_float(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @+1 {{'tt.atomic_rmw' op expects float elements for this function, got i32}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %x : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

tt.func @atomic_rmw_integer(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @+1 {{'tt.atomic_rmw' op expects integer elements for this function, got f32}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %x : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @atomic_rmw_mask(%p: tensor<8x!tt.ptr<i32>>, %x: tensor<8xi32>, %m: tensor<4xi1>) {
  // expected-error @+1 {{'tt.atomic_rmw' op failed to verify that mask is i1 in the shape of val}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %x, %m : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<4xi1>) -> tensor<8xi32>
  tt.return
}

// -----

tt.func @atomic_cas(%p: !tt.ptr<f32>, %c: f32, %x: i32) {
  // expected-error @+1 {{'tt.atomic_cas' op failed to verify that ptr points to the type of val}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %c, %x : (!tt.ptr<f32>, f32, i32) -> i32
  tt.return
}

// -----

tt.func @print(%x: i32) {
  // expected-error @+1 {{'tt.print' op expects isSigned to have an entry for each of 2 arguments, got array<i32: 1>}}
  tt.print "x" {hex = false, isSigned = array<i32: 1>} : %x, %x : i32, i32
  tt.return
}

// -----

tt.func @assert(%x: i32) {
  // expected-error @+1 {{'tt.assert' op operand #0 must be 1-bit signless integer or ranked tensor of 1-bit signless integer values, but got 'i32'}}
  tt.assert %x, "x" : i32
  tt.return
}

// -----

tt.func @load_blocks(%p: tensor<8x!tt.ptr<tensor<4xf32>>>) {
  // expected-error @+1 {{'tt.load' op failed to verify that result has the pointee type of ptr}}
  %0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<8x!tt.ptr<tensor<4xf32>>>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @load_segments(%m: i1) {
  // expected-error @+1 {{'tt.load' op expects 1 value for operand #0, got 0 by operandSegmentSizes}}
  %0 = "tt.load"(%m) <{operandSegmentSizes = array<i32: 0, 1, 0>}> : (i1) -> i1
  tt.return
}
