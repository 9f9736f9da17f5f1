/* Keeps wgmma in flight; see async_dots.h.
 *
 *   scf.for … iter_args(%acc = %zero):                  scf.for … iter_args(%acc = %zero):
 *     %d = ttng.warp_group_dot %x, %y, %acc               %d = ttng.warp_group_dot %x, %y, %acc {isAsync = true}
 *     ttg.async_copy_global_to_local %p, %slot     ->     ttng.warp_group_dot_wait %x, %y {pendings = 1}
 *     scf.yield %d                                        ttg.async_copy_global_to_local %p, %slot
 *                                                         scf.yield %d
 *                                                       %r = ttng.warp_group_dot_wait %loop {pendings = 0}
 *
 * Each dot is a group; groups complete in the order in which they are issued. A wait is placed before the first op that
 * requires a group to be complete and leaves all younger groups in flight. A group must be complete before
 *
 *   - its result is used, except as the accumulator of another dot if that is its only use;
 *   - shared memory that it reads is written, or released by an arrival; slots of a ring are compared by their phases
 *     (analysis/access/ring_phase.h);
 *   - the registers of an operand A are computed again, in the next iteration or, if the loop carries them, in this
 *     one: the assembler may use the same registers for the old and the next value;
 *   - the first dot of the next iteration, if that iteration touches its registers while younger dots are in flight;
 *   - an scf.if that uses its result or has other effects; the wait may be inside of it (branch_waits.h);
 *   - an access to the accumulator of a later dot by an op that is not a dot (accumulators.h);
 *   - the end of the iteration, if the next one uses its result before a dot: the assembler does not follow the group
 *     over the back edge, moves such uses before the wait, and then inserts a wait of its own;
 *   - an op whose effects are unknown, a nested loop with dots, the end of a block that is not a loop body, and the end
 *     of the iteration after its own.
 *
 * The groups in flight at the end of a loop's body are those in flight at its beginning. The walk is repeated until
 * they agree: an op that has a wait keeps it. The first iteration has fewer groups in flight. */
#include "passes/pipelining/dots/async_dots.h"

#include "base/map.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/pipelining/branch_waits.h"
#include "passes/pipelining/dots/accumulators.h"
#include "passes/pipelining/dots/operand_registers.h"
#include "passes/pipelining/slot_overlap.h"
#include "passes/support/collect.h"
#include "passes/support/loop.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

#include <assert.h>
#include <string.h>

enum { MAX_GROUPS = 32, MAX_WALKS = 8 };

/* A dot in flight; `age` is 0 when it was issued in the present iteration, 1 in the iteration before. */
typedef struct group {
  MlirOperation dot;
  int age;
  bool forwarded; /* a younger dot accumulates onto its result */
} group_t;

/* The groups in flight, oldest first. */
typedef struct flight {
  group_t groups[MAX_GROUPS];
  int count;
} flight_t;

typedef NEREID_VECTOR(MlirValue) values_t;

/* A wait inside an scf.if, inserted last: the values and buffers for which it waits, of which the branch uses the first
 * `results`. */
typedef struct inside {
  MlirOperation branch;
  values_t inputs;
  size_t results;
} inside_t;

typedef struct async {
  nereid_pass_t *pass;
  MlirBlock block;
  MlirOperation loop; /* the scf.for whose body the block is; null for other blocks */
  nereid_ring_phases_t *phases;
  nereid_map_t waits; /* op -> pendings + 1 of the wait before it */
  nereid_map_t early; /* dot -> 1: complete before the first dot of the next iteration */
  NEREID_VECTOR(inside_t) inside;
  nereid_accumulators_t accumulators;
  bool changed;
} async_t;

/* --- values --- */

static bool is_dot(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT;
}

static bool is_accumulator_of(MlirValue value, MlirOperation op) {
  return is_dot(op) && mlirValueEqual(nereid_ttng_warp_group_dot_get_c(op), value);
}

static bool has_one_use(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

/* Whether `op` or an op nested in it uses `value`. */
static bool uses(const async_t *async, MlirOperation op, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (mlirOperationEqual(nereid_ir_ancestor_in(async->block, mlirOpOperandGetOwner(use)), op))
      return true;
  return false;
}

/* The values that hold the result of `group` in the present iteration: the result, or the loop's arguments that receive
 * it. */
static void collect_values(const async_t *async, const group_t *group, values_t *out) {
  MlirValue result = mlirOperationGetResult(group->dot, 0);
  if (group->age == 0) {
    nereid_vector_push(async->pass->scratch, out, result);
    return;
  }
  MlirOperation yield = mlirBlockGetTerminator(async->block);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    if (mlirValueEqual(mlirOperationGetOperand(yield, i), result))
      nereid_vector_push(async->pass->scratch, out, mlirBlockGetArgument(async->block, i + 1));
}

/* --- buffers --- */

/* Whether `op` writes shared memory that operand `operand` of the group reads, or lets others write it. */
static bool overwrites(const async_t *async, MlirOperation op, const group_t *group, MlirValue operand) {
  if (!nereid_ttg_memdesc_type_isa(mlirValueGetType(operand)))
    return false;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL:
    return nereid_slots_may_overlap(async->phases, operand, group->age,
                                    nereid_ttg_async_copy_global_to_local_get_result(op));
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
    return nereid_slots_may_overlap(async->phases, operand, group->age,
                                    nereid_ttng_async_tma_copy_global_to_local_get_result(op));
  case NEREID_OP_TTG_LOCAL_STORE:
    return nereid_slots_may_overlap(async->phases, operand, group->age, nereid_ttg_local_store_get_dst(op));
  case NEREID_OP_TTNG_ARRIVE_BARRIER:
    for (intptr_t i = 0; i < nereid_ttng_arrive_barrier_get_deps_count(op); ++i)
      if (nereid_slots_may_overlap(async->phases, operand, group->age, nereid_ttng_arrive_barrier_get_deps(op, i)))
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
  case NEREID_OP_TTG_LOCAL_LOAD:
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

static bool uses_result(const async_t *async, MlirOperation op, const group_t *group) {
  values_t values = {0};
  if (group->forwarded)
    return false;
  collect_values(async, group, &values);
  for (size_t i = 0; i < values.size; ++i)
    if (uses(async, op, values.data[i]) && !(is_accumulator_of(values.data[i], op) && has_one_use(values.data[i])))
      return true;
  return false;
}

/* Whether the group must be complete in the first region of `op` at most. */
static bool can_wait_inside(const async_t *async, MlirOperation op, const group_t *group) {
  values_t values = {0};
  if (!nereid_branch_is_conditional(op))
    return false;
  collect_values(async, group, &values);
  for (size_t i = 0; i < values.size; ++i)
    if (!nereid_branch_uses_first_only(op, values.data[i]))
      return false;
  return true;
}

/* Whether the next iteration accesses an accumulator, or the result of a group, before it issues a dot. */
static bool accesses_before_dots(const async_t *async, const flight_t *flight) {
  for (MlirOperation op = mlirBlockGetFirstOperation(async->block); !is_dot(op); op = mlirOperationGetNextInBlock(op)) {
    bool accesses = nereid_accumulators_is_user(&async->accumulators, op);
    for (int i = 0; i < flight->count; ++i) {
      const group_t next = {.dot = flight->groups[i].dot, .age = 1, .forwarded = flight->groups[i].forwarded};
      accesses |= uses_result(async, op, &next) && !can_wait_inside(async, op, &next);
    }
    if (accesses && nereid_op_kind(op) != NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT)
      return true;
  }
  return false;
}

/* The results of the loop that hold the result of `dot`. */
static void collect_loop_results(const async_t *async, MlirOperation dot, values_t *out) {
  MlirOperation yield = mlirBlockGetTerminator(async->block);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    if (mlirValueEqual(mlirOperationGetOperand(yield, i), nereid_ir_result(dot)) &&
        nereid_loop_uses_carried(async->loop, i))
      nereid_vector_push(async->pass->scratch, out, mlirOperationGetResult(async->loop, i));
}

/* Whether the loop carries the result of `dot` as several values: the end of an iteration copies its registers. */
static bool is_carried_twice(const async_t *async, MlirOperation dot) {
  values_t results = {0};
  collect_loop_results(async, dot, &results);
  return results.size > 1;
}

/* At the end of the block. */
static bool ends_before_terminator(const async_t *async, const group_t *group) {
  return mlirOperationIsNull(async->loop) || group->age > 0 || is_carried_twice(async, group->dot) ||
         nereid_operand_is_carried(async->block, group->dot) ||
         (!group->forwarded && mlirOpOperandIsNull(mlirValueGetFirstUse(nereid_ir_result(group->dot))));
}

/* Whether `op` uses the result of the group or computes the registers of its operand A again. */
static bool touches_registers(const async_t *async, MlirOperation op, const group_t *group) {
  return uses_result(async, op, group) || ((group->age > 0 || nereid_operand_is_carried(async->block, group->dot)) &&
                                           mlirOperationEqual(op, nereid_operand_producer(async->block, group->dot)));
}

static bool is_first_dot(const async_t *async, MlirOperation op) {
  MlirOperation first = mlirBlockGetFirstOperation(async->block);
  while (!is_dot(first))
    first = mlirOperationGetNextInBlock(first);
  return mlirOperationEqual(op, first);
}

/* Whether `group` must be complete before `op`. */
static bool must_precede(const async_t *async, const group_t *group, MlirOperation op) {
  if (mlirOperationEqual(op, mlirBlockGetTerminator(async->block)))
    return ends_before_terminator(async, group);
  if (nereid_accumulators_is_user(&async->accumulators, op))
    return true;
  if (can_wait_inside(async, op, group))
    return false;
  if (!is_harmless(op) || touches_registers(async, op, group))
    return true;
  if (group->age > 0 && nereid_map_find(&async->early, group->dot.ptr) && is_first_dot(async, op))
    return true;
  return overwrites(async, op, group, nereid_ttng_warp_group_dot_get_a(group->dot)) ||
         overwrites(async, op, group, nereid_ttng_warp_group_dot_get_b(group->dot));
}

/* --- inputs of waits --- */

static bool is_listed(const values_t *values, MlirValue value) {
  for (size_t i = 0; i < values->size; ++i)
    if (mlirValueEqual(values->data[i], value))
      return true;
  return false;
}

/* Adds the buffers of a group as they are known in this iteration: views are of the iteration before for older
 * groups. */
static void add_buffers(async_t *async, values_t *inputs, const group_t *group) {
  MlirValue operands[] = {nereid_ttng_warp_group_dot_get_a(group->dot), nereid_ttng_warp_group_dot_get_b(group->dot)};
  for (size_t i = 0; i < sizeof operands / sizeof *operands; ++i) {
    MlirValue buffer = group->age ? nereid_slot_buffer(operands[i]) : operands[i];
    MlirOperation op = nereid_defining_op(buffer);
    const bool is_known =
        group->age == 0 || mlirOperationIsNull(op) || mlirOperationIsNull(nereid_ir_ancestor_in(async->block, op));
    if (nereid_ttg_memdesc_type_isa(mlirValueGetType(buffer)) && is_known && !is_listed(inputs, buffer))
      nereid_vector_push(async->pass->scratch, inputs, buffer);
  }
}

/* Adds the operands of `before` if it computes the next value of an operand A that the loop carries: the wait then
 * follows what computes them, which the dot in flight overlaps. */
static void add_operands_of_producer(async_t *async, values_t *inputs, MlirOperation before, const group_t *group) {
  if (!nereid_operand_is_carried(async->block, group->dot) ||
      !mlirOperationEqual(before, nereid_operand_producer(async->block, group->dot)))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(before); ++i) {
    MlirValue operand = mlirOperationGetOperand(before, i);
    if (mlirTypeIsARankedTensor(mlirValueGetType(operand)) && !is_listed(inputs, operand))
      nereid_vector_push(async->pass->scratch, inputs, operand);
  }
}

/* Adds what orders accesses to accumulators: values computed before `before`, a dot, is issued, and operands of
 * `before` in accumulators. */
static void add_accumulators(async_t *async, values_t *inputs, MlirOperation before) {
  const nereid_accumulators_t *accumulators = &async->accumulators;
  for (size_t i = 0; i < accumulators->hoisted.size; ++i)
    if (mlirOperationEqual(accumulators->hoisted.data[i].dot, before))
      nereid_vector_push(async->pass->scratch, inputs, accumulators->hoisted.data[i].value);
  for (intptr_t i = 0; nereid_accumulators_is_user(accumulators, before) && i < mlirOperationGetNumOperands(before);
       ++i) {
    MlirValue operand = mlirOperationGetOperand(before, i);
    if (nereid_accumulators_contain(accumulators, operand) && !is_listed(inputs, operand))
      nereid_vector_push(async->pass->scratch, inputs, operand);
  }
}

/* The values that the wait for the first `n` groups passes on: their results, which are used, and operands of
 * `before`. */
static void collect_results(async_t *async, MlirOperation before, const flight_t *flight, int n, values_t *inputs) {
  for (int i = 0; i < n; ++i)
    if (!flight->groups[i].forwarded)
      collect_values(async, &flight->groups[i], inputs);
  for (size_t i = inputs->size; i-- > 0;)
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(inputs->data[i])))
      inputs->data[i] = inputs->data[--inputs->size];
  for (int i = 0; i < n; ++i)
    add_operands_of_producer(async, inputs, before, &flight->groups[i]);
  add_accumulators(async, inputs, before);
}

/* The inputs of that wait; `*results` is how many of them its results replace. The rest are the buffers of the groups
 * in flight, those of older iterations only if there is nothing else. */
static void collect_inputs(async_t *async, MlirOperation before, const flight_t *flight, int n, values_t *inputs,
                           size_t *results) {
  collect_results(async, before, flight, n, inputs);
  *results = inputs->size;
  for (int i = 0; i < flight->count; ++i)
    if (flight->groups[i].age == 0)
      add_buffers(async, inputs, &flight->groups[i]);
  for (int i = 0; i < flight->count && !inputs->size; ++i)
    add_buffers(async, inputs, &flight->groups[i]);
}

/* Whether a wait for the first `n` groups has an input, as it must. */
static bool has_inputs(async_t *async, MlirOperation before, const flight_t *flight, int n) {
  values_t inputs = {0};
  size_t results;
  collect_inputs(async, before, flight, n, &inputs, &results);
  return inputs.size > 0;
}

/* --- one walk over the block --- */

static void drop_oldest(flight_t *flight, int n) {
  flight->count -= n;
  memmove(flight->groups, flight->groups + n, (size_t)flight->count * sizeof *flight->groups);
}

static bool is_touched(const async_t *async, const group_t *group) {
  MlirOperation end = mlirBlockGetTerminator(async->block);
  for (MlirOperation op = mlirBlockGetFirstOperation(async->block); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (touches_registers(async, op, group))
      return true;
  return false;
}

/* Lets the groups of the previous iteration whose registers this one touches be complete before its first dot, when
 * their wait would leave younger groups in flight: the assembler does not follow groups over the back edge, and
 * serializes. */
static void complete_early(async_t *async, const flight_t *flight, int needed) {
  for (int i = 0; i < needed && needed < flight->count; ++i) {
    const group_t *group = &flight->groups[i];
    if (group->age == 0 || flight->groups[flight->count - 1].age > 0 ||
        nereid_map_find(&async->early, group->dot.ptr) || !is_touched(async, group))
      continue;
    uintptr_t *place = nereid_map_insert(&async->early, group->dot.ptr);
    if (place)
      *place = 1;
    async->changed = true;
  }
}

/* How many of the groups must be complete before `op`. */
static int count_needed(async_t *async, const flight_t *flight, MlirOperation op) {
  int needed = 0;
  for (int i = 0; i < flight->count; ++i)
    if (must_precede(async, &flight->groups[i], op))
      needed = i + 1;
  if (is_dot(op) && flight->count == MAX_GROUPS && !needed)
    needed = 1;
  const bool ends = !mlirOperationIsNull(async->loop) && mlirOperationEqual(op, mlirBlockGetTerminator(async->block));
  if (ends && accesses_before_dots(async, flight))
    needed = flight->count;
  complete_early(async, flight, needed);
  return needed && !has_inputs(async, op, flight, needed) ? flight->count : needed;
}

/* Returns how many groups the wait before `op` completes; adds or strengthens the wait where needed. */
static int wait_before(async_t *async, const flight_t *flight, MlirOperation op) {
  const int needed = count_needed(async, flight, op);
  uintptr_t *place = nereid_map_find(&async->waits, op.ptr);
  const uintptr_t pendings = (uintptr_t)(flight->count - needed) + 1;
  if (needed && (!place || pendings < *place)) {
    place = nereid_map_insert(&async->waits, op.ptr);
    if (!place)
      return 0;
    *place = pendings;
    async->changed = true;
  }
  const int stay = place ? (int)*place - 1 : flight->count;
  return stay < flight->count ? flight->count - stay : 0;
}

/* Marks the group whose result `dot` accumulates onto. */
static void forward_accumulator(const async_t *async, flight_t *flight, MlirOperation dot) {
  for (int i = 0; i < flight->count; ++i) {
    values_t values = {0};
    collect_values(async, &flight->groups[i], &values);
    for (size_t k = 0; k < values.size; ++k)
      flight->groups[i].forwarded |= is_accumulator_of(values.data[k], dot);
  }
}

/* Plans the wait inside of a branch that needs the groups in flight to be complete. */
static void plan_inside(async_t *async, MlirOperation branch, const flight_t *flight) {
  inside_t inside = {.branch = branch};
  values_t results = {0};
  if (!flight->count || !nereid_branch_is_conditional(branch))
    return;
  for (int i = 0; i < flight->count; ++i)
    collect_values(async, &flight->groups[i], &results);
  for (size_t i = 0; i < results.size; ++i)
    if (uses(async, branch, results.data[i]))
      nereid_vector_push(async->pass->scratch, &inside.inputs, results.data[i]);
  inside.results = inside.inputs.size;
  if (!inside.results && nereid_branch_is_harmless(branch))
    return;
  for (int i = 0; i < flight->count; ++i)
    add_buffers(async, &inside.inputs, &flight->groups[i]);
  nereid_vector_push(async->pass->scratch, &async->inside, inside);
}

typedef void (*completed_t)(async_t *async, MlirOperation before, const flight_t *flight, int n, int stay);

/* Walks the block once; calls `completed`, if it is not null, at each wait, also at those for no group that order the
 * ops that were hoisted before a dot. */
static void walk(async_t *async, flight_t *flight, completed_t completed) {
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(async->block); !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    const int n = wait_before(async, flight, op);
    const uintptr_t *pendings = nereid_map_find(&async->waits, op.ptr);
    if (completed && (pendings || nereid_accumulators_precede(&async->accumulators, op)))
      completed(async, op, flight, n, pendings ? (int)*pendings - 1 : flight->count);
    drop_oldest(flight, n);
    if (completed)
      plan_inside(async, op, flight);
    if (!is_dot(op))
      continue;
    forward_accumulator(async, flight, op);
    assert(flight->count >= 0 && flight->count < MAX_GROUPS); /* wait_before has made room */
    flight->groups[flight->count++] = (group_t){.dot = op};
  }
}

static bool is_same_flight(const flight_t *a, const flight_t *b) {
  bool same = a->count == b->count;
  for (int i = 0; same && i < a->count; ++i)
    same = mlirOperationEqual(a->groups[i].dot, b->groups[i].dot) && a->groups[i].age == b->groups[i].age &&
           a->groups[i].forwarded == b->groups[i].forwarded;
  return same;
}

/* The groups in flight at the beginning of an iteration, in the steady state. */
static flight_t steady_state(async_t *async) {
  flight_t entry = {.count = 0};
  size_t early = 0;
  for (int i = 0; i < MAX_WALKS; ++i) {
    flight_t flight = entry;
    async->changed = false;
    walk(async, &flight, NULL);
    if (async->early.size != early) { /* other waits may not be needed */
      early = async->early.size;
      nereid_map_initialize(&async->waits, async->pass->scratch);
      entry.count = 0;
      continue;
    }
    for (int k = 0; k < flight.count; ++k)
      ++flight.groups[k].age;
    if (mlirOperationIsNull(async->loop) || (is_same_flight(&flight, &entry) && !async->changed))
      return entry;
    entry = flight;
  }
  /* Without agreement nothing stays in flight over the back edge. */
  uintptr_t *place = nereid_map_insert(&async->waits, mlirBlockGetTerminator(async->block).ptr);
  if (place)
    *place = 1;
  return (flight_t){.count = 0};
}

/* --- rewriting --- */

/* Replaces the uses of `value` in `before` and after it. */
static void replace_after(const async_t *async, MlirOperation before, MlirValue value, MlirValue replacement) {
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use), op = nereid_ir_ancestor_in(async->block, user);
    if (mlirOperationEqual(op, before) || mlirOperationIsBeforeInBlock(before, op))
      mlirOperationSetOperand(user, mlirOpOperandGetOperandNumber(use), replacement);
  }
}

/* Inserts the wait that completes the first `n` groups and threads their results through it. */
static void insert_wait(async_t *async, MlirOperation before, const flight_t *flight, int n, int stay) {
  values_t inputs = {0};
  size_t results;
  if (!flight->count && !nereid_accumulators_precede(&async->accumulators, before))
    return;
  collect_inputs(async, before, flight, n, &inputs, &results);
  nereid_builder_t builder = nereid_builder_before(before);
  MlirOperation wait =
      nereid_ttng_warp_group_dot_wait_build(&builder, (intptr_t)inputs.size, inputs.data, (int32_t)stay);
  for (size_t i = 0; i < results; ++i)
    replace_after(async, before, inputs.data[i], mlirOperationGetResult(wait, (intptr_t)i));
}

/* Waits after the loop for the groups of its last iteration. */
static void wait_after_loop(async_t *async, const flight_t *flight) {
  values_t inputs = {0};
  for (int i = 0; i < flight->count; ++i)
    collect_loop_results(async, flight->groups[i].dot, &inputs);
  if (!inputs.size)
    return;
  nereid_builder_t builder = nereid_builder_before(mlirOperationGetNextInBlock(async->loop));
  builder.location = mlirOperationGetLocation(async->loop);
  MlirOperation wait = nereid_ttng_warp_group_dot_wait_build(&builder, (intptr_t)inputs.size, inputs.data, 0);
  for (size_t i = 0; i < inputs.size; ++i) {
    MlirValue result = mlirOperationGetResult(wait, (intptr_t)i);
    mlirValueReplaceAllUsesExcept(inputs.data[i], result, 1, &wait);
  }
}

/* --- blocks --- */

/* Whether the block has dots and none of them has been scheduled. */
static bool has_new_dots(MlirBlock block) {
  bool found = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT ||
        (is_dot(op) && nereid_ttng_warp_group_dot_get_is_async(op)))
      return false;
    found |= is_dot(op);
  }
  return found;
}

static void mark_asynchronous(MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_dot(op))
      nereid_ir_set_attribute(op, "isAsync", mlirBoolAttrGet(mlirOperationGetContext(op), true));
}

static void process_block(nereid_pass_t *pass, MlirBlock block, nereid_ring_phases_t *phases, int64_t *carried) {
  async_t async = {.pass = pass, .block = block, .phases = phases};
  MlirOperation parent = mlirBlockGetParentOperation(block);
  if (nereid_op_kind(parent) == NEREID_OP_SCF_FOR)
    nereid_loop_merge_carried(async.loop = parent); /* a wait passes each value on once */
  nereid_map_initialize(&async.waits, pass->scratch);
  nereid_map_initialize(&async.early, pass->scratch);
  nereid_accumulators_hoist(block, pass->scratch, &async.accumulators);
  flight_t flight = steady_state(&async);
  if (pass->scratch->failed)
    return;
  walk(&async, &flight, insert_wait);
  mark_asynchronous(block);
  for (int i = 0; i < flight.count; ++i)
    nereid_pass_remark_passed(pass, flight.groups[i].dot, "async-dot", "stays in flight until the next iteration");
  if (!mlirOperationIsNull(async.loop))
    wait_after_loop(&async, &flight);
  for (size_t i = 0; i < async.inside.size && !pass->scratch->failed; ++i)
    nereid_branch_insert_wait(async.inside.data[i].branch, (intptr_t)async.inside.data[i].inputs.size,
                              async.inside.data[i].inputs.data, (intptr_t)async.inside.data[i].results);
  *carried += flight.count;
}

static bool process_function(nereid_pass_t *pass, MlirOperation function, int64_t *carried) {
  nereid_operations_t dots = {0};
  nereid_flow_graph_t graph;
  nereid_ring_phases_t phases;
  if (!nereid_collect_kind(function, NEREID_OP_TTNG_WARP_GROUP_DOT, pass->scratch, &dots))
    return false;
  if (!dots.size)
    return true;
  if (!nereid_flow_graph_build(function, pass->scratch, &graph))
    return false;
  nereid_ring_phases_initialize(&phases, &graph, pass->scratch);
  for (size_t i = 0; i < dots.size; ++i) {
    MlirBlock block = mlirOperationGetBlock(dots.data[i]);
    if (has_new_dots(block)) /* not after its first dot has been processed */
      process_block(pass, block, &phases, carried);
  }
  return !pass->scratch->failed;
}

bool nereid_async_dots(nereid_pass_t *pass, int64_t *carried) {
  nereid_operations_t functions = {0};
  bool good = nereid_collect_kind(pass->op, NEREID_OP_TT_FUNC, pass->scratch, &functions);
  for (size_t i = 0; good && i < functions.size; ++i)
    good = process_function(pass, functions.data[i], carried);
  return good;
}
