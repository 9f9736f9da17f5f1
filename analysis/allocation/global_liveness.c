/* Follows pointers into global scratch; see global_liveness.h.
 *
 *   %a = ttg.global_scratch_alloc    %p = tt.addptr %a, %i     cf.br ^next(%p)    ^next(%q)
 *   derived from %a: %p, because its op is pure, and %q, which is %p when control comes along the edge
 *
 * Each allocation is followed separately, from value to user, so pointers from elsewhere need no analysis. */
#include "analysis/allocation/global_liveness.h"

#include "analysis/allocation/liveness_solver.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "seam/effects.h"

#include <stdlib.h>

typedef struct wait {
  uint32_t position;
  nereid_alias_set_t barriers;
} wait_t;

typedef struct follower {
  nereid_global_liveness_t *out;
  nereid_arena_t *arena;
  const nereid_flow_graph_t *graph;
  nereid_alias_t alias;
  nereid_liveness_solver_t solver;
  nereid_map_t forwards; /* value -> first of its forwards + 1 */
  uint32_t *next;        /* by forward: the next of the same value + 1 */
  NEREID_VECTOR(wait_t) waits;
  bool *awaited; /* by buffer: an op waits for it as an mbarrier */
  bool *signals; /* by buffer: an mbarrier that signals completion of a read of this allocation */
  /* Range of the current allocation: */
  uint32_t number;
  nereid_map_t made; /* values derived from its pointer */
  NEREID_VECTOR(MlirValue) work;
  NEREID_VECTOR(uint32_t) uses;     /* positions */
  NEREID_VECTOR(uint32_t) barriers; /* those in `signals` */
  bool lasts;
} follower_t;

/* --- values derived from the pointer --- */

static void add_made(follower_t *follower, MlirValue value) {
  uintptr_t *place = nereid_map_insert(&follower->made, value.ptr);
  if (!place || *place)
    return;
  *place = 1;
  nereid_vector_push(follower->arena, &follower->work, value);
}

static void add_forwards(follower_t *follower, MlirValue value) {
  const uintptr_t *first = nereid_map_find(&follower->forwards, value.ptr);
  for (uint32_t f = first ? (uint32_t)*first : 0; f; f = follower->next[f - 1])
    add_made(follower, follower->graph->forwards.data[f - 1].to);
}

/* --- what uses it --- */

typedef enum use {
  USE_ACCESS,  /* the access completes with the op */
  USE_MAKES,   /* its results are derived from the pointer */
  USE_HANDS,   /* control flow forwards it */
  USE_FLIES,   /* starts an operation that reads until a wait for its group */
  USE_LOADS,   /* ... until a wait for its mbarrier */
  USE_UNKNOWN, /* may keep the pointer indefinitely */
} use_t;

/* The use by operand `i`. */
static use_t use_of(MlirOperation op, intptr_t i) {
  nereid_flight_kind_t kind;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_LOAD:
  case NEREID_OP_TT_STORE:
  case NEREID_OP_TT_ATOMIC_RMW:
  case NEREID_OP_TT_ATOMIC_CAS:
  case NEREID_OP_TT_ATOMIC_LOAD:
  case NEREID_OP_TT_ATOMIC_STORE:
  case NEREID_OP_TT_ATOMIC_POLL:
  case NEREID_OP_TTNG_TENSORMAP_CREATE:
  case NEREID_OP_TTNG_TENSORMAP_FENCEPROXY_ACQUIRE:
    return i == 0 ? USE_ACCESS : USE_UNKNOWN; /* other operands: the pointer itself is stored */
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
  case NEREID_OP_TTNG_ASYNC_TMA_GATHER:
    return USE_LOADS;
  case NEREID_OP_TT_CALL:
  case NEREID_OP_TT_RETURN:
    return USE_UNKNOWN;
  default:
    break;
  }
  if (nereid_flight_begins(op, &kind))
    return USE_FLIES;
  if (nereid_flow_graph_enters(op) || mlirOperationGetNumSuccessors(op) ||
      mlirOperationIsNull(mlirOperationGetNextInBlock(op)))
    return USE_HANDS;
  return mlirOperationGetNumRegions(op) == 0 && nereidMlirOperationIsPure(op) ? USE_MAKES : USE_UNKNOWN;
}

static void add_times(follower_t *follower) {
  nereid_liveness_solver_t *solver = &follower->solver;
  for (size_t s = 0; s < solver->flight.stretches.size; ++s) {
    const nereid_flight_stretch_t *at = &solver->flight.stretches.data[s];
    const uint32_t start = follower->out->times.starts[at->node] - follower->graph->nodes.data[at->node].first;
    nereid_liveness_add_piece(solver, follower->number, (nereid_live_range_t){start + at->first, start + at->last});
  }
}

static void fly(follower_t *follower, MlirOperation op, uint32_t position) {
  nereid_flight_kind_t kind = NEREID_FLIGHT_COPY;
  nereid_flight_begins(op, &kind);
  const uint8_t groups = nereid_flight_groups_at_begin(kind);
  follower->lasts |= nereid_flight_walk(&follower->solver.flight, position, kind, groups) != NEREID_FLIGHT_DONE;
  add_times(follower);
}

/* Records the mbarriers of a bulk load; without a wait for them the read has no known end. */
static void load(follower_t *follower, MlirOperation op) {
  const bool gathers = nereid_op_kind(op) == NEREID_OP_TTNG_ASYNC_TMA_GATHER;
  const nereid_alias_set_t set =
      nereid_alias_of(&follower->alias, gathers ? nereid_ttng_async_tma_gather_get_barrier(op)
                                                : nereid_ttng_async_tma_copy_global_to_local_get_barrier(op));
  follower->lasts |= set.count == 0;
  for (uint32_t b = 0; b < set.count; ++b) {
    follower->lasts |= !follower->awaited[set.buffers[b]];
    if (!follower->signals[set.buffers[b]])
      nereid_vector_push(follower->arena, &follower->barriers, set.buffers[b]);
    follower->signals[set.buffers[b]] = true;
  }
}

static void follow_use(follower_t *follower, MlirValue value, MlirOpOperand operand) {
  MlirOperation op = mlirOpOperandGetOwner(operand);
  const uint32_t position = nereid_flow_graph_position(follower->graph, op);
  const use_t use =
      position == NEREID_FLOW_NONE ? USE_UNKNOWN : use_of(op, (intptr_t)mlirOpOperandGetOperandNumber(operand));
  follower->lasts |= use == USE_UNKNOWN;
  if (use == USE_UNKNOWN)
    return;
  nereid_vector_push(follower->arena, &follower->uses, position);
  if (use == USE_MAKES)
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
      add_made(follower, mlirOperationGetResult(op, r));
  else if (use == USE_HANDS)
    add_forwards(follower, value);
  else if (use == USE_FLIES)
    fly(follower, op, position);
  else if (use == USE_LOADS)
    load(follower, op);
}

/* --- the liveness of one allocation --- */

static int by_number(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static void add_waits(follower_t *follower) {
  for (size_t w = 0; follower->barriers.size && w < follower->waits.size; ++w)
    for (uint32_t b = 0; b < follower->waits.data[w].barriers.count; ++b)
      if (follower->signals[follower->waits.data[w].barriers.buffers[b]])
        nereid_vector_push(follower->arena, &follower->uses, follower->waits.data[w].position);
  for (size_t b = 0; b < follower->barriers.size; ++b)
    follower->signals[follower->barriers.data[b]] = false;
}

/* Finds the uses of allocation `number`, and its operations in flight. */
static void follow(follower_t *follower, uint32_t number) {
  nereid_global_allocation_t *allocation = &follower->out->allocations.data[number];
  const uint32_t position = nereid_flow_graph_position(follower->graph, allocation->op);
  follower->solver.subjects.list[number] =
      (nereid_live_subject_t){.home = follower->graph->nodes_of_ops[position], .definition = position, .has_op = true};
  nereid_map_initialize(&follower->made, follower->arena);
  follower->number = number;
  follower->work.size = follower->uses.size = follower->barriers.size = 0;
  follower->lasts = false;
  add_made(follower, mlirOperationGetResult(allocation->op, 0));
  while (follower->work.size && !follower->lasts && !follower->arena->failed) {
    MlirValue value = follower->work.data[--follower->work.size];
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
      follow_use(follower, value, use);
  }
  add_waits(follower);
  allocation->lasts = follower->lasts;
  if (follower->uses.size)
    qsort(follower->uses.data, follower->uses.size, sizeof *follower->uses.data, by_number);
  for (size_t i = 0; i < follower->uses.size; ++i)
    nereid_live_subjects_use(&follower->solver.subjects, number, follower->uses.data[i], follower->arena);
}

static void add_range(uint32_t number, uint32_t first, uint32_t last, void *user_data) {
  nereid_liveness_add_piece(user_data, number, (nereid_live_range_t){first, last});
}

static void make_life(follower_t *follower, uint32_t number) {
  nereid_global_allocation_t *allocation = &follower->out->allocations.data[number];
  nereid_liveness_solver_t *solver = &follower->solver;
  if (allocation->lasts) {
    allocation->live = (nereid_live_t){.ranges = &follower->out->always, .count = 1};
    return;
  }
  solver->ranges.size = 0;
  for (uint32_t p = solver->buffers[number].pieces; p; p = solver->pieces.data[p - 1].next)
    nereid_vector_push(follower->arena, &solver->ranges, solver->pieces.data[p - 1].range);
  nereid_liveness_make(solver, &allocation->live);
}

/* --- the whole --- */

static void index_forwards(follower_t *follower) {
  const nereid_flow_graph_t *graph = follower->graph;
  nereid_map_initialize(&follower->forwards, follower->arena);
  follower->next = nereid_arena_new(follower->arena, uint32_t, graph->forwards.size);
  for (uint32_t f = 0; follower->next && f < graph->forwards.size; ++f) {
    uintptr_t *place = nereid_map_insert(&follower->forwards, graph->forwards.data[f].from.ptr);
    if (!place)
      return;
    follower->next[f] = (uint32_t)*place;
    *place = f + 1;
  }
}

static void index_waits(follower_t *follower) {
  const size_t n = follower->alias.buffers.size;
  follower->awaited = nereid_arena_new(follower->arena, bool, n);
  follower->signals = nereid_arena_new(follower->arena, bool, n);
  for (uint32_t p = 0; !follower->arena->failed && p < follower->graph->ops.size; ++p) {
    MlirOperation op = follower->graph->ops.data[p];
    if (!follower->graph->concerned[p] || nereid_op_kind(op) != NEREID_OP_TTNG_WAIT_BARRIER)
      continue;
    const wait_t wait = {p, nereid_alias_of(&follower->alias, nereid_ttng_wait_barrier_get_alloc(op))};
    nereid_vector_push(follower->arena, &follower->waits, wait);
    for (uint32_t b = 0; b < wait.barriers.count; ++b)
      follower->awaited[wait.barriers.buffers[b]] = true;
  }
}

/* Numbers times, together with the state of the shared-memory liveness; keeps only the times of ops. */
static bool prepare(follower_t *follower) {
  nereid_global_liveness_t *out = follower->out;
  nereid_liveness_solver_t *solver = &follower->solver;
  const size_t n = out->graph.nodes.size;
  *solver = (nereid_liveness_solver_t){
      .liveness = &out->times, .arena = follower->arena, .graph = &out->graph, .alias = &follower->alias};
  out->times = (nereid_liveness_t){.arena = follower->arena, .graph = &out->graph};
  nereid_map_initialize(&out->times.calls, follower->arena);
  out->times.starts = nereid_arena_new(follower->arena, uint32_t, n);
  out->times.groups = nereid_arena_new(follower->arena, uint32_t, n);
  if (follower->arena->failed || !nereid_alias_run(&out->graph, NULL, follower->arena, &follower->alias) ||
      !nereid_flight_build(&out->graph, follower->arena, &solver->flight) || !nereid_liveness_number(solver))
    return false;
  index_forwards(follower);
  index_waits(follower);
  out->always.last = out->graph.ops.size ? (uint32_t)out->graph.ops.size - 1 : 0;
  return !follower->arena->failed;
}

bool nereid_global_liveness_run(MlirOperation function, nereid_arena_t *arena, nereid_global_liveness_t *out) {
  *out = (nereid_global_liveness_t){0};
  if (!nereid_flow_graph_build(function, arena, &out->graph))
    return false;
  follower_t follower = {.out = out, .arena = arena, .graph = &out->graph};
  if (!prepare(&follower))
    return false;
  for (size_t p = 0; p < out->graph.ops.size; ++p)
    if (nereid_op_kind(out->graph.ops.data[p]) == NEREID_OP_TTG_GLOBAL_SCRATCH_ALLOC)
      nereid_vector_push(arena, &out->allocations, (nereid_global_allocation_t){.op = out->graph.ops.data[p]});
  const uint32_t n = (uint32_t)out->allocations.size;
  follower.solver.subjects.list = nereid_arena_new(arena, nereid_live_subject_t, n);
  follower.solver.buffers = nereid_arena_new(arena, nereid_liveness_buffer_t, n);
  for (uint32_t i = 0; !arena->failed && i < n; ++i)
    follow(&follower, i);
  if (arena->failed ||
      !nereid_live_subjects_walk(&follower.solver.subjects, 0, n, false, arena, add_range, &follower.solver))
    return false;
  for (uint32_t i = 0; i < n; ++i)
    make_life(&follower, i);
  return !arena->failed;
}
