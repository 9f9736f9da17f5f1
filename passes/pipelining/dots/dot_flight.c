/* Dots of warp groups in flight; see dot_flight.h.
 *
 *     %d = ttng.warp_group_dot %x, %y, %acc       a group: %x, %y and the registers of %d and %acc are in use
 *     ttg.async_copy_global_to_local %p, %slot    requires that it is complete, if %slot may be what %x or %y reads
 *     scf.yield %d                                does not, as the next iteration accumulates onto %d
 *
 * async_dots.c lists the conditions. */
#include "passes/pipelining/dots/dot_flight.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/pipelining/branch_waits.h"
#include "passes/pipelining/dots/operand_registers.h"
#include "passes/pipelining/slot_overlap.h"
#include "passes/support/loop.h"
#include "passes/support/splat.h"
#include "seam/effects.h"

#include <assert.h>
#include <string.h>

/* --- values --- */

bool nereid_dot_flight_is_dot(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT;
}

static bool is_accumulator_of(MlirValue value, MlirOperation op) {
  return nereid_dot_flight_is_dot(op) && mlirValueEqual(nereid_ttng_warp_group_dot_get_c(op), value);
}

bool nereid_dot_flight_uses(const nereid_dot_block_t *in, MlirOperation op, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (mlirOperationEqual(nereid_ir_ancestor_in(in->block, mlirOpOperandGetOwner(use)), op))
      return true;
  return false;
}

void nereid_dot_flight_values(const nereid_dot_block_t *in, const nereid_dot_in_flight_t *group,
                              nereid_dot_values_t *out) {
  MlirValue result = mlirOperationGetResult(group->dot, 0);
  if (group->age == 0) {
    nereid_vector_push(in->arena, out, result);
    return;
  }
  MlirOperation yield = mlirBlockGetTerminator(in->block);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    if (mlirValueEqual(mlirOperationGetOperand(yield, i), result))
      nereid_vector_push(in->arena, out, mlirBlockGetArgument(in->block, i + 1));
}

/* --- buffers --- */

/* Whether `op` writes shared memory that operand `operand` of the group reads, or lets others write it. */
static bool overwrites(const nereid_dot_block_t *in, MlirOperation op, const nereid_dot_in_flight_t *group,
                       MlirValue operand) {
  if (!nereid_ttg_memdesc_type_isa(mlirValueGetType(operand)))
    return false;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL:
    return nereid_slots_may_overlap(in->phases, operand, group->age,
                                    nereid_ttg_async_copy_global_to_local_get_result(op));
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
    return nereid_slots_may_overlap(in->phases, operand, group->age,
                                    nereid_ttng_async_tma_copy_global_to_local_get_result(op));
  case NEREID_OP_TTG_LOCAL_STORE:
    return nereid_slots_may_overlap(in->phases, operand, group->age, nereid_ttg_local_store_get_dst(op));
  case NEREID_OP_TTG_LOCAL_SCATTER:
    return nereid_slots_may_overlap(in->phases, operand, group->age, nereid_ttg_local_scatter_get_dst(op));
  case NEREID_OP_TTG_LOCAL_ATOMIC_SCATTER_RMW:
    return nereid_slots_may_overlap(in->phases, operand, group->age, nereid_ttg_local_atomic_scatter_rmw_get_dst(op));
  case NEREID_OP_TTNG_ARRIVE_BARRIER:
    for (intptr_t i = 0; i < nereid_ttng_arrive_barrier_get_deps_count(op); ++i)
      if (nereid_slots_may_overlap(in->phases, operand, group->age, nereid_ttng_arrive_barrier_get_deps(op, i)))
        return true;
    return nereid_ttng_arrive_barrier_get_deps_count(op) == 0;
  case NEREID_OP_TTG_LOCAL_ALLOC:
    return group->age > 0 && mlirValueEqual(nereid_slot_buffer(operand), nereid_ir_result(op));
  default:
    return false;
  }
}

/* --- what a group must precede --- */

/* Whether `op` can be executed while a dot is in flight whose buffers and registers it does not touch. Waits for
 * mbarriers can, as no dot arrives at one. */
static bool is_harmless(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_LOAD:
  case NEREID_OP_TT_STORE:
  case NEREID_OP_TTG_ASYNC_COMMIT_GROUP:
  case NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL:
  case NEREID_OP_TTG_ASYNC_WAIT:
  case NEREID_OP_TTG_LOCAL_ALLOC:
  case NEREID_OP_TTG_LOCAL_ATOMIC_SCATTER_RMW:
  case NEREID_OP_TTG_LOCAL_GATHER:
  case NEREID_OP_TTG_LOCAL_LOAD:
  case NEREID_OP_TTG_LOCAL_SCATTER:
  case NEREID_OP_TTG_LOCAL_STORE:
  case NEREID_OP_TTNG_ARRIVE_BARRIER:
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
  case NEREID_OP_TTNG_BARRIER_EXPECT:
  case NEREID_OP_TTNG_FENCE_ASYNC_SHARED:
  case NEREID_OP_TTNG_WAIT_BARRIER:
  case NEREID_OP_TTNG_WARP_GROUP_DOT:
    return true;
  default:
    return nereidMlirOperationIsPure(op);
  }
}

static bool uses_result(const nereid_dot_block_t *in, MlirOperation op, const nereid_dot_in_flight_t *group) {
  nereid_dot_values_t values = {0};
  if (group->forwarded)
    return false;
  nereid_dot_flight_values(in, group, &values);
  for (size_t i = 0; i < values.size; ++i)
    if (nereid_dot_flight_uses(in, op, values.data[i]) &&
        !(is_accumulator_of(values.data[i], op) && nereid_ir_has_one_use(values.data[i])))
      return true;
  return false;
}

/* Whether the group must be complete in the first region of `op` at most. */
static bool can_wait_inside(const nereid_dot_block_t *in, MlirOperation op, const nereid_dot_in_flight_t *group) {
  nereid_dot_values_t values = {0};
  if (!nereid_branch_is_conditional(op))
    return false;
  nereid_dot_flight_values(in, group, &values);
  for (size_t i = 0; i < values.size; ++i)
    if (!nereid_branch_uses_first_only(op, values.data[i]))
      return false;
  return true;
}

bool nereid_dot_flight_is_accessed_first(const nereid_dot_block_t *in, const nereid_dot_flight_t *flight) {
  for (MlirOperation op = mlirBlockGetFirstOperation(in->block); !nereid_dot_flight_is_dot(op);
       op = mlirOperationGetNextInBlock(op)) {
    bool accesses = nereid_accumulators_is_user(&in->accumulators, op);
    for (int i = 0; i < flight->count; ++i) {
      const nereid_dot_in_flight_t next = {
          .dot = flight->groups[i].dot, .age = 1, .forwarded = flight->groups[i].forwarded};
      accesses |= uses_result(in, op, &next) && !can_wait_inside(in, op, &next);
    }
    if (accesses && nereid_op_kind(op) != NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT)
      return true;
  }
  return false;
}

void nereid_dot_flight_loop_results(const nereid_dot_block_t *in, MlirOperation dot, nereid_dot_values_t *out) {
  MlirOperation yield = mlirBlockGetTerminator(in->block);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    if (mlirValueEqual(mlirOperationGetOperand(yield, i), nereid_ir_result(dot)) &&
        nereid_loop_uses_carried(in->loop, i))
      nereid_vector_push(in->arena, out, mlirOperationGetResult(in->loop, i));
}

/* Whether the loop carries the result of `dot` as several values: the end of an iteration copies its registers. */
static bool is_carried_twice(const nereid_dot_block_t *in, MlirOperation dot) {
  nereid_dot_values_t results = {0};
  nereid_dot_flight_loop_results(in, dot, &results);
  return results.size > 1;
}

bool nereid_dot_flight_starts_joined(const nereid_dot_block_t *in, MlirOperation dot) {
  MlirOperation yield = mlirBlockGetTerminator(in->block);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    if (mlirValueEqual(mlirOperationGetOperand(yield, i), nereid_ir_result(dot)) &&
        nereid_accumulators_start_joined(in->loop, i, in->arena))
      return true;
  return false;
}

static bool is_early(const nereid_dot_block_t *in, MlirOperation dot, nereid_dot_completion_t completion) {
  const uintptr_t *place = nereid_map_find(&in->early, dot.ptr);
  return place && *place == (uintptr_t)completion;
}

/* --- registers of a carried result --- */

static MlirOperation wait_or_dot(MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  const bool is_either = !mlirOperationIsNull(op) &&
                         (nereid_dot_flight_is_dot(op) || nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT);
  return is_either ? op : (MlirOperation){NULL};
}

/* The value onto which `dot` and the dots of the block before it accumulate; sets *out_first to the first of these. */
static MlirValue first_accumulator(const nereid_dot_block_t *in, MlirOperation dot, MlirOperation *out_first) {
  MlirValue value = nereid_ttng_warp_group_dot_get_c(dot);
  *out_first = dot;
  for (MlirOperation op = wait_or_dot(value);
       !mlirOperationIsNull(op) && mlirBlockEqual(mlirOperationGetBlock(op), in->block); op = wait_or_dot(value)) {
    const bool is_dot = nereid_dot_flight_is_dot(op);
    *out_first = is_dot ? op : *out_first;
    value =
        is_dot ? nereid_ttng_warp_group_dot_get_c(op) : mlirOperationGetOperand(op, mlirOpResultGetResultNumber(value));
  }
  return value;
}

/* Whether the block computes `value` from `source`. */
static bool depends_on(const nereid_dot_block_t *in, MlirValue value, MlirValue source, int depth) {
  MlirOperation op = nereid_defining_op(value);
  if (mlirValueEqual(value, source))
    return true;
  if (mlirOperationIsNull(op) || depth == 0 || !mlirBlockEqual(mlirOperationGetBlock(op), in->block))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (depends_on(in, mlirOperationGetOperand(op, i), source, depth - 1))
      return true;
  return false;
}

/* Whether an op after `first`, or another position of the next iteration, uses `carried`. */
static bool is_used_after(const nereid_dot_block_t *in, MlirValue carried, MlirOperation first, intptr_t position) {
  MlirOpOperand use = mlirValueGetFirstUse(carried);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = nereid_ir_ancestor_in(in->block, mlirOpOperandGetOwner(use));
    if (!mlirOperationEqual(op, first) && !mlirOperationIsBeforeInBlock(op, first) &&
        !(mlirOperationEqual(op, mlirBlockGetTerminator(in->block)) && mlirOpOperandGetOperandNumber(use) == position))
      return true;
  }
  return false;
}

/* Whether the next iteration can begin while `dot` is in flight: no copy touches its registers. There is one where the
 * dot accumulates onto a value that is not computed from a carried result, or where the loop cannot carry the result in
 * these registers, since the carried value is needed after the dot. A result that only ops after the loop use is
 * complete in each iteration: the next one has no value to wait for. */
static bool stays_in_place(const nereid_dot_block_t *in, MlirOperation dot) {
  enum { DEPTH = 8 };
  MlirOperation yield = mlirBlockGetTerminator(in->block), first;
  MlirValue start = first_accumulator(in, dot, &first);
  bool is_computed_anew = mlirAttributeIsNull(nereid_splat_constant(start));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    MlirValue carried = mlirBlockGetArgument(in->block, i + 1);
    if (!mlirValueEqual(mlirOperationGetOperand(yield, i), nereid_ir_result(dot)) ||
        !nereid_loop_uses_carried(in->loop, i))
      continue;
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(carried)) || is_used_after(in, carried, first, i))
      return false;
    is_computed_anew &= !depends_on(in, start, carried, DEPTH);
  }
  return !is_computed_anew;
}

/* At the end of the block. */
static bool ends_before_terminator(const nereid_dot_block_t *in, const nereid_dot_in_flight_t *group) {
  return mlirOperationIsNull(in->loop) || group->age > 0 || is_carried_twice(in, group->dot) ||
         (!group->forwarded && !stays_in_place(in, group->dot)) ||
         is_early(in, group->dot, NEREID_DOT_COMPLETION_ITERATION) ||
         nereid_operand_is_carried(in->block, group->dot) ||
         (!group->forwarded && mlirOpOperandIsNull(mlirValueGetFirstUse(nereid_ir_result(group->dot))));
}

bool nereid_dot_flight_touches_registers(const nereid_dot_block_t *in, MlirOperation op,
                                         const nereid_dot_in_flight_t *group) {
  return uses_result(in, op, group) || ((group->age > 0 || nereid_operand_is_carried(in->block, group->dot)) &&
                                        mlirOperationEqual(op, nereid_operand_producer(in->block, group->dot)));
}

static bool is_first_dot(const nereid_dot_block_t *in, MlirOperation op) {
  MlirOperation first = mlirBlockGetFirstOperation(in->block);
  while (!nereid_dot_flight_is_dot(first))
    first = mlirOperationGetNextInBlock(first);
  return mlirOperationEqual(op, first);
}

bool nereid_dot_flight_must_precede(const nereid_dot_block_t *in, const nereid_dot_in_flight_t *group,
                                    MlirOperation op) {
  if (mlirOperationEqual(op, mlirBlockGetTerminator(in->block)))
    return ends_before_terminator(in, group);
  if (nereid_accumulators_is_user(&in->accumulators, op))
    return true;
  if (can_wait_inside(in, op, group))
    return false;
  if (!is_harmless(op) || nereid_dot_flight_touches_registers(in, op, group))
    return true;
  if (group->age > 0 && is_early(in, group->dot, NEREID_DOT_COMPLETION_NEXT_DOT) && is_first_dot(in, op))
    return true;
  return overwrites(in, op, group, nereid_ttng_warp_group_dot_get_a(group->dot)) ||
         overwrites(in, op, group, nereid_ttng_warp_group_dot_get_b(group->dot));
}

/* --- issue and completion --- */

void nereid_dot_flight_complete(nereid_dot_flight_t *flight, int n) {
  flight->count -= n;
  memmove(flight->groups, flight->groups + n, (size_t)flight->count * sizeof *flight->groups);
}

/* Marks the group whose result `dot` accumulates onto. */
static void forward_accumulator(const nereid_dot_block_t *in, nereid_dot_flight_t *flight, MlirOperation dot) {
  for (int i = 0; i < flight->count; ++i) {
    nereid_dot_values_t values = {0};
    nereid_dot_flight_values(in, &flight->groups[i], &values);
    for (size_t k = 0; k < values.size; ++k)
      flight->groups[i].forwarded |= is_accumulator_of(values.data[k], dot);
  }
}

void nereid_dot_flight_issue(const nereid_dot_block_t *in, nereid_dot_flight_t *flight, MlirOperation dot) {
  forward_accumulator(in, flight, dot);
  assert(flight->count >= 0 && flight->count < NEREID_MAX_DOTS_IN_FLIGHT);
  flight->groups[flight->count++] = (nereid_dot_in_flight_t){.dot = dot};
}
