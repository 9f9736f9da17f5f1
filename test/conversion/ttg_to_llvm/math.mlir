// math and the numeric ops of tt: the instructions listed in docs/numerics.md, otherwise libdevice.
// RUN: nereid-opt %s --convert-triton-to-tritongpu --convert-triton-gpu-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func internal @exp(
// CHECK: %[[S:.*]] = llvm.fmul %arg0, %{{.*}} {fastmathFlags = #llvm.fastmath<contract>} : f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%[[S]])
// CHECK: llvm.call @__nv_exp(%arg1)
// CHECK: %[[H:.*]] = llvm.fpext %arg2 : f16 to f32
// CHECK: %[[E:.*]] = llvm.call @__nv_expf(%[[H]])
// CHECK: llvm.fptrunc %[[E]] : f32 to f16
tt.func private @exp(%x: f32, %d: f64, %h: f16) -> (f32, f64, f16) {
  %a = math.exp %x : f32
  %b = math.exp %d : f64
  %c = math.exp %h : f16
  tt.return %a, %b, %c : f32, f64, f16
}

// CHECK-LABEL: llvm.func internal @exp2(
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%arg0)
// CHECK: llvm.call @__nv_exp2(%arg1)
// CHECK: llvm.fpext %arg2 : bf16 to f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK: llvm.fptrunc %{{.*}} : f32 to bf16
tt.func private @exp2(%x: f32, %d: f64, %h: bf16) -> (f32, f64, bf16) {
  %a = math.exp2 %x : f32
  %b = math.exp2 %d : f64
  %c = math.exp2 %h : bf16
  tt.return %a, %b, %c : f32, f64, bf16
}

// CHECK-LABEL: llvm.func internal @sqrt(
// CHECK: llvm.call_intrinsic "llvm.nvvm.sqrt.approx.ftz.f"(%arg0)
// CHECK: llvm.intr.sqrt(%arg1) : (f64) -> f64
tt.func private @sqrt(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.sqrt %x : f32
  %b = math.sqrt %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @rsqrt(
// CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.f"(%arg0)
// CHECK: llvm.call @__nv_rsqrt(%arg1)
tt.func private @rsqrt(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.rsqrt %x : f32
  %b = math.rsqrt %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @precise(
// CHECK: llvm.call_intrinsic "llvm.nvvm.sqrt.rn.f"(%arg0)
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.rn.f"(%arg0, %arg1)
// CHECK: llvm.intr.sqrt(%arg2)
// CHECK: llvm.fdiv %{{.*}}, %arg2 : f64
// CHECK: llvm.fpext %arg3 : f16 to f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.sqrt.rn.f"
// CHECK: llvm.fptrunc %{{.*}} : f32 to f16
tt.func private @precise(%x: f32, %y: f32, %d: f64, %h: f16) -> (f32, f32, f64, f64, f16) {
  %a = tt.precise_sqrt %x : f32
  %b = tt.precise_divf %x, %y : f32
  %c = tt.precise_sqrt %d : f64
  %e = tt.precise_divf %c, %d : f64
  %g = tt.precise_sqrt %h : f16
  tt.return %a, %b, %c, %e, %g : f32, f32, f64, f64, f16
}

// CHECK-LABEL: llvm.func internal @clampf(
// CHECK: %[[A:.*]] = llvm.intr.maxnum(%arg0, %arg1)
// CHECK: llvm.intr.minnum(%[[A]], %arg2)
// CHECK: %[[B:.*]] = llvm.intr.maximum(%arg0, %arg1)
// CHECK: llvm.intr.minimum(%[[B]], %arg2)
// CHECK: %[[C:.*]] = llvm.intr.maximum(%arg0, %arg1)
// CHECK: llvm.intr.minimum(%[[C]], %arg2)
tt.func private @clampf(%x: f32, %l: f32, %h: f32) -> (f32, f32, f32) {
  %a = tt.clampf %x, %l, %h, propagateNan = none : f32
  %b = tt.clampf %x, %l, %h, propagateNan = all : f32
  %c = math.clampf %x to [%l, %h] : f32
  tt.return %a, %b, %c : f32, f32, f32
}

// CHECK-LABEL: llvm.func internal @absf(
// CHECK: llvm.intr.fabs(%arg0) : (f32) -> f32
tt.func private @absf(%x: f32) -> f32 {
  %a = math.absf %x : f32
  tt.return %a : f32
}

// absf of an fp8 clears the sign bit.
// CHECK-LABEL: llvm.func internal @absf_fp8(
// CHECK: %[[MASK:.*]] = llvm.mlir.constant(127 : i8) : i8
// CHECK: llvm.and %arg0, %[[MASK]]  : i8
tt.func private @absf_fp8(%x: f8E5M2) -> f8E5M2 {
  %a = math.absf %x : f8E5M2
  tt.return %a : f8E5M2
}

// CHECK-LABEL: llvm.func internal @floor(
// CHECK: llvm.intr.floor(%arg0) : (f32) -> f32
tt.func private @floor(%x: f32) -> f32 {
  %a = math.floor %x : f32
  tt.return %a : f32
}

// CHECK-LABEL: llvm.func internal @ceil(
// CHECK: llvm.intr.ceil(%arg0) : (f32) -> f32
tt.func private @ceil(%x: f32) -> f32 {
  %a = math.ceil %x : f32
  tt.return %a : f32
}

// CHECK-LABEL: llvm.func internal @trunc(
// CHECK: llvm.intr.trunc(%arg0) : (f32) -> f32
tt.func private @trunc(%x: f32) -> f32 {
  %a = math.trunc %x : f32
  tt.return %a : f32
}

// CHECK-LABEL: llvm.func internal @roundeven(
// CHECK: llvm.intr.roundeven(%arg0) : (f32) -> f32
tt.func private @roundeven(%x: f32) -> f32 {
  %a = math.roundeven %x : f32
  tt.return %a : f32
}

// CHECK-LABEL: llvm.func internal @round(
// CHECK: llvm.intr.round(%arg0) : (f32) -> f32
tt.func private @round(%x: f32) -> f32 {
  %a = math.round %x : f32
  tt.return %a : f32
}

// CHECK-LABEL: llvm.func internal @fma(
// CHECK: llvm.intr.fma(%arg0, %arg1, %arg2) : (bf16, bf16, bf16) -> bf16
tt.func private @fma(%x: bf16, %y: bf16, %z: bf16) -> bf16 {
  %a = math.fma %x, %y, %z : bf16
  tt.return %a : bf16
}

// CHECK-LABEL: llvm.func internal @copysign(
// CHECK: llvm.intr.copysign(%arg0, %arg1)
tt.func private @copysign(%x: f64, %y: f64) -> f64 {
  %a = math.copysign %x, %y : f64
  tt.return %a : f64
}

// CHECK-LABEL: llvm.func internal @bits(
// Zero and the most negative value are defined.
// CHECK: "llvm.intr.abs"(%arg0) <{is_int_min_poison = false}>
// CHECK: llvm.intr.ctpop(%arg0)
// CHECK: "llvm.intr.ctlz"(%arg0) <{is_zero_poison = false}>
// CHECK: "llvm.intr.cttz"(%arg0) <{is_zero_poison = false}>
tt.func private @bits(%x: i32) -> (i32, i32, i32, i32) {
  %a = math.absi %x : i32
  %b = math.ctpop %x : i32
  %c = math.ctlz %x : i32
  %d = math.cttz %x : i32
  tt.return %a, %b, %c, %d : i32, i32, i32, i32
}

// CHECK-LABEL: llvm.func internal @log(
// CHECK: llvm.call @__nv_logf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_log(%arg1) : (f64) -> f64
tt.func private @log(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.log %x : f32
  %b = math.log %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @log2(
// CHECK: llvm.call @__nv_log2f(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_log2(%arg1) : (f64) -> f64
tt.func private @log2(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.log2 %x : f32
  %b = math.log2 %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @log10(
// CHECK: llvm.call @__nv_log10f(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_log10(%arg1) : (f64) -> f64
tt.func private @log10(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.log10 %x : f32
  %b = math.log10 %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @log1p(
// CHECK: llvm.call @__nv_log1pf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_log1p(%arg1) : (f64) -> f64
tt.func private @log1p(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.log1p %x : f32
  %b = math.log1p %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @expm1(
// CHECK: llvm.call @__nv_expm1f(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_expm1(%arg1) : (f64) -> f64
tt.func private @expm1(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.expm1 %x : f32
  %b = math.expm1 %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @sin(
// CHECK: llvm.call @__nv_sinf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_sin(%arg1) : (f64) -> f64
tt.func private @sin(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.sin %x : f32
  %b = math.sin %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @cos(
// CHECK: llvm.call @__nv_cosf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_cos(%arg1) : (f64) -> f64
tt.func private @cos(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.cos %x : f32
  %b = math.cos %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @tan(
// CHECK: llvm.call @__nv_tanf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_tan(%arg1) : (f64) -> f64
tt.func private @tan(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.tan %x : f32
  %b = math.tan %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @asin(
// CHECK: llvm.call @__nv_asinf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_asin(%arg1) : (f64) -> f64
tt.func private @asin(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.asin %x : f32
  %b = math.asin %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @acos(
// CHECK: llvm.call @__nv_acosf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_acos(%arg1) : (f64) -> f64
tt.func private @acos(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.acos %x : f32
  %b = math.acos %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @atan(
// CHECK: llvm.call @__nv_atanf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_atan(%arg1) : (f64) -> f64
tt.func private @atan(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.atan %x : f32
  %b = math.atan %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @sinh(
// CHECK: llvm.call @__nv_sinhf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_sinh(%arg1) : (f64) -> f64
tt.func private @sinh(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.sinh %x : f32
  %b = math.sinh %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @cosh(
// CHECK: llvm.call @__nv_coshf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_cosh(%arg1) : (f64) -> f64
tt.func private @cosh(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.cosh %x : f32
  %b = math.cosh %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @tanh(
// CHECK: llvm.call @__nv_tanhf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_tanh(%arg1) : (f64) -> f64
tt.func private @tanh(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.tanh %x : f32
  %b = math.tanh %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @asinh(
// CHECK: llvm.call @__nv_asinhf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_asinh(%arg1) : (f64) -> f64
tt.func private @asinh(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.asinh %x : f32
  %b = math.asinh %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @acosh(
// CHECK: llvm.call @__nv_acoshf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_acosh(%arg1) : (f64) -> f64
tt.func private @acosh(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.acosh %x : f32
  %b = math.acosh %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @atanh(
// CHECK: llvm.call @__nv_atanhf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_atanh(%arg1) : (f64) -> f64
tt.func private @atanh(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.atanh %x : f32
  %b = math.atanh %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @cbrt(
// CHECK: llvm.call @__nv_cbrtf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_cbrt(%arg1) : (f64) -> f64
tt.func private @cbrt(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.cbrt %x : f32
  %b = math.cbrt %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @erf(
// CHECK: llvm.call @__nv_erff(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_erf(%arg1) : (f64) -> f64
tt.func private @erf(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.erf %x : f32
  %b = math.erf %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @erfc(
// CHECK: llvm.call @__nv_erfcf(%arg0) : (f32) -> f32
// CHECK: llvm.call @__nv_erfc(%arg1) : (f64) -> f64
tt.func private @erfc(%x: f32, %d: f64) -> (f32, f64) {
  %a = math.erfc %x : f32
  %b = math.erfc %d : f64
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @atan2(
// CHECK: llvm.call @__nv_atan2f(%arg0, %arg1) : (f32, f32) -> f32
tt.func private @atan2(%x: f32, %y: f32) -> f32 {
  %a = math.atan2 %x, %y : f32
  tt.return %a : f32
}

// CHECK-LABEL: llvm.func internal @powf(
// CHECK: llvm.call @__nv_powf(%arg0, %arg1) : (f32, f32) -> f32
tt.func private @powf(%x: f32, %y: f32) -> f32 {
  %a = math.powf %x, %y : f32
  tt.return %a : f32
}

// CHECK-LABEL: llvm.func internal @sincos(
// CHECK: %[[S:.*]] = llvm.call @__nv_sinf(%arg0)
// CHECK: %[[C:.*]] = llvm.call @__nv_cosf(%arg0)
// CHECK: llvm.insertvalue %[[S]], %{{.*}}[0]
// CHECK: llvm.insertvalue %[[C]], %{{.*}}[1]
tt.func private @sincos(%x: tensor<128xf32>) -> (tensor<128xf32>, tensor<128xf32>) {
  %s, %c = math.sincos %x : tensor<128xf32>
  tt.return %s, %c : tensor<128xf32>, tensor<128xf32>
}

// CHECK-LABEL: llvm.func internal @fpowi(
// CHECK: %[[I:.*]] = llvm.sext %arg1 : i8 to i32
// CHECK: llvm.call @__nv_powif(%arg0, %[[I]]) : (f32, i32) -> f32
// CHECK: llvm.call @__nv_powi(%arg2, %arg3) : (f64, i32) -> f64
tt.func private @fpowi(%x: f32, %i: i8, %d: f64, %j: i32) -> (f32, f64) {
  %a = math.fpowi %x, %i : f32, i8
  %b = math.fpowi %d, %j : f64, i32
  tt.return %a, %b : f32, f64
}

// CHECK-LABEL: llvm.func internal @ipowi(
// A step per bit of the exponent, then the case of negative exponents.
// CHECK-COUNT-8: llvm.icmp "ne"
// CHECK: llvm.icmp "slt" %arg1
tt.func private @ipowi(%x: i8, %i: i8) -> i8 {
  %a = math.ipowi %x, %i : i8
  tt.return %a : i8
}

// CHECK-LABEL: llvm.func internal @classes(
// CHECK: "llvm.intr.is.fpclass"(%arg0) <{bit = 3 : i32}>
// CHECK: "llvm.intr.is.fpclass"(%arg0) <{bit = 516 : i32}>
// CHECK: "llvm.intr.is.fpclass"(%arg0) <{bit = 504 : i32}>
// CHECK: "llvm.intr.is.fpclass"(%arg0) <{bit = 264 : i32}>
tt.func private @classes(%x: f32) -> (i1, i1, i1, i1) {
  %a = math.isnan %x : f32
  %b = math.isinf %x : f32
  %c = math.isfinite %x : f32
  %d = math.isnormal %x : f32
  tt.return %a, %b, %c, %d : i1, i1, i1, i1
}

// One declaration serves all calls of a function.
// CHECK-LABEL: llvm.func internal @shared_declaration(
// CHECK-COUNT-8: llvm.call @__nv_erff
// CHECK-NOT: llvm.func @__nv_erff
tt.func private @shared_declaration(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %y = math.erf %x : tensor<1024xf32>
  tt.return %y : tensor<1024xf32>
}
