/* Slices of loads in loops; see loop_stages.h. */
#include "passes/pipelining/loop_stages.h"

#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

static MlirBlock body_of(MlirOperation loop) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
}

bool nereid_loop_collect(MlirOperation root, nereid_arena_t *arena, nereid_operations_t *out) {
  return nereid_collect_kind(root, NEREID_OP_SCF_FOR, arena, out);
}

nereid_arith_cmp_i_predicate_t nereid_loop_less_than(MlirOperation loop) {
  return nereid_scf_for_get_unsigned_cmp(loop) ? NEREID_ARITH_CMP_I_PREDICATE_ULT : NEREID_ARITH_CMP_I_PREDICATE_SLT;
}

int64_t nereid_loop_integer(MlirOperation op, const char *name, int64_t missing) {
  MlirAttribute value = nereid_ir_attribute(op, name);
  return mlirAttributeIsNull(value) || !mlirAttributeIsAInteger(value) ? missing : mlirIntegerAttrGetValueInt(value);
}

void nereid_loop_set_integer(MlirOperation op, const char *name, int64_t value) {
  MlirType i32 = mlirIntegerTypeGet(mlirOperationGetContext(op), 32);
  mlirOperationSetDiscardableAttributeByName(op, nereid_ir_ref(name), mlirIntegerAttrGet(i32, value));
}

static MlirWalkResult find_dot(MlirOperation op, void *user_data) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  const bool dot = kind == NEREID_OP_TT_DOT || kind == NEREID_OP_TT_DOT_SCALED || kind == NEREID_OP_TTNG_WARP_GROUP_DOT;
  *(bool *)user_data |= dot;
  return dot ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool nereid_loop_has_dot(MlirOperation loop) {
  bool dot = false;
  mlirOperationWalk(loop, find_dot, &dot, MlirWalkPreOrder);
  return dot;
}

bool nereid_loop_collect_marked(MlirOperation loop, const char *name, nereid_arena_t *arena, nereid_operations_t *out) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body_of(loop)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_loop_integer(op, name, -1) >= 0 && !nereid_vector_push(arena, out, op))
      return false;
  return true;
}

/* An empty loop like `old`, before it, that also carries `initial`. */
static MlirOperation create_loop(MlirOperation old, intptr_t n, const MlirValue *initial) {
  MlirBlock body = body_of(old), block = mlirBlockCreate(0, NULL, NULL);
  MlirLocation location = mlirOperationGetLocation(old);
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("scf.for"), location);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(old); ++i) {
    MlirValue operand = mlirOperationGetOperand(old, i);
    mlirOperationStateAddOperands(&state, 1, &operand);
  }
  mlirOperationStateAddOperands(&state, n, initial);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body) + n; ++i) {
    const intptr_t added = i - mlirBlockGetNumArguments(body);
    MlirType type = mlirValueGetType(added < 0 ? mlirBlockGetArgument(body, i) : initial[added]);
    mlirBlockAddArgument(block, type, added < 0 ? mlirValueGetLocation(mlirBlockGetArgument(body, i)) : location);
    if (i > 0)
      mlirOperationStateAddResults(&state, 1, &type);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(old); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(old, i);
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirOperation made = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(old), old, made);
  return made;
}

MlirOperation nereid_loop_with_carried(MlirOperation loop, intptr_t n, const MlirValue *initial) {
  MlirOperation made = create_loop(loop, n, initial);
  MlirBlock body = body_of(loop), block = body_of(made);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i), mlirBlockGetArgument(block, i));
  nereidMlirBlockSplice(block, (MlirOperation){NULL}, body);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, i), mlirOperationGetResult(made, i));
  nereidMlirOperationErase(loop);
  return made;
}
