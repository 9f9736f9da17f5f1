/* Computes strides between neighbouring elements in memory; see access_stride.h.
 *
 *   %r = make_range                     1            %x = remsi %r, 32            1
 *   %a = muli %r, 64                   64            %y = divsi %r, 32            0    (one step in 32)
 *   %s = addi %a, %y                   64            %z = remsi %r, splat %n      1    (%n is assumed to be large)
 *   %p = addptr %base, %s              64
 *
 * Axis information describes runs of elements that differ by one, which determine vector widths. Without such runs a
 * warp still accesses fewer sectors along the dimension with the smaller stride. The value is traced back to ranges. A
 * query visits a bounded number of operations, so the result may be "unknown" although a stride exists. */
#include "passes/layout/support/access_stride.h"

#include "dialects/defining_op.h"
#include "nereid/dialects/tt.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinTypes.h>

#include <stdlib.h>

typedef struct question {
  const nereid_axis_result_t *axis;
  int left; /* operations that the query may still visit */
} question_t;

enum { UNKNOWN = NEREID_STRIDE_UNKNOWN, LARGEST = 1 << 30, MAX_OPERATIONS = 256 };

static int32_t stride_of(question_t *question, MlirValue value, int d);

static int32_t stride_of_operand(question_t *question, MlirOperation op, intptr_t i, int d) {
  return stride_of(question, mlirOperationGetOperand(op, i), d);
}

static int32_t known(int64_t stride) {
  return stride > LARGEST || stride < -LARGEST ? UNKNOWN : (int32_t)stride;
}

/* The value that all elements of `value` have; false when they differ or are unknown. */
static bool constant_of(const question_t *question, MlirValue value, int64_t *out) {
  const nereid_axis_info_t *info = nereid_axis_info_get(question->axis, value);
  if (!info || !info->has_constant || info->width == 0)
    return false;
  const int unused = 64 - info->width;
  *out = (int64_t)(info->constant << unused) >> unused;
  return true;
}

static int32_t sum(question_t *question, MlirOperation op, int sign, int d) {
  const int32_t a = stride_of_operand(question, op, 0, d);
  const int32_t b = a == UNKNOWN ? UNKNOWN : stride_of_operand(question, op, 1, d);
  return b == UNKNOWN ? UNKNOWN : known((int64_t)a + sign * (int64_t)b);
}

static int32_t product(question_t *question, MlirOperation op, int d) {
  int64_t factor;
  for (intptr_t i = 0; i < 2; ++i)
    if (constant_of(question, mlirOperationGetOperand(op, i), &factor)) {
      const int32_t stride = stride_of_operand(question, op, 1 - i, d);
      return stride == UNKNOWN ? UNKNOWN : factor > LARGEST || factor < -LARGEST ? UNKNOWN : known(stride * factor);
    }
  return stride_of_operand(question, op, 0, d) == 0 && stride_of_operand(question, op, 1, d) == 0 ? 0 : UNKNOWN;
}

/* A division by a value that is the same in adjacent elements. Consecutive numbers are positions of an image or a
 * batch, whose extent is seldom 1. */
static int32_t division_by_unknown(int32_t stride, bool remainder) {
  if (stride < -1 || stride > 1)
    return UNKNOWN;
  return remainder ? stride : 0;
}

/* A quotient changes, and a remainder wraps, once in many elements. */
static int32_t division(question_t *question, MlirOperation op, bool remainder, int d) {
  int64_t by;
  const int32_t stride = stride_of_operand(question, op, 0, d);
  if (stride == UNKNOWN)
    return UNKNOWN;
  if (!constant_of(question, mlirOperationGetOperand(op, 1), &by))
    return stride_of_operand(question, op, 1, d) == 0 ? division_by_unknown(stride, remainder) : UNKNOWN;
  if (by <= 0)
    return stride == 0 ? 0 : UNKNOWN;
  if (abs(stride) < by)
    return remainder ? stride : 0;
  if (stride % by != 0)
    return UNKNOWN;
  return remainder ? 0 : (int32_t)(stride / by);
}

/* Equal adjacent elements give equal results; otherwise the stride is unknown. */
static int32_t elementwise(question_t *question, MlirOperation op, int d) {
  if (!nereidMlirOperationHasTrait(op, NereidMlirTraitElementwise) && nereid_op_kind(op) != NEREID_OP_TT_LOAD)
    return UNKNOWN;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (stride_of_operand(question, op, i, d) != 0)
      return UNKNOWN;
  return 0;
}

/* Operations that move or select elements. */
static int32_t view(question_t *question, MlirOperation op, int d) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_EXPAND_DIMS: {
    const int axis = nereid_tt_expand_dims_get_axis(op);
    return d == axis ? 0 : stride_of_operand(question, op, 0, d - (d > axis));
  }
  case NEREID_OP_TT_BROADCAST: {
    MlirType from = mlirValueGetType(mlirOperationGetOperand(op, 0));
    return mlirShapedTypeGetDimSize(from, d) == 1 ? 0 : stride_of_operand(question, op, 0, d);
  }
  case NEREID_OP_TT_TRANS:
    return stride_of_operand(question, op, 0, nereid_tt_trans_get_order(op, d));
  case NEREID_OP_TTG_CONVERT_LAYOUT:
  case NEREID_OP_ARITH_EXTSI:
  case NEREID_OP_ARITH_EXTUI:
  case NEREID_OP_ARITH_TRUNCI:
    return stride_of_operand(question, op, 0, d);
  default:
    return elementwise(question, op, d);
  }
}

/* The initial value of a loop-carried argument: assumes that the loop preserves the stride. */
static MlirValue before_the_loop(MlirValue argument) {
  MlirOperation loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(argument));
  const intptr_t i = mlirBlockArgumentGetArgNumber(argument);
  if (mlirOperationIsNull(loop) || nereid_op_kind(loop) != NEREID_OP_SCF_FOR || i == 0)
    return (MlirValue){NULL};
  return mlirOperationGetOperand(
      loop, 2 + i); /* operands after the bounds and the step; the first block argument is the induction variable */
}

static int32_t stride_of(question_t *question, MlirValue value, int d) {
  if (!mlirTypeIsARankedTensor(mlirValueGetType(value)))
    return 0;
  if (question->left-- <= 0)
    return UNKNOWN;
  MlirOperation op = nereid_defining_op(value);
  if (mlirOperationIsNull(op)) {
    MlirValue start = before_the_loop(value);
    return mlirValueIsNull(start) ? UNKNOWN : stride_of(question, start, d);
  }
  int64_t constant;
  if (constant_of(question, value, &constant))
    return 0;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_SPLAT:
    return 0;
  case NEREID_OP_TT_MAKE_RANGE:
    return 1;
  case NEREID_OP_TT_ADDPTR:
  case NEREID_OP_ARITH_ADDI:
    return sum(question, op, 1, d);
  case NEREID_OP_ARITH_SUBI:
    return sum(question, op, -1, d);
  case NEREID_OP_ARITH_MULI:
    return product(question, op, d);
  case NEREID_OP_ARITH_DIVSI:
  case NEREID_OP_ARITH_DIVUI:
    return division(question, op, false, d);
  case NEREID_OP_ARITH_REMSI:
  case NEREID_OP_ARITH_REMUI:
    return division(question, op, true, d);
  default:
    return view(question, op, d);
  }
}

int32_t nereid_access_stride(const nereid_axis_result_t *axis, MlirValue value, int d) {
  question_t question = {.axis = axis, .left = MAX_OPERATIONS};
  const int32_t stride = stride_of(&question, value, d);
  return stride == UNKNOWN ? UNKNOWN : abs(stride);
}
