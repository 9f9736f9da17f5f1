/* nereid-single-iteration-loops: replaces loops of at most one iteration by branches.
 *
 *   %end = arith.addi %pid, 1                          %end = arith.addi %pid, 1
 *   %upper = arith.minsi %end, %n                      %upper = arith.minsi %end, %n
 *   scf.for %i = %pid to %upper step 1 { body(%i) } -> scf.if (arith.cmpi slt, %pid, %upper) { body(%pid) }
 *
 * A persistent kernel whose programs each have one tile is such a loop. Around a body that is executed once, a loop has
 * only costs: values that do not depend on its counter are computed before it and need registers until its end, inner
 * loops are not those of a straight line, and tiles of the next iteration are loaded ahead.
 *
 * The upper bound must not exceed the lower one by more than the step: it is their sum with a positive constant up to
 * the step, or a minimum with such a sum, also in the form of a comparison and a selection. A sum that wraps around is
 * less than the lower bound. Requires a constant step and a signed comparison. */
#include "passes/pass.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/support/branch.h"
#include "passes/support/loop.h"

#include "dialects/constant_integer.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

enum { DEEPEST = 4 /* nested minimums */ };

static bool is_in_reach(MlirValue value, MlirValue lower, int64_t step, int depth);

/* Whether `a` or `b` is; for the lesser one of both that is enough. */
static bool is_any_in_reach(MlirValue a, MlirValue b, MlirValue lower, int64_t step, int depth) {
  return is_in_reach(a, lower, step, depth) || is_in_reach(b, lower, step, depth);
}

/* Whether `select` is the minimum of the values that its condition compares. */
static bool is_minimum(MlirOperation select) {
  MlirOperation compare = nereid_defining_op_of_kind(nereid_arith_select_get_condition(select), NEREID_OP_ARITH_CMPI);
  if (mlirOperationIsNull(compare))
    return false;
  MlirValue yes = nereid_arith_select_get_true_value(select), no = nereid_arith_select_get_false_value(select);
  MlirValue a = nereid_arith_cmpi_get_lhs(compare), b = nereid_arith_cmpi_get_rhs(compare);
  switch (nereid_arith_cmpi_get_predicate(compare)) {
  case NEREID_ARITH_CMP_I_PREDICATE_SLT:
  case NEREID_ARITH_CMP_I_PREDICATE_SLE:
    return mlirValueEqual(yes, a) && mlirValueEqual(no, b);
  case NEREID_ARITH_CMP_I_PREDICATE_SGT:
  case NEREID_ARITH_CMP_I_PREDICATE_SGE:
    return mlirValueEqual(yes, b) && mlirValueEqual(no, a);
  default:
    return false;
  }
}

/* Whether `value` is at most lower + step. */
static bool is_in_reach(MlirValue value, MlirValue lower, int64_t step, int depth) {
  MlirOperation op = nereid_defining_op(value);
  int64_t distance = 0;
  if (mlirOperationIsNull(op) || depth == DEEPEST)
    return false;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_ARITH_ADDI: {
    MlirValue a = nereid_arith_addi_get_lhs(op), b = nereid_arith_addi_get_rhs(op);
    MlirValue other = mlirValueEqual(a, lower) ? b : a;
    return (mlirValueEqual(a, lower) || mlirValueEqual(b, lower)) && nereid_constant_integer(other, &distance) &&
           distance >= 1 && distance <= step;
  }
  case NEREID_OP_ARITH_MINSI:
    return is_any_in_reach(nereid_arith_minsi_get_lhs(op), nereid_arith_minsi_get_rhs(op), lower, step, depth + 1);
  case NEREID_OP_ARITH_SELECT:
    return mlirTypeIsAInteger(mlirValueGetType(nereid_arith_select_get_condition(op))) && is_minimum(op) &&
           is_any_in_reach(nereid_arith_select_get_true_value(op), nereid_arith_select_get_false_value(op), lower, step,
                           depth + 1);
  default:
    return false;
  }
}

static bool has_single_iteration(MlirOperation loop) {
  int64_t step;
  return !nereid_scf_for_get_unsigned_cmp(loop) && nereid_constant_integer(nereid_scf_for_get_step(loop), &step) &&
         is_in_reach(nereid_scf_for_get_upper_bound(loop), nereid_scf_for_get_lower_bound(loop), step, 0);
}

/* Executes the body where the first iteration exists. */
static void replace(MlirOperation loop) {
  const nereid_builder_t builder = nereid_builder_before(loop);
  MlirValue lower = nereid_scf_for_get_lower_bound(loop);
  MlirValue exists = nereid_ir_result(
      nereid_arith_cmpi_build(&builder, lower, nereid_scf_for_get_upper_bound(loop), NEREID_ARITH_CMP_I_PREDICATE_SLT));
  MlirBlock body = nereid_loop_body(loop), yes = mlirBlockCreate(0, NULL, NULL), no = mlirBlockCreate(0, NULL, NULL);
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("scf.yield"), builder.location);
  const intptr_t results = mlirOperationGetNumResults(loop);
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, 0), lower);
  for (intptr_t i = 0; i < results; ++i)
    mlirValueReplaceAllUsesOfWith(nereid_loop_argument(loop, i), nereid_loop_initial(loop, i));
  for (intptr_t i = 0; i < results; ++i)
    mlirOperationStateAddOperands(&state, 1, (MlirValue[]){nereid_loop_initial(loop, i)});
  mlirBlockAppendOwnedOperation(no, mlirOperationCreate(&state));
  nereidMlirBlockSplice(yes, (MlirOperation){NULL}, body);
  MlirOperation branch = nereid_branch_build(&builder, exists, yes, no);
  for (intptr_t i = 0; i < results; ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, i), mlirOperationGetResult(branch, i));
  nereidMlirOperationErase(loop);
}

MlirLogicalResult nereid_pass_single_iteration_loops(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  int64_t count = 0;
  if (!nereid_loop_collect(pass->op, pass->scratch, &loops))
    return mlirLogicalResultFailure();
  for (size_t i = loops.size; i-- > 0;) {
    if (!has_single_iteration(loops.data[i]))
      continue;
    nereid_pass_remark_passed(pass, loops.data[i], "loop", "executed at most once: replaced by a branch");
    replace(loops.data[i]);
    ++count;
  }
  nereid_pass_statistic_add(pass, "loops", count);
  return pass->scratch->failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
