/* Waits inside an scf.if; see branch_waits.h. */
#include "passes/pipelining/branch_waits.h"

#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/ttng.h"
#include "passes/support/branch.h"
#include "seam/effects.h"
#include "seam/ir.h"

static MlirBlock region(MlirOperation branch, intptr_t number) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(branch, number));
}

bool nereid_branch_is_conditional(MlirOperation op) {
  if (nereid_op_kind(op) != NEREID_OP_SCF_IF)
    return false;
  MlirBlock otherwise = region(op, 1);
  return mlirBlockIsNull(otherwise) ||
         mlirOperationEqual(mlirBlockGetFirstOperation(otherwise), mlirBlockGetTerminator(otherwise));
}

/* The number of the region of `branch` that contains `user`; -1 for a user outside. */
static intptr_t region_of(MlirOperation branch, MlirOperation user) {
  MlirOperation op = user;
  while (!mlirOperationIsNull(op) && !mlirOperationEqual(mlirOperationGetParentOperation(op), branch))
    op = mlirOperationGetParentOperation(op);
  return mlirOperationIsNull(op) ? -1 : nereidMlirRegionGetNumber(mlirBlockGetParentRegion(mlirOperationGetBlock(op)));
}

bool nereid_branch_uses_first_only(MlirOperation branch, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (mlirOperationEqual(user, branch) || region_of(branch, user) == 1)
      return false;
  }
  return true;
}

static MlirWalkResult check_harmless(MlirOperation op, void *user_data) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  bool *harmless = user_data;
  *harmless &= mlirOperationGetNumRegions(op) > 0 || kind == NEREID_OP_TT_LOAD || kind == NEREID_OP_TT_STORE ||
               kind == NEREID_OP_TT_DESCRIPTOR_STORE || kind == NEREID_OP_TT_DESCRIPTOR_REDUCE ||
               (kind != NEREID_OP_TTNG_WARP_GROUP_DOT && nereidMlirOperationIsMemoryEffectFree(op));
  return *harmless ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

bool nereid_branch_is_harmless(MlirOperation branch) {
  bool harmless = true;
  mlirOperationWalk(branch, check_harmless, &harmless, MlirWalkPreOrder);
  return harmless;
}

/* Replaces the uses of `value` in the first region of `branch` (`inside`), or after it. */
static void replace_uses(MlirOperation branch, MlirValue value, MlirValue by, MlirOperation except, bool inside) {
  MlirBlock block = mlirOperationGetBlock(branch);
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use), op = nereid_ir_ancestor_in(block, user);
    const bool matches = inside ? region_of(branch, user) == 0
                                : !mlirOperationEqual(op, branch) && mlirOperationIsBeforeInBlock(branch, op);
    if (matches && !mlirOperationEqual(user, except))
      mlirOperationSetOperand(user, mlirOpOperandGetOperandNumber(use), by);
  }
}

void nereid_branch_insert_wait(nereid_arena_t *arena, MlirOperation branch, intptr_t n, const MlirValue *inputs,
                               intptr_t results) {
  MlirValue *outputs = nereid_arena_new(arena, MlirValue, (size_t)results + 1);
  if (!outputs)
    return;
  const nereid_builder_t builder = nereid_builder_before(mlirBlockGetFirstOperation(region(branch, 0)));
  MlirOperation wait = nereid_ttng_warp_group_dot_wait_build(&builder, n, inputs, 0);
  for (intptr_t i = 0; i < results; ++i)
    replace_uses(branch, inputs[i], outputs[i] = mlirOperationGetResult(wait, i), wait, true);
  const intptr_t old = mlirOperationGetNumResults(branch);
  MlirOperation made = nereid_branch_add_results(branch, results, outputs, inputs);
  for (intptr_t i = 0; i < results; ++i)
    replace_uses(made, inputs[i], mlirOperationGetResult(made, old + i), wait, false);
}
