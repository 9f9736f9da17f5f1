/* Liveness of values, and from it liveness of buffers; see liveness.h.
 *
 *   ^loop(%x)   %x aliases %a in the first iteration and %b, allocated in the loop, afterwards: both are live from here
 *               to the last use of %x, %a also from its allocation on, %b to the loop's end
 *
 * A buffer is live while any value that may alias it is live. Waits for mbarriers are also uses of the buffers whose
 * loads and copies signal them. The allocation need not precede such a wait on every path, so the buffer is live only
 * where it may have been allocated. */
#include "analysis/allocation/liveness.h"

#include "analysis/allocation/liveness_solver.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttng.h"

typedef nereid_liveness_solver_t solver_t;

/* --- definitions and uses --- */

static void define(solver_t *solver, MlirValue value, uint32_t position, bool has_op) {
  const uint32_t number = nereid_alias_number(solver->alias, value);
  if (number != NEREID_FLOW_NONE)
    solver->subjects.list[number] = (nereid_live_subject_t){
        .home = solver->graph->nodes_of_ops[position], .definition = position, .has_op = has_op};
}

/* Results of an op with regions are defined at the start of its continuation. */
static void define_results(solver_t *solver, MlirOperation op, uint32_t position) {
  const nereid_flow_graph_t *graph = solver->graph;
  uint32_t at = position;
  if (nereid_flow_graph_enters(op) && !mlirOperationIsNull(mlirOperationGetNextInBlock(op)))
    at = nereid_flow_graph_position(graph, mlirOperationGetNextInBlock(op));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    define(solver, mlirOperationGetResult(op, i), at, at == position);
}

/* The arguments of the block that `node` begins. */
static void define_arguments(solver_t *solver, const nereid_flow_node_t *node) {
  if (mlirOperationEqual(mlirBlockGetFirstOperation(node->block), solver->graph->ops.data[node->first]))
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(node->block); ++i)
      define(solver, mlirBlockGetArgument(node->block, i), node->first, false);
}

/* The target of a bulk load and the mbarrier that signals its completion. */
static bool bulk_load(MlirOperation op, MlirValue *target, MlirValue *barrier) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
    *target = nereid_ttng_async_tma_copy_global_to_local_get_result(op);
    *barrier = nereid_ttng_async_tma_copy_global_to_local_get_barrier(op);
    return true;
  case NEREID_OP_TTNG_ASYNC_TMA_GATHER:
    *target = nereid_ttng_async_tma_gather_get_result(op);
    *barrier = nereid_ttng_async_tma_gather_get_barrier(op);
    return true;
  default:
    return false;
  }
}

static void announce(solver_t *solver, uint32_t barrier, uint32_t buffer) {
  nereid_liveness_buffer_t *state = &solver->buffers[barrier];
  for (uint32_t t = state->announced; t; t = solver->targets.data[t - 1].next)
    if (solver->targets.data[t - 1].buffer == buffer)
      return;
  if (nereid_vector_push(solver->arena, &solver->targets, (nereid_liveness_target_t){buffer, state->announced}))
    state->announced = (uint32_t)solver->targets.size;
}

void nereid_liveness_announce(solver_t *solver, MlirValue target, MlirValue barrier) {
  const nereid_alias_set_t targets = nereid_alias_of(solver->alias, target);
  const nereid_alias_set_t barriers = nereid_alias_of(solver->alias, barrier);
  for (uint32_t b = 0; b < barriers.count; ++b)
    for (uint32_t t = 0; t < targets.count; ++t)
      announce(solver, barriers.buffers[b], targets.buffers[t]);
}

/* A wait for an mbarrier uses the targets of its bulk loads and copies. */
static void add_wait(solver_t *solver, MlirOperation wait, uint32_t position) {
  const nereid_alias_set_t barriers = nereid_alias_of(solver->alias, nereid_ttng_wait_barrier_get_alloc(wait));
  for (uint32_t b = 0; b < barriers.count; ++b)
    for (uint32_t t = solver->buffers[barriers.buffers[b]].announced; t; t = solver->targets.data[t - 1].next)
      nereid_live_subjects_use(&solver->subjects, solver->alias->n_values + solver->targets.data[t - 1].buffer,
                               position, solver->arena);
}

static void collect(solver_t *solver) {
  const nereid_flow_graph_t *graph = solver->graph;
  MlirValue target, barrier;
  for (uint32_t p = 0; p < graph->ops.size; ++p)
    if (graph->concerned[p])
      define_results(solver, graph->ops.data[p], p);
  for (uint32_t n = 0; n < graph->nodes.size; ++n)
    define_arguments(solver, &graph->nodes.data[n]);
  for (uint32_t p = 0; p < graph->ops.size; ++p) {
    MlirOperation op = graph->ops.data[p];
    if (!graph->concerned[p])
      continue;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      const uint32_t number = nereid_alias_number(solver->alias, mlirOperationGetOperand(op, i));
      if (number != NEREID_FLOW_NONE)
        nereid_live_subjects_use(&solver->subjects, number, p, solver->arena);
    }
    if (bulk_load(op, &target, &barrier))
      nereid_liveness_announce(solver, target, barrier);
    nereid_liveness_fly(solver, op, p);
  }
  for (uint32_t p = 0; solver->targets.size && p < graph->ops.size; ++p)
    if (nereid_op_kind(graph->ops.data[p]) == NEREID_OP_TTNG_WAIT_BARRIER)
      add_wait(solver, graph->ops.data[p], p);
}

/* --- walks --- */

static void value_lives(uint32_t value, uint32_t first, uint32_t last, void *user_data) {
  solver_t *solver = user_data;
  const nereid_alias_set_t set = solver->alias->sets[value];
  for (uint32_t i = 0; i < set.count; ++i)
    nereid_liveness_add_piece(solver, set.buffers[i], (nereid_live_range_t){first, last});
}

static void target_lives(uint32_t subject, uint32_t first, uint32_t last, void *user_data) {
  solver_t *solver = user_data;
  nereid_liveness_add_piece(solver, subject - solver->alias->n_values, (nereid_live_range_t){first, last});
}

static bool walk_all(solver_t *solver) {
  const uint32_t n_values = solver->alias->n_values, n_buffers = (uint32_t)solver->alias->buffers.size;
  if (!nereid_live_subjects_walk(&solver->subjects, 0, n_values, true, solver->arena, value_lives, solver) ||
      (solver->targets.size && !nereid_live_subjects_walk(&solver->subjects, n_values, n_values + n_buffers, false,
                                                          solver->arena, target_lives, solver)))
    return false;
  for (uint32_t b = 0; b < n_buffers; ++b) {
    solver->ranges.size = 0;
    for (uint32_t p = nereid_liveness_is_argument(solver, b) ? 0 : solver->buffers[b].pieces; p;
         p = solver->pieces.data[p - 1].next)
      nereid_vector_push(solver->arena, &solver->ranges, solver->pieces.data[p - 1].range);
    nereid_liveness_make(solver, &solver->liveness->buffers[b]);
  }
  return !solver->arena->failed;
}

/* --- the whole --- */

/* Values are defined by their defining ops, buffers by their allocations. */
static void make_subjects(solver_t *solver) {
  const uint32_t n_values = solver->alias->n_values, n_buffers = (uint32_t)solver->alias->buffers.size;
  solver->subjects.list = nereid_arena_new(solver->arena, nereid_live_subject_t, n_values + n_buffers);
  if (!solver->subjects.list)
    return;
  for (uint32_t i = 0; i < n_values + n_buffers; ++i)
    solver->subjects.list[i].home = NEREID_FLOW_NONE;
  for (uint32_t b = 0; b < n_buffers; ++b) {
    if (nereid_liveness_is_argument(solver, b))
      continue;
    const uint32_t position = nereid_flow_graph_position(solver->graph, solver->alias->buffers.data[b].alloc);
    solver->subjects.list[n_values + b] =
        (nereid_live_subject_t){.home = solver->graph->nodes_of_ops[position], .definition = position, .has_op = true};
  }
}

static bool prepare(solver_t *solver) {
  nereid_liveness_t *liveness = solver->liveness;
  nereid_arena_t *arena = solver->arena;
  const size_t n_nodes = solver->graph->nodes.size, n_buffers = solver->alias->buffers.size;
  nereid_map_initialize(&liveness->calls, arena);
  liveness->starts = nereid_arena_new(arena, uint32_t, n_nodes);
  liveness->groups = nereid_arena_new(arena, uint32_t, n_nodes);
  liveness->buffers = nereid_arena_new(arena, nereid_live_t, n_buffers);
  liveness->end.own = nereid_flight_nothing();
  liveness->end.n_arguments = n_nodes ? (uint32_t)mlirBlockGetNumArguments(solver->graph->nodes.data[0].block) : 0;
  liveness->end.arguments = nereid_arena_new(arena, nereid_flight_end_t, liveness->end.n_arguments);
  solver->buffers = nereid_arena_new(arena, nereid_liveness_buffer_t, n_buffers);
  make_subjects(solver);
  if (arena->failed || !nereid_flight_build(solver->graph, arena, &solver->flight) || !nereid_liveness_number(solver))
    return false;
  for (uint32_t i = 0; i < liveness->end.n_arguments; ++i)
    liveness->end.arguments[i] = nereid_flight_nothing();
  return true;
}

bool nereid_liveness_run(const nereid_flow_graph_t *graph, const nereid_alias_t *alias, bool is_called,
                         const nereid_map_t *ends, nereid_arena_t *arena, nereid_liveness_t *out) {
  *out = (nereid_liveness_t){.arena = arena, .graph = graph};
  solver_t solver = {
      .liveness = out, .arena = arena, .graph = graph, .alias = alias, .is_called = is_called, .ends = ends};
  if (!prepare(&solver))
    return false;
  collect(&solver);
  return !arena->failed && walk_all(&solver);
}

nereid_live_t nereid_liveness_of_op(nereid_liveness_t *liveness, uint32_t position) {
  const nereid_flow_graph_t *graph = liveness->graph;
  const uintptr_t *outlives = nereid_map_find(&liveness->calls, graph->ops.data[position].ptr);
  if (outlives)
    return *(const nereid_live_t *)*outlives;
  nereid_live_range_t *range = nereid_arena_new(liveness->arena, nereid_live_range_t, 1);
  if (!range)
    return (nereid_live_t){0};
  range->first = range->last = nereid_liveness_time(liveness, position);
  nereid_live_t live = {.ranges = range, .count = 1};
  const uint32_t node = graph->nodes_of_ops[position];
  live.group = liveness->groups[node];
  live.member = live.group ? (uint32_t)graph->nodes.data[node].partition : 0;
  return live;
}
