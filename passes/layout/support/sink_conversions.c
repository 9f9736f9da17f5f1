/* Sinks conversions below operations that work in any layout; see sink_conversions.h.
 *
 *   %c = convert %x : 4x1024 #a -> #b               %r' = tt.reduce %x {axis = 1} : slice<#a>
 *   %r = tt.reduce %c {axis = 1} : slice<#b>   ->   %r = convert %r' : 4 slice<#a> -> slice<#b>
 *
 * Values loaded in a coalesced layout are then reduced in that layout, and four elements are converted instead of 4096.
 * An operation takes the layout of the source of one of its operands' conversions if the resulting conversions, of its
 * other operands and of its results, cost no more than the existing ones. Operations are visited in program order, so a
 * conversion sinks through a chain of them.
 *
 *   %c = convert %x                  scf.if %last {
 *   scf.if %last {            ->       %c = convert %x
 *     store %c                         store %c
 *
 * A conversion that only one branch uses moves there: the epilogue of a loop over all steps of several tiles is
 * executed once per tile, and a dot whose result is used there only stays in flight in the other iterations. */
#include "passes/layout/support/sink_conversions.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "dialects/ttg/tensor_types.h"
#include "passes/layout/support/conversion_cost.h"
#include "passes/support/collect.h"
#include "seam/ir.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/BuiltinTypes.h"

bool nereid_follows_operand_layout(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_REDUCE:
  case NEREID_OP_TT_SCAN:
  case NEREID_OP_TT_TRANS:
  case NEREID_OP_TT_RESHAPE:
  case NEREID_OP_TT_JOIN:
  case NEREID_OP_TT_SPLIT:
  case NEREID_OP_TT_EXPAND_DIMS:
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_TTG_FP4_TO_FP:
    return true;
  default:
    return false;
  }
}

static int shape_of(MlirType type, int64_t *out_shape) {
  int rank = (int)mlirShapedTypeGetRank(type);
  for (int d = 0; d < rank; ++d)
    out_shape[d] = mlirShapedTypeGetDimSize(type, d);
  return rank;
}

bool nereid_followed_encoding(MlirOperation op, MlirAttribute encoding, MlirAttribute *out) {
  const MlirLocation silent = {NULL};
  int64_t shape[NEREID_LAYOUT_MAX_RANK], to[NEREID_LAYOUT_MAX_RANK];
  int32_t order[NEREID_LAYOUT_MAX_RANK];
  const int rank = shape_of(mlirValueGetType(mlirOperationGetOperand(op, 0)), shape);
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_REDUCE:
    *out = (MlirAttribute){NULL}; /* scalars */
    return rank == 1 || nereid_ttg_infer_reduce_encoding(encoding, nereid_tt_reduce_get_axis(op), out);
  case NEREID_OP_TT_TRANS:
    for (int d = 0; d < rank; ++d)
      order[d] = nereid_tt_trans_get_order(op, d);
    return nereid_ttg_infer_trans_encoding(encoding, rank, shape, order, silent, out);
  case NEREID_OP_TT_RESHAPE: {
    const int to_rank = shape_of(mlirValueGetType(mlirOperationGetResult(op, 0)), to);
    return nereid_ttg_infer_reshape_encoding(rank, shape, encoding, to_rank, to, silent, out);
  }
  case NEREID_OP_TT_JOIN:
    return nereid_ttg_infer_join_encoding(encoding, rank, shape, silent, out);
  case NEREID_OP_TT_SPLIT:
    return nereid_ttg_infer_split_encoding(encoding, rank, shape, silent, out);
  case NEREID_OP_TT_EXPAND_DIMS:
    return nereid_ttg_infer_expand_dims_encoding(encoding, nereid_tt_expand_dims_get_axis(op), silent, out);
  case NEREID_OP_TTG_FP4_TO_FP:
    return nereid_ttg_infer_fp4_to_fp_encoding(encoding, rank, shape, nereid_ttg_fp4_to_fp_get_axis(op),
                                               /*forward=*/true, silent, out);
  default: /* a scan, a broadcast */
    *out = encoding;
    return true;
  }
}

/* The source of an operand's conversions, through chains; the operand itself when it is not converted. */
static MlirValue source_of(MlirValue operand) {
  for (;;) {
    MlirOperation conversion = nereid_defining_op_of_kind(operand, NEREID_OP_TTG_CONVERT_LAYOUT);
    if (mlirOperationIsNull(conversion))
      return operand;
    operand = mlirOperationGetOperand(conversion, 0);
  }
}

/* The cost of the layouts that users require when `value` has `encoding`: the layout they convert it to, else the
 * current one. Users that follow their operand require nothing; if a conversion then sinks too far, the recomputation
 * in the other direction undoes that. */
static int64_t cost_of_uses(MlirValue value, MlirAttribute encoding) {
  enum { MAX_CANDIDATES = 4 };
  MlirAttribute candidates[MAX_CANDIDATES];
  int n = 0;
  int64_t cost = 0;
  MlirType type = nereid_ttg_with_encoding(mlirValueGetType(value), encoding);
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereid_follows_operand_layout(user))
      continue;
    bool converts = nereid_op_kind(user) == NEREID_OP_TTG_CONVERT_LAYOUT;
    MlirAttribute to = nereid_ttg_encoding_of(converts ? mlirOperationGetResult(user, 0) : value);
    int i = 0;
    while (i < n && !mlirAttributeEqual(candidates[i], to))
      ++i;
    if (i == n && n < MAX_CANDIDATES) {
      candidates[n++] = to;
      cost += nereid_move_cost(value, type, to);
    }
  }
  return cost;
}

/* The cost of operands and results when the operands have `encoding` and the results `result`. */
static int64_t cost_of(MlirOperation op, MlirAttribute encoding, MlirAttribute result) {
  int64_t cost = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue source = source_of(mlirOperationGetOperand(op, i));
    cost += nereid_move_cost(source, mlirValueGetType(source), encoding);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue value = mlirOperationGetResult(op, i);
    cost += nereid_ttg_is_laid_out(value) ? cost_of_uses(value, result) : 0;
  }
  return cost;
}

static void take(MlirOperation op, MlirAttribute encoding, MlirAttribute result) {
  nereid_builder_t before = nereid_builder_before(op);
  nereid_builder_t after = {mlirOperationGetLocation(op), mlirOperationGetBlock(op), mlirOperationGetNextInBlock(op)};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue source = source_of(mlirOperationGetOperand(op, i));
    if (!mlirAttributeEqual(nereid_ttg_encoding_of(source), encoding)) {
      MlirType type = nereid_ttg_with_encoding(mlirValueGetType(source), encoding);
      source = mlirOperationGetResult(nereid_ttg_convert_layout_build(&before, type, source), 0);
    }
    mlirOperationSetOperand(op, i, source);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue value = mlirOperationGetResult(op, i);
    MlirType type = mlirValueGetType(value);
    if (!nereid_ttg_is_laid_out(value) || mlirAttributeEqual(nereid_ttg_encoding_of(value), result))
      continue;
    mlirValueSetType(value, nereid_ttg_with_encoding(type, result));
    MlirOperation conversion = nereid_ttg_convert_layout_build(&after, type, value);
    mlirValueReplaceAllUsesExcept(value, mlirOperationGetResult(conversion, 0), 1, &conversion);
  }
}

/* Whether the op combines elements of one CTA only: the parts of its operands in the CTAs of a cluster are fixed. */
static bool stays_in_cta(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_REDUCE || nereid_op_kind(op) == NEREID_OP_TT_SCAN;
}

/* Takes the cheapest of the source layouts of the operands' conversions if it is cheaper than the current layout. */
static bool sink(nereid_pass_t *pass, MlirOperation op) {
  MlirValue first = mlirOperationGetOperand(op, 0);
  MlirAttribute now = nereid_ttg_encoding_of(first), result, best = {NULL}, best_result = {NULL};
  if (!nereid_ttg_is_laid_out(first) || !nereid_followed_encoding(op, now, &result))
    return false;
  /* An equal cost is accepted too: an op after it may prefer the layout, and may combine the halves of tt.split before
   * they are converted. */
  enum { SYNCHRONIZATION = 60 };
  const int64_t before = cost_of(op, now, result);
  int64_t least = before + SYNCHRONIZATION * (mlirOperationGetNumResults(op) - 1) + 1;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirAttribute encoding = nereid_ttg_encoding_of(source_of(mlirOperationGetOperand(op, i)));
    if (mlirAttributeEqual(encoding, now) || !nereid_followed_encoding(op, encoding, &result) ||
        (stays_in_cta(op) && !nereid_ttg_has_same_parts(mlirValueGetType(first), encoding)))
      continue;
    const int64_t cost = cost_of(op, encoding, result);
    if (cost < least) {
      least = cost;
      best = encoding;
      best_result = result;
    }
  }
  if (mlirAttributeIsNull(best))
    return false;
  if (least < before)
    nereid_pass_remark_passed(pass, op, "sunk",
                              "uses its operands without conversion: conversions cost %lld instead of %lld",
                              (long long)least, (long long)before);
  take(op, best, best_result);
  return true;
}

int64_t nereid_sink_conversions(nereid_pass_t *pass) {
  int64_t sunk = 0;
  nereid_operations_t ops = {0};
  (void)nereid_collect(pass->op, nereid_follows_operand_layout, pass->scratch, &ops);
  for (size_t i = 0; i < ops.size && !pass->scratch->failed; ++i)
    sunk += sink(pass, ops.data[i]);
  return pass->scratch->failed ? -1 : sunk;
}

/* --- into branches --- */

/* The block of an scf.if in `block` that contains `user`; null if it is in none, or in `block` itself. */
static MlirBlock branch_with(MlirBlock block, MlirOperation user) {
  MlirBlock inner = {NULL};
  for (; !mlirOperationIsNull(user); user = mlirOperationGetParentOperation(user)) {
    if (mlirBlockEqual(mlirOperationGetBlock(user), block))
      return nereid_op_kind(user) == NEREID_OP_SCF_IF ? inner : (MlirBlock){NULL};
    inner = mlirOperationGetBlock(user);
  }
  return (MlirBlock){NULL};
}

/* The branch that contains all users; null if there is none. */
static MlirBlock branch_of_users(MlirOperation op) {
  MlirBlock common = {NULL};
  for (MlirOpOperand use = mlirValueGetFirstUse(nereid_ir_result(op)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirBlock branch = branch_with(mlirOperationGetBlock(op), mlirOpOperandGetOwner(use));
    if (mlirBlockIsNull(branch) || (!mlirBlockIsNull(common) && !mlirBlockEqual(common, branch)))
      return (MlirBlock){NULL};
    common = branch;
  }
  return common;
}

int64_t nereid_sink_conversions_into_branches(nereid_pass_t *pass) {
  int64_t moved = 0;
  nereid_operations_t ops = {0};
  (void)nereid_collect_kind(pass->op, NEREID_OP_TTG_CONVERT_LAYOUT, pass->scratch, &ops);
  for (size_t i = ops.size; i-- > 0 && !pass->scratch->failed;) { /* users before the conversions that they use */
    MlirBlock branch = branch_of_users(ops.data[i]);
    for (; !mlirBlockIsNull(branch); branch = branch_of_users(ops.data[i])) {
      mlirOperationMoveBefore(ops.data[i], mlirBlockGetFirstOperation(branch));
      ++moved;
    }
  }
  return pass->scratch->failed ? -1 : moved;
}
