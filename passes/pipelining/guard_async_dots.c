/* nereid-guard-async-dots: completes dots where ptxas requires it: before control flow from around a loop joins, and
 * where it does not recognize that they are complete.
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
 * Loops with a first iteration in all cases are not moved.
 *
 *   scf.for … iter_args(%acc = %zero) {                       scf.for … iter_args(%acc = %zero) {
 *     %d = ttng.warp_group_dot … {isAsync = true}               %h = ttng.warp_group_dot_wait %acc {pendings = 0}
 *     … arith.truncf %acc …                                ->   %d = ttng.warp_group_dot … {isAsync = true}
 *     %w = ttng.warp_group_dot_wait %e {pendings = 0}           … arith.truncf %h …
 *     scf.yield %w                                              %w = ttng.warp_group_dot_wait %e {pendings = 0}
 *
 * ptxas does not recognize that the previous iteration has completed %acc: it inserts a wait before the first use while
 * %d is in flight (C7517), which completes %d, too. The wait at the start of the iteration has nothing to complete.
 *
 * Nor has a wait after the branch of the first drawing, for values that an scf.if changes before they are the
 * accumulators of another loop. Without it ptxas serializes all wgmma (C7515).
 *
 *   %d = ttng.warp_group_dot … {isAsync = true}               %d = ttng.warp_group_dot … {isAsync = true}
 *   %w = ttng.warp_group_dot_wait %d {pendings = 1}      ->    %w = ttng.warp_group_dot_wait %d {pendings = 1}
 *   scf.yield %d                                              scf.yield %w
 *
 * A wait passes its operands through its registers. With a use of an operand after it, as in kernels written in Gluon,
 * LLVM copies the registers after the wait, while the dot that the wait leaves in flight still writes them.
 *
 * Runs before structured control flow is lowered. */
#include "passes/pass.h"
#include "passes/pipelining/expansion/loop_range.h"
#include "passes/support/branch.h"
#include "passes/support/collect.h"
#include "passes/support/loop.h"

#include "base/vector.h"
#include "dialects/ir.h"
#include "nereid/dialects/ttng.h"
#include "seam/ir.h"

typedef NEREID_VECTOR(MlirValue) values_t;

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

/* Waits for `values` where `builder` inserts, and replaces their other uses. */
static void thread_through_wait(const nereid_builder_t *builder, const values_t *values) {
  MlirOperation wait = nereid_ttng_warp_group_dot_wait_build(builder, (intptr_t)values->size, values->data, 0);
  for (size_t i = 0; i < values->size; ++i)
    mlirValueReplaceAllUsesExcept(values->data[i], mlirOperationGetResult(wait, (intptr_t)i), 1, &wait);
}

/* Whether a result of `condition`, an scf.if, is an initial value of a loop. */
static bool starts_loop(MlirOperation condition) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(condition); ++i) {
    MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(condition, i));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
      if (nereid_op_kind(mlirOpOperandGetOwner(use)) == NEREID_OP_SCF_FOR)
        return true;
  }
  return false;
}

/* Whether an scf.if after `branch`, in its block, uses `value` and computes initial values of a loop. */
static bool changes_under_condition(MlirOperation branch, MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = nereid_ir_ancestor_in(mlirOperationGetBlock(branch), mlirOpOperandGetOwner(use));
    if (!mlirOperationIsNull(user) && nereid_op_kind(user) == NEREID_OP_SCF_IF && starts_loop(user))
      return true;
  }
  return false;
}

/* Waits after `branch` for its results that change under a condition before they are accumulators of another loop. */
static void wait_where_branch_joins(MlirOperation branch, MlirLocation location, nereid_arena_t *scratch) {
  values_t values = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(branch); ++i) {
    MlirValue result = mlirOperationGetResult(branch, i);
    if (mlirTypeIsARankedTensor(mlirValueGetType(result)) && changes_under_condition(branch, result))
      nereid_vector_push(scratch, &values, result);
  }
  if (!values.size)
    return;
  nereid_builder_t builder = nereid_builder_before(mlirOperationGetNextInBlock(branch));
  builder.location = location;
  thread_through_wait(&builder, &values);
}

/* Moves `loop` and `wait` into an scf.if of `condition`, whose results are those of both. */
static void guard(MlirOperation loop, MlirOperation wait, MlirValue condition, nereid_arena_t *scratch) {
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
    nereid_branch_round_inside(branch, i, mlirOperationGetNumRegions(branch));
  wait_where_branch_joins(branch, mlirOperationGetLocation(wait), scratch);
}

/* Returns the first dot in `block` from `op` on; null when there is none. An op with regions counts as a dot. */
static MlirOperation first_dot(MlirOperation op) {
  while (!mlirOperationIsNull(op) && nereid_op_kind(op) != NEREID_OP_TTNG_WARP_GROUP_DOT &&
         !mlirOperationGetNumRegions(op))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

/* Whether two dots can be in flight in `block`. */
static bool has_two_dots(MlirBlock block) {
  MlirOperation dot = first_dot(mlirBlockGetFirstOperation(block));
  return !mlirOperationIsNull(dot) && !mlirOperationIsNull(first_dot(mlirOperationGetNextInBlock(dot)));
}

/* Whether a computation uses `value`: neither as an accumulator of a dot nor in a wait. LLVM may move it after a
 * dot. */
static bool is_computed_with(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    const nereid_op_kind_t kind = nereid_op_kind(mlirOpOperandGetOwner(use));
    if (kind != NEREID_OP_TTNG_WARP_GROUP_DOT && kind != NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT &&
        kind != NEREID_OP_SCF_YIELD)
      return true;
  }
  return false;
}

/* Whether `value` is the result of a wait for all dots in `block`, after which no dot is issued. */
static bool is_complete(MlirBlock block, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation wait = mlirOpResultGetOwner(value);
  return nereid_op_kind(wait) == NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT &&
         mlirBlockEqual(mlirOperationGetBlock(wait), block) &&
         nereid_ttng_warp_group_dot_wait_get_pendings(wait) == 0 && mlirOperationIsNull(first_dot(wait));
}

/* Waits at the start of the body of `loop` for completed accumulators that it carries and computes with, where another
 * dot may be in flight. Returns whether there are any. */
static bool wait_at_start(MlirOperation loop, nereid_arena_t *scratch) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirOperation yield = mlirBlockGetTerminator(body);
  values_t values = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    MlirValue carried = mlirBlockGetArgument(body, i + 1);
    if (is_complete(body, mlirOperationGetOperand(yield, i)) && is_computed_with(carried))
      nereid_vector_push(scratch, &values, carried);
  }
  const nereid_builder_t builder = nereid_builder_before(mlirBlockGetFirstOperation(body));
  if (!values.size || !has_two_dots(body))
    return false;
  thread_through_wait(&builder, &values);
  return true;
}

/* Replaces the uses of operand `i` of `wait` after the wait by its result. Returns whether there are any. */
static bool use_result(MlirOperation wait, intptr_t i) {
  MlirValue operand = mlirOperationGetOperand(wait, i), result = mlirOperationGetResult(wait, i);
  MlirBlock block = mlirOperationGetBlock(wait);
  bool any = false;
  if (!mlirTypeIsARankedTensor(mlirValueGetType(operand)))
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(operand), next; !mlirOpOperandIsNull(use); use = next) {
    MlirOperation user = mlirOpOperandGetOwner(use), ancestor = nereid_ir_ancestor_in(block, user);
    next = mlirOpOperandGetNextUse(use);
    if (mlirOperationIsNull(ancestor) || !mlirOperationIsBeforeInBlock(wait, ancestor))
      continue;
    mlirOperationSetOperand(user, (intptr_t)mlirOpOperandGetOperandNumber(use), result);
    any = true;
  }
  return any;
}

MlirLogicalResult nereid_pass_guard_async_dots(nereid_pass_t *pass) {
  nereid_operations_t loops = {0}, waits = {0};
  int64_t guarded = 0, starts = 0, operands = 0;
  if (!nereid_collect_kind(pass->op, NEREID_OP_SCF_FOR, pass->scratch, &loops) ||
      !nereid_collect_kind(pass->op, NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT, pass->scratch, &waits))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < waits.size; ++i)
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(waits.data[i]); ++k)
      operands += use_result(waits.data[i], k);
  for (size_t i = 0; i < loops.size; ++i) {
    nereid_loop_range_t range;
    MlirOperation loop = loops.data[i], wait = wait_of(loop);
    starts += wait_at_start(loop, pass->scratch);
    if (mlirOperationIsNull(wait) || !waits_only_for(wait, loop))
      continue;
    nereid_loop_range_read(loop, pass->scratch, &range);
    const nereid_builder_t builder = nereid_builder_before(loop);
    MlirValue condition = nereid_loop_range_contains(&range, &builder, 0);
    if (mlirValueIsNull(condition))
      continue;
    guard(loop, wait, condition, pass->scratch);
    ++guarded;
  }
  nereid_pass_statistic_add(pass, "loops", guarded);
  nereid_pass_statistic_add(pass, "starts", starts);
  nereid_pass_statistic_add(pass, "operands", operands);
  return mlirLogicalResultSuccess();
}
