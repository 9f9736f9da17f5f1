/* tritongpu-optimize-accumulator-init: clears an accumulator by the flag of warp_group_dot, not by a tensor of zeros.
 *
 *   %r = scf.for … iter_args(%acc = %zeros) {          %r, %q = scf.for … iter_args(%acc = %zeros, %keep = false) {
 *     %d = ttng.warp_group_dot %a, %b, %acc              %d = ttng.warp_group_dot %a, %b, %acc, %keep
 *     scf.if %last { tt.store … %d }             ->      scf.if %last { tt.store … %d }
 *     %n = arith.select %last, %zeros, %d                %not = arith.xori %last, true
 *     scf.yield %n                                       scf.yield %d, %not
 *   }                                                  }
 *
 * Writing zeros to a wgmma accumulator takes one instruction per register, which also waits for the dots in flight. The
 * flag is a predicate of the first wgmma. Zeros come as a constant, from a select or scf.if before the dot, or from one
 * at the end of the loop body. mma.sync has no flag, so its accumulators stay. */
#include "passes/pass.h"
#include "passes/support/collect.h"
#include "passes/support/loop.h"
#include "passes/support/scalar.h"
#include "passes/support/splat.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttng.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { ACCUMULATOR = 2, FLAG = 3 /* operands of warp_group_dot */ };

/* A value that is zero or `kept`, depending on an i1. */
typedef struct reset {
  MlirValue kept;
  MlirValue condition;
  bool zero_if; /* the value is zero where the condition is true, else where it is false */
} reset_t;

/* The i1 that selects all elements: the operand itself, or the source of its splat. */
static MlirValue scalar_condition(MlirValue condition) {
  if (!mlirTypeIsAShaped(mlirValueGetType(condition)))
    return condition;
  MlirOperation splat = nereid_defining_op_of_kind(condition, NEREID_OP_TT_SPLAT);
  return mlirOperationIsNull(splat) ? (MlirValue){NULL} : mlirOperationGetOperand(splat, 0);
}

/* Whether `value` is available after `op`, for a value that a region of `op` yields. */
static bool is_outside(MlirValue value, MlirOperation op) {
  MlirOperation scope;
  if (mlirValueIsAOpResult(value))
    scope = mlirOpResultGetOwner(value);
  else
    scope = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  return !mlirOperationEqual(scope, op) && !nereidMlirOperationIsProperAncestor(op, scope);
}

/* Matches `value` against a select or scf.if of zeros and another value. */
static bool match_reset(MlirValue value, reset_t *out) {
  MlirOperation op = nereid_defining_op(value);
  MlirValue yes, no;
  if (mlirOperationIsNull(op))
    return false;
  if (nereid_op_kind(op) == NEREID_OP_ARITH_SELECT) {
    yes = mlirOperationGetOperand(op, 1);
    no = mlirOperationGetOperand(op, 2);
  } else if (nereid_op_kind(op) == NEREID_OP_SCF_IF) {
    const intptr_t number = mlirOpResultGetResultNumber(value);
    yes =
        mlirOperationGetOperand(mlirBlockGetTerminator(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))), number);
    no =
        mlirOperationGetOperand(mlirBlockGetTerminator(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1))), number);
  } else {
    return false;
  }
  out->zero_if = nereid_splat_is_zero(yes);
  out->kept = out->zero_if ? no : yes;
  out->condition = scalar_condition(mlirOperationGetOperand(op, 0));
  return nereid_splat_is_zero(out->zero_if ? yes : no) && is_outside(out->kept, op) && !mlirValueIsNull(out->condition);
}

/* --- flags --- */

static MlirValue boolean(const nereid_builder_t *builder, bool value) {
  MlirType i1 = mlirIntegerTypeGet(mlirLocationGetContext(builder->location), 1);
  return nereid_scalar_constant(builder, i1, value);
}

/* The i1 that is true where the value of `reset` is kept. */
static MlirValue keeps(const nereid_builder_t *builder, const reset_t *reset) {
  if (!reset->zero_if)
    return reset->condition;
  return nereid_ir_result(nereid_arith_xori_build(builder, reset->condition, boolean(builder, true)));
}

/* Sets the accumulator of `dot`, which uses it if the old flag and `flag` are true. */
static void set_flag(MlirOperation dot, MlirValue accumulator, MlirValue flag) {
  nereid_builder_t builder = nereid_builder_before(dot);
  MlirValue old = nereid_ttng_warp_group_dot_get_use_c(dot);
  mlirOperationSetOperand(dot, ACCUMULATOR, accumulator);
  if (mlirValueIsNull(old))
    nereidMlirOperationInsertOperands(dot, FLAG, 1, &flag);
  else
    mlirOperationSetOperand(dot, FLAG, nereid_ir_result(nereid_arith_andi_build(&builder, old, flag)));
}

/* --- accumulators that a loop carries --- */

typedef struct carried {
  MlirOperation loop, dot;
  intptr_t number; /* result number of the loop */
  MlirValue initial, next;
  reset_t reset; /* of `next`, when `resets` */
  bool resets;
} carried_t;

/* Whether the loop certainly has an iteration: bounds are constant. */
static bool runs_once(MlirOperation loop) {
  MlirAttribute lower = nereidMlirValueGetConstant(nereid_scf_for_get_lower_bound(loop));
  MlirAttribute upper = nereidMlirValueGetConstant(nereid_scf_for_get_upper_bound(loop));
  return !mlirAttributeIsNull(lower) && !mlirAttributeIsNull(upper) && !nereid_scf_for_get_unsigned_cmp(loop) &&
         mlirIntegerAttrGetValueInt(lower) < mlirIntegerAttrGetValueInt(upper);
}

/* Requires that the loop executes the dot in each iteration, and that only the dot uses the carried value. */
static bool match_carried(MlirOperation dot, carried_t *out) {
  MlirValue accumulator = mlirOperationGetOperand(dot, ACCUMULATOR);
  if (!mlirValueIsABlockArgument(accumulator) || mlirBlockArgumentGetArgNumber(accumulator) == 0)
    return false;
  MlirOperation loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(accumulator));
  if (nereid_op_kind(loop) != NEREID_OP_SCF_FOR || !nereid_ir_has_one_use(accumulator) ||
      !mlirBlockEqual(mlirOperationGetBlock(dot), mlirBlockArgumentGetOwner(accumulator)))
    return false;
  *out = (carried_t){.loop = loop, .dot = dot, .number = mlirBlockArgumentGetArgNumber(accumulator) - 1};
  out->initial = nereid_loop_initial(loop, out->number);
  out->next = mlirOperationGetOperand(mlirBlockGetTerminator(mlirOperationGetBlock(dot)), out->number);
  out->resets = match_reset(out->next, &out->reset);
  return out->resets || (nereid_splat_is_zero(out->initial) && runs_once(loop));
}

/* Selects zeros for users after the loop when its last iteration has cleared the accumulator. */
static void clear_result(MlirOperation loop, intptr_t number) {
  MlirValue result = mlirOperationGetResult(loop, number);
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(result)))
    return;
  nereid_builder_t builder = nereid_builder_before(loop);
  MlirAttribute zero = nereid_splat_zero(mlirValueGetType(result));
  MlirValue zeros = nereid_ir_result(nereid_arith_constant_build(&builder, zero));
  builder.before = mlirOperationGetNextInBlock(loop);
  MlirValue flag = mlirOperationGetResult(loop, mlirOperationGetNumResults(loop) - 1);
  MlirOperation select = nereid_arith_select_build(&builder, flag, result, zeros);
  for (MlirOpOperand use = mlirValueGetFirstUse(result), next; !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!mlirOperationEqual(user, select))
      mlirOperationSetOperand(user, mlirOpOperandGetOperandNumber(use), nereid_ir_result(select));
  }
}

static void rewrite_carried(const carried_t *carried) {
  nereid_builder_t builder = nereid_builder_before(carried->loop);
  MlirValue initial = boolean(&builder, !nereid_splat_is_zero(carried->initial));
  MlirOperation loop = nereid_loop_with_carried(carried->loop, 1, &initial);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirOperation yield = mlirBlockGetTerminator(body);
  builder = nereid_builder_before(yield);
  MlirValue flag = carried->resets ? keeps(&builder, &carried->reset) : boolean(&builder, true);
  nereidMlirOperationInsertOperands(yield, mlirOperationGetNumOperands(yield), 1, &flag);
  if (carried->resets)
    mlirOperationSetOperand(yield, carried->number, carried->reset.kept);
  set_flag(carried->dot, mlirOperationGetOperand(carried->dot, ACCUMULATOR),
           mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - 1));
  if (carried->resets)
    clear_result(loop, carried->number);
}

/* Erases selects, branches and constants that lost their last user. */
static void erase_unused(MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  if (!mlirOperationIsNull(op) && nereidMlirOperationIsTriviallyDead(op))
    nereidMlirOperationErase(op);
}

/* --- the pass --- */

static bool rewrite(nereid_pass_t *pass, MlirOperation dot) {
  MlirValue accumulator = mlirOperationGetOperand(dot, ACCUMULATOR);
  nereid_builder_t builder = nereid_builder_before(dot);
  reset_t reset;
  carried_t carried;
  if (nereid_splat_is_zero(accumulator)) {
    if (mlirValueIsNull(nereid_ttng_warp_group_dot_get_use_c(dot)))
      set_flag(dot, accumulator, boolean(&builder, false));
    nereid_pass_remark_passed(pass, dot, "zero", "the accumulator is zero: the dot ignores it");
    return true;
  }
  if (match_reset(accumulator, &reset)) {
    set_flag(dot, reset.kept, keeps(&builder, &reset));
    erase_unused(accumulator);
    nereid_pass_remark_passed(pass, dot, "reset", "a condition clears the accumulator: it is the flag of the dot");
    return true;
  }
  if (match_carried(dot, &carried)) {
    nereid_pass_remark_passed(pass, dot, "carried", "the loop carries a flag that clears the accumulator");
    rewrite_carried(&carried);
    if (carried.resets)
      erase_unused(carried.next);
    return true;
  }
  return false;
}

MlirLogicalResult nereid_pass_tritongpu_optimize_accumulator_init(nereid_pass_t *pass) {
  nereid_operations_t dots = {0};
  int64_t count = 0;
  if (!nereid_collect_kind(pass->op, NEREID_OP_TTNG_WARP_GROUP_DOT, pass->scratch, &dots))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < dots.size; ++i)
    count += rewrite(pass, dots.data[i]);
  nereid_pass_statistic_add(pass, "accumulators", count);
  return mlirLogicalResultSuccess();
}
