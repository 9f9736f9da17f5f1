// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-to-tritongpu --convert-triton-gpu-to-llvm

tt.func private @nameless(%x: f32) -> f32 {
  // expected-error @below {{names no symbol to call}}
  %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = ""} : (f32) -> f32
  tt.return %y : f32
}

// -----

tt.func private @two_types(%x: f32, %d: f64) -> f32 {
  %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "f"} : (f32) -> f32
  // expected-error @below {{'f' is declared with another type already}}
  %z = tt.extern_elementwise %d {libname = "", libpath = "", pure = true, symbol = "f"} : (f64) -> f64
  tt.return %y : f32
}

// -----

tt.func private @constraints(%x: tensor<512xi8>) -> tensor<512xi8> {
  // expected-error @below {{has constraints for 1 outputs and 2 inputs: expected 1 and 1, one per 32-bit word of packed elements}}
  %y = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r,r", packed_element = 4 : i32, pure = true} %x : tensor<512xi8> -> tensor<512xi8>
  tt.return %y : tensor<512xi8>
}

// -----

tt.func private @letter(%x: i32) -> i32 {
  // expected-error @below {{has a constraint 'z' that PTX does not have: expected b, h, r, l, q, f, d, or the number of an output}}
  %y = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=&r,z,~{memory}", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.return %y : i32
}

// -----

tt.func private @packs(%x: f16) -> f16 {
  // expected-error @below {{packs 2147483647 elements into one execution of its assembly: expected at most 256}}
  %y = tt.elementwise_inline_asm "x" {constraints = "=r,r", packed_element = 2147483647 : i32, pure = true} %x : f16 -> f16
  tt.return %y : f16
}

// -----

tt.func private @operand(%x: i32) -> i32 {
  // expected-error @below {{names operand $12, but its constraints define 2 operands}}
  %y = tt.elementwise_inline_asm "mov.b32 $0, ${12:c}; // $$9" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.return %y : i32
}

// -----

tt.func private @computes_on_fp8(%x: f8E5M2) -> f8E5M2 {
  // expected-error @below {{'tt.extern_elementwise' op computes on an 8-bit float}}
  %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_sinf"} : (f8E5M2) -> f8E5M2
  tt.return %y : f8E5M2
}

// -----

#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @registers(%x: tensor<256xf32, #b>) -> tensor<256xf32, #b> {
  // expected-error @below {{'ttg.inline_asm' op has constraints for 1 outputs and 1 inputs: expected 2 and 2, one per register of a thread}}
  %y = ttg.inline_asm "mov.b32 $0, $1;" {constraints = "=f,f", pure = true} %x : (tensor<256xf32, #b>) -> tensor<256xf32, #b>
  tt.return %y : tensor<256xf32, #b>
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @names(%x: i32) -> i32 {
  // expected-error @below {{'ttg.inline_asm' op names operand $2, but its constraints define 2 operands}}
  %y = ttg.inline_asm "mov.b32 $0, $2;" {constraints = "=r,r", pure = true} %x : (i32) -> i32
  tt.return %y : i32
}
}
