// RUN: nereid-opt %s --convert-triton-to-tritongpu --convert-triton-gpu-to-llvm | FileCheck %s

// One pure call per set of operands; functions of libraries other than libdevice are declared, too.
// CHECK-LABEL: llvm.func internal @pure(
// CHECK-COUNT-2: llvm.call @__nv_hypotf(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// CHECK: llvm.call @my_half(%{{.*}}) : (f16) -> i32
// CHECK-NOT: llvm.call
// CHECK: llvm.return
tt.func private @pure(%x: tensor<256xf32>, %y: tensor<256xf32>, %h: f16) -> (tensor<256xf32>, i32, tensor<256xi32>) {
  %a = tt.extern_elementwise %x, %y {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_hypotf"} : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %hs = tt.splat %h : f16 -> tensor<256xf16>
  %b = tt.extern_elementwise %hs {libname = "", libpath = "", pure = true, symbol = "my_half"} : (tensor<256xf16>) -> tensor<256xi32>
  %one = arith.constant 1 : i32
  tt.return %a, %one, %b : tensor<256xf32>, i32, tensor<256xi32>
}

// A function with effects is called for every element, also for equal ones.
// CHECK-LABEL: llvm.func internal @impure(
// CHECK-COUNT-2: llvm.call @my_random(%arg0) : (i32) -> f32
tt.func private @impure(%seed: i32) -> tensor<256xf32> {
  %s = tt.splat %seed : i32 -> tensor<256xi32>
  %a = tt.extern_elementwise %s {libname = "", libpath = "", pure = false, symbol = "my_random"} : (tensor<256xi32>) -> tensor<256xf32>
  tt.return %a : tensor<256xf32>
}

// Four bytes share a register; constraints are those of the op.
// CHECK-LABEL: llvm.func internal @packed(
// CHECK: llvm.inline_asm "lop3.b32 $0, $1, $1, 0, 0x0F;", "=r,r" %{{.*}} : (vector<4xi8>) -> vector<4xi8>
// CHECK-NOT: llvm.inline_asm
// CHECK: llvm.return
tt.func private @packed(%x: tensor<512xi8>) -> tensor<512xi8> {
  %y = tt.elementwise_inline_asm "lop3.b32 $0, $1, $1, 0, 0x0F;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %x : tensor<512xi8> -> tensor<512xi8>
  tt.return %y : tensor<512xi8>
}

// Two results, and effects.
// CHECK-LABEL: llvm.func internal @two(
// CHECK: %[[ALL:.*]] = llvm.inline_asm has_side_effects "{ mov.b32 $0, $2; mov.b32 $1, $3; }", "=r,=r,r,r,~{memory}" %{{.*}}, %{{.*}} : (i32, f32) -> !llvm.struct<(f32, i32)>
// CHECK: llvm.extractvalue %[[ALL]][0]
// CHECK: llvm.extractvalue %[[ALL]][1]
tt.func private @two(%i: i32, %x: f32) -> (f32, i32) {
  %a, %b = tt.elementwise_inline_asm "{ mov.b32 $0, $2; mov.b32 $1, $3; }" {constraints = "=r,=r,r,r,~{memory}", packed_element = 1 : i32, pure = false} %i, %x : i32, f32 -> f32, i32
  tt.return %a, %b : f32, i32
}

// One register, packs of two: the second element of the pack repeats the first, and its result is unused.
// CHECK-LABEL: llvm.func internal @short_pack(
// CHECK: %[[ONE:.*]] = llvm.insertelement %arg0
// CHECK: llvm.insertelement %arg0, %[[ONE]]
// CHECK: llvm.inline_asm
// CHECK: llvm.extractelement
// CHECK-NOT: llvm.extractelement
// CHECK: llvm.return
tt.func private @short_pack(%x: tensor<128xf16>) -> tensor<128xf16> {
  %y = tt.elementwise_inline_asm "neg.f16x2 $0, $1;" {constraints = "=r,r", packed_element = 2 : i32, pure = true} %x : tensor<128xf16> -> tensor<128xf16>
  tt.return %y : tensor<128xf16>
}
