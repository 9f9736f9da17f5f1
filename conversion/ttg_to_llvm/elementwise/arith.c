/* arith on integers and floats, scalars and tensors alike: mostly one LLVM op per element.
 *
 *   arith.addi %a, %b : tensor<256xi32>   ->   llvm.add %a.0, %b.0   llvm.add %a.1, %b.1
 *
 * Floating point follows docs/numerics.md: add, subtract and multiply may contract, f32 division is div.full. */
#include "conversion/ttg_to_llvm/elementwise/byte_arith.h"
#include "conversion/ttg_to_llvm/elementwise/product.h"
#include "conversion/ttg_to_llvm/elementwise/shared_divisor.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/lower.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"

#include "nereid/dialects/arith.h"
#include "nereid/dialects/tt.h"
#include "seam/bindings.h"

#include <assert.h>

/* --- one to one --- */

static MlirValue emit_same(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                           const MlirValue *operands) {
  return nereid_emit(lower, row->to, element, mlirOperationGetNumOperands(op), operands);
}

static bool lower_same(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_same);
}

/* Keeps nsw and nuw: guarantees of the program, which LLVM uses to widen addresses. */
static MlirValue emit_overflow(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                               const MlirValue *operands) {
  MlirAttribute flags = nereid_ir_attribute(op, "overflowFlags");
  for (int i = 1; i < NEREID_LOWER_OVERFLOWS; ++i) {
    if (!mlirAttributeEqual(flags, lower->module->overflow[i].arith))
      continue;
    /* A property that is not an attribute: the builder would treat it as discardable. */
    MlirOperation made = nereid_emit_op(lower, row->to, 1, &element, 2, operands, 0, NULL);
    MlirStringRef name = mlirStringRefCreateFromCString("overflowFlags");
    if (mlirLogicalResultIsFailure(nereidMlirOperationSetProperty(made, name, lower->module->overflow[i].llvm)))
      return (MlirValue){NULL};
    return mlirOperationGetResult(made, 0);
  }
  return nereid_emit(lower, row->to, element, 2, operands);
}

static bool lower_overflow(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_byte_arith(lower, op) || nereid_lower_elementwise(lower, op, row, emit_overflow);
}

static bool lower_bits(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_byte_arith(lower, op) || lower_same(lower, op, row);
}

static bool lower_muli(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  MlirAttribute flags = nereid_ir_attribute(op, "overflowFlags");
  const bool wraps = mlirAttributeIsNull(flags) || mlirAttributeEqual(flags, lower->module->overflow[0].arith);
  return (wraps && nereid_lower_product(lower, op)) || lower_overflow(lower, op, row);
}

/* --- integers that LLVM has no op for --- */

/* (a - 1) / b + 1 for a > 0, without overflow; 0 stays 0. */
static MlirValue emit_ceildivui(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                                MlirType element, const MlirValue *operands) {
  (void)op, (void)row;
  MlirValue zero = nereid_emit_int(lower, element, 0), one = nereid_emit_int(lower, element, 1);
  MlirValue less = nereid_emit_binary(lower, "llvm.sub", operands[0], one);
  MlirValue quotient = nereid_emit_binary(lower, "llvm.udiv", less, operands[1]);
  MlirValue is_zero = nereid_emit_icmp(lower, NEREID_ICMP_EQ, operands[0], zero);
  return nereid_emit_select(lower, is_zero, zero, nereid_emit_add(lower, quotient, one));
}

/* The truncated quotient, moved by `step` where the remainder is not 0 and the true quotient is on the other side:
 * below for floor (signs differ), above for ceil (signs agree). */
static MlirValue emit_rounded_division(nereid_lower_t *lower, MlirType element, const MlirValue *operands, bool ceil) {
  MlirValue zero = nereid_emit_int(lower, element, 0), step = nereid_emit_int(lower, element, ceil ? 1 : -1);
  MlirValue quotient = nereid_emit_binary(lower, "llvm.sdiv", operands[0], operands[1]);
  MlirValue remainder =
      nereid_emit_binary(lower, "llvm.sub", operands[0], nereid_emit_mul(lower, quotient, operands[1]));
  MlirValue inexact = nereid_emit_icmp(lower, NEREID_ICMP_NE, remainder, zero);
  MlirValue signs_differ =
      nereid_emit_icmp(lower, NEREID_ICMP_SLT, nereid_emit_xor(lower, operands[0], operands[1]), zero);
  MlirValue side = signs_differ;
  if (ceil)
    side = nereid_emit_xor(lower, signs_differ, nereid_emit_int(lower, lower->types->i1, 1));
  MlirValue moves = nereid_emit_and(lower, inexact, side);
  return nereid_emit_select(lower, moves, nereid_emit_add(lower, quotient, step), quotient);
}

static MlirValue emit_floordivsi(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                                 MlirType element, const MlirValue *operands) {
  (void)op, (void)row;
  return emit_rounded_division(lower, element, operands, false);
}

static MlirValue emit_ceildivsi(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                                MlirType element, const MlirValue *operands) {
  (void)op, (void)row;
  return emit_rounded_division(lower, element, operands, true);
}

static bool lower_ceildivui(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_ceildivui);
}

static bool lower_ceildivsi(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_ceildivsi);
}

static bool lower_floordivsi(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_floordivsi);
}

/* The high half of a product of `element`s: computed in twice the width, which NVPTX converts to mul.hi. */
static MlirValue emit_high(nereid_lower_t *lower, const char *extend, MlirType element, MlirValue lhs, MlirValue rhs) {
  const unsigned width = mlirIntegerTypeGetWidth(element);
  MlirType wide = mlirIntegerTypeGet(lower->context, 2 * width);
  MlirValue wide_lhs = nereid_emit_cast(lower, extend, wide, lhs);
  MlirValue product = nereid_emit_mul(lower, wide_lhs, nereid_emit_cast(lower, extend, wide, rhs));
  return nereid_emit_cast(lower, "llvm.trunc", element,
                          nereid_emit_lshr(lower, product, nereid_emit_int(lower, wide, width)));
}

/* The intrinsic rather than a wide product: LLVM would move the shift past its users and widen them. */
static MlirValue emit_mulhiui(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                              const MlirValue *operands) {
  (void)op, (void)row;
  switch (mlirIntegerTypeGetWidth(element)) {
  case 32:
    return nereid_emit_intrinsic(lower, "llvm.nvvm.mulhi.ui", element, 2, operands);
  case 64:
    return nereid_emit_intrinsic(lower, "llvm.nvvm.mulhi.ull", element, 2, operands);
  default:
    return emit_high(lower, "llvm.zext", element, operands[0], operands[1]);
  }
}

static bool lower_mulhiui(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_mulhiui);
}

/* Two results: the low and the high half, or the sum and the carry. `row->to` is the extension of a product, null for
 * the sum. */
static bool lower_extended(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  MlirValue first = mlirOperationGetResult(op, 0);
  MlirType element = nereid_lower_type(lower, mlirValueGetType(first));
  nereid_lowered_t lhs = nereid_lower_operand(lower, op, 0), rhs = nereid_lower_operand(lower, op, 1);
  nereid_lowered_t low = nereid_lower_array(lower, lhs.count), high = nereid_lower_array(lower, lhs.count);
  for (intptr_t r = 0; high.values && r < lhs.count; ++r) {
    if (row->to) {
      low.values[r] = nereid_emit_mul(lower, lhs.values[r], rhs.values[r]);
      high.values[r] = emit_high(lower, row->to, element, lhs.values[r], rhs.values[r]);
    } else {
      low.values[r] = nereid_emit_add(lower, lhs.values[r], rhs.values[r]);
      high.values[r] = nereid_emit_icmp(lower, NEREID_ICMP_ULT, low.values[r], lhs.values[r]);
    }
  }
  nereid_lower_set(lower, first, low);
  nereid_lower_set(lower, mlirOperationGetResult(op, 1), high);
  return true;
}

/* --- comparison and selection --- */

static int64_t predicate_of(MlirOperation op) {
  return mlirIntegerAttrGetValueInt(nereid_ir_attribute(op, "predicate"));
}

/* The defining op of `value` if it is `name`, else null. */
static MlirOperation made_by_name(MlirValue value, const char *name) {
  MlirOperation op = nereid_defining_op(value);
  const MlirStringRef expected = mlirStringRefCreateFromCString(name);
  return !mlirOperationIsNull(op) && mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), expected)
             ? op
             : (MlirOperation){NULL};
}

/* The value of an integer constant as unsigned; UINT64_MAX for anything else. */
static uint64_t constant_of(MlirValue value) {
  MlirOperation constant = made_by_name(value, "llvm.mlir.constant");
  MlirAttribute number = mlirOperationIsNull(constant) ? (MlirAttribute){NULL} : nereid_ir_attribute(constant, "value");
  const bool is_integer = !mlirAttributeIsNull(number) && mlirAttributeIsAInteger(number);
  return is_integer ? (uint64_t)mlirIntegerAttrGetValueInt(number) : UINT64_MAX;
}

enum { BIT_SEARCH_DEPTH = 8 };

/* Whether `value` is 0 or 1 by the ops that define it, at most `depth` of them in a row. */
static bool is_bit(MlirValue value, int depth) {
  MlirOperation op;
  if (depth == 0 || constant_of(value) <= 1)
    return depth != 0;
  if (!mlirOperationIsNull(op = made_by_name(value, "llvm.zext")))
    return mlirIntegerTypeGetWidth(mlirValueGetType(mlirOperationGetOperand(op, 0))) == 1;
  if (!mlirOperationIsNull(op = made_by_name(value, "llvm.and")))
    return is_bit(mlirOperationGetOperand(op, 0), depth - 1) || is_bit(mlirOperationGetOperand(op, 1), depth - 1);
  if (!mlirOperationIsNull(op = made_by_name(value, "llvm.xor")) ||
      !mlirOperationIsNull(op = made_by_name(value, "llvm.or")))
    return is_bit(mlirOperationGetOperand(op, 0), depth - 1) && is_bit(mlirOperationGetOperand(op, 1), depth - 1);
  if (mlirOperationIsNull(op = made_by_name(value, "llvm.lshr")))
    return false;
  MlirOperation masked = made_by_name(mlirOperationGetOperand(op, 0), "llvm.and");
  const uint64_t mask = mlirOperationIsNull(masked) ? UINT64_MAX : constant_of(mlirOperationGetOperand(masked, 1));
  const uint64_t shift = constant_of(mlirOperationGetOperand(op, 1));
  return shift < 64 && mask >> shift <= 1;
}

/* zext(%c : i1) != %f and (zext(%c) ^ %f) != 0, the inverted conditions of a sort. If %f is known to be 0 or 1,
 * either is an xor of two i1; otherwise a select between comparisons of %f, which LLVM converts to an xor if possible.
 * Null for any other condition. */
static MlirValue emit_inverted(nereid_lower_t *lower, const MlirValue *operands) {
  MlirOperation sum = constant_of(operands[1]) == 0 ? made_by_name(operands[0], "llvm.xor") : (MlirOperation){NULL};
  const bool is_sum = !mlirOperationIsNull(sum);
  MlirValue bit = is_sum ? mlirOperationGetOperand(sum, 1) : operands[1];
  MlirOperation wide = made_by_name(is_sum ? mlirOperationGetOperand(sum, 0) : operands[0], "llvm.zext");
  MlirValue condition = mlirOperationIsNull(wide) ? (MlirValue){NULL} : mlirOperationGetOperand(wide, 0);
  if (mlirValueIsNull(condition) || !mlirTypeEqual(mlirValueGetType(condition), lower->types->i1) ||
      constant_of(bit) == 0)
    return (MlirValue){NULL};
  MlirValue is_set = nereid_emit_icmp(lower, NEREID_ICMP_NE, bit, nereid_emit_int(lower, mlirValueGetType(bit), 0));
  if (is_bit(bit, BIT_SEARCH_DEPTH))
    return nereid_emit(lower, "llvm.xor", lower->types->i1, 2, (MlirValue[]){condition, is_set});
  MlirValue one = nereid_emit_int(lower, mlirValueGetType(bit), 1);
  return nereid_emit_select(lower, condition, nereid_emit_icmp(lower, NEREID_ICMP_NE, bit, one), is_set);
}

static_assert((int)NEREID_ICMP_NE == (int)NEREID_ARITH_CMP_I_PREDICATE_NE &&
                  (int)NEREID_ICMP_UGE == (int)NEREID_ARITH_CMP_I_PREDICATE_UGE &&
                  (int)NEREID_FCMP_OEQ == (int)NEREID_ARITH_CMP_F_PREDICATE_OEQ &&
                  (int)NEREID_FCMP_UNO == (int)NEREID_ARITH_CMP_F_PREDICATE_UNO,
              "arith and the LLVM dialect have the same values for predicates");

static MlirValue emit_compare(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                              const MlirValue *operands) {
  const bool is_ne = nereid_op_kind(op) == NEREID_OP_ARITH_CMPI && predicate_of(op) == NEREID_ARITH_CMP_I_PREDICATE_NE;
  MlirValue inverted = is_ne ? emit_inverted(lower, operands) : (MlirValue){NULL};
  if (!mlirValueIsNull(inverted))
    return inverted;
  MlirNamedAttribute predicate =
      nereid_emit_attribute(lower, "predicate", mlirIntegerAttrGet(lower->types->i64, predicate_of(op)));
  return mlirOperationGetResult(nereid_emit_op(lower, row->to, 1, &element, 2, operands, 1, &predicate), 0);
}

static bool lower_compare(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_compare);
}

/* --- floating point --- */

static MlirValue emit_contractable(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                                   MlirType element, const MlirValue *operands) {
  (void)op, (void)element;
  return nereid_emit_fbinary(lower, row->to, operands[0], operands[1]);
}

static bool lower_contractable(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_contractable);
}

static MlirValue emit_divf(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                           const MlirValue *operands) {
  (void)op, (void)row;
  if (mlirTypeIsAF64(element))
    return nereid_emit_binary(lower, "llvm.fdiv", operands[0], operands[1]);
  if (mlirTypeIsAF32(element))
    return nereid_emit_intrinsic(lower, "llvm.nvvm.div.full", element, 2, operands);
  /* f16 and bf16: the f32 quotient is close enough to round once more correctly (24 >= 2 * 11 + 2 bits). */
  MlirValue wide[2];
  for (int i = 0; i < 2; ++i)
    wide[i] = nereid_emit_cast(lower, "llvm.fpext", lower->types->f32, operands[i]);
  MlirValue quotient = nereid_emit_intrinsic(lower, "llvm.nvvm.div.rn.f", lower->types->f32, 2, wide);
  return nereid_emit_cast(lower, "llvm.fptrunc", element, quotient);
}

static bool lower_divf(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_shared_divisors(lower, op) || nereid_lower_elementwise(lower, op, row, emit_divf);
}

/* --- integer and float --- */

static MlirValue emit_index_cast(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                                 MlirType element, const MlirValue *operands) {
  (void)op;
  const unsigned from = mlirIntegerTypeGetWidth(mlirValueGetType(operands[0]));
  const unsigned to = mlirIntegerTypeGetWidth(element);
  if (from == to)
    return operands[0];
  return nereid_emit_cast(lower, from > to ? "llvm.trunc" : row->to, element, operands[0]);
}

static bool lower_index_cast(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_index_cast);
}

static MlirValue emit_bitcast(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                              const MlirValue *operands) {
  (void)op, (void)row;
  return nereid_emit_bits(lower, element, operands[0]);
}

static bool lower_bitcast(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_bitcast);
}

const nereid_lower_row_t nereid_lower_arith_rows[] = {
    {NEREID_OP_ARITH_ADDI, lower_overflow, "llvm.add"},
    {NEREID_OP_ARITH_SUBI, lower_overflow, "llvm.sub"},
    {NEREID_OP_ARITH_MULI, lower_muli, "llvm.mul"},
    {NEREID_OP_ARITH_SHLI, lower_overflow, "llvm.shl"},
    {NEREID_OP_ARITH_DIVSI, lower_same, "llvm.sdiv"},
    {NEREID_OP_ARITH_DIVUI, lower_same, "llvm.udiv"},
    {NEREID_OP_ARITH_REMSI, lower_same, "llvm.srem"},
    {NEREID_OP_ARITH_REMUI, lower_same, "llvm.urem"},
    {NEREID_OP_ARITH_CEILDIVUI, lower_ceildivui, NULL},
    {NEREID_OP_ARITH_CEILDIVSI, lower_ceildivsi, NULL},
    {NEREID_OP_ARITH_FLOORDIVSI, lower_floordivsi, NULL},
    {NEREID_OP_ARITH_ADDUI_EXTENDED, lower_extended, NULL},
    {NEREID_OP_ARITH_MULUI_EXTENDED, lower_extended, "llvm.zext"},
    {NEREID_OP_ARITH_MULSI_EXTENDED, lower_extended, "llvm.sext"},
    {NEREID_OP_TT_MULHIUI, lower_mulhiui, NULL},
    {NEREID_OP_ARITH_ANDI, lower_bits, "llvm.and"},
    {NEREID_OP_ARITH_ORI, lower_bits, "llvm.or"},
    {NEREID_OP_ARITH_XORI, lower_bits, "llvm.xor"},
    {NEREID_OP_ARITH_SHRSI, lower_bits, "llvm.ashr"},
    {NEREID_OP_ARITH_SHRUI, lower_bits, "llvm.lshr"},
    {NEREID_OP_ARITH_MAXSI, lower_same, "llvm.intr.smax"},
    {NEREID_OP_ARITH_MAXUI, lower_same, "llvm.intr.umax"},
    {NEREID_OP_ARITH_MINSI, lower_same, "llvm.intr.smin"},
    {NEREID_OP_ARITH_MINUI, lower_same, "llvm.intr.umin"},
    {NEREID_OP_ARITH_CMPI, lower_compare, "llvm.icmp"},
    {NEREID_OP_ARITH_CMPF, lower_compare, "llvm.fcmp"},
    {NEREID_OP_ARITH_SELECT, lower_same, "llvm.select"},
    {NEREID_OP_ARITH_ADDF, lower_contractable, "llvm.fadd"},
    {NEREID_OP_ARITH_SUBF, lower_contractable, "llvm.fsub"},
    {NEREID_OP_ARITH_MULF, lower_contractable, "llvm.fmul"},
    {NEREID_OP_ARITH_DIVF, lower_divf, NULL},
    {NEREID_OP_ARITH_REMF, lower_same, "llvm.frem"},
    {NEREID_OP_ARITH_NEGF, lower_same, "llvm.fneg"},
    {NEREID_OP_ARITH_MAXIMUMF, lower_same, "llvm.intr.maximum"},
    {NEREID_OP_ARITH_MINIMUMF, lower_same, "llvm.intr.minimum"},
    {NEREID_OP_ARITH_MAXNUMF, lower_same, "llvm.intr.maxnum"},
    {NEREID_OP_ARITH_MINNUMF, lower_same, "llvm.intr.minnum"},
    {NEREID_OP_ARITH_EXTSI, lower_same, "llvm.sext"},
    {NEREID_OP_ARITH_EXTUI, lower_same, "llvm.zext"},
    {NEREID_OP_ARITH_TRUNCI, lower_same, "llvm.trunc"},
    {NEREID_OP_ARITH_INDEX_CAST, lower_index_cast, "llvm.sext"},
    {NEREID_OP_ARITH_INDEX_CASTUI, lower_index_cast, "llvm.zext"},
    {NEREID_OP_ARITH_BITCAST, lower_bitcast, NULL},
    {NEREID_OP_TT_BITCAST, lower_bitcast, NULL},
    {NEREID_OP_TT_INT_TO_PTR, lower_same, "llvm.inttoptr"},
    {NEREID_OP_TT_PTR_TO_INT, lower_same, "llvm.ptrtoint"},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
