/* nereid-recurrence-layout: distributes the matrix of a recurrence so that warps exchange nothing in an iteration, and
 * each thread reads adjacent elements of the vectors that update it.
 *
 *   a matrix of 64x32 in 4 warps, reduced along dimension 0
 *     before   lanes 1x32, warps 4x1      partial sums of four warps meet in shared memory, with two barriers
 *     after    8 rows per thread, lanes 4x8, warps 1x4       four lanes of a warp have a column: two shuffles
 *
 * A loop is a recurrence if support/recurrence.h says so. Warps and lanes are placed along the other dimension first,
 * and what remains of a warp along the reduced one. A thread has up to 8 adjacent elements there: 16 bytes of a vector
 * of 16-bit elements, one access of shared memory.
 *
 * Replaces the encoding of convert-triton-to-tritongpu in the whole function, before tritongpu-coalesce inserts
 * conversions at memory accesses. Functions do not change if a loop carries a matrix and is not a recurrence, or
 * reduces along another dimension, or if they have dots, operations that derive encodings of other shapes, or arguments
 * or results with the encoding. */
#include "passes/pass.h"
#include "passes/support/collect.h"
#include "passes/support/recurrence.h"

#include "dialects/ir.h"
#include "dialects/ttg/encoding/blocked.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { MAX_ADJACENT = 8 /* elements of a thread along the reduced dimension */ };

static int32_t lesser(int64_t a, int64_t b) {
  return (int32_t)(a < b ? a : b);
}

/* The encoding of the matrix; null if one warp cannot have all elements that are reduced to one. */
static MlirAttribute choose(MlirContext context, const nereid_recurrence_t *recurrence, nereid_thread_grid_t grid) {
  const int64_t shape[] = {mlirShapedTypeGetDimSize(recurrence->state, 0),
                           mlirShapedTypeGetDimSize(recurrence->state, 1)};
  const int axis = recurrence->axis;
  const int64_t reduced = shape[axis], others = shape[1 - axis];
  int64_t lanes = (int64_t)grid.num_warps * grid.threads_per_warp / others;
  lanes = lanes < 1 ? 1 : lanes;
  if (lanes > grid.threads_per_warp || lanes > reduced)
    return (MlirAttribute){NULL};
  int32_t size[] = {1, 1};
  const int32_t order[] = {axis, 1 - axis};
  size[axis] = lesser(reduced / lanes, MAX_ADJACENT);
  /* With `lanes` times the elements of a thread as the reduced size, no more lanes are placed along it. */
  int64_t tile[] = {shape[0], shape[1]};
  tile[axis] = size[axis] * lanes;
  return nereid_ttg_blocked_make(context, 2, tile, size, order, grid);
}

/* --- the function --- */

static bool determines_encoding(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_CALL:
  case NEREID_OP_TT_CAT:
  case NEREID_OP_TT_DOT:
  case NEREID_OP_TT_DOT_SCALED:
  case NEREID_OP_TT_GATHER:
  case NEREID_OP_TT_JOIN:
  case NEREID_OP_TT_RESHAPE:
  case NEREID_OP_TT_SPLIT:
  case NEREID_OP_TT_TRANS:
    return true;
  default:
    return false;
  }
}

typedef struct replacement {
  MlirAttribute from, to;
} replacement_t;

static MlirAttribute replace_encoding(MlirAttribute attribute, void *user_data) {
  const replacement_t *replacement = user_data;
  return mlirAttributeEqual(attribute, replacement->from) ? replacement->to : (MlirAttribute){NULL};
}

/* Whether arguments or results of `function` have the encoding, on which its calls depend. */
static bool is_in_signature(MlirOperation function, replacement_t *replacement) {
  const NereidMlirReplacer replacer = {replace_encoding, NULL, replacement};
  MlirType type = mlirTypeAttrGetValue(nereid_ir_attribute(function, NEREID_ATTR_FUNCTION_TYPE));
  return !mlirTypeEqual(type, nereidMlirTypeReplace(type, replacer));
}

static MlirWalkResult replace_types(MlirOperation op, void *user_data) {
  const NereidMlirReplacer replacer = {replace_encoding, NULL, user_data};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    mlirValueSetType(result, nereidMlirTypeReplace(mlirValueGetType(result), replacer));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      for (intptr_t n = 0; n < mlirBlockGetNumArguments(block); ++n) {
        MlirValue argument = mlirBlockGetArgument(block, n);
        mlirValueSetType(argument, nereidMlirTypeReplace(mlirValueGetType(argument), replacer));
      }
  if (nereid_op_kind(op) == NEREID_OP_ARITH_CONSTANT && mlirTypeIsARankedTensor(mlirValueGetType(nereid_ir_result(op))))
    nereid_ir_set_attribute(op, "value",
                            mlirDenseElementsAttrReshapeGet(nereid_arith_constant_get_value_attr(op),
                                                            mlirValueGetType(nereid_ir_result(op))));
  return MlirWalkResultAdvance;
}

/* The recurrence that determines the layout: that of the first loop of `loops` that carries a matrix, if all of them
 * are recurrences with such matrices, reduced along the same dimension. */
static bool find(const nereid_operations_t *loops, nereid_recurrence_t *out) {
  bool found = false;
  for (size_t i = 0; i < loops->size; ++i) {
    nereid_recurrence_t next;
    if (mlirTypeIsNull(nereid_recurrence_carried(loops->data[i], 2)))
      continue;
    if (!nereid_recurrence_find(loops->data[i], &next) || next.axis < 0 ||
        (found && (next.axis != out->axis || !mlirTypeEqual(next.state, out->state))))
      return false;
    *out = next;
    found = true;
  }
  return found;
}

static bool replace_in(nereid_pass_t *pass, MlirOperation function) {
  nereid_operations_t loops = {0}, obstacles = {0};
  nereid_recurrence_t recurrence;
  if (!nereid_collect_kind(function, NEREID_OP_SCF_FOR, pass->scratch, &loops))
    return false;
  if (!find(&loops, &recurrence))
    return true;
  const nereid_thread_grid_t grid = {nereid_ttg_num_warps(function), nereid_ttg_threads_per_warp(function), 1};
  replacement_t replacement = {mlirRankedTensorTypeGetEncoding(recurrence.state),
                               choose(pass->context, &recurrence, grid)};
  if (mlirAttributeIsNull(replacement.to) || mlirAttributeEqual(replacement.from, replacement.to) ||
      is_in_signature(function, &replacement))
    return true;
  if (!nereid_collect(function, determines_encoding, pass->scratch, &obstacles))
    return false;
  if (obstacles.size)
    return true;
  mlirOperationWalk(function, replace_types, &replacement, MlirWalkPreOrder);
  nereid_pass_remark_passed(pass, function, "recurrence",
                            "the matrix that a loop carries is distributed so that a warp reduces it");
  return true;
}

MlirLogicalResult nereid_pass_recurrence_layout(nereid_pass_t *pass) {
  nereid_operations_t functions = {0};
  if (nereid_ttg_num_ctas(pass->op) > 1)
    return mlirLogicalResultSuccess();
  nereid_collect_kind(pass->op, NEREID_OP_TT_FUNC, pass->scratch, &functions);
  for (size_t i = 0; i < functions.size; ++i)
    if (!replace_in(pass, functions.data[i]))
      return mlirLogicalResultFailure();
  return pass->scratch->failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
