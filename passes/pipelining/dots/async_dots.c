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
 *   - the end of its iteration, if its wait in the next one precedes the dot that accumulates onto its result, and the
 *     first accumulator joins computed values, as those of another loop that may have no iteration, or the result of a
 *     dot in a branch: the assembler serializes all wgmma because of the copies of these values;
 *   - the end of its iteration, if the loop cannot carry the result in the registers of the dot: the carried value is
 *     used after the dot, or the dot accumulates onto a value that is not computed from it;
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
#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttng.h"
#include "passes/pipelining/branch_waits.h"
#include "passes/pipelining/dots/dot_flight.h"
#include "passes/pipelining/dots/early_loads.h"
#include "passes/pipelining/dots/wait_inputs.h"
#include "passes/support/collect.h"
#include "passes/support/loop.h"

#include <mlir-c/BuiltinAttributes.h>

enum { MAX_WALKS = 8 };

/* A wait inside an scf.if, inserted last: the values and buffers for which it waits, of which the branch uses the first
 * `results`. */
typedef struct inside {
  MlirOperation branch;
  nereid_dot_values_t inputs;
  size_t results;
} inside_t;

typedef struct async {
  nereid_pass_t *pass;
  nereid_dot_block_t in;
  nereid_map_t waits; /* op -> pendings + 1 of the wait before it */
  NEREID_VECTOR(inside_t) inside;
  bool changed;
} async_t;

/* --- one walk over the block --- */

static bool is_touched(const async_t *async, const nereid_dot_in_flight_t *group) {
  MlirOperation end = mlirBlockGetTerminator(async->in.block);
  for (MlirOperation op = mlirBlockGetFirstOperation(async->in.block); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_dot_flight_touches_registers(&async->in, op, group))
      return true;
  return false;
}

/* Returns where `group`, of the previous iteration, must be complete so that the assembler does not serialize wgmma, as
 * it does not follow groups over the back edge; 0 where it may stay in flight until its wait in this iteration:
 *
 *   - before the first dot, if this iteration touches its registers and the wait would leave younger groups in flight;
 *   - at the end of the previous iteration, if the wait precedes the dot that accumulates onto its result, and control
 *     flow has joined computed values as its first accumulator. */
static int completion_of(const async_t *async, const nereid_dot_in_flight_t *group, bool leaves_younger) {
  if (!group->forwarded && nereid_dot_flight_starts_joined(&async->in, group->dot))
    return NEREID_DOT_COMPLETION_ITERATION;
  return leaves_younger && is_touched(async, group) ? NEREID_DOT_COMPLETION_NEXT_DOT : 0;
}

/* Notes which of the first `needed` groups, before whose wait the walk is, must be complete earlier. */
static void complete_early(async_t *async, const nereid_dot_flight_t *flight, int needed) {
  const bool leaves_younger = needed < flight->count && flight->groups[flight->count - 1].age == 0;
  for (int i = 0; i < needed; ++i) {
    const nereid_dot_in_flight_t *group = &flight->groups[i];
    if (group->age == 0 || nereid_map_find(&async->in.early, group->dot.ptr))
      continue;
    const int completion = completion_of(async, group, leaves_younger);
    uintptr_t *place = completion ? nereid_map_insert(&async->in.early, group->dot.ptr) : NULL;
    if (place)
      *place = (uintptr_t)completion;
    async->changed |= completion != 0;
  }
}

/* How many of the groups must be complete before `op`. */
static int count_needed(async_t *async, const nereid_dot_flight_t *flight, MlirOperation op) {
  int needed = 0;
  for (int i = 0; i < flight->count; ++i)
    if (nereid_dot_flight_must_precede(&async->in, &flight->groups[i], op))
      needed = i + 1;
  if (nereid_dot_flight_is_dot(op) && flight->count == NEREID_MAX_DOTS_IN_FLIGHT && !needed)
    needed = 1;
  const bool ends =
      !mlirOperationIsNull(async->in.loop) && mlirOperationEqual(op, mlirBlockGetTerminator(async->in.block));
  if (ends && nereid_dot_flight_is_accessed_first(&async->in, flight))
    needed = flight->count;
  complete_early(async, flight, needed);
  return needed && !nereid_wait_inputs_exist(&async->in, op, flight, needed) ? flight->count : needed;
}

/* Returns how many groups the wait before `op` completes; adds or strengthens the wait where needed. */
static int wait_before(async_t *async, const nereid_dot_flight_t *flight, MlirOperation op) {
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

/* Plans the wait inside of a branch that needs the groups in flight to be complete. */
static void plan_inside(async_t *async, MlirOperation branch, const nereid_dot_flight_t *flight) {
  inside_t inside = {.branch = branch};
  nereid_dot_values_t results = {0};
  if (!flight->count || !nereid_branch_is_conditional(branch))
    return;
  for (int i = 0; i < flight->count; ++i)
    nereid_dot_flight_values(&async->in, &flight->groups[i], &results);
  for (size_t i = 0; i < results.size; ++i)
    if (nereid_dot_flight_uses(&async->in, branch, results.data[i]))
      nereid_vector_push(async->pass->scratch, &inside.inputs, results.data[i]);
  inside.results = inside.inputs.size;
  if (!inside.results && nereid_branch_is_harmless(branch))
    return;
  for (int i = 0; i < flight->count; ++i)
    nereid_wait_inputs_add_buffers(&async->in, &inside.inputs, &flight->groups[i]);
  if (!inside.inputs.size) { /* groups of the previous iteration, whose buffers this one defines later */
    inside.inputs = results;
    inside.results = results.size;
  }
  if (inside.inputs.size)
    nereid_vector_push(async->pass->scratch, &async->inside, inside);
}

typedef void (*completed_t)(async_t *async, MlirOperation before, const nereid_dot_flight_t *flight, int n, int stay);

/* Walks the block once; calls `completed`, if it is not null, at each wait, also at those for no group that order the
 * ops that were hoisted before a dot. */
static void walk(async_t *async, nereid_dot_flight_t *flight, completed_t completed) {
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(async->in.block); !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    const int n = wait_before(async, flight, op);
    const uintptr_t *pendings = nereid_map_find(&async->waits, op.ptr);
    if (completed && (pendings || nereid_accumulators_precede(&async->in.accumulators, op)))
      completed(async, op, flight, n, pendings ? (int)*pendings - 1 : flight->count);
    nereid_dot_flight_complete(flight, n);
    if (completed)
      plan_inside(async, op, flight);
    if (nereid_dot_flight_is_dot(op))
      nereid_dot_flight_issue(&async->in, flight, op); /* wait_before has made room */
  }
}

static bool is_same_flight(const nereid_dot_flight_t *a, const nereid_dot_flight_t *b) {
  bool same = a->count == b->count;
  for (int i = 0; same && i < a->count; ++i)
    same = mlirOperationEqual(a->groups[i].dot, b->groups[i].dot) && a->groups[i].age == b->groups[i].age &&
           a->groups[i].forwarded == b->groups[i].forwarded;
  return same;
}

/* The groups in flight at the beginning of an iteration, in the steady state. */
static nereid_dot_flight_t steady_state(async_t *async) {
  nereid_dot_flight_t entry = {.count = 0};
  size_t early = 0;
  for (int i = 0; i < MAX_WALKS; ++i) {
    nereid_dot_flight_t flight = entry;
    async->changed = false;
    walk(async, &flight, NULL);
    if (async->in.early.size != early) { /* other waits may not be needed */
      early = async->in.early.size;
      nereid_map_initialize(&async->waits, async->pass->scratch);
      entry.count = 0;
      continue;
    }
    for (int k = 0; k < flight.count; ++k)
      ++flight.groups[k].age;
    if (mlirOperationIsNull(async->in.loop) || (is_same_flight(&flight, &entry) && !async->changed))
      return entry;
    entry = flight;
  }
  /* Without agreement nothing stays in flight over the back edge. */
  uintptr_t *place = nereid_map_insert(&async->waits, mlirBlockGetTerminator(async->in.block).ptr);
  if (place)
    *place = 1;
  return (nereid_dot_flight_t){.count = 0};
}

/* --- rewriting --- */

/* Replaces the uses of `value` in `before` and after it. */
static void replace_after(const async_t *async, MlirOperation before, MlirValue value, MlirValue replacement) {
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use), op = nereid_ir_ancestor_in(async->in.block, user);
    if (!mlirOperationIsNull(op) && (mlirOperationEqual(op, before) || mlirOperationIsBeforeInBlock(before, op)))
      mlirOperationSetOperand(user, mlirOpOperandGetOperandNumber(use), replacement);
  }
}

/* Inserts the wait that completes the first `n` groups and threads their results through it. */
static void insert_wait(async_t *async, MlirOperation before, const nereid_dot_flight_t *flight, int n, int stay) {
  nereid_dot_values_t inputs = {0};
  size_t results;
  if (!flight->count && !nereid_accumulators_precede(&async->in.accumulators, before))
    return;
  nereid_wait_inputs(&async->in, before, flight, n, &inputs, &results);
  nereid_builder_t builder = nereid_builder_before(before);
  MlirOperation wait =
      nereid_ttng_warp_group_dot_wait_build(&builder, (intptr_t)inputs.size, inputs.data, (int32_t)stay);
  for (size_t i = 0; i < results; ++i)
    replace_after(async, before, inputs.data[i], mlirOperationGetResult(wait, (intptr_t)i));
}

/* Waits after the loop for the groups of its last iteration. */
static void wait_after_loop(async_t *async, const nereid_dot_flight_t *flight) {
  nereid_dot_values_t inputs = {0};
  for (int i = 0; i < flight->count; ++i)
    nereid_dot_flight_loop_results(&async->in, flight->groups[i].dot, &inputs);
  if (!inputs.size)
    return;
  nereid_builder_t builder = nereid_builder_before(mlirOperationGetNextInBlock(async->in.loop));
  builder.location = mlirOperationGetLocation(async->in.loop);
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
        (nereid_dot_flight_is_dot(op) && nereid_ttng_warp_group_dot_get_is_async(op)))
      return false;
    found |= nereid_dot_flight_is_dot(op);
  }
  return found;
}

static void mark_asynchronous(MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_dot_flight_is_dot(op))
      nereid_ir_set_attribute(op, "isAsync", mlirBoolAttrGet(mlirOperationGetContext(op), true));
}

static void process_block(nereid_pass_t *pass, MlirBlock block, nereid_ring_phases_t *phases, int64_t *carried) {
  async_t async = {.pass = pass, .in = {.block = block, .phases = phases, .arena = pass->scratch}};
  MlirOperation parent = mlirBlockGetParentOperation(block);
  if (nereid_op_kind(parent) == NEREID_OP_SCF_FOR)
    nereid_loop_merge_carried(async.in.loop = parent); /* a wait passes each value on once */
  nereid_map_initialize(&async.waits, pass->scratch);
  nereid_map_initialize(&async.in.early, pass->scratch);
  nereid_early_loads(pass, block);
  nereid_accumulators_hoist(block, pass->scratch, &async.in.accumulators);
  nereid_dot_flight_t flight = steady_state(&async);
  if (pass->scratch->failed)
    return;
  walk(&async, &flight, insert_wait);
  mark_asynchronous(block);
  for (int i = 0; i < flight.count; ++i)
    nereid_pass_remark_passed(pass, flight.groups[i].dot, "async-dot", "stays in flight until the next iteration");
  if (!mlirOperationIsNull(async.in.loop))
    wait_after_loop(&async, &flight);
  /* The last one first: a branch that gets a wait is built again, and later ones list its results. */
  for (size_t i = async.inside.size; i-- > 0 && !pass->scratch->failed;)
    nereid_branch_insert_wait(pass->scratch, async.inside.data[i].branch, (intptr_t)async.inside.data[i].inputs.size,
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
