/* Loops of the pipelining passes; see loop_stages.h. */
#include "passes/pipelining/loop_stages.h"

#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "passes/support/loop.h"

bool nereid_loop_collect(MlirOperation root, nereid_arena_t *arena, nereid_operations_t *out) {
  return nereid_collect_kind(root, NEREID_OP_SCF_FOR, arena, out);
}

bool nereid_loop_collect_inner_first(MlirOperation root, nereid_arena_t *arena, nereid_operations_t *out) {
  return nereid_collect_kind_inner_first(root, NEREID_OP_SCF_FOR, arena, out);
}

nereid_arith_cmp_i_predicate_t nereid_loop_less_than(MlirOperation loop) {
  return nereid_scf_for_get_unsigned_cmp(loop) ? NEREID_ARITH_CMP_I_PREDICATE_ULT : NEREID_ARITH_CMP_I_PREDICATE_SLT;
}

bool nereid_loop_replicates(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_TT_EXPAND_DIMS:
  case NEREID_OP_TT_SPLAT:
    return true;
  default:
    return false;
  }
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
  for (MlirOperation op = mlirBlockGetFirstOperation(nereid_loop_body(loop)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_ir_integer(op, name, -1) >= 0 && !nereid_vector_push(arena, out, op))
      return false;
  return true;
}
