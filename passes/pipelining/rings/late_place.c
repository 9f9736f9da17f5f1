/* Where in a step a value is loaded from its slot, if not directly after the wait: where it occupies no registers
 * during the dots before its first use.
 *
 *   wait                                        wait
 *   %x = local_load %slot                       %d = tt.dot %a, %b
 *   %d = tt.dot %a, %b                   ->     %x = local_load %slot
 *   subf %d, %x                                 subf %d, %x
 *
 * Dots of threads: before the first use. Dots of warp groups: before the last one in the stage and cluster of that use,
 * if it takes an operand from registers, as it depends on another dot; tensor cores work during the load. */
#include "passes/pipelining/rings/late_place.h"

#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttng.h"
#include "passes/dot/dot_registers.h"
#include "passes/pipelining/ring.h"
#include "passes/pipelining/ring_budget.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinTypes.h"

const nereid_scheduled_op_t *nereid_ring_first_user(const nereid_schedule_t *schedule, MlirValue value) {
  const nereid_scheduled_op_t *first = NULL;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    const nereid_scheduled_op_t *user = nereid_schedule_find(schedule, mlirOpOperandGetOwner(use));
    if (!user)
      return NULL;
    if (!first || user->stage < first->stage || (user->stage == first->stage && user->position < first->position))
      first = user;
  }
  return first;
}

/* The last dot in the stage and cluster of `user` that precedes it; `user` itself may be one of warp groups. */
static MlirOperation last_dot(const nereid_schedule_t *schedule, const nereid_scheduled_op_t *user) {
  for (MlirOperation op = user->op; !mlirOperationIsNull(op); op = nereidMlirOperationGetPrevInBlock(op)) {
    const nereid_scheduled_op_t *dot = nereid_dot_is_dot(op) ? nereid_schedule_find(schedule, op) : NULL;
    if (dot && dot->stage == user->stage && dot->cluster == user->cluster &&
        (dot != user || nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT))
      return op;
  }
  return (MlirOperation){NULL};
}

MlirOperation nereid_ring_late_place(const nereid_schedule_t *schedule, MlirOperation load) {
  /* the copies of a step overwrite the slot where warps read only what they copied */
  if (nereid_op_kind(load) == NEREID_OP_TT_DESCRIPTOR_LOAD || !nereid_ring_crosses_warps(load))
    return (MlirOperation){NULL};
  const nereid_scheduled_op_t *user = nereid_ring_first_user(schedule, nereid_ir_result(load));
  if (!user)
    return (MlirOperation){NULL};
  MlirOperation dot = last_dot(schedule, user);
  if (mlirOperationIsNull(dot))
    return dot;
  if (nereid_op_kind(dot) != NEREID_OP_TTNG_WARP_GROUP_DOT)
    return user->op;
  /* The first dots of a step read both operands from shared memory. Where registers leave a multiprocessor one CTA, no
   * other one works while the last dot is late. */
  return mlirTypeIsARankedTensor(mlirValueGetType(nereid_ttng_warp_group_dot_get_a(dot))) &&
                 nereid_ring_budget_ctas_by_registers(schedule->loop) != 1
             ? dot
             : (MlirOperation){NULL};
}
