/* Issues small loads before the dots of their block; see early_loads.h.
 *
 *   ttg.async_wait                                            %s = tt.load %p : tensor<128xf32>
 *   %d = ttng.warp_group_dot %a, %b, %zero             ->     ttg.async_wait
 *   %s = tt.load %p : tensor<128xf32>                         %d = ttng.warp_group_dot %a, %b, %zero
 *   … arith.mulf %d, %s                                       … arith.mulf %d, %s
 *
 * A wait for a dot is a barrier for the assembler, so without this the latency of the load, of a scale or of a decay,
 * follows the dot in each iteration. A load that follows the wait for operands, also of mma.sync, begins only after
 * their latency. The values occupy registers meanwhile, which limits their number. */
#include "passes/pipelining/dots/early_loads.h"

#include "base/vector.h"
#include "dialects/defining_op.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "passes/layout/support/conversion_cost.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinTypes.h>

enum { REGISTERS = 16, REGISTERS_OF_ONE = 8 }; /* 32-bit registers per thread, for all loads and for one */

typedef NEREID_VECTOR(MlirOperation) moved_t;

/* The first dot of warp groups in `block`, or the first wait for operands before it; before another dot, the wait only:
 * the assembler itself moves loads over the instructions of that. Null without one. */
static MlirOperation place_in(MlirBlock block) {
  MlirOperation wait = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    const nereid_op_kind_t kind = nereid_op_kind(op);
    if (kind == NEREID_OP_TTNG_WARP_GROUP_DOT)
      return mlirOperationIsNull(wait) ? op : wait;
    if (kind == NEREID_OP_TT_DOT)
      return wait;
    if (mlirOperationIsNull(wait) && (kind == NEREID_OP_TTG_ASYNC_WAIT || kind == NEREID_OP_TTNG_WAIT_BARRIER))
      wait = op;
  }
  return (MlirOperation){NULL};
}

static bool is_small_load(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_LOAD && !nereid_tt_load_get_is_volatile(op) &&
         nereid_registers_of_result(op) <= REGISTERS_OF_ONE;
}

static void note_write(NereidMlirEffect effect, MlirValue value, NereidMlirResource resource, void *data) {
  (void)value;
  *(bool *)data |= effect == NereidMlirEffectWrite && resource != NereidMlirResourceShared;
}

/* Whether a load must not move over `op`, as it may write global memory. */
static bool may_write(MlirOperation op) {
  bool writes = false;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTG_ASYNC_WAIT:
  case NEREID_OP_TTG_ASYNC_COMMIT_GROUP:
  case NEREID_OP_TTNG_FENCE_ASYNC_SHARED:
    return false;
  default:
    return !nereidMlirOperationWalkEffects(op, note_write, &writes) || writes;
  }
}

static bool any_depends_on(const moved_t *moved, MlirOperation other) {
  for (size_t i = 0; i < moved->size; ++i)
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(moved->data[i]); ++k)
      if (mlirOperationEqual(nereid_defining_op(mlirOperationGetOperand(moved->data[i], k)), other))
        return true;
  return false;
}

/* Collects `load` and the ops after `place` that it depends on, last ones first; false if it cannot precede `place`. */
static bool collect_moved(MlirOperation load, MlirOperation place, nereid_arena_t *arena, moved_t *out) {
  if (!nereid_vector_push(arena, out, load))
    return false;
  for (MlirOperation op = load; !mlirOperationEqual(op, place);) {
    op = nereidMlirOperationGetPrevInBlock(op);
    if (may_write(op))
      return false;
    if (!any_depends_on(out, op))
      continue;
    if (!nereidMlirOperationIsPure(op) || mlirOperationGetNumRegions(op) || !nereid_vector_push(arena, out, op))
      return false;
  }
  return true;
}

void nereid_early_loads(nereid_pass_t *pass, MlirBlock block) {
  MlirOperation place = place_in(block), next;
  int64_t left = REGISTERS;
  for (MlirOperation op = place; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    moved_t moved = {0};
    if (!is_small_load(op) || nereid_registers_of_result(op) > left || !collect_moved(op, place, pass->scratch, &moved))
      continue;
    left -= nereid_registers_of_result(op);
    for (size_t i = moved.size; i-- > 0;)
      mlirOperationMoveBefore(moved.data[i], place);
    nereid_pass_remark_passed(pass, op, "early-load", "issued before the dots of its iteration");
  }
}
