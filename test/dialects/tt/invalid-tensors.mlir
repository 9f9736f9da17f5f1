// Tensor types that every tt operation rejects: a size that is not a power of two, too large or dynamic.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics

tt.func @not_power_of_two(%x: f32) {
  // expected-error @+1 {{'tt.splat' op result #0 is a tensor with an element count that is not a power of two: tensor<48xf32>; expected a power of two, at most 1048576}}
  %0 = tt.splat %x : f32 -> tensor<48xf32>
  tt.return
}

// -----

tt.func @too_large(%x: f32) {
  // expected-error @+1 {{'tt.splat' op result #0 is a tensor with too many elements: tensor<2097152xf32>; expected a power of two, at most 1048576}}
  %0 = tt.splat %x : f32 -> tensor<2097152xf32>
  tt.return
}

// -----

tt.func @two_to_the_31(%x: f32) {
  // expected-error @+1 {{'tt.splat' op result #0 is a tensor with too many elements: tensor<65536x32768xf32>; expected a power of two, at most 1048576}}
  %0 = tt.splat %x : f32 -> tensor<65536x32768xf32>
  tt.return
}

// -----

tt.func @product_overflows(%x: f32) {
  // expected-error @+1 {{'tt.splat' op result #0 is a tensor with too many elements: tensor<4294967296x4294967296x4294967296xf32>; expected a power of two, at most 1048576}}
  %0 = tt.splat %x : f32 -> tensor<4294967296x4294967296x4294967296xf32>
  tt.return
}

// -----

tt.func @empty(%x: f32) {
  // expected-error @+1 {{'tt.splat' op result #0 is a tensor with an element count that is not a power of two: tensor<0xf32>; expected a power of two, at most 1048576}}
  %0 = tt.splat %x : f32 -> tensor<0xf32>
  tt.return
}

// -----

tt.func @dynamic(%x: f32) {
  // expected-error @+1 {{'tt.splat' op result #0 is a tensor with a dynamic size: tensor<?xf32>; expected a power of two, at most 1048576}}
  %0 = tt.splat %x : f32 -> tensor<?xf32>
  tt.return
}

// -----

tt.func @operand(%x: tensor<3xf32>) {
  // expected-error @+1 {{'tt.print' op operand #0 is a tensor with an element count that is not a power of two: tensor<3xf32>; expected a power of two, at most 1048576}}
  tt.print "x" {hex = false, isSigned = array<i32: 0>} : %x : tensor<3xf32>
  tt.return
}
