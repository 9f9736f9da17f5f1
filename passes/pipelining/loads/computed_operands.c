/* Operands that are computed one iteration ahead; see computed_operands.h.
 *
 *   %v = tt.load %p                          in use until the sum: carried to the iteration of the dot
 *   %w = arith.mulf %v, %s                   stored one iteration ahead
 *   %b = ttg.local_alloc %w
 *   %d = ttng.warp_group_dot %a, %b, …
 *   %x = arith.mulf %d, %v */
#include "passes/pipelining/loads/computed_operands.h"

#include "base/map.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "passes/dot/register_pressure.h"
#include "passes/pipelining/schedule.h"
#include "passes/support/loop.h"

typedef struct computation {
  MlirBlock body;
  nereid_arena_t *arena;
  nereid_map_t ops; /* the ops of `body` on which the buffers depend */
} computation_t;

static void add_op(computation_t *computation, MlirOperation op) {
  nereid_schedule_values_t uses = {0};
  uintptr_t *place = nereid_map_insert(&computation->ops, op.ptr);
  if (!place || *place)
    return;
  *place = 1;
  nereid_schedule_uses(op, computation->body, computation->arena, &uses);
  for (size_t i = 0; i < uses.size; ++i)
    if (mlirValueIsAOpResult(uses.data[i]))
      add_op(computation, mlirOpResultGetOwner(uses.data[i]));
}

/* Whether the iteration uses `value` other than for the computation. */
static bool is_used_later(const computation_t *computation, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = nereid_ir_ancestor_in(computation->body, mlirOpOperandGetOwner(use));
    if (nereid_op_kind(user) != NEREID_OP_SCF_YIELD && !nereid_map_find(&computation->ops, user.ptr))
      return true;
  }
  return false;
}

nereid_computed_operands_t nereid_computed_operands_find(MlirOperation loop, const nereid_pipelined_t *loads,
                                                         nereid_arena_t *arena) {
  nereid_computed_operands_t found = {0};
  computation_t computation = {.body = nereid_loop_body(loop), .arena = arena};
  nereid_map_initialize(&computation.ops, arena);
  for (size_t i = 0; i < loads->size; ++i) {
    MlirOperation op = loads->data[i].op;
    if (loads->data[i].obstacle || nereid_op_kind(op) != NEREID_OP_TTG_LOCAL_ALLOC)
      continue;
    found.values += nereid_register_pressure_of(mlirOperationGetOperand(op, 0));
    add_op(&computation, op);
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(computation.body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_ALLOC || !nereid_map_find(&computation.ops, op.ptr))
      continue;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r) {
      MlirValue value = mlirOperationGetResult(op, r);
      found.carried += is_used_later(&computation, value) ? nereid_register_pressure_of(value) : 0;
    }
  }
  return found;
}
