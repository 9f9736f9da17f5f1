// The instruction sequences of conversions between floating-point formats.
// RUN: nereid-opt %s --convert-triton-to-tritongpu --convert-triton-gpu-to-llvm=compute-capability=90 | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: nereid-opt %s --convert-triton-to-tritongpu=target=cuda:80 --convert-triton-gpu-to-llvm=compute-capability=80 | FileCheck %s --check-prefixes=CHECK,SM80

// PTX 8.0 has no fp8 instructions, on any target.
// RUN: nereid-opt %s --convert-triton-to-tritongpu --convert-triton-gpu-to-llvm="compute-capability=90 ptx-version=80" | FileCheck %s --check-prefix=OLD --implicit-check-not=m3x2 --implicit-check-not=m2x2
// OLD: llvm.func internal @to_fp8(
// OLD: llvm.intr.roundeven

// CHECK-LABEL: llvm.func internal @wider(
// CHECK: llvm.fpext %arg0 : f16 to f32
// CHECK: llvm.fpext %arg1 : bf16 to f64
tt.func private @wider(%h: f16, %b: bf16) -> (f32, f64) {
  %x = arith.extf %h : f16 to f32
  %y = tt.fp_to_fp %b : bf16 -> f64
  tt.return %x, %y : f32, f64
}

// CHECK-LABEL: llvm.func internal @narrower(
// CHECK: llvm.fptrunc %arg0 : f32 to bf16
// CHECK: llvm.fptrunc %arg0 : f32 to f16
// CHECK: llvm.fptrunc %arg1 : f64 to f32
tt.func private @narrower(%x: f32, %d: f64) -> (bf16, f16, f32) {
  %a = arith.truncf %x : f32 to bf16
  %b = tt.fp_to_fp %x, rounding = rtne : f32 -> f16
  %c = arith.truncf %d to_nearest_even : f64 to f32
  tt.return %a, %b, %c : bf16, f16, f32
}

// f64 to bf16 through f32 would round twice: the conversion to f32 rounds to odd.
// CHECK-LABEL: llvm.func internal @odd(
// CHECK: llvm.fptrunc %arg0 : f64 to f16
// SM90: llvm.fptrunc %arg0 : f64 to bf16
// SM80: %[[CUT:.*]] = llvm.call_intrinsic "llvm.nvvm.d2f.rz"(%arg0)
// SM80: %[[BACK:.*]] = llvm.fpext %[[CUT]] : f32 to f64
// SM80: %[[LOST:.*]] = llvm.fcmp "one" %[[BACK]], %arg0
// SM80: llvm.or
// SM80: llvm.fptrunc %{{.*}} : f32 to bf16
tt.func private @odd(%d: f64) -> (f16, bf16) {
  %x = arith.truncf %d : f64 to f16
  %y = arith.truncf %d : f64 to bf16
  tt.return %x, %y : f16, bf16
}

// CHECK-LABEL: llvm.func internal @towards_zero(
// CHECK: llvm.call_intrinsic "llvm.nvvm.d2f.rz"(%arg0)
// CHECK: "cvt.rz.f16.f32 $0, $1;"
// CHECK: "cvt.rz.bf16.f32 $0, $1;"
// CHECK: llvm.call_intrinsic "llvm.nvvm.d2f.rz"(%arg0)
tt.func private @towards_zero(%d: f64, %x: f32) -> (f16, bf16, f32) {
  %a = tt.fp_to_fp %d, rounding = rtz : f64 -> f16
  %b = arith.truncf %x toward_zero : f32 to bf16
  %c = arith.truncf %d toward_zero : f64 to f32
  tt.return %a, %b, %c : f16, bf16, f32
}

// Between the 16-bit formats through f32, which represents both exactly.
// CHECK-LABEL: llvm.func internal @sixteen(
// CHECK: %[[X:.*]] = llvm.fpext %arg0 : bf16 to f32
// CHECK: llvm.fptrunc %[[X]] : f32 to f16
tt.func private @sixteen(%b: bf16) -> f16 {
  %y = tt.fp_to_fp %b, rounding = rtne : bf16 -> f16
  tt.return %y : f16
}

// In pairs; the second operand of the instruction is the lower byte.
// CHECK-LABEL: llvm.func internal @to_fp8(
// SM90: llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%arg1, %arg0)
// SM80-NOT: e4m3x2
// SM80: llvm.intr.roundeven
// SM80: llvm.return
tt.func private @to_fp8(%x: tensor<256xf32>) -> tensor<256xf8E4M3FN> {
  %y = tt.fp_to_fp %x, rounding = rtne : tensor<256xf32> -> tensor<256xf8E4M3FN>
  tt.return %y : tensor<256xf8E4M3FN>
}

// The instruction supports only rounding to nearest.
// CHECK-LABEL: llvm.func internal @to_fp8_rtz(
// CHECK-NOT: e5m2x2
// CHECK-NOT: roundeven
// CHECK: llvm.fptoui
// CHECK: llvm.return
tt.func private @to_fp8_rtz(%x: tensor<256xf32>) -> tensor<256xf8E5M2> {
  %y = tt.fp_to_fp %x, rounding = rtz : tensor<256xf32> -> tensor<256xf8E5M2>
  tt.return %y : tensor<256xf8E5M2>
}

// CHECK-LABEL: llvm.func internal @f64_to_fp8(
// CHECK: llvm.nvvm.d2f.rz
// CHECK: llvm.fcmp "one"
// SM90: llvm.call_intrinsic "llvm.nvvm.ff.to.e5m2x2.rn"
tt.func private @f64_to_fp8(%x: f64) -> f8E5M2 {
  %y = tt.fp_to_fp %x, rounding = rtne : f64 -> f8E5M2
  tt.return %y : f8E5M2
}

// f16 represents every fp8 exactly. f8E5M2 is its high byte.
// CHECK-LABEL: llvm.func internal @from_fp8(
// SM90: llvm.call_intrinsic "llvm.nvvm.e4m3x2.to.f16x2.rn"
// SM90: llvm.fpext %{{.*}} : f16 to f32
// SM90: llvm.call_intrinsic "llvm.nvvm.e5m2x2.to.f16x2.rn"
// SM80: llvm.fmul %{{.*}} : f16
// SM80: llvm.fpext %{{.*}} : f16 to f32
// SM80: llvm.shl %{{.*}} : i16
// SM80: llvm.bitcast %{{.*}} : i16 to f16
tt.func private @from_fp8(%x: f8E4M3FN, %y: f8E5M2) -> (f32, f16) {
  %a = tt.fp_to_fp %x : f8E4M3FN -> f32
  %b = tt.fp_to_fp %y : f8E5M2 -> f16
  tt.return %a, %b : f32, f16
}

// An odd number of elements: the last pair repeats an element, which needs no second conversion.
// CHECK-LABEL: llvm.func internal @one_fp8(
// SM90-COUNT-1: llvm.nvvm.e5m2x2.to.f16x2.rn
// SM80-COUNT-1: llvm.shl
// CHECK-NOT: llvm.shl
// CHECK: llvm.return
tt.func private @one_fp8(%y: tensor<128xf8E5M2>) -> tensor<128xf16> {
  %b = tt.fp_to_fp %y : tensor<128xf8E5M2> -> tensor<128xf16>
  tt.return %b : tensor<128xf16>
}

// CHECK-LABEL: llvm.func internal @integers(
// CHECK: llvm.sitofp %arg0 : i32 to f32
// CHECK: llvm.uitofp %arg1 : i64 to f16
// CHECK: llvm.fptosi %arg2 : f32 to i8
// CHECK: llvm.fpext %arg3 : bf16 to f32
// CHECK: llvm.fptoui %{{.*}} : f32 to i64
tt.func private @integers(%i: i32, %j: i64, %x: f32, %b: bf16) -> (f32, f16, i8, i64) {
  %a = arith.sitofp %i : i32 to f32
  %c = arith.uitofp %j : i64 to f16
  %d = arith.fptosi %x : f32 to i8
  %e = arith.fptoui %b : bf16 to i64
  tt.return %a, %c, %d, %e : f32, f16, i8, i64
}

// No instruction converts to bf16 before sm_90; through f32 an i64 would be rounded twice.
// CHECK-LABEL: llvm.func internal @integers_to_bf16(
// SM90: llvm.sitofp %arg0 : i64 to bf16
// SM90: llvm.uitofp %arg1 : i32 to bf16
// SM90: llvm.sitofp %arg2 : i16 to bf16
// SM80: %[[CUT:.*]] = llvm.call_intrinsic "llvm.nvvm.ll2f.rz"(%arg0)
// SM80: %[[BACK:.*]] = llvm.fptosi %[[CUT]] : f32 to i64
// SM80: llvm.icmp "ne" %[[BACK]], %arg0
// SM80: llvm.fptrunc %{{.*}} : f32 to bf16
// SM80: llvm.call_intrinsic "llvm.nvvm.ui2f.rz"(%arg1)
// SM80: llvm.fptoui
// SM80: %[[EXACT:.*]] = llvm.sitofp %arg2 : i16 to f32
// SM80: llvm.fptrunc %[[EXACT]] : f32 to bf16
tt.func private @integers_to_bf16(%i: i64, %j: i32, %k: i16) -> (bf16, bf16, bf16) {
  %a = arith.sitofp %i : i64 to bf16
  %b = arith.uitofp %j : i32 to bf16
  %c = arith.sitofp %k : i16 to bf16
  tt.return %a, %b, %c : bf16, bf16, bf16
}
