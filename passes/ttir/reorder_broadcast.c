/* triton-reorder-broadcast: hoists elementwise ops above splat and broadcast, and roundings above tt.split.
 *
 *   %x = tt.splat %a ; %y = math.exp %x                     ->  %b = math.exp %a ; %y = tt.splat %b
 *   %x = tt.broadcast %c : 64x1 to 64x32 ; addf %x, %splat  ->  addf %c, %splat' : 64x1 ; tt.broadcast
 *
 * Elementwise operations whose operands are all splats (or splat constants) become scalar; those with broadcasts of one
 * type among their operands operate on the sources of the broadcasts. Ops are visited in program order, so that chains
 * follow.
 *
 *   %l, %r = tt.split %x                                    ->  %h = arith.truncf %x
 *   %a = arith.truncf %l ; %b = arith.truncf %r                 %a, %b = tt.split %h
 *
 * They also move above a tt.trans or tt.reshape before the split. Fewer bits are rearranged, and the results of a dot
 * are rounded where its loop ends. The last splits are visited first. */
#include "passes/pass.h"
#include "passes/support/collect.h"
#include "passes/support/rounding.h"
#include "passes/support/splat.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/linear_layout.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { MAX_OPERANDS = 8 };

/* Whether tt.splat supports the element type of `tensor`. arith supports others, which the lowering rejects. */
static bool can_be_spread(MlirType tensor) {
  enum { MAX_BITS = 64 };
  MlirType element = mlirShapedTypeGetElementType(tensor);
  unsigned bits = 1;
  if (mlirTypeIsAInteger(element))
    bits = mlirIntegerTypeGetWidth(element);
  else if (mlirTypeIsAFloat(element))
    bits = mlirFloatTypeGetWidth(element);
  return bits <= MAX_BITS && (bits & (bits - 1)) == 0;
}

static bool is_candidate(MlirOperation op) {
  const intptr_t n = mlirOperationGetNumOperands(op);
  if (n < 1 || n > MAX_OPERANDS || mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumRegions(op) ||
      !nereidMlirOperationHasTrait(op, NereidMlirTraitElementwise) || !nereidMlirOperationIsPure(op) ||
      !mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetResult(op, 0))) ||
      !can_be_spread(mlirValueGetType(mlirOperationGetResult(op, 0))))
    return false;
  for (intptr_t i = 0; i < n; ++i)
    if (!mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return false;
  return true;
}

/* A type with the shape and encoding of `shape` and the element type of `element`. */
static MlirType like(MlirType shape, MlirType element) {
  int64_t sizes[NEREID_LAYOUT_MAX_RANK];
  const intptr_t rank = mlirShapedTypeGetRank(shape);
  for (intptr_t d = 0; d < rank; ++d)
    sizes[d] = mlirShapedTypeGetDimSize(shape, d);
  return mlirRankedTensorTypeGet(rank, sizes, mlirShapedTypeGetElementType(element),
                                 mlirRankedTensorTypeGetEncoding(shape));
}

/* Clones `op` with other operands and another result type. */
static MlirValue rebuild(MlirOperation op, const MlirValue *operands, MlirType type) {
  MlirOperationState state =
      mlirOperationStateGet(mlirIdentifierStr(mlirOperationGetName(op)), mlirOperationGetLocation(op));
  mlirOperationStateAddOperands(&state, mlirOperationGetNumOperands(op), operands);
  mlirOperationStateAddResults(&state, 1, &type);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  MlirOperation made = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, made);
  return mlirOperationGetResult(made, 0);
}

static void replace(MlirOperation op, MlirOperation by, intptr_t result) {
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), mlirOperationGetResult(by, result));
  nereidMlirOperationErase(op);
}

/* The splat of a scalar that defines `value`; null for other values and for splats of tensors of rank 0. */
static MlirOperation scalar_splat(MlirValue value) {
  MlirOperation splat = nereid_defining_op_of_kind(value, NEREID_OP_TT_SPLAT);
  if (mlirOperationIsNull(splat) || mlirTypeIsARankedTensor(mlirValueGetType(nereid_tt_splat_get_src(splat))))
    return (MlirOperation){NULL};
  return splat;
}

/* Hoists `op` above its operands if all of them are splats. */
static bool reorder_splats(MlirOperation op) {
  MlirValue scalars[MAX_OPERANDS];
  const intptr_t n = mlirOperationGetNumOperands(op);
  intptr_t splats = 0;
  for (intptr_t i = 0; i < n; ++i) {
    MlirOperation splat = scalar_splat(mlirOperationGetOperand(op, i));
    if (mlirOperationIsNull(splat) && mlirAttributeIsNull(nereid_splat_constant(mlirOperationGetOperand(op, i))))
      return false;
    splats += !mlirOperationIsNull(splat);
  }
  if (!splats) /* left to folding */
    return false;
  nereid_builder_t builder = nereid_builder_before(op);
  for (intptr_t i = 0; i < n; ++i) {
    MlirOperation splat = scalar_splat(mlirOperationGetOperand(op, i));
    scalars[i] = mlirOperationIsNull(splat) ? nereid_arith_constant_get_result(nereid_arith_constant_build(
                                                  &builder, nereid_splat_constant(mlirOperationGetOperand(op, i))))
                                            : mlirOperationGetOperand(splat, 0);
  }
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  replace(op, nereid_tt_splat_build(&builder, type, rebuild(op, scalars, mlirShapedTypeGetElementType(type))), 0);
  return true;
}

/* The common source type of the broadcasts among the operands; null when there is none, when the types differ, or when
 * an operand is neither a broadcast nor a splat. */
static MlirType common_source(MlirOperation op) {
  MlirType source = {NULL};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    MlirOperation broadcast = nereid_defining_op_of_kind(operand, NEREID_OP_TT_BROADCAST);
    if (mlirOperationIsNull(broadcast)) {
      if (mlirOperationIsNull(scalar_splat(operand)) && mlirAttributeIsNull(nereid_splat_constant(operand)))
        return (MlirType){NULL};
      continue;
    }
    MlirType type = mlirValueGetType(mlirOperationGetOperand(broadcast, 0));
    if (!mlirTypeIsNull(source) && !mlirTypeEqual(like(type, source), source))
      return (MlirType){NULL};
    source = type;
  }
  return source;
}

static bool reorder_broadcasts(MlirOperation op) {
  MlirType source = common_source(op);
  MlirValue operands[MAX_OPERANDS];
  if (mlirTypeIsNull(source))
    return false;
  nereid_builder_t builder = nereid_builder_before(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    MlirOperation broadcast = nereid_defining_op_of_kind(operand, NEREID_OP_TT_BROADCAST);
    MlirOperation splat = scalar_splat(operand);
    MlirType type = like(source, mlirValueGetType(operand));
    if (!mlirOperationIsNull(broadcast))
      operands[i] = mlirOperationGetOperand(broadcast, 0);
    else if (!mlirOperationIsNull(splat))
      operands[i] =
          nereid_tt_splat_get_result(nereid_tt_splat_build(&builder, type, mlirOperationGetOperand(splat, 0)));
    else
      operands[i] = nereid_arith_constant_get_result(
          nereid_arith_constant_build(&builder, mlirDenseElementsAttrSplatGet(type, nereid_splat_constant(operand))));
  }
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  replace(op, nereid_tt_broadcast_build(&builder, type, rebuild(op, operands, like(source, type))), 0);
  return true;
}

static bool is_view(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  return kind == NEREID_OP_TT_TRANS || kind == NEREID_OP_TT_RESHAPE || kind == NEREID_OP_TT_SPLIT;
}

/* Whether all results of `view` are rounded, and in the same way. */
static bool is_rounded(MlirOperation view) {
  MlirOperation first = nereid_rounding_of(view, 0);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(view); ++i) {
    MlirOperation rounding = nereid_rounding_of(view, i);
    if (mlirOperationIsNull(rounding) ||
        !mlirTypeEqual(mlirValueGetType(nereid_ir_result(rounding)), mlirValueGetType(nereid_ir_result(first))) ||
        !mlirAttributeEqual(nereid_arith_truncf_get_roundingmode_attr(rounding),
                            nereid_arith_truncf_get_roundingmode_attr(first)))
      return false;
  }
  return true;
}

/* Rounds the operand of `view` instead of its results. */
static bool round_first(MlirOperation view) {
  if (!is_rounded(view))
    return false;
  MlirOperation first = nereid_rounding_of(view, 0), rounding = mlirOperationClone(first);
  MlirValue operand = mlirOperationGetOperand(view, 0);
  mlirOperationSetOperand(rounding, 0, operand);
  mlirValueSetType(nereid_ir_result(rounding),
                   like(mlirValueGetType(operand), mlirValueGetType(nereid_ir_result(first))));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(view), view, rounding);
  mlirOperationSetOperand(view, 0, nereid_ir_result(rounding));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(view); ++i) {
    MlirOperation replaced = nereid_rounding_of(view, i);
    mlirValueSetType(mlirOperationGetResult(view, i), mlirValueGetType(nereid_ir_result(replaced)));
    replace(replaced, view, i);
  }
  return true;
}

/* Moves roundings above `split` and the views before it; returns above how many. */
static int64_t round_before_split(MlirOperation split) {
  int64_t count = 0;
  for (MlirOperation view = split, next; !mlirOperationIsNull(view) && is_view(view); view = next) {
    next = nereid_defining_op(mlirOperationGetOperand(view, 0));
    if (!round_first(view))
      break;
    ++count;
  }
  return count;
}

MlirLogicalResult nereid_pass_triton_reorder_broadcast(nereid_pass_t *pass) {
  nereid_operations_t ops = {0}, splits = {0};
  int64_t count = 0;
  if (!nereid_collect(pass->op, is_candidate, pass->scratch, &ops) ||
      !nereid_collect_kind(pass->op, NEREID_OP_TT_SPLIT, pass->scratch, &splits))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < ops.size; ++i)
    count += reorder_splats(ops.data[i]) || reorder_broadcasts(ops.data[i]);
  for (size_t i = splits.size; i-- > 0;)
    count += round_before_split(splits.data[i]);
  nereid_pass_statistic_add(pass, "reordered", count);
  return mlirLogicalResultSuccess();
}
