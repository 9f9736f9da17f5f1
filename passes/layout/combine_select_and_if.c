/* tritongpu-combine-tensor-select-and-if: folds a select before a branch on the same condition into the branch's
 * results.
 *
 *   %s = arith.select %c, %x, %y            %s, %r = scf.if %c {
 *   %r = scf.if %c { … yield %a }    ->       … yield %x, %a
 *        else { … yield %b }                } else { … yield %y, %b }
 *   use %s                                  use %s
 *
 * This removes the elementwise selection, and registers for both values. All users of the select must be after the
 * branch or inside it; users inside get the operand of their region. The pass runs again after the last
 * canonicalization, which turns results of a branch into selects where both values precede it. */
#include "passes/pass.h"
#include "passes/support/branch.h"
#include "passes/support/collect.h"

#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

static bool comes_before(MlirOperation a, MlirOperation b) {
  for (MlirOperation op = mlirOperationGetNextInBlock(a); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (mlirOperationEqual(op, b))
      return true;
  return false;
}

/* Whether all users of the select are inside or after `branch`. */
static bool fits(MlirOperation select, MlirOperation branch) {
  MlirBlock block = mlirOperationGetBlock(branch);
  if (!mlirBlockEqual(mlirOperationGetBlock(select), block) || !comes_before(select, branch))
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(select, 0)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = nereid_ir_ancestor_in(block, mlirOpOperandGetOwner(use));
    if (mlirOperationIsNull(user) || (!mlirOperationEqual(user, branch) && comes_before(user, branch)))
      return false;
  }
  return true;
}

static bool find_selects(MlirOperation branch, nereid_arena_t *arena, nereid_operations_t *out) {
  for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetOperand(branch, 0)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const bool select = nereid_op_kind(user) == NEREID_OP_ARITH_SELECT && mlirOpOperandGetOperandNumber(use) == 0;
    if (select && mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetResult(user, 0))) && fits(user, branch) &&
        !nereid_vector_push(arena, out, user))
      return false;
  }
  return out->size > 0;
}

/* Replaces uses of the select inside `branch` by the operand that the region selects. */
static void replace_inside(MlirOperation branch, MlirOperation select) {
  MlirValue result = mlirOperationGetResult(select, 0);
  for (MlirOpOperand use = mlirValueGetFirstUse(result), next; !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use), at = user;
    while (!mlirOperationIsNull(at) && !mlirOperationEqual(mlirOperationGetParentOperation(at), branch))
      at = mlirOperationGetParentOperation(at);
    if (mlirOperationIsNull(at))
      continue;
    MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(at));
    const bool first = mlirRegionEqual(region, mlirOperationGetRegion(branch, 0));
    mlirOperationSetOperand(user, mlirOpOperandGetOperandNumber(use), mlirOperationGetOperand(select, first ? 1 : 2));
  }
}

static void merge(nereid_arena_t *arena, MlirOperation branch, const nereid_operations_t *selects) {
  NEREID_VECTOR(MlirValue) yes = {0}, no = {0};
  const intptr_t old = mlirOperationGetNumResults(branch);
  for (size_t i = 0; i < selects->size; ++i) {
    replace_inside(branch, selects->data[i]);
    if (!nereid_vector_push(arena, &yes, mlirOperationGetOperand(selects->data[i], 1)) ||
        !nereid_vector_push(arena, &no, mlirOperationGetOperand(selects->data[i], 2)))
      return;
  }
  MlirOperation made = nereid_branch_add_results(branch, (intptr_t)selects->size, yes.data, no.data);
  for (size_t i = 0; i < selects->size; ++i) {
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(selects->data[i], 0),
                                  mlirOperationGetResult(made, old + (intptr_t)i));
    nereidMlirOperationErase(selects->data[i]);
  }
}

MlirLogicalResult nereid_pass_tritongpu_combine_tensor_select_and_if(nereid_pass_t *pass) {
  nereid_operations_t branches = {0};
  int64_t count = 0;
  if (!nereid_collect_kind(pass->op, NEREID_OP_SCF_IF, pass->scratch, &branches))
    return mlirLogicalResultFailure();
  for (size_t i = branches.size; i-- > 0;) {
    nereid_operations_t selects = {0};
    if (!find_selects(branches.data[i], pass->scratch, &selects))
      continue;
    merge(pass->scratch, branches.data[i], &selects);
    count += (int64_t)selects.size;
  }
  nereid_pass_statistic_add(pass, "selections", count);
  return pass->scratch->failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
