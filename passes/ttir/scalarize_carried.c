/* nereid-scalarize-carried-offsets: carries the offset of an integer tensor instead of the tensor.
 *
 *   %r = scf.for … iter_args(%t = %first) {       %r = scf.for … iter_args(%c = 0) {
 *     use %t                                        %t = %first + splat(%c)
 *     %n = arith.addi %t, splat(%s)           ->    use %t
 *     scf.yield %n                                  %d = arith.addi %c, %s
 *   }                                               scf.yield %d
 *   use %r                                        }
 *                                                 use %first + splat(%r)
 *
 * %s may differ between iterations, such as the distance to the next block of a sparse attention. A thread then carries
 * one register instead of one per element, and the elements of %first, which is computed from ranges and scalars, are a
 * base plus constants. Integers wrap around, so the sums are equal. `canonicalize` removes what becomes unused. */
#include "dialects/ir.h"
#include "passes/pass.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/support/loop.h"
#include "passes/support/scalar.h"
#include "passes/support/splat.h"

#include "dialects/defining_op.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinTypes.h>

enum { MAX_DEPTH = 8 };

/* A carried tensor and what each iteration adds to it. */
typedef struct carried {
  intptr_t index;
  MlirValue step;           /* a scalar; null for a constant */
  MlirAttribute step_value; /* the constant */
} carried_t;

static bool is_integer_tensor(MlirType type) {
  return mlirTypeIsARankedTensor(type) && mlirTypeIsAInteger(mlirShapedTypeGetElementType(type));
}

/* Whether `value` is computed from ranges, scalars and constants by additions and multiplications. */
static bool is_recomputed(MlirValue value, int depth) {
  if (!mlirTypeIsARankedTensor(mlirValueGetType(value)) || !mlirAttributeIsNull(nereid_splat_constant(value)))
    return true;
  if (!mlirValueIsAOpResult(value) || depth == MAX_DEPTH)
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_MAKE_RANGE:
  case NEREID_OP_TT_SPLAT:
    return true;
  case NEREID_OP_TT_EXPAND_DIMS:
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_ARITH_ADDI:
  case NEREID_OP_ARITH_MULI:
  case NEREID_OP_ARITH_EXTSI:
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      if (!is_recomputed(mlirOperationGetOperand(op, i), depth + 1))
        return false;
    return true;
  default:
    return false;
  }
}

/* Whether `value` is a splat; sets the step to its element. */
static bool read_step(MlirValue value, carried_t *carried) {
  carried->step_value = nereid_splat_constant(value);
  if (!mlirAttributeIsNull(carried->step_value))
    return true;
  MlirOperation splat = nereid_defining_op_of_kind(value, NEREID_OP_TT_SPLAT);
  if (mlirOperationIsNull(splat))
    return false;
  carried->step = nereid_tt_splat_get_src(splat);
  return mlirTypeIsAInteger(mlirValueGetType(carried->step));
}

/* Whether carried value `index` of the loop is a tensor that each iteration adds a splat to. */
static bool match(MlirOperation loop, intptr_t index, carried_t *carried) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirValue argument = mlirBlockGetArgument(body, 1 + index);
  MlirValue next = mlirOperationGetOperand(mlirBlockGetTerminator(body), index);
  MlirOperation add = nereid_defining_op_of_kind(next, NEREID_OP_ARITH_ADDI);
  *carried = (carried_t){.index = index};
  if (!is_integer_tensor(mlirValueGetType(argument)) || mlirOperationIsNull(add) ||
      !is_recomputed(nereid_loop_initial(loop, index), 0))
    return false;
  MlirValue left = mlirOperationGetOperand(add, 0), right = mlirOperationGetOperand(add, 1);
  return (mlirValueEqual(left, argument) && read_step(right, carried)) ||
         (mlirValueEqual(right, argument) && read_step(left, carried));
}

/* %first + splat(%offset). */
static MlirValue add_offset(const nereid_builder_t *builder, MlirValue first, MlirValue offset) {
  MlirValue splat = nereid_ir_result(nereid_tt_splat_build(builder, mlirValueGetType(first), offset));
  return nereid_ir_result(nereid_arith_addi_build(builder, first, splat, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
}

/* Rewrites the values in `all` of `loop`, which carries their offsets as its last `n` values; `yielded` has room for
 * all that it carries. */
static void rewrite(MlirOperation loop, const carried_t *all, intptr_t n, MlirValue *yielded) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirOperation yield = mlirBlockGetTerminator(body);
  const intptr_t results = mlirOperationGetNumResults(loop) - n;
  nereid_builder_t start = nereid_builder_before(mlirBlockGetFirstOperation(body)), end = nereid_builder_before(yield);
  nereid_builder_t after = nereid_builder_before(mlirOperationGetNextInBlock(loop));
  for (intptr_t i = 0; i < results; ++i)
    yielded[i] = mlirOperationGetOperand(yield, i);
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue first = nereid_loop_initial(loop, all[i].index);
    MlirValue argument = mlirBlockGetArgument(body, 1 + all[i].index);
    MlirValue offset = mlirBlockGetArgument(body, 1 + results + i);
    MlirValue step = all[i].step;
    if (mlirValueIsNull(step))
      step = nereid_scalar_constant(&end, mlirValueGetType(offset), mlirIntegerAttrGetValueInt(all[i].step_value));
    mlirValueReplaceAllUsesOfWith(argument, add_offset(&start, first, offset));
    yielded[all[i].index] = argument;
    yielded[results + i] = nereid_scalar_add(&end, offset, step);
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, all[i].index),
                                  add_offset(&after, first, mlirOperationGetResult(loop, results + i)));
  }
  mlirOperationSetOperands(yield, results + n, yielded);
}

static int64_t scalarize(nereid_pass_t *pass, MlirOperation loop) {
  const intptr_t results = mlirOperationGetNumResults(loop);
  carried_t *all = nereid_arena_new(pass->scratch, carried_t, (size_t)results);
  MlirValue *zeros = nereid_arena_new(pass->scratch, MlirValue, (size_t)results);
  MlirValue *yielded = nereid_arena_new(pass->scratch, MlirValue, 2 * (size_t)results);
  nereid_builder_t builder = nereid_builder_before(loop);
  intptr_t n = 0;
  for (intptr_t i = 0; all && zeros && yielded && i < results; ++i)
    if (match(loop, i, &all[n])) {
      MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(mlirOperationGetResult(loop, i)));
      zeros[n++] = nereid_scalar_constant(&builder, element, 0);
    }
  if (n)
    rewrite(nereid_loop_with_carried(loop, n, zeros), all, n, yielded);
  return n;
}

MlirLogicalResult nereid_pass_scalarize_carried_offsets(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  int64_t count = 0;
  if (!nereid_loop_collect(pass->op, pass->scratch, &loops))
    return mlirLogicalResultFailure();
  for (size_t i = loops.size; i-- > 0;)
    count += scalarize(pass, loops.data[i]);
  nereid_pass_statistic_add(pass, "tensors", count);
  return mlirLogicalResultSuccess();
}
