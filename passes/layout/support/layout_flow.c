/* Maps the layout of a result to those of the operands; see layout_flow.h. Elementwise operations, views and ops
 * without tensor operands take any layout; gathers, loads that must not be repeated, and impure ops do not. */
#include "passes/layout/support/layout_flow.h"

#include "analysis/allocation/scratch.h"
#include "dialects/defining_op.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/linear_layout.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/BuiltinTypes.h"

bool nereid_is_repeatable_load(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_LOAD && !nereid_tt_load_get_is_volatile(op);
}

nereid_layout_flow_t nereid_layout_flow_of(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTG_CONVERT_LAYOUT:
    return NEREID_LAYOUT_FLOW_CONVERT;
  case NEREID_OP_TT_EXPAND_DIMS:
    return NEREID_LAYOUT_FLOW_EXPAND;
  case NEREID_OP_TT_TRANS:
    return NEREID_LAYOUT_FLOW_TRANS;
  case NEREID_OP_TT_RESHAPE:
    return NEREID_LAYOUT_FLOW_RESHAPE;
  case NEREID_OP_TT_REDUCE:
    return mlirOperationGetNumResults(op) == 1 && nereidMlirOperationIsPure(op) ? NEREID_LAYOUT_FLOW_REDUCE
                                                                                : NEREID_LAYOUT_FLOW_NONE;
  case NEREID_OP_TT_SCAN:
    return mlirOperationGetNumResults(op) == 1 && nereidMlirOperationIsPure(op) ? NEREID_LAYOUT_FLOW_SCAN
                                                                                : NEREID_LAYOUT_FLOW_NONE;
  case NEREID_OP_TT_JOIN:
    return NEREID_LAYOUT_FLOW_JOIN;
  case NEREID_OP_TTG_FP4_TO_FP:
    return NEREID_LAYOUT_FLOW_FP4;
  case NEREID_OP_TT_GATHER:
    /* The layout of a gather that needs no shared memory is fixed. */
    return nereid_tt_gather_get_efficient_layout(op) || !nereid_scratch_bytes(op) ? NEREID_LAYOUT_FLOW_NONE
                                                                                  : NEREID_LAYOUT_FLOW_GATHER;
  case NEREID_OP_TTG_LOCAL_LOAD:
    return NEREID_LAYOUT_FLOW_READ;
  case NEREID_OP_TT_BROADCAST:
    return NEREID_LAYOUT_FLOW_SAME;
  case NEREID_OP_TT_SPLAT:
  case NEREID_OP_TT_MAKE_RANGE:
  case NEREID_OP_ARITH_CONSTANT:
  case NEREID_OP_UB_POISON:
    return NEREID_LAYOUT_FLOW_SOURCE;
  default:
    break;
  }
  if (nereid_is_repeatable_load(op))
    return NEREID_LAYOUT_FLOW_SAME;
  const bool effect_free = nereidMlirOperationIsMemoryEffectFree(op) && mlirOperationGetNumRegions(op) == 0;
  const bool elementwise = nereidMlirOperationHasTrait(op, NereidMlirTraitElementwise);
  return effect_free && elementwise && mlirOperationGetNumResults(op) == 1 ? NEREID_LAYOUT_FLOW_SAME
                                                                           : NEREID_LAYOUT_FLOW_NONE;
}

static bool is_recomputable(MlirValue value, int *budget) {
  MlirOperation op = nereid_defining_op(value);
  if (--*budget < 0 || mlirOperationIsNull(op))
    return false;
  const nereid_layout_flow_t flow = nereid_layout_flow_of(op);
  if (flow == NEREID_LAYOUT_FLOW_NONE || flow == NEREID_LAYOUT_FLOW_REDUCE || flow == NEREID_LAYOUT_FLOW_SCAN ||
      flow == NEREID_LAYOUT_FLOW_GATHER || flow == NEREID_LAYOUT_FLOW_READ || nereid_is_repeatable_load(op))
    return false;
  for (intptr_t i = 0; flow != NEREID_LAYOUT_FLOW_SOURCE && i < mlirOperationGetNumOperands(op); ++i)
    if (!is_recomputable(mlirOperationGetOperand(op, i), budget))
      return false;
  return true;
}

bool nereid_is_recomputable(MlirValue value) {
  int budget = 32; /* maximum number of operations to visit */
  return is_recomputable(value, &budget);
}

static bool transposed_back(MlirOperation op, MlirAttribute encoding, MlirAttribute *out) {
  int64_t shape[NEREID_LAYOUT_MAX_RANK];
  int32_t back[NEREID_LAYOUT_MAX_RANK];
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  const intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < rank; ++d) {
    shape[d] = mlirShapedTypeGetDimSize(type, d);
    back[nereid_tt_trans_get_order(op, d)] = (int32_t)d;
  }
  return nereid_ttg_infer_trans_encoding(encoding, rank, shape, back, mlirOperationGetLocation(op), out);
}

static bool reshaped_back(MlirOperation op, MlirAttribute encoding, MlirAttribute *out) {
  const MlirType types[2] = {mlirValueGetType(mlirOperationGetResult(op, 0)),
                             mlirValueGetType(mlirOperationGetOperand(op, 0))};
  int64_t shapes[2][NEREID_LAYOUT_MAX_RANK];
  for (int i = 0; i < 2; ++i)
    for (intptr_t d = 0; d < mlirShapedTypeGetRank(types[i]); ++d)
      shapes[i][d] = mlirShapedTypeGetDimSize(types[i], d);
  return nereid_ttg_infer_reshape_encoding(mlirShapedTypeGetRank(types[0]), shapes[0], encoding,
                                           mlirShapedTypeGetRank(types[1]), shapes[1], (MlirLocation){NULL}, out);
}

/* The encoding of the operands of a join, or of the operand of an fp4_to_fp, whose result has `encoding`. */
static bool part_of(MlirOperation op, nereid_layout_flow_t flow, MlirAttribute encoding, MlirAttribute *out) {
  int64_t shape[NEREID_LAYOUT_MAX_RANK];
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  const intptr_t rank = mlirShapedTypeGetRank(type);
  const MlirLocation silent = {NULL};
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = mlirShapedTypeGetDimSize(type, d);
  return flow == NEREID_LAYOUT_FLOW_JOIN
             ? nereid_ttg_infer_split_encoding(encoding, rank, shape, silent, out)
             : nereid_ttg_infer_fp4_to_fp_encoding(encoding, rank, shape, nereid_ttg_fp4_to_fp_get_axis(op),
                                                   /*forward=*/false, silent, out);
}

bool nereid_layout_flow_operand(MlirOperation op, nereid_layout_flow_t flow, intptr_t i, MlirAttribute encoding,
                                MlirAttribute *out) {
  *out = (MlirAttribute){NULL};
  if (!mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetOperand(op, i))))
    return true;
  if (flow == NEREID_LAYOUT_FLOW_GATHER && i == 0)
    return true;
  *out = encoding;
  if (flow == NEREID_LAYOUT_FLOW_JOIN || flow == NEREID_LAYOUT_FLOW_FP4)
    return part_of(op, flow, encoding, out);
  if (flow == NEREID_LAYOUT_FLOW_EXPAND)
    *out = nereid_ttg_slice_attr_create(mlirOperationGetContext(op), (unsigned)nereid_tt_expand_dims_get_axis(op),
                                        encoding);
  if (flow == NEREID_LAYOUT_FLOW_REDUCE &&
      (!nereid_ttg_slice_attr_isa(encoding) ||
       (int)nereid_ttg_slice_attr_get_dim(encoding) != nereid_tt_reduce_get_axis(op)))
    return false;
  if (flow == NEREID_LAYOUT_FLOW_REDUCE)
    *out = nereid_ttg_slice_attr_get_parent(encoding);
  if (flow == NEREID_LAYOUT_FLOW_TRANS)
    return transposed_back(op, encoding, out);
  if (flow == NEREID_LAYOUT_FLOW_RESHAPE)
    return reshaped_back(op, encoding, out);
  return !mlirAttributeIsNull(*out);
}
