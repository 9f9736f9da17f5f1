/* Layouts for another number of warps; see relayout.h. */
#include "passes/warp_specialization/relayout.h"

#include "dialects/ir.h"
#include "dialects/ttg/encoding/encoding.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

/* --- layouts --- */

static MlirAttribute with_warps(MlirAttribute encoding, int32_t warps);

static MlirAttribute blocked_with_warps(MlirAttribute encoding, int32_t warps) {
  MlirAttribute before = nereid_ttg_blocked_attr_get_warps_per_cta(encoding),
                order = nereid_ttg_blocked_attr_get_order(encoding);
  int32_t counts[NEREID_TTG_MAX_RANK], all = 1;
  const intptr_t rank = mlirDenseArrayGetNumElements(before);
  for (intptr_t d = 0; d < rank; ++d)
    all *= counts[d] = mlirDenseI32ArrayGetElement(before, d);
  for (intptr_t i = rank; i-- > 0;) { /* the slowest dimension first */
    int32_t *count = &counts[mlirDenseI32ArrayGetElement(order, i)];
    for (; all > warps && *count > 1; all /= 2)
      *count /= 2;
  }
  counts[mlirDenseI32ArrayGetElement(order, rank - 1)] *= warps / all;
  return nereid_ttg_blocked_attr_create(mlirAttributeGetContext(encoding),
                                        nereid_ttg_blocked_attr_get_size_per_thread(encoding),
                                        nereid_ttg_blocked_attr_get_threads_per_warp(encoding),
                                        mlirDenseI32ArrayGet(mlirAttributeGetContext(encoding), rank, counts), order,
                                        nereid_ttg_blocked_attr_get_cga_layout(encoding));
}

/* The layout for `warps` warps; null where it has no such form. */
static MlirAttribute with_warps(MlirAttribute encoding, int32_t warps) {
  if (nereid_ttg_blocked_attr_isa(encoding))
    return blocked_with_warps(encoding, warps);
  if (!nereid_ttg_slice_attr_isa(encoding))
    return (MlirAttribute){NULL};
  MlirAttribute parent = with_warps(nereid_ttg_slice_attr_get_parent(encoding), warps);
  return mlirAttributeIsNull(parent) ? parent
                                     : nereid_ttg_slice_attr_create(mlirAttributeGetContext(encoding),
                                                                    nereid_ttg_slice_attr_get_dim(encoding), parent);
}

/* The type for `warps` warps; null for a tensor whose layout has no such form. */
static MlirType type_with_warps(MlirType type, int32_t warps) {
  if (!mlirTypeIsARankedTensor(type) || mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
    return type;
  MlirAttribute encoding = with_warps(mlirRankedTensorTypeGetEncoding(type), warps);
  int64_t shape[NEREID_TTG_MAX_RANK];
  const intptr_t rank = mlirShapedTypeGetRank(type);
  if (mlirAttributeIsNull(encoding) || rank > NEREID_TTG_MAX_RANK)
    return (MlirType){NULL};
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = mlirShapedTypeGetDimSize(type, d);
  return mlirRankedTensorTypeGet(rank, shape, mlirShapedTypeGetElementType(type), encoding);
}

/* --- ops --- */

static bool has_form(MlirValue value) {
  return !mlirTypeIsNull(type_with_warps(mlirValueGetType(value), 1));
}

/* Whether the verifier computes the layout of the result by another rule. */
static bool has_own_rule(nereid_op_kind_t kind) {
  return kind == NEREID_OP_TT_RESHAPE || kind == NEREID_OP_TT_JOIN || kind == NEREID_OP_TT_SPLIT ||
         kind == NEREID_OP_TT_CAT;
}

static MlirWalkResult check(MlirOperation op, void *user_data) {
  bool *possible = user_data;
  MlirAttribute constant =
      nereid_op_kind(op) == NEREID_OP_ARITH_CONSTANT ? nereid_ir_attribute(op, "value") : (MlirAttribute){NULL};
  *possible = *possible && !has_own_rule(nereid_op_kind(op));
  if (!mlirAttributeIsNull(constant) && mlirAttributeIsADenseElements(constant))
    *possible = *possible && mlirDenseElementsAttrIsSplat(constant);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    *possible = *possible && has_form(mlirOperationGetOperand(op, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    *possible = *possible && has_form(mlirOperationGetResult(op, i));
  return MlirWalkResultAdvance;
}

bool nereid_relayout_is_possible(MlirOperation op) {
  bool possible = true;
  mlirOperationWalk(op, check, &possible, MlirWalkPreOrder);
  return possible;
}

static void relay_value(MlirValue value, int32_t warps) {
  MlirType type = type_with_warps(mlirValueGetType(value), warps);
  if (!mlirTypeIsNull(type))
    mlirValueSetType(value, type);
}

static void relay_block(MlirBlock block, int32_t warps);

static void relay_op(MlirOperation op, int32_t warps) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    relay_value(mlirOperationGetResult(op, i), warps);
  MlirAttribute value =
      nereid_op_kind(op) == NEREID_OP_ARITH_CONSTANT ? nereid_ir_attribute(op, "value") : (MlirAttribute){NULL};
  if (!mlirAttributeIsNull(value) && mlirAttributeIsADenseElements(value))
    nereid_ir_set_attribute(op, "value",
                            mlirDenseElementsAttrSplatGet(mlirValueGetType(nereid_ir_result(op)),
                                                          mlirDenseElementsAttrGetSplatValue(value)));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    nereid_relayout(mlirOperationGetRegion(op, r), warps);
}

static void relay_block(MlirBlock block, int32_t warps) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    relay_value(mlirBlockGetArgument(block, i), warps);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    relay_op(op, warps);
}

void nereid_relayout(MlirRegion region, int32_t warps) {
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    relay_block(block, warps);
}
