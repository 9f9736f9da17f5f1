/* Parts and changes of scf.for; see loop.h. */
#include "passes/support/loop.h"

#include "dialects/ir.h"
#include "passes/support/branch.h"
#include "seam/ir.h"

MlirBlock nereid_loop_body(MlirOperation loop) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
}

bool nereid_loop_is_around(MlirOperation op) {
  MlirOperation around = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(around) && nereid_op_kind(around) != NEREID_OP_TT_FUNC &&
         !nereidMlirOperationIsLoopLike(around))
    around = mlirOperationGetParentOperation(around);
  return !mlirOperationIsNull(around) && nereidMlirOperationIsLoopLike(around);
}

bool nereid_loop_has(MlirOperation loop, nereid_op_kind_t kind) {
  for (MlirOperation op = mlirBlockGetFirstOperation(nereid_loop_body(loop)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_op_kind(op) == kind)
      return true;
  return false;
}

MlirValue nereid_loop_initial(MlirOperation loop, intptr_t i) {
  return mlirOperationGetOperand(loop, NEREID_LOOP_BOUNDS + i);
}

MlirValue nereid_loop_argument(MlirOperation loop, intptr_t i) {
  return mlirBlockGetArgument(nereid_loop_body(loop), 1 + i);
}

void nereid_loop_set_initial(MlirOperation loop, intptr_t i, MlirValue value) {
  mlirOperationSetOperand(loop, NEREID_LOOP_BOUNDS + i, value);
}

static bool is_used(MlirValue value) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(value));
}

bool nereid_loop_uses_carried(MlirOperation loop, intptr_t i) {
  return is_used(nereid_loop_argument(loop, i)) || is_used(mlirOperationGetResult(loop, i));
}

/* Whether carried values `i` and `k` are equal in each iteration. */
static bool are_equal(MlirOperation loop, intptr_t i, intptr_t k) {
  MlirOperation yield = mlirBlockGetTerminator(nereid_loop_body(loop));
  return mlirValueEqual(mlirOperationGetOperand(yield, i), mlirOperationGetOperand(yield, k)) &&
         mlirValueEqual(nereid_loop_initial(loop, i), nereid_loop_initial(loop, k));
}

void nereid_loop_merge_carried(MlirOperation loop) {
  for (intptr_t k = 1; k < mlirOperationGetNumResults(loop); ++k) {
    intptr_t i = 0;
    while (!are_equal(loop, i, k))
      ++i;
    if (i == k)
      continue;
    mlirValueReplaceAllUsesOfWith(nereid_loop_argument(loop, k), nereid_loop_argument(loop, i));
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, k), mlirOperationGetResult(loop, i));
  }
}

MlirOperation nereid_loop_with_carried(MlirOperation loop, intptr_t n, const MlirValue *initial) {
  MlirLocation location = mlirOperationGetLocation(loop);
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("scf.for"), location);
  const intptr_t results = mlirOperationGetNumResults(loop);
  MlirRegion region = mlirRegionCreate();
  mlirRegionTakeBody(region, mlirOperationGetRegion(loop, 0));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(loop); ++i) {
    MlirValue operand = mlirOperationGetOperand(loop, i);
    mlirOperationStateAddOperands(&state, 1, &operand);
  }
  mlirOperationStateAddOperands(&state, n, initial);
  for (intptr_t i = 0; i < results; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(loop, i));
    mlirOperationStateAddResults(&state, 1, &type);
  }
  for (intptr_t i = 0; i < n; ++i) {
    MlirType type = mlirValueGetType(initial[i]);
    mlirOperationStateAddResults(&state, 1, &type);
    mlirBlockAddArgument(mlirRegionGetFirstBlock(region), type, location);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(loop); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(loop, i);
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirOperation made = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(loop), loop, made);
  for (intptr_t i = 0; i < results; ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, i), mlirOperationGetResult(made, i));
  nereidMlirOperationErase(loop);
  return made;
}

/* Appends an scf.yield of the values that `get` returns for the results of `op`. */
static MlirOperation yield_values(MlirBlock block, MlirOperation op, MlirValue (*get)(MlirOperation op, intptr_t i)) {
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("scf.yield"), mlirOperationGetLocation(op));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue value = get(op, i);
    mlirOperationStateAddOperands(&state, 1, &value);
  }
  MlirOperation yield = mlirOperationCreate(&state);
  mlirBlockAppendOwnedOperation(block, yield);
  return yield;
}

MlirOperation nereid_loop_yield_results(MlirBlock block, MlirOperation op) {
  return yield_values(block, op, mlirOperationGetResult);
}

MlirOperation nereid_loop_branch_around(MlirOperation loop, MlirValue condition, MlirBlock otherwise) {
  nereid_builder_t builder = nereid_builder_before(mlirOperationGetNextInBlock(loop));
  builder.location = mlirOperationGetLocation(loop);
  if (mlirBlockIsNull(otherwise)) {
    otherwise = mlirBlockCreate(0, NULL, NULL);
    yield_values(otherwise, loop, nereid_loop_initial);
  }
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirOperationRemoveFromParent(loop);
  mlirBlockAppendOwnedOperation(block, loop);
  MlirOperation yield = nereid_loop_yield_results(block, loop);
  MlirOperation branch = nereid_branch_build(&builder, condition, block, otherwise);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i)
    mlirValueReplaceAllUsesExcept(mlirOperationGetResult(loop, i), mlirOperationGetResult(branch, i), 1, &yield);
  return branch;
}
