/* Predicates of ops; see predicate.h. */
#include "passes/pipelining/expansion/predicate.h"

#include "dialects/ir.h"
#include "layout/linear_layout.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinTypes.h"

bool nereid_predicate_is_needed(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_LOAD:
  case NEREID_OP_TT_STORE:
  case NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL:
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
  case NEREID_OP_TTNG_BARRIER_EXPECT:
  case NEREID_OP_TTNG_WAIT_BARRIER:
    return true;
  case NEREID_OP_TTNG_ARRIVE_BARRIER:
    return !mlirValueIsNull(nereid_ttng_arrive_barrier_get_pred(op));
  case NEREID_OP_SCF_IF:
    return !nereidMlirOperationIsPure(op);
  default:
    return false;
  }
}

/* Whether the ops of the second region of an scf.if, which a false condition executes, are pure. */
static bool is_otherwise_pure(MlirOperation branch) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(branch, 1));
  if (mlirBlockIsNull(block))
    return true;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (!nereidMlirOperationIsPure(op) && nereid_op_kind(op) != NEREID_OP_SCF_YIELD)
      return false;
  return true;
}

bool nereid_predicate_is_possible(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_DOT:
  case NEREID_OP_TT_DOT_SCALED:
  case NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT:
    return false;
  case NEREID_OP_TT_DESCRIPTOR_LOAD: /* pads outside of the tensor */
  case NEREID_OP_TTNG_WARP_GROUP_DOT:
  case NEREID_OP_TTG_ASYNC_COMMIT_GROUP:
  case NEREID_OP_TTG_ASYNC_WAIT:
  case NEREID_OP_TTG_LOCAL_GATHER: /* every index reads the buffer */
  case NEREID_OP_TTG_LOCAL_LOAD:
  case NEREID_OP_TTG_LOCAL_STORE:
    return true;
  case NEREID_OP_SCF_IF:
    return nereidMlirOperationIsPure(op) || is_otherwise_pure(op);
  default:
    return nereid_predicate_is_needed(op) || nereidMlirOperationIsMemoryEffectFree(op);
  }
}

/* i1, or a tensor of them like `type`. */
static MlirType mask_type(MlirContext context, MlirType type) {
  int64_t shape[NEREID_LAYOUT_MAX_RANK];
  MlirType i1 = mlirIntegerTypeGet(context, 1);
  if (!mlirTypeIsARankedTensor(type))
    return i1;
  const intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = mlirShapedTypeGetDimSize(type, d);
  return mlirRankedTensorTypeGet(rank, shape, i1, mlirRankedTensorTypeGetEncoding(type));
}

static bool is_true(MlirValue value) {
  MlirAttribute constant = nereidMlirValueGetConstant(value);
  return !mlirAttributeIsNull(constant) && mlirAttributeIsAInteger(constant) &&
         mlirIntegerAttrGetValueInt(constant) != 0;
}

static MlirValue both(const nereid_builder_t *builder, MlirValue exists, MlirValue predicate) {
  return is_true(predicate) ? exists : nereid_ir_result(nereid_arith_andi_build(builder, exists, predicate));
}

/* `mask` (null: all) and `exists`, for an access through `pointer`. */
static MlirValue restrict_mask(const nereid_builder_t *builder, MlirValue pointer, MlirValue mask, MlirValue exists) {
  MlirType type = mlirValueGetType(pointer);
  MlirValue all = exists;
  if (mlirTypeIsARankedTensor(type))
    all = nereid_ir_result(nereid_tt_splat_build(builder, mask_type(mlirTypeGetContext(type), type), exists));
  return mlirValueIsNull(mask) ? all : nereid_ir_result(nereid_arith_andi_build(builder, all, mask));
}

/* The operand of an op that has a predicate itself; -1 for other ops. */
static intptr_t predicate_operand(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
  case NEREID_OP_TTNG_BARRIER_EXPECT:
    return mlirOperationGetNumOperands(op) - 1;
  case NEREID_OP_TTNG_ARRIVE_BARRIER:
    return mlirValueIsNull(nereid_ttng_arrive_barrier_get_pred(op)) ? -1 : 1;
  default:
    return -1;
  }
}

static MlirOperation replace(MlirOperation op, MlirOperation by) {
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(op); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(op, i);
    mlirOperationSetDiscardableAttributeByName(by, mlirIdentifierStr(attribute.name), attribute.attribute);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, i), mlirOperationGetResult(by, i));
  nereidMlirOperationErase(op);
  return by;
}

static MlirOperation restrict_wait(const nereid_builder_t *builder, MlirOperation op, MlirValue exists) {
  MlirValue predicate = nereid_ttng_wait_barrier_get_pred(op), *deps = NULL;
  return nereid_ttng_wait_barrier_build(builder, nereid_ttng_wait_barrier_get_alloc(op),
                                        nereid_ttng_wait_barrier_get_phase(op),
                                        mlirValueIsNull(predicate) ? exists : both(builder, exists, predicate), 0, deps,
                                        nereid_ttng_wait_barrier_get_first_warp(op));
}

MlirOperation nereid_predicate_apply(MlirOperation op, MlirValue exists) {
  const nereid_builder_t builder = nereid_builder_before(op);
  const intptr_t own = predicate_operand(op);
  MlirValue mask;
  if (own >= 0)
    mlirOperationSetOperand(op, own, both(&builder, exists, mlirOperationGetOperand(op, own)));
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_LOAD:
    mask = restrict_mask(&builder, nereid_tt_load_get_ptr(op), nereid_tt_load_get_mask(op), exists);
    return replace(op, nereid_tt_load_build(&builder, nereid_tt_load_get_ptr(op), mask, nereid_tt_load_get_other(op), 0,
                                            NULL, (MlirAttribute){NULL}, nereid_tt_load_get_cache(op),
                                            nereid_tt_load_get_evict(op), nereid_tt_load_get_is_volatile(op)));
  case NEREID_OP_TT_STORE:
    mask = restrict_mask(&builder, nereid_tt_store_get_ptr(op), nereid_tt_store_get_mask(op), exists);
    return replace(op, nereid_tt_store_build(&builder, nereid_tt_store_get_ptr(op), nereid_tt_store_get_value(op), mask,
                                             0, NULL, nereid_tt_store_get_cache(op), nereid_tt_store_get_evict(op)));
  case NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL:
    mask = restrict_mask(&builder, nereid_ttg_async_copy_global_to_local_get_src(op),
                         nereid_ttg_async_copy_global_to_local_get_mask(op), exists);
    return replace(
        op, nereid_ttg_async_copy_global_to_local_build(&builder, nereid_ttg_async_copy_global_to_local_get_src(op),
                                                        nereid_ttg_async_copy_global_to_local_get_result(op), mask,
                                                        nereid_ttg_async_copy_global_to_local_get_other(op),
                                                        nereid_ttg_async_copy_global_to_local_get_cache(op),
                                                        nereid_ttg_async_copy_global_to_local_get_evict(op),
                                                        nereid_ttg_async_copy_global_to_local_get_is_volatile(op),
                                                        nereid_ttg_async_copy_global_to_local_get_contiguity(op)));
  case NEREID_OP_SCF_IF:
    mask = nereid_ir_result(nereid_arith_andi_build(&builder, mlirOperationGetOperand(op, 0), exists));
    mlirOperationSetOperand(op, 0, mask);
    return op;
  case NEREID_OP_TTNG_WAIT_BARRIER:
    return replace(op, restrict_wait(&builder, op, exists));
  default:
    return op;
  }
}
