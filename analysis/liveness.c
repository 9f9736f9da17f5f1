/* Liveness of values, and from that of buffers; see liveness.h.
 *
 *   ^loop(%x)   %x is %a in the first round and %b, made in the loop, from then on: both live from here to the last use
 *               of %x, %a lives as well from its allocation on, %b to the loop's end
 *
 * A buffer lives while any value does that may be it. Waits for mbarriers are uses too, of the buffers that were
 * announced; as they need not lie behind the allocation on every path, such a buffer lives only where it was made. */
#include "analysis/liveness.h"

#include "analysis/value_liveness.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttng.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

enum { BETWEEN = UINT32_MAX }; /* in a ttg.warp_specialize, but in none of its regions */

typedef struct piece {
  nereid_live_range_t range;
  uint32_t next; /* of the buffer + 1 */
} piece_t;

typedef struct buffer_state {
  uint32_t pieces;    /* latest + 1 */
  uint32_t announced; /* of an mbarrier: what its waits complete, latest target + 1 */
} buffer_state_t;

typedef struct target {
  uint32_t buffer, next;
} target_t;

/* All times of one region of a ttg.warp_specialize. */
typedef struct region {
  nereid_live_range_t span;
  uint32_t group, member;
} region_t;

typedef struct solver {
  nereid_liveness_t *liveness;
  nereid_arena_t *arena;
  const nereid_flow_graph_t *graph;
  const nereid_alias_t *alias;
  bool is_called;
  const nereid_map_t *ends;
  nereid_flight_t flight;
  nereid_live_subjects_t subjects; /* values by number, then buffers by number with waits for what comes into them */
  buffer_state_t *buffers;
  NEREID_VECTOR(piece_t) pieces;
  NEREID_VECTOR(target_t) targets;
  NEREID_VECTOR(region_t) regions; /* in the order of time */
  NEREID_VECTOR(nereid_live_range_t) ranges;
} solver_t;

/* --- times and regions --- */

/* Reverse post order; what nothing leads to comes last. */
static bool number_times(solver_t *solver) {
  const nereid_flow_graph_t *graph = solver->graph;
  const uint32_t n = (uint32_t)graph->nodes.size;
  uint32_t *sequence = nereid_arena_new(solver->arena, uint32_t, n),
           *places = nereid_arena_new(solver->arena, uint32_t, n);
  uint32_t time = 0, lost = graph->n_reached;
  for (uint32_t i = 0; sequence && places && i < n; ++i) {
    places[i] = graph->nodes.data[i].rank == NEREID_FLOW_NONE ? lost++ : graph->nodes.data[i].rank;
    sequence[places[i]] = i;
  }
  for (uint32_t i = 0; sequence && places && i < n; ++i) {
    solver->liveness->starts[sequence[i]] = time;
    time += graph->nodes.data[sequence[i]].end - graph->nodes.data[sequence[i]].first;
  }
  solver->subjects.graph = graph;
  solver->subjects.starts = solver->liveness->starts;
  solver->subjects.sequence = sequence;
  solver->subjects.places = places;
  return sequence && places;
}

static uint32_t member_of(const nereid_flow_graph_t *graph, const nereid_flow_node_t *node) {
  MlirOperation last = graph->ops.data[node->end - 1];
  return nereid_op_kind(last) == NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS ? BETWEEN : (uint32_t)node->partition;
}

static void widen(nereid_live_range_t *range, uint32_t first, uint32_t last) {
  range->first = first < range->first ? first : range->first;
  range->last = last > range->last ? last : range->last;
}

/* The number of a ttg.warp_specialize + 1; 0 when memory is out. */
static uint32_t group_of(solver_t *solver, nereid_map_t *numbers, MlirOperation op) {
  nereid_liveness_t *liveness = solver->liveness;
  uintptr_t *number = nereid_map_insert(numbers, op.ptr);
  if (!number ||
      (!*number && (!nereid_vector_push(solver->arena, &liveness->specialized, op) ||
                    !nereid_vector_push(solver->arena, &liveness->spans, (nereid_live_range_t){UINT32_MAX, 0}))))
    return 0;
  if (!*number)
    *number = liveness->specialized.size;
  return (uint32_t)*number;
}

/* Nodes of a region follow each other in time, and so do the regions of an op. */
static bool find_regions(solver_t *solver) {
  nereid_map_t numbers;
  nereid_map_initialize(&numbers, solver->arena);
  for (uint32_t i = 0; i < solver->graph->n_reached; ++i) {
    const uint32_t n = solver->graph->order[i];
    const nereid_flow_node_t *node = &solver->graph->nodes.data[n];
    if (mlirOperationIsNull(node->specialize))
      continue;
    const uint32_t group = group_of(solver, &numbers, node->specialize), member = member_of(solver->graph, node);
    if (!group)
      return false;
    const uint32_t first = solver->liveness->starts[n], last = first + node->end - node->first - 1;
    solver->liveness->groups[n] = group;
    widen(&solver->liveness->spans.data[group - 1], first, last);
    const size_t latest = solver->regions.size;
    if (latest && solver->regions.data[latest - 1].group == group && solver->regions.data[latest - 1].member == member)
      solver->regions.data[latest - 1].span.last = last;
    else if (!nereid_vector_push(solver->arena, &solver->regions, (region_t){{first, last}, group, member}))
      return false;
  }
  return true;
}

/* The region that `time` is in; null when it is in none. */
static const region_t *region_at(const solver_t *solver, uint32_t time) {
  size_t low = 0, high = solver->regions.size;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (solver->regions.data[middle].span.last < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low < solver->regions.size && solver->regions.data[low].span.first <= time ? &solver->regions.data[low] : NULL;
}

/* --- definitions and uses --- */

static void define(solver_t *solver, MlirValue value, uint32_t position, bool has_op) {
  const uint32_t number = nereid_alias_number(solver->alias, value);
  if (number != NEREID_FLOW_NONE)
    solver->subjects.list[number] = (nereid_live_subject_t){
        .home = solver->graph->nodes_of_ops[position], .definition = position, .has_op = has_op};
}

/* Results of an op with regions are there from what follows it on. */
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

/* What an op that begins a bulk load writes, and the mbarrier that is told when it is there. */
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
  buffer_state_t *state = &solver->buffers[barrier];
  for (uint32_t t = state->announced; t; t = solver->targets.data[t - 1].next)
    if (solver->targets.data[t - 1].buffer == buffer)
      return;
  if (nereid_vector_push(solver->arena, &solver->targets, (target_t){buffer, state->announced}))
    state->announced = (uint32_t)solver->targets.size;
}

static void announce_all(solver_t *solver, MlirValue target, MlirValue barrier) {
  const nereid_alias_set_t targets = nereid_alias_of(solver->alias, target);
  const nereid_alias_set_t barriers = nereid_alias_of(solver->alias, barrier);
  for (uint32_t b = 0; b < barriers.count; ++b)
    for (uint32_t t = 0; t < targets.count; ++t)
      announce(solver, barriers.buffers[b], targets.buffers[t]);
}

/* A wait for an mbarrier uses what was announced to it. */
static void add_wait(solver_t *solver, MlirOperation wait, uint32_t position) {
  const nereid_alias_set_t barriers = nereid_alias_of(solver->alias, nereid_ttng_wait_barrier_get_alloc(wait));
  for (uint32_t b = 0; b < barriers.count; ++b)
    for (uint32_t t = solver->buffers[barriers.buffers[b]].announced; t; t = solver->targets.data[t - 1].next)
      nereid_live_subjects_use(&solver->subjects, solver->alias->n_values + solver->targets.data[t - 1].buffer,
                               position, solver->arena);
}

/* --- flights --- */

static void add_piece(solver_t *solver, uint32_t buffer, nereid_live_range_t range) {
  buffer_state_t *state = &solver->buffers[buffer];
  if (nereid_vector_push(solver->arena, &solver->pieces, (piece_t){range, state->pieces}))
    state->pieces = (uint32_t)solver->pieces.size;
}

static nereid_live_range_t times_of(const solver_t *solver, const nereid_flight_stretch_t *at) {
  const uint32_t start = solver->liveness->starts[at->node] - solver->graph->nodes.data[at->node].first;
  return (nereid_live_range_t){start + at->first, start + at->last};
}

static bool is_argument(const solver_t *solver, uint32_t buffer) {
  return mlirOperationIsNull(solver->alias->buffers.data[buffer].alloc);
}

static void add_flights_of(solver_t *solver, uint32_t buffer, nereid_flight_end_t *end, nereid_flight_kind_t kind,
                           uint8_t groups) {
  nereid_flight_end_t more = nereid_flight_nothing();
  more.groups[kind] = groups;
  nereid_flight_join(end, more);
  for (size_t s = 0; s < solver->flight.stretches.size; ++s)
    add_piece(solver, buffer, times_of(solver, &solver->flight.stretches.data[s]));
}

/* The walk's stretches, as stretches of the buffers that `value` may be; `end` is what it came to the end with. */
static void add_flights(solver_t *solver, MlirValue value, nereid_flight_kind_t kind, uint8_t end) {
  const nereid_alias_set_t set = nereid_alias_of(solver->alias, value);
  for (uint32_t i = 0; i < set.count; ++i) {
    const uint32_t b = set.buffers[i];
    const intptr_t argument =
        is_argument(solver, b) ? mlirBlockArgumentGetArgNumber(solver->alias->buffers.data[b].value) : -1;
    add_flights_of(solver, b, argument < 0 ? &solver->liveness->end.own : &solver->liveness->end.arguments[argument],
                   kind, end);
  }
}

/* What the op at `position` begins, with `groups` made since, in the buffers that `values` may be. */
static void fly_from(solver_t *solver, uint32_t position, nereid_flight_kind_t kind, uint8_t groups, intptr_t n,
                     const MlirValue *values) {
  const uint8_t end = nereid_flight_walk(&solver->flight, position, kind, groups);
  for (intptr_t i = 0; i < n; ++i)
    add_flights(solver, values[i], kind, end);
  if (!solver->is_called || end == NEREID_FLIGHT_DONE)
    return;
  nereid_flight_walk_again(&solver->flight, kind, end);
  for (intptr_t i = 0; i < n; ++i)
    add_flights(solver, values[i], kind, end);
}

static void fly(solver_t *solver, MlirOperation op, uint32_t position) {
  enum { MOST = 3 }; /* of buffers that one op accesses asynchronously */
  MlirValue buffers[MOST];
  nereid_flight_kind_t kind;
  intptr_t n = 0;
  if (!nereid_flight_begins(op, &kind))
    return;
  for (intptr_t i = 0; n < MOST && i < mlirOperationGetNumOperands(op); ++i)
    if (nereid_alias_is_buffer(mlirOperationGetOperand(op, i)))
      buffers[n++] = mlirOperationGetOperand(op, i);
  fly_from(solver, position, kind, nereid_flight_groups_at_begin(kind), n, buffers);
}

static const nereid_liveness_end_t *end_of_callee(const solver_t *solver, MlirOperation call) {
  MlirAttribute callee = nereidMlirCallGetCallee(call);
  if (!solver->ends || mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return NULL;
  MlirAttribute name = mlirStringAttrGet(mlirOperationGetContext(call), mlirFlatSymbolRefAttrGetValue(callee));
  const uintptr_t *place = nereid_map_find(solver->ends, name.ptr);
  return place ? (const nereid_liveness_end_t *)*place : NULL;
}

static void make_live(solver_t *solver, nereid_live_t *live);

static void add_walked(solver_t *solver) {
  for (size_t s = 0; s < solver->flight.stretches.size; ++s)
    nereid_vector_push(solver->arena, &solver->ranges, times_of(solver, &solver->flight.stretches.data[s]));
}

/* The frame of a call whose function leaves something under way lives on after it. */
static void fly_frame(solver_t *solver, MlirOperation call, uint32_t position, const nereid_liveness_end_t *end) {
  bool outlives = false;
  solver->ranges.size = 0;
  for (int k = 0; k < NEREID_FLIGHT_KINDS; ++k) {
    const nereid_flight_kind_t kind = (nereid_flight_kind_t)k;
    if (end->own.groups[k] == NEREID_FLIGHT_DONE)
      continue;
    outlives = true;
    nereid_flight_end_t more = nereid_flight_nothing();
    more.groups[k] = nereid_flight_walk(&solver->flight, position, kind, end->own.groups[k]);
    nereid_flight_join(&solver->liveness->end.own, more);
    add_walked(solver);
    if (!solver->is_called || more.groups[k] == NEREID_FLIGHT_DONE)
      continue;
    nereid_flight_walk_again(&solver->flight, kind, more.groups[k]);
    add_walked(solver);
  }
  uintptr_t *place = outlives ? nereid_map_insert(&solver->liveness->calls, call.ptr) : NULL;
  nereid_live_t *live = place ? nereid_arena_new(solver->arena, nereid_live_t, 1) : NULL;
  if (!live)
    return;
  *place = (uintptr_t)live;
  make_live(solver, live);
}

static void fly_call(solver_t *solver, MlirOperation call, uint32_t position) {
  const nereid_liveness_end_t *end = end_of_callee(solver, call);
  if (!end)
    return;
  fly_frame(solver, call, position, end);
  intptr_t first, n;
  nereidMlirCallGetArguments(call, &first, &n);
  for (intptr_t i = 0; i < n && i < (intptr_t)end->n_arguments; ++i) {
    const MlirValue passed = mlirOperationGetOperand(call, first + i);
    for (int k = 0; k < NEREID_FLIGHT_KINDS; ++k)
      if (end->arguments[i].groups[k] != NEREID_FLIGHT_DONE)
        fly_from(solver, position, (nereid_flight_kind_t)k, end->arguments[i].groups[k], 1, &passed);
  }
}

static void collect(solver_t *solver) {
  const nereid_flow_graph_t *graph = solver->graph;
  MlirValue target, barrier;
  for (uint32_t p = 0; p < graph->ops.size; ++p)
    define_results(solver, graph->ops.data[p], p);
  for (uint32_t n = 0; n < graph->nodes.size; ++n)
    define_arguments(solver, &graph->nodes.data[n]);
  for (uint32_t p = 0; p < graph->ops.size; ++p) {
    MlirOperation op = graph->ops.data[p];
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      const uint32_t number = nereid_alias_number(solver->alias, mlirOperationGetOperand(op, i));
      if (number != NEREID_FLOW_NONE)
        nereid_live_subjects_use(&solver->subjects, number, p, solver->arena);
    }
    if (bulk_load(op, &target, &barrier))
      announce_all(solver, target, barrier);
    fly(solver, op, p);
    if (nereid_op_kind(op) == NEREID_OP_TT_CALL)
      fly_call(solver, op, p);
  }
  for (uint32_t p = 0; solver->targets.size && p < graph->ops.size; ++p)
    if (nereid_op_kind(graph->ops.data[p]) == NEREID_OP_TTNG_WAIT_BARRIER)
      add_wait(solver, graph->ops.data[p], p);
}

/* --- ranges --- */

static int by_first(const void *a, const void *b) {
  const nereid_live_range_t *x = a, *y = b;
  return (x->first > y->first) - (x->first < y->first);
}

/* Sorts `ranges` and joins those that touch each other. */
static void join_ranges(solver_t *solver) {
  size_t n = 1;
  qsort(solver->ranges.data, solver->ranges.size, sizeof *solver->ranges.data, by_first);
  for (size_t i = 1; i < solver->ranges.size; ++i) {
    nereid_live_range_t *back = &solver->ranges.data[n - 1];
    const nereid_live_range_t next = solver->ranges.data[i];
    if (next.first > back->last + 1)
      solver->ranges.data[n++] = next;
    else if (next.last > back->last)
      back->last = next.last;
  }
  solver->ranges.size = n;
}

/* The one region that all of `ranges` is in; null when there is none. */
static const region_t *common_region(const solver_t *solver) {
  const region_t *region = region_at(solver, solver->ranges.data[0].first);
  for (size_t i = 0; region && i < solver->ranges.size; ++i)
    if (solver->ranges.data[i].first < region->span.first || solver->ranges.data[i].last > region->span.last)
      return NULL;
  return region && region->member != BETWEEN ? region : NULL;
}

/* Ranges that begin or end in a ttg.warp_specialize are made to last as long as that. */
static void fill_groups(solver_t *solver) {
  const size_t n = solver->ranges.size;
  for (size_t i = 0; i < 2 * n; ++i) {
    const nereid_live_range_t range = solver->ranges.data[i / 2];
    const region_t *region = region_at(solver, i % 2 ? range.last : range.first);
    if (region)
      nereid_vector_push(solver->arena, &solver->ranges, solver->liveness->spans.data[region->group - 1]);
  }
}

/* Makes `live` of `ranges`. */
static void make_live(solver_t *solver, nereid_live_t *live) {
  if (solver->arena->failed || !solver->ranges.size)
    return;
  join_ranges(solver);
  const region_t *region = common_region(solver);
  if (region) {
    live->group = region->group;
    live->member = region->member;
  } else {
    fill_groups(solver);
    join_ranges(solver);
  }
  nereid_live_range_t *ranges = nereid_arena_new(solver->arena, nereid_live_range_t, solver->ranges.size);
  for (size_t i = 0; ranges && i < solver->ranges.size; ++i)
    ranges[i] = solver->ranges.data[i];
  live->ranges = ranges;
  live->count = ranges ? (uint32_t)solver->ranges.size : 0;
}

static void value_lives(uint32_t value, uint32_t first, uint32_t last, void *user_data) {
  solver_t *solver = user_data;
  const nereid_alias_set_t set = solver->alias->sets[value];
  for (uint32_t i = 0; i < set.count; ++i)
    add_piece(solver, set.buffers[i], (nereid_live_range_t){first, last});
}

static void target_lives(uint32_t subject, uint32_t first, uint32_t last, void *user_data) {
  solver_t *solver = user_data;
  add_piece(solver, subject - solver->alias->n_values, (nereid_live_range_t){first, last});
}

static bool walk_all(solver_t *solver) {
  const uint32_t n_values = solver->alias->n_values, n_buffers = (uint32_t)solver->alias->buffers.size;
  if (!nereid_live_subjects_walk(&solver->subjects, 0, n_values, true, solver->arena, value_lives, solver) ||
      (solver->targets.size && !nereid_live_subjects_walk(&solver->subjects, n_values, n_values + n_buffers, false,
                                                          solver->arena, target_lives, solver)))
    return false;
  for (uint32_t b = 0; b < n_buffers; ++b) {
    solver->ranges.size = 0;
    for (uint32_t p = is_argument(solver, b) ? 0 : solver->buffers[b].pieces; p; p = solver->pieces.data[p - 1].next)
      nereid_vector_push(solver->arena, &solver->ranges, solver->pieces.data[p - 1].range);
    make_live(solver, &solver->liveness->buffers[b]);
  }
  return !solver->arena->failed;
}

/* --- the whole --- */

/* Values are defined by what makes them, buffers by their allocations. */
static void make_subjects(solver_t *solver) {
  const uint32_t n_values = solver->alias->n_values, n_buffers = (uint32_t)solver->alias->buffers.size;
  solver->subjects.list = nereid_arena_new(solver->arena, nereid_live_subject_t, n_values + n_buffers);
  if (!solver->subjects.list)
    return;
  for (uint32_t i = 0; i < n_values + n_buffers; ++i)
    solver->subjects.list[i].home = NEREID_FLOW_NONE;
  for (uint32_t b = 0; b < n_buffers; ++b) {
    if (is_argument(solver, b))
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
  solver->buffers = nereid_arena_new(arena, buffer_state_t, n_buffers);
  make_subjects(solver);
  if (arena->failed || !nereid_flight_build(solver->graph, arena, &solver->flight) || !number_times(solver))
    return false;
  for (uint32_t i = 0; i < liveness->end.n_arguments; ++i)
    liveness->end.arguments[i] = nereid_flight_nothing();
  return find_regions(solver);
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
