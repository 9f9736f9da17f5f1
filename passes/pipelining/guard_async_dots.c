/* nereid-guard-async-dots: completes the dots that a loop leaves in flight before control flow from around it joins.
 *
 *   %r = scf.for %i = %a to %b … iter_args(%acc = %zero)      %w = scf.if (%a < %b) {
 *     … ttng.warp_group_dot %x, %y, %acc {isAsync = true}  ->    %r = scf.for …
 *   }                                                            %w0 = ttng.warp_group_dot_wait %r {pendings = 0}
 *   %w = ttng.warp_group_dot_wait %r {pendings = 0}              scf.yield %w0
 *                                                              } else { scf.yield %zero }
 *
 * LLVM turns the loop into one with its condition at the end, and branches around it where no iteration exists. The
 * initial values that this branch moves into the accumulators then join registers that a wgmma still writes. ptxas
 * serializes all wgmma of the function (C7515) unless it can move these copies before the loop. After the rewrite,
 * registers are complete where the branches join. LLVM folds the condition of the loop into that of the branch.
 *
 * A rounding of the results moves into both branches: half as many registers then join.
 *
 * Loops with a first iteration in all cases are not changed. Runs before structured control flow is lowered. */
#include "passes/pass.h"
#include "passes/pipelining/expansion/loop_range.h"
#include "passes/support/collect.h"
#include "passes/support/loop.h"

#include "dialects/ir.h"
#include "nereid/dialects/ttng.h"
#include "seam/ir.h"

/* Returns the wait after `loop`, in its block, that completes its results; null when there is none. */
static MlirOperation wait_of(MlirOperation loop) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i) {
    MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(loop, i));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      if (nereid_op_kind(user) == NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT &&
          mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(loop)) &&
          nereid_ttng_warp_group_dot_wait_get_pendings(user) == 0)
        return user;
    }
  }
  return (MlirOperation){NULL};
}

/* Returns the index of the result of `op` that `value` is; -1 for other values. */
static intptr_t result_index(MlirOperation op, MlirValue value) {
  return mlirValueIsAOpResult(value) && mlirOperationEqual(mlirOpResultGetOwner(value), op)
             ? mlirOpResultGetResultNumber(value)
             : -1;
}

static bool waits_only_for(MlirOperation wait, MlirOperation loop) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(wait); ++i)
    if (result_index(loop, mlirOperationGetOperand(wait, i)) < 0)
      return false;
  return true;
}

/* The arith.truncf in the block of `branch` that is the only use of `result`; null when there is none. */
static MlirOperation rounding_of(MlirOperation branch, MlirValue result) {
  MlirOpOperand use = mlirValueGetFirstUse(result);
  if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return (MlirOperation){NULL};
  MlirOperation user = mlirOpOperandGetOwner(use);
  const bool found = nereid_op_kind(user) == NEREID_OP_ARITH_TRUNCF &&
                     mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(branch));
  return found ? user : (MlirOperation){NULL};
}

/* Moves the rounding of result `index` of `branch` into both of its blocks. */
static void round_inside(MlirOperation branch, intptr_t index) {
  MlirValue result = mlirOperationGetResult(branch, index);
  MlirOperation rounding = rounding_of(branch, result);
  if (mlirOperationIsNull(rounding))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(branch); ++i) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(branch, i));
    MlirOperation yield = mlirBlockGetTerminator(block), inside = mlirOperationClone(rounding);
    mlirBlockInsertOwnedOperationBefore(block, yield, inside);
    mlirOperationSetOperand(inside, 0, mlirOperationGetOperand(yield, index));
    mlirOperationSetOperand(yield, index, nereid_ir_result(inside));
  }
  mlirValueSetType(result, mlirValueGetType(nereid_ir_result(rounding)));
  mlirValueReplaceAllUsesOfWith(nereid_ir_result(rounding), result);
  nereidMlirOperationErase(rounding);
}

/* Moves `loop` and `wait` into an scf.if of `condition`, whose results are those of both. */
static void guard(MlirOperation loop, MlirOperation wait, MlirValue condition) {
  MlirOperation branch = nereid_loop_branch_around(loop, condition, (MlirBlock){NULL});
  MlirBlock block = mlirOperationGetBlock(loop);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(wait); ++i) {
    const intptr_t result = result_index(branch, mlirOperationGetOperand(wait, i));
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(wait, i), mlirOperationGetResult(branch, result));
    mlirOperationSetOperand(wait, i, mlirOperationGetResult(loop, result));
    mlirOperationSetOperand(mlirBlockGetTerminator(block), result, mlirOperationGetResult(wait, i));
  }
  mlirOperationMoveAfter(wait, loop);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(branch); ++i)
    round_inside(branch, i);
}

MlirLogicalResult nereid_pass_guard_async_dots(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  int64_t guarded = 0;
  if (!nereid_collect_kind(pass->op, NEREID_OP_SCF_FOR, pass->scratch, &loops))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < loops.size; ++i) {
    nereid_loop_range_t range;
    MlirOperation loop = loops.data[i], wait = wait_of(loop);
    if (mlirOperationIsNull(wait) || !waits_only_for(wait, loop))
      continue;
    nereid_loop_range_read(loop, pass->scratch, &range);
    const nereid_builder_t builder = nereid_builder_before(loop);
    MlirValue condition = nereid_loop_range_contains(&range, &builder, 0);
    if (mlirValueIsNull(condition))
      continue;
    guard(loop, wait, condition);
    ++guarded;
  }
  nereid_pass_statistic_add(pass, "loops", guarded);
  return mlirLogicalResultSuccess();
}
