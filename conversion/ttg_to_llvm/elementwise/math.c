/* math, and the numeric ops of tt. They follow docs/numerics.md.
 *
 *   math.exp %x : f32    ->  ex2.approx(x * log2(e))        math.sin %x : f32  ->  call @__nv_sinf
 *   math.sqrt %x : f32   ->  sqrt.approx.ftz                tt.precise_sqrt    ->  sqrt.rn
 *
 * Functions without a hardware instruction are libdevice calls; f16 and bf16 are computed in f32 and rounded once
 * more. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/lower.h"

#include "base/target_facts.h"
#include "nereid/dialects/tt.h"
#include "seam/ir.h"

#include "mlir-c/Dialect/LLVM.h"

#include <math.h>
#include <stdio.h>

enum { MAX_OPERANDS = 3 };

/* --- libdevice --- */

/* Calls __nv_<name>, with an f for f32; narrower types are widened to f32 and rounded back. */
static MlirValue emit_libdevice_call(nereid_lower_t *lower, const char *name, intptr_t n, MlirType element,
                                     const MlirValue *operands) {
  const bool is_double = mlirTypeIsAF64(element);
  MlirType type = is_double ? lower->types->f64 : lower->types->f32;
  const bool narrow = !is_double && !mlirTypeIsAF32(element);
  char symbol[64];
  MlirValue arguments[MAX_OPERANDS];
  MlirType types[MAX_OPERANDS];
  snprintf(symbol, sizeof symbol, "__nv_%s%s", name, is_double ? "" : "f");
  for (intptr_t i = 0; i < n; ++i) {
    types[i] = type;
    arguments[i] = narrow ? nereid_emit_cast(lower, "llvm.fpext", type, operands[i]) : operands[i];
  }
  if (!nereid_lower_declare(lower, symbol, mlirLLVMFunctionTypeGet(type, n, types, false)))
    return (MlirValue){NULL};
  MlirValue result = nereid_emit_call(lower, symbol, type, n, arguments);
  return narrow ? nereid_emit_cast(lower, "llvm.fptrunc", element, result) : result;
}

static MlirValue emit_libdevice(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                                MlirType element, const MlirValue *operands) {
  return emit_libdevice_call(lower, row->to, mlirOperationGetNumOperands(op), element, operands);
}

static bool lower_libdevice(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_libdevice);
}

/* --- instructions --- */

static MlirValue emit_llvm(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                           const MlirValue *operands) {
  return nereid_emit(lower, row->to, element, mlirOperationGetNumOperands(op), operands);
}

static bool lower_llvm(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_llvm);
}

/* The absolute value of an fp8, an i8 by now, is its bits without the sign bit. */
static MlirValue emit_absf(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                           const MlirValue *operands) {
  enum { NO_SIGN = 0x7F };
  if (mlirTypeIsAInteger(element))
    return nereid_emit_and(lower, operands[0], nereid_emit_int(lower, element, NO_SIGN));
  return emit_llvm(lower, op, row, element, operands);
}

static bool lower_absf(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_absf);
}

/* An intrinsic on f32 (`row->to`) that narrower floats are widened to. */
static MlirValue emit_f32(nereid_lower_t *lower, const char *intrinsic, MlirType element, MlirValue operand) {
  const bool narrow = !mlirTypeIsAF32(element);
  MlirType f32 = lower->types->f32;
  MlirValue argument = narrow ? nereid_emit_cast(lower, "llvm.fpext", f32, operand) : operand;
  MlirValue result = nereid_emit_intrinsic(lower, intrinsic, f32, 1, &argument);
  return narrow ? nereid_emit_cast(lower, "llvm.fptrunc", element, result) : result;
}

static MlirValue emit_sqrt(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                           const MlirValue *operands) {
  (void)op, (void)row;
  if (mlirTypeIsAF64(element))
    return nereid_emit(lower, "llvm.intr.sqrt", element, 1, operands);
  return emit_f32(lower, "llvm.nvvm.sqrt.approx.ftz.f", element, operands[0]);
}

static MlirValue emit_rsqrt(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                            const MlirValue *operands) {
  (void)op, (void)row;
  if (mlirTypeIsAF64(element))
    return emit_libdevice_call(lower, "rsqrt", 1, element, operands);
  return emit_f32(lower, "llvm.nvvm.rsqrt.approx.ftz.f", element, operands[0]);
}

static MlirValue emit_exp2(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                           const MlirValue *operands) {
  (void)op, (void)row;
  if (mlirTypeIsAF64(element))
    return emit_libdevice_call(lower, "exp2", 1, element, operands);
  return emit_f32(lower, "llvm.nvvm.ex2.approx.ftz.f32", element, operands[0]);
}

static MlirValue emit_exp(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                          const MlirValue *operands) {
  (void)op, (void)row;
  if (!mlirTypeIsAF32(element))
    return emit_libdevice_call(lower, "exp", 1, element, operands);
  MlirValue log2e = nereid_emit_float(lower, element, 1.4426950408889634);
  MlirValue scaled = nereid_emit_fbinary(lower, "llvm.fmul", operands[0], log2e);
  return nereid_emit_intrinsic(lower, "llvm.nvvm.ex2.approx.f32", element, 1, &scaled);
}

static MlirValue emit_absi(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                           const MlirValue *operands) {
  (void)op, (void)row;
  /* The most negative number is its own absolute value, not poison. */
  MlirNamedAttribute flag = nereid_emit_attribute(lower, "is_int_min_poison", mlirIntegerAttrGet(lower->types->i1, 0));
  return mlirOperationGetResult(nereid_emit_op(lower, "llvm.intr.abs", 1, &element, 1, operands, 1, &flag), 0);
}

/* llvm.intr.ctlz and cttz: zero is defined, it has all the bits. */
static MlirValue emit_count_zeros(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                                  MlirType element, const MlirValue *operands) {
  (void)op;
  MlirNamedAttribute flag = nereid_emit_attribute(lower, "is_zero_poison", mlirIntegerAttrGet(lower->types->i1, 0));
  return mlirOperationGetResult(nereid_emit_op(lower, row->to, 1, &element, 1, operands, 1, &flag), 0);
}

static bool lower_sqrt(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_sqrt);
}

static bool lower_rsqrt(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_rsqrt);
}

static bool lower_exp2(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_exp2);
}

static bool lower_exp(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_exp);
}

static bool lower_absi(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_absi);
}

static bool lower_count_zeros(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_count_zeros);
}

/* --- precise forms --- */

/* f16 and bf16: rounding the f32 result once more is still correct (24 >= 2 * 11 + 2 bits). */
static MlirValue emit_precise(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                              const MlirValue *operands) {
  const intptr_t n = mlirOperationGetNumOperands(op);
  if (mlirTypeIsAF64(element))
    return n == 1 ? nereid_emit(lower, "llvm.intr.sqrt", element, 1, operands)
                  : nereid_emit_binary(lower, "llvm.fdiv", operands[0], operands[1]);
  MlirType f32 = lower->types->f32;
  const bool narrow = !mlirTypeIsAF32(element);
  MlirValue arguments[2];
  for (intptr_t i = 0; i < n; ++i)
    arguments[i] = narrow ? nereid_emit_cast(lower, "llvm.fpext", f32, operands[i]) : operands[i];
  MlirValue result = nereid_emit_intrinsic(lower, row->to, f32, n, arguments);
  return narrow ? nereid_emit_cast(lower, "llvm.fptrunc", element, result) : result;
}

static bool lower_precise(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_precise);
}

static bool lower_approx_divf(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  if (!mlirTypeIsAF32(nereid_lower_element_type(mlirValueGetType(mlirOperationGetResult(op, 0)))))
    return nereid_lower_error(op, "expects f32: the approximate division has no other type; use arith.divf");
  return nereid_lower_elementwise(lower, op, row, emit_precise);
}

/* min(max(x, low), high). A NaN x stays NaN if requested, else it becomes low. */
/* The value of a float constant, or of every element of one; false when there is none. */
static bool constant_float(MlirValue value, double *out) {
  MlirAttribute attribute = nereidMlirValueGetConstant(value);
  if (mlirAttributeIsNull(attribute))
    return false;
  if (mlirAttributeIsADenseElements(attribute) && mlirDenseElementsAttrIsSplat(attribute))
    attribute = mlirDenseElementsAttrGetSplatValue(attribute);
  if (!mlirAttributeIsAFloat(attribute))
    return false;
  *out = mlirFloatAttrGetValueDouble(attribute);
  return true;
}

/* A clamp of f32 to [-c, c] that propagates NaN: the smaller magnitude with the operand's sign. Null for other clamps.
 * A clamp that ignores NaN returns a specific bound for it, unlike the instruction. */
static MlirValue emit_symmetric_clamp(nereid_lower_t *lower, MlirOperation op, MlirType element,
                                      const MlirValue *operands) {
  double low, high;
  if (!nereid_target_has_xorsign(lower->module->options.capability) || !mlirTypeIsAF32(element) ||
      !constant_float(mlirOperationGetOperand(op, 1), &low) || !constant_float(mlirOperationGetOperand(op, 2), &high) ||
      signbit(high) || !signbit(low) || high != -low)
    return (MlirValue){NULL};
  const MlirValue arguments[] = {operands[0], operands[2]};
  return nereid_emit_intrinsic(lower, "llvm.nvvm.fmin.nan.xorsign.abs.f", element, 2, arguments);
}

static MlirValue emit_clampf(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                             const MlirValue *operands) {
  (void)row;
  const bool all = nereid_tt_clampf_get_propagate_nan(op) == NEREID_TT_PROPAGATE_NAN_ALL;
  MlirValue symmetric = all ? emit_symmetric_clamp(lower, op, element, operands) : (MlirValue){NULL};
  if (!mlirValueIsNull(symmetric))
    return symmetric;
  MlirValue raised =
      nereid_emit_binary(lower, all ? "llvm.intr.maximum" : "llvm.intr.maxnum", operands[0], operands[1]);
  return nereid_emit_binary(lower, all ? "llvm.intr.minimum" : "llvm.intr.minnum", raised, operands[2]);
}

static bool lower_clampf(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_clampf);
}

/* --- ops without an LLVM intrinsic --- */

/* math.clampf is maximumf and minimumf: NaN stays NaN. */
static MlirValue emit_math_clampf(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                                  MlirType element, const MlirValue *operands) {
  (void)row;
  MlirValue symmetric = emit_symmetric_clamp(lower, op, element, operands);
  if (!mlirValueIsNull(symmetric))
    return symmetric;
  MlirValue raised = nereid_emit_binary(lower, "llvm.intr.maximum", operands[0], operands[1]);
  return nereid_emit_binary(lower, "llvm.intr.minimum", raised, operands[2]);
}

static MlirValue emit_classify(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                               const MlirValue *operands) {
  (void)op;
  /* Bits of llvm::FPClassTest: NaN 0x3, infinities 0x204, normal 0x108, subnormal 0x90, zero 0x60. */
  const int32_t classes = row->kind == NEREID_OP_MATH_ISNAN      ? 0x003
                          : row->kind == NEREID_OP_MATH_ISINF    ? 0x204
                          : row->kind == NEREID_OP_MATH_ISNORMAL ? 0x108
                                                                 : 0x1F8;
  MlirNamedAttribute bits = nereid_emit_attribute(lower, "bit", mlirIntegerAttrGet(lower->types->i32, classes));
  return mlirOperationGetResult(nereid_emit_op(lower, "llvm.intr.is.fpclass", 1, &element, 1, operands, 1, &bits), 0);
}

/* __nv_powi takes an int. */
static MlirValue emit_fpowi(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                            const MlirValue *operands) {
  (void)op, (void)row;
  const bool is_double = mlirTypeIsAF64(element), narrow = !is_double && !mlirTypeIsAF32(element);
  const char *symbol = is_double ? "__nv_powi" : "__nv_powif";
  MlirType base = is_double ? lower->types->f64 : lower->types->f32;
  const MlirType types[] = {base, lower->types->i32};
  MlirValue arguments[] = {operands[0], operands[1]};
  if (narrow)
    arguments[0] = nereid_emit_cast(lower, "llvm.fpext", base, operands[0]);
  if (mlirIntegerTypeGetWidth(mlirValueGetType(operands[1])) < 32)
    arguments[1] = nereid_emit_cast(lower, "llvm.sext", lower->types->i32, operands[1]);
  if (!nereid_lower_declare(lower, symbol, mlirLLVMFunctionTypeGet(base, 2, types, false)))
    return (MlirValue){NULL};
  MlirValue result = nereid_emit_call(lower, symbol, base, 2, arguments);
  return narrow ? nereid_emit_cast(lower, "llvm.fptrunc", element, result) : result;
}

/* Square and multiply over all bits of the exponent. A negative one inverts: only 1 and -1 have an inverse. */
static MlirValue emit_ipowi(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                            const MlirValue *operands) {
  (void)op, (void)row;
  const unsigned width = mlirIntegerTypeGetWidth(element);
  MlirValue zero = nereid_emit_int(lower, element, 0), one = nereid_emit_int(lower, element, 1);
  MlirValue power = one, square = operands[0], exponent = operands[1];
  for (unsigned bit = 0; bit < width; ++bit) {
    MlirValue shifted = nereid_emit_lshr(lower, exponent, nereid_emit_int(lower, element, bit));
    MlirValue is_set = nereid_emit_icmp(lower, NEREID_ICMP_NE, nereid_emit_and(lower, shifted, one), zero);
    power = nereid_emit_select(lower, is_set, nereid_emit_mul(lower, power, square), power);
    square = nereid_emit_mul(lower, square, square);
  }
  /* (-1)^n has the parity of n, which the loop found; 1^n is 1. Others are below 1 in magnitude. */
  MlirValue is_one = nereid_emit_icmp(lower, NEREID_ICMP_EQ, operands[0], one);
  MlirValue is_minus_one = nereid_emit_icmp(lower, NEREID_ICMP_EQ, operands[0], nereid_emit_int(lower, element, -1));
  MlirValue is_unit = nereid_emit_or(lower, is_one, is_minus_one);
  MlirValue inverse = nereid_emit_select(lower, is_unit, power, zero);
  MlirValue inverts = nereid_emit_icmp(lower, NEREID_ICMP_SLT, exponent, zero);
  return nereid_emit_select(lower, inverts, inverse, power);
}

static bool lower_math_clampf(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_math_clampf);
}

static bool lower_classify(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_classify);
}

static bool lower_fpowi(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  MlirType exponent = nereid_lower_type(lower, mlirValueGetType(mlirOperationGetOperand(op, 1)));
  if (mlirIntegerTypeGetWidth(exponent) > 32)
    return nereid_lower_error(op, "has an exponent of %u bits: expected at most 32; convert it, or use math.powf",
                              mlirIntegerTypeGetWidth(exponent));
  return nereid_lower_elementwise(lower, op, row, emit_fpowi);
}

static bool lower_ipowi(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_ipowi);
}

/* Two results, so not elementwise emission: a call for each. */
static bool lower_sincos(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  static const char *const names[] = {"sin", "cos"};
  nereid_lowered_t angles = nereid_lower_operand(lower, op, 0);
  MlirType element = nereid_lower_type(lower, mlirValueGetType(mlirOperationGetResult(op, 0)));
  for (intptr_t i = 0; i < 2; ++i) {
    nereid_lowered_t lowered = nereid_lower_array(lower, angles.count);
    for (intptr_t r = 0; lowered.values && r < lowered.count; ++r) {
      lowered.values[r] = r && angles.values[r].ptr == angles.values[r - 1].ptr
                              ? lowered.values[r - 1]
                              : emit_libdevice_call(lower, names[i], 1, element, &angles.values[r]);
      if (mlirValueIsNull(lowered.values[r]))
        return false;
    }
    nereid_lower_set(lower, mlirOperationGetResult(op, i), lowered);
  }
  return true;
}

const nereid_lower_row_t nereid_lower_math_rows[] = {
    {NEREID_OP_MATH_EXP, lower_exp, NULL},
    {NEREID_OP_MATH_EXP2, lower_exp2, NULL},
    {NEREID_OP_MATH_SQRT, lower_sqrt, NULL},
    {NEREID_OP_MATH_RSQRT, lower_rsqrt, NULL},
    {NEREID_OP_MATH_ABSI, lower_absi, NULL},
    {NEREID_OP_MATH_ABSF, lower_absf, "llvm.intr.fabs"},
    {NEREID_OP_MATH_FLOOR, lower_llvm, "llvm.intr.floor"},
    {NEREID_OP_MATH_CEIL, lower_llvm, "llvm.intr.ceil"},
    {NEREID_OP_MATH_TRUNC, lower_llvm, "llvm.intr.trunc"},
    {NEREID_OP_MATH_ROUNDEVEN, lower_llvm, "llvm.intr.roundeven"},
    {NEREID_OP_MATH_ROUND, lower_llvm, "llvm.intr.round"},
    {NEREID_OP_MATH_FMA, lower_llvm, "llvm.intr.fma"},
    {NEREID_OP_MATH_COPYSIGN, lower_llvm, "llvm.intr.copysign"},
    {NEREID_OP_MATH_CTPOP, lower_llvm, "llvm.intr.ctpop"},
    {NEREID_OP_MATH_CTLZ, lower_count_zeros, "llvm.intr.ctlz"},
    {NEREID_OP_MATH_CTTZ, lower_count_zeros, "llvm.intr.cttz"},
    {NEREID_OP_MATH_LOG, lower_libdevice, "log"},
    {NEREID_OP_MATH_LOG2, lower_libdevice, "log2"},
    {NEREID_OP_MATH_LOG10, lower_libdevice, "log10"},
    {NEREID_OP_MATH_LOG1P, lower_libdevice, "log1p"},
    {NEREID_OP_MATH_EXPM1, lower_libdevice, "expm1"},
    {NEREID_OP_MATH_SIN, lower_libdevice, "sin"},
    {NEREID_OP_MATH_COS, lower_libdevice, "cos"},
    {NEREID_OP_MATH_TAN, lower_libdevice, "tan"},
    {NEREID_OP_MATH_ASIN, lower_libdevice, "asin"},
    {NEREID_OP_MATH_ACOS, lower_libdevice, "acos"},
    {NEREID_OP_MATH_ATAN, lower_libdevice, "atan"},
    {NEREID_OP_MATH_ATAN2, lower_libdevice, "atan2"},
    {NEREID_OP_MATH_SINH, lower_libdevice, "sinh"},
    {NEREID_OP_MATH_COSH, lower_libdevice, "cosh"},
    {NEREID_OP_MATH_TANH, lower_libdevice, "tanh"},
    {NEREID_OP_MATH_ASINH, lower_libdevice, "asinh"},
    {NEREID_OP_MATH_ACOSH, lower_libdevice, "acosh"},
    {NEREID_OP_MATH_ATANH, lower_libdevice, "atanh"},
    {NEREID_OP_MATH_CBRT, lower_libdevice, "cbrt"},
    {NEREID_OP_MATH_ERF, lower_libdevice, "erf"},
    {NEREID_OP_MATH_ERFC, lower_libdevice, "erfc"},
    {NEREID_OP_MATH_POWF, lower_libdevice, "pow"},
    {NEREID_OP_MATH_SINCOS, lower_sincos, NULL},
    {NEREID_OP_MATH_FPOWI, lower_fpowi, NULL},
    {NEREID_OP_MATH_IPOWI, lower_ipowi, NULL},
    {NEREID_OP_MATH_CLAMPF, lower_math_clampf, NULL},
    {NEREID_OP_MATH_ISNAN, lower_classify, NULL},
    {NEREID_OP_MATH_ISINF, lower_classify, NULL},
    {NEREID_OP_MATH_ISFINITE, lower_classify, NULL},
    {NEREID_OP_MATH_ISNORMAL, lower_classify, NULL},
    {NEREID_OP_TT_PRECISE_SQRT, lower_precise, "llvm.nvvm.sqrt.rn.f"},
    {NEREID_OP_TT_PRECISE_DIVF, lower_precise, "llvm.nvvm.div.rn.f"},
    {NEREID_OP_TT_APPROX_DIVF, lower_approx_divf, "llvm.nvvm.div.approx.f"},
    {NEREID_OP_TT_CLAMPF, lower_clampf, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
