// Invalid elementwise operations: each diagnostic states the expected and the actual types.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics

tt.func @clampf(%x: i32) {
  // expected-error @+1 {{'tt.clampf' op operand #0 must be f8/f16/bf16/f32/f64 or ranked tensor of f8/f16/bf16/f32/f64 values, but got 'i32'}}
  %0 = tt.clampf %x, %x, %x, propagateNan = none : i32
  tt.return
}

// -----

tt.func @clampf_nan(%x: f32) {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'propagateNan' [none, all]}}
  %0 = tt.clampf %x, %x, %x, propagateNan = some : f32
  tt.return
}

// -----

tt.func @precise_sqrt(%x: tensor<8xi32>) {
  // expected-error @+1 {{'tt.precise_sqrt' op operand #0 must be f8/f16/bf16/f32/f64 or ranked tensor of f8/f16/bf16/f32/f64 values, but got 'tensor<8xi32>'}}
  %0 = tt.precise_sqrt %x : tensor<8xi32>
  tt.return
}

// -----

tt.func @precise_divf(%x: f32, %y: f16) {
  // expected-error @+1 {{'tt.precise_divf' op requires the same type for all operands and results}}
  %0 = "tt.precise_divf"(%x, %y) : (f32, f16) -> f32
  tt.return
}

// -----

tt.func @mulhiui(%x: f32) {
  // expected-error @+1 {{'tt.mulhiui' op operand #0 must be i1/i4/i8/i16/i32/i64 or ranked tensor of i1/i4/i8/i16/i32/i64 values, but got 'f32'}}
  %0 = tt.mulhiui %x, %x : f32
  tt.return
}

// -----

tt.func @extern_elementwise(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.extern_elementwise' op requires attribute 'pure'}}
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "f"} : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @extern_elementwise_shape(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.extern_elementwise' op all non-scalar operands/results must have the same shape and base type}}
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<8xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @inline_asm_pack(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects the number of elements to be a multiple of packed_element, got 8 and 3}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 3 : i32, pure = true} %x : tensor<8xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func @inline_asm_no_pack(%x: f32) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects packed_element to be at least 1, got 0}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 0 : i32, pure = true} %x : f32 -> f32
  tt.return
}

// -----

tt.func @map_nothing() {
  // expected-error @+1 {{'tt.map_elementwise' op expected 1 or more operands, but found 0}}
  "tt.map_elementwise"() <{pack = 1 : i32}> ({
    tt.map_elementwise.return
  }) : () -> ()
  tt.return
}

// -----

tt.func @map_pack(%x: tensor<8xi32>) {
  // expected-error @+1 {{'tt.map_elementwise' op expects pack to be a power of 2, got 3}}
  %0 = "tt.map_elementwise"(%x) <{pack = 3 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: i32):
    tt.map_elementwise.return %a, %b, %c : i32, i32, i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  tt.return
}

// -----

tt.func @map_arguments(%x: tensor<8xi32>) {
  // expected-error @+1 {{'tt.map_elementwise' op expects a region with 2 arguments, pack per operand}}
  %0 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: i32):
    tt.map_elementwise.return %a, %a : i32, i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  tt.return
}

// -----

tt.func @map_argument_type(%x: tensor<8xi32>) {
  // expected-error @+1 {{'tt.map_elementwise' op expects i32 for argument #0 of the region, got i64}}
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i64):
    tt.map_elementwise.return %a : i64
  }) : (tensor<8xi32>) -> tensor<8xi64>
  tt.return
}

// -----

tt.func @map_return(%x: tensor<8xi32>) {
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    // expected-error @+1 {{'tt.map_elementwise.return' op expects to return 1 values of the element type of each result of tt.map_elementwise}}
    tt.map_elementwise.return %a : i32
  }) : (tensor<8xi32>) -> tensor<8xi64>
  tt.return
}

// -----

tt.func @map_store(%p: tensor<8x!tt.ptr<i32>>, %x: tensor<8xi32>) {
  %0 = "tt.map_elementwise"(%p, %x) <{pack = 1 : i32}> ({
  ^bb0(%q: !tt.ptr<i32>, %a: i32):
    // expected-error @+1 {{'tt.store' op writes memory inside tt.map_elementwise, whose region may run several times per element}}
    tt.store %q, %a : !tt.ptr<i32>
    tt.map_elementwise.return %a : i32
  }) : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  tt.return
}
