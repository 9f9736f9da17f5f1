/* Ranges of integers, from the ops that compute them: masks, shifts, widening, sums and choices.
 *
 *   %l = arith.andi %byte, 15 : i8         [0, 15]
 *   %w = arith.extsi %l : i8 to i32        [0, 15]
 *   %s = arith.subi %w, 16                 [-16, -1]
 *   %n = arith.select %c, %s, %w           [-16, 15]
 *
 * A weight of four bits is widened this way. A conversion of %n to a float needs no instruction for all of i32. */
#include "conversion/ttg_to_llvm/elementwise/integer_range.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { DEPTH = 8 /* ops between a value and what its range is computed from */ };

static unsigned width_of(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirIntegerTypeGetWidth(mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type);
}

static nereid_integer_range_t range_of_type(unsigned width) {
  const int64_t half = INT64_C(1) << (width - 1);
  return (nereid_integer_range_t){-half, half - 1};
}

static bool is_in(nereid_integer_range_t range, nereid_integer_range_t other) {
  return range.least >= other.least && range.most <= other.most;
}

static nereid_integer_range_t find_range(MlirValue value, int depth);

/* The range of operand `i` of `op`. */
static nereid_integer_range_t operand_range(MlirOperation op, intptr_t i, int depth) {
  return find_range(mlirOperationGetOperand(op, i), depth - 1);
}

static bool is_constant(nereid_integer_range_t range) {
  return range.least == range.most;
}

static nereid_integer_range_t constant_range(MlirOperation op, nereid_integer_range_t type) {
  MlirAttribute value = mlirOperationGetAttributeByName(op, nereid_ir_ref("value"));
  if (mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value))
    value = mlirDenseElementsAttrGetSplatValue(value);
  if (!mlirAttributeIsAInteger(value))
    return type;
  const int64_t number = mlirIntegerAttrGetValueInt(value);
  return (nereid_integer_range_t){number, number};
}

static nereid_integer_range_t union_of(nereid_integer_range_t a, nereid_integer_range_t b) {
  return (nereid_integer_range_t){a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most};
}

/* The range of the bits that `a` and `b` have in common: at most the smaller one of those that are not negative. */
static nereid_integer_range_t common_bits(nereid_integer_range_t a, nereid_integer_range_t b,
                                          nereid_integer_range_t type) {
  if (a.least < 0 && b.least < 0)
    return type;
  const int64_t most = a.least < 0 ? b.most : b.least < 0 ? a.most : a.most < b.most ? a.most : b.most;
  return (nereid_integer_range_t){0, most};
}

/* A shift to the right by a constant; of bits shifted in, 0 precedes a number that is not negative. */
static nereid_integer_range_t shifted(nereid_integer_range_t a, nereid_integer_range_t by, bool is_signed,
                                      nereid_integer_range_t type) {
  if (!is_constant(by) || by.least <= 0 || by.least >= 32) /* at most the bits of the type */
    return type;
  if (is_signed || a.least >= 0)
    return (nereid_integer_range_t){a.least >> by.least, a.most >> by.least};
  return (nereid_integer_range_t){0, (2 * type.most + 1) >> by.least};
}

static nereid_integer_range_t widened(MlirOperation op, bool is_signed, int depth) {
  const nereid_integer_range_t from = operand_range(op, 0, depth);
  const int64_t values = INT64_C(1) << width_of(mlirOperationGetOperand(op, 0));
  return is_signed || from.least >= 0 ? from : (nereid_integer_range_t){0, values - 1};
}

static nereid_integer_range_t find_range(MlirValue value, int depth) {
  const nereid_integer_range_t type = range_of_type(width_of(value));
  MlirOperation op = depth > 0 ? nereid_defining_op(value) : (MlirOperation){NULL};
  nereid_integer_range_t range = type, a, b;
  if (mlirOperationIsNull(op))
    return type;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_ARITH_CONSTANT:
    return constant_range(op, type);
  case NEREID_OP_ARITH_EXTSI:
  case NEREID_OP_ARITH_EXTUI:
    range = widened(op, nereid_op_kind(op) == NEREID_OP_ARITH_EXTSI, depth);
    break;
  case NEREID_OP_ARITH_ANDI:
    range = common_bits(operand_range(op, 0, depth), operand_range(op, 1, depth), type);
    break;
  case NEREID_OP_ARITH_SHRSI:
  case NEREID_OP_ARITH_SHRUI:
    range = shifted(operand_range(op, 0, depth), operand_range(op, 1, depth),
                    nereid_op_kind(op) == NEREID_OP_ARITH_SHRSI, type);
    break;
  case NEREID_OP_ARITH_ADDI:
    a = operand_range(op, 0, depth), b = operand_range(op, 1, depth);
    range = (nereid_integer_range_t){a.least + b.least, a.most + b.most};
    break;
  case NEREID_OP_ARITH_SUBI:
    a = operand_range(op, 0, depth), b = operand_range(op, 1, depth);
    range = (nereid_integer_range_t){a.least - b.most, a.most - b.least};
    break;
  case NEREID_OP_ARITH_SELECT:
    range = union_of(operand_range(op, 1, depth), operand_range(op, 2, depth));
    break;
  case NEREID_OP_TTG_CONVERT_LAYOUT:
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_TT_EXPAND_DIMS:
  case NEREID_OP_TT_RESHAPE:
  case NEREID_OP_TT_SPLAT:
  case NEREID_OP_TT_TRANS:
    range = operand_range(op, 0, depth);
    break;
  default:
    break;
  }
  return is_in(range, type) ? range : type; /* a sum that may wrap around is any number of the type */
}

nereid_integer_range_t nereid_integer_range(MlirValue value) {
  return find_range(value, DEPTH);
}
