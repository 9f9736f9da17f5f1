/* Liveness of values, and from that of buffers; see liveness.h.
 *
 *   ^loop(%x)   %x is %a in the first round and %b, made in the loop, from then on: both live from here to the last use
 *               of %x, %a lives as well from its allocation on, %b to the loop's end
 *
 * A value is walked backward from its uses to its definition, which costs the nodes in which it lives, not their ops:
 * uses are kept as the last of each node. A buffer lives while any value does that may be it. Waits for mbarriers are
 * uses too, of the buffers that were announced; as they need not lie behind the allocation on every path, a walk
 * forward from it then says where the buffer is there at all. */
#include "analysis/liveness.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttng.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

enum { OUTSIDE = UINT32_MAX, BETWEEN = UINT32_MAX - 1 }; /* of all regions; in the op, but in none of its regions */

typedef struct use {
  uint32_t node, last, next; /* the last use in the node; next of the subject + 1 */
} use_t;

/* What is walked: a value, or a buffer and the waits for what was announced to come into it. */
typedef struct subject {
  uint32_t home, definition; /* node, and position in it from where it is there; NEREID_FLOW_NONE: never */
  uint32_t uses;             /* latest + 1 */
  bool has_op;               /* an op makes it: it lives there even without a use */
} subject_t;

typedef struct stretch {
  nereid_flight_stretch_t at;
  uint32_t next; /* of the buffer + 1 */
} stretch_t;

typedef struct buffer_state {
  uint32_t stretches; /* latest + 1 */
  uint32_t announced; /* of an mbarrier: what its waits complete, latest target + 1 */
} buffer_state_t;

typedef struct target {
  uint32_t buffer, next;
} target_t;

typedef struct node_state {
  uint32_t group, member; /* the ttg.warp_specialize around it + 1, and the region; or 0 and OUTSIDE; or BETWEEN */
  uint32_t in, out, seen; /* the walk that found the buffer wanted there: at its start, at its end, at all */
  uint32_t made;          /* the walk that came from its definition to its start */
  uint32_t last;          /* of uses, when it lives at the start and not at the end */
} node_state_t;

typedef struct solver {
  nereid_liveness_t *liveness;
  nereid_arena_t *arena;
  const nereid_flow_graph_t *graph;
  const nereid_alias_t *alias;
  bool is_called;
  const nereid_map_t *ends;
  nereid_flight_t flight;
  subject_t *subjects; /* values by number, then buffers by number */
  buffer_state_t *buffers;
  node_state_t *nodes;
  NEREID_VECTOR(use_t) uses;
  NEREID_VECTOR(stretch_t) stretches;
  NEREID_VECTOR(target_t) targets;
  NEREID_VECTOR(uint32_t) work;    /* nodes */
  NEREID_VECTOR(uint32_t) found;   /* nodes of the walk */
  NEREID_VECTOR(uint32_t) reached; /* nodes of `ranges` */
  NEREID_VECTOR(nereid_live_range_t) ranges;
  uint32_t walk; /* its number */
} solver_t;

/* --- times and regions --- */

static void number_times(solver_t *solver) {
  const nereid_flow_graph_t *graph = solver->graph;
  uint32_t time = 0;
  for (uint32_t i = 0; i < graph->n_reached; ++i) {
    const nereid_flow_node_t *node = &graph->nodes.data[graph->order[i]];
    solver->liveness->starts[graph->order[i]] = time;
    time += node->end - node->first;
  }
  for (uint32_t n = 0; n < graph->nodes.size; ++n) {
    const nereid_flow_node_t *node = &graph->nodes.data[n];
    if (node->rank != NEREID_FLOW_NONE)
      continue;
    solver->liveness->starts[n] = time;
    time += node->end - node->first;
  }
}

static uint32_t region_of(const nereid_flow_graph_t *graph, const nereid_flow_node_t *node) {
  MlirOperation last = graph->ops.data[node->end - 1];
  if (nereid_op_kind(last) == NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS)
    return BETWEEN;
  return mlirOperationIsNull(node->specialize) ? OUTSIDE : (uint32_t)node->partition;
}

static bool find_regions(solver_t *solver) {
  nereid_liveness_t *liveness = solver->liveness;
  nereid_map_t numbers;
  nereid_map_initialize(&numbers, solver->arena);
  for (size_t n = 0; n < solver->graph->nodes.size; ++n) {
    const nereid_flow_node_t *node = &solver->graph->nodes.data[n];
    node_state_t *state = &solver->nodes[n];
    state->member = region_of(solver->graph, node);
    if (state->member == OUTSIDE)
      continue;
    uintptr_t *number = nereid_map_insert(&numbers, node->specialize.ptr);
    if (!number)
      return false;
    if (!*number) {
      if (!nereid_vector_push(solver->arena, &liveness->specialized, node->specialize) ||
          !nereid_vector_push(solver->arena, &liveness->spans, (nereid_live_range_t){UINT32_MAX, 0}))
        return false;
      *number = liveness->specialized.size;
    }
    if (!liveness->spans.data)
      return false;
    state->group = liveness->groups[n] = (uint32_t)*number;
    nereid_live_range_t *span = &liveness->spans.data[state->group - 1];
    const uint32_t first = liveness->starts[n], last = first + node->end - node->first - 1;
    span->first = first < span->first ? first : span->first;
    span->last = last > span->last ? last : span->last;
  }
  return true;
}

/* --- definitions and uses --- */

static void define(solver_t *solver, MlirValue value, uint32_t position, bool has_op) {
  const uint32_t number = nereid_alias_number(solver->alias, value);
  if (number != NEREID_FLOW_NONE)
    solver->subjects[number] =
        (subject_t){.home = solver->graph->nodes_of_ops[position], .definition = position, .has_op = has_op};
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

static void add_use(solver_t *solver, uint32_t subject, uint32_t position) {
  subject_t *used = &solver->subjects[subject];
  const uint32_t node = solver->graph->nodes_of_ops[position];
  if (used->uses) {
    use_t *latest = &solver->uses.data[used->uses - 1];
    if (latest->node == node && (latest->last < used->definition) == (position < used->definition)) {
      latest->last = position;
      return;
    }
  }
  if (nereid_vector_push(solver->arena, &solver->uses, (use_t){node, position, used->uses}))
    used->uses = (uint32_t)solver->uses.size;
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
      add_use(solver, solver->alias->n_values + solver->targets.data[t - 1].buffer, position);
}

/* --- flights --- */

static void add_to_buffer(solver_t *solver, uint32_t buffer, nereid_flight_stretch_t at) {
  buffer_state_t *state = &solver->buffers[buffer];
  if (nereid_vector_push(solver->arena, &solver->stretches, (stretch_t){at, state->stretches}))
    state->stretches = (uint32_t)solver->stretches.size;
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
    add_to_buffer(solver, buffer, solver->flight.stretches.data[s]);
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
static void add_stretch(solver_t *solver, uint32_t node, uint32_t first, uint32_t last);

static void add_walked(solver_t *solver) {
  for (size_t s = 0; s < solver->flight.stretches.size; ++s) {
    const nereid_flight_stretch_t *at = &solver->flight.stretches.data[s];
    add_stretch(solver, at->node, at->first, at->last);
  }
}

/* The frame of a call whose function leaves something under way lives on after it. */
static void fly_frame(solver_t *solver, MlirOperation call, uint32_t position, const nereid_liveness_end_t *end) {
  bool outlives = false;
  solver->reached.size = solver->ranges.size = 0;
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
        add_use(solver, number, p);
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

/* Ops [first, last] of a node, by position. */
static void add_stretch(solver_t *solver, uint32_t node, uint32_t first, uint32_t last) {
  const uint32_t shift = solver->graph->nodes.data[node].first, start = solver->liveness->starts[node];
  nereid_vector_push(solver->arena, &solver->reached, node);
  nereid_vector_push(solver->arena, &solver->ranges,
                     (nereid_live_range_t){start + first - shift, start + last - shift});
}

static int by_first(const void *a, const void *b) {
  const nereid_live_range_t *x = a, *y = b;
  return (x->first > y->first) - (x->first < y->first);
}

/* When all that was reached lies in one region of one ttg.warp_specialize, says so; else fills each that it touches. */
static void confine(solver_t *solver, nereid_live_t *live) {
  const node_state_t *first = &solver->nodes[solver->reached.data[0]];
  const size_t n = solver->reached.size;
  bool confined = first->group && first->member != BETWEEN;
  for (size_t i = 1; confined && i < n; ++i) {
    const node_state_t *other = &solver->nodes[solver->reached.data[i]];
    confined = other->group == first->group && other->member == first->member;
  }
  if (confined) {
    live->group = first->group;
    live->member = first->member;
    return;
  }
  uint32_t filled = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t group = solver->nodes[solver->reached.data[i]].group;
    if (group && group != filled)
      nereid_vector_push(solver->arena, &solver->ranges, solver->liveness->spans.data[group - 1]);
    filled = group ? group : filled;
  }
}

/* Makes `live` of the nodes in `reached` and of `ranges`, which it sorts and joins. */
static void make_live(solver_t *solver, nereid_live_t *live) {
  if (solver->arena->failed || !solver->reached.size)
    return;
  confine(solver, live);
  qsort(solver->ranges.data, solver->ranges.size, sizeof *solver->ranges.data, by_first);
  size_t n = 1;
  for (size_t i = 1; i < solver->ranges.size; ++i) {
    nereid_live_range_t *back = &solver->ranges.data[n - 1];
    const nereid_live_range_t next = solver->ranges.data[i];
    if (next.first > back->last + 1)
      solver->ranges.data[n++] = next;
    else if (next.last > back->last)
      back->last = next.last;
  }
  nereid_live_range_t *ranges = nereid_arena_new(solver->arena, nereid_live_range_t, n);
  for (size_t i = 0; ranges && i < n; ++i)
    ranges[i] = solver->ranges.data[i];
  live->ranges = ranges;
  live->count = ranges ? (uint32_t)n : 0;
}

/* --- walks --- */

static void see(solver_t *solver, uint32_t node) {
  if (solver->nodes[node].seen == solver->walk)
    return;
  solver->nodes[node].seen = solver->walk;
  nereid_vector_push(solver->arena, &solver->found, node);
}

/* It is wanted at the end of the nodes in front of `node`. */
static void want_in_front(solver_t *solver, uint32_t node) {
  const nereid_flow_node_t *at = &solver->graph->nodes.data[node];
  for (uint32_t i = 0; i < at->n_incoming; ++i) {
    const uint32_t from = solver->graph->edges.data[solver->graph->incoming[at->first_incoming + i]].from;
    if (solver->nodes[from].out == solver->walk)
      continue;
    solver->nodes[from].out = solver->walk;
    see(solver, from);
    nereid_vector_push(solver->arena, &solver->work, from);
  }
}

/* It is wanted from the start of `node` to `last`. */
static void want_until(solver_t *solver, uint32_t node, uint32_t last) {
  node_state_t *state = &solver->nodes[node];
  if (state->in == solver->walk) {
    state->last = last > state->last ? last : state->last;
    return;
  }
  state->in = solver->walk;
  state->last = last;
  see(solver, node);
  want_in_front(solver, node);
}

/* Where it is wanted and was made. */
static void make_from(solver_t *solver, uint32_t home) {
  solver->work.size = 0;
  if (solver->nodes[home].out == solver->walk)
    nereid_vector_push(solver->arena, &solver->work, home);
  while (solver->work.size && !solver->arena->failed) {
    const nereid_flow_node_t *at = &solver->graph->nodes.data[solver->work.data[--solver->work.size]];
    for (uint32_t i = 0; i < at->n_edges; ++i) {
      const uint32_t to = solver->graph->edges.data[at->first_edge + i].to;
      node_state_t *state = &solver->nodes[to];
      if (state->in != solver->walk || state->made == solver->walk)
        continue;
      state->made = solver->walk;
      if (state->out == solver->walk && to != home)
        nereid_vector_push(solver->arena, &solver->work, to);
    }
  }
}

/* What was found, of all buffers in `set`. In the node of its definition it lives behind that, before position
 * `behind`, and perhaps, what a loop brought back, in front. */
static void add_found(solver_t *solver, const subject_t *subject, uint32_t behind, nereid_alias_set_t set) {
  for (size_t i = 0; i < solver->found.size; ++i) {
    const uint32_t node = solver->found.data[i];
    const nereid_flow_node_t *at = &solver->graph->nodes.data[node];
    const node_state_t *state = &solver->nodes[node];
    const bool out = state->out == solver->walk, home = node == subject->home;
    const nereid_flight_stretch_t own = {node, subject->definition, out ? at->end - 1 : behind - 1};
    const nereid_flight_stretch_t in = {node, at->first, out && !home ? at->end - 1 : state->last};
    for (uint32_t b = 0; b < set.count; ++b) {
      if (home && (out || behind > subject->definition))
        add_to_buffer(solver, set.buffers[b], own);
      if (state->made == solver->walk)
        add_to_buffer(solver, set.buffers[b], in);
    }
  }
}

static void walk(solver_t *solver, const subject_t *subject, nereid_alias_set_t set) {
  const uint32_t home = subject->home, definition = subject->definition;
  uint32_t behind = subject->has_op ? definition + 1 : definition;
  ++solver->walk;
  solver->found.size = solver->work.size = 0;
  see(solver, home);
  for (uint32_t u = subject->uses; u; u = solver->uses.data[u - 1].next) {
    const use_t *use = &solver->uses.data[u - 1];
    if (use->node != home || use->last < definition)
      want_until(solver, use->node, use->last);
    else
      behind = use->last >= behind ? use->last + 1 : behind;
  }
  while (solver->work.size && !solver->arena->failed) {
    const uint32_t node = solver->work.data[--solver->work.size];
    if (node != home)
      want_until(solver, node, solver->graph->nodes.data[node].end - 1);
  }
  make_from(solver, home);
  if (!solver->arena->failed)
    add_found(solver, subject, behind, set);
}

static void walk_all(solver_t *solver) {
  const uint32_t n_values = solver->alias->n_values, n_buffers = (uint32_t)solver->alias->buffers.size;
  for (uint32_t v = 0; !solver->arena->failed && v < n_values; ++v)
    if (solver->subjects[v].home != NEREID_FLOW_NONE)
      walk(solver, &solver->subjects[v], solver->alias->sets[v]);
  for (uint32_t b = 0; !solver->arena->failed && b < n_buffers; ++b)
    if (solver->subjects[n_values + b].home != NEREID_FLOW_NONE && solver->subjects[n_values + b].uses)
      walk(solver, &solver->subjects[n_values + b], (nereid_alias_set_t){&b, 1});
  for (uint32_t b = 0; !solver->arena->failed && b < n_buffers; ++b) {
    solver->reached.size = solver->ranges.size = 0;
    for (uint32_t s = is_argument(solver, b) ? 0 : solver->buffers[b].stretches; s;
         s = solver->stretches.data[s - 1].next) {
      const nereid_flight_stretch_t *at = &solver->stretches.data[s - 1].at;
      add_stretch(solver, at->node, at->first, at->last);
    }
    make_live(solver, &solver->liveness->buffers[b]);
  }
}

/* --- the whole --- */

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
  solver->nodes = nereid_arena_new(arena, node_state_t, n_nodes);
  solver->buffers = nereid_arena_new(arena, buffer_state_t, n_buffers);
  solver->subjects = nereid_arena_new(arena, subject_t, solver->alias->n_values + n_buffers);
  if (arena->failed || !nereid_flight_build(solver->graph, arena, &solver->flight))
    return false;
  for (uint32_t i = 0; i < liveness->end.n_arguments; ++i)
    liveness->end.arguments[i] = nereid_flight_nothing();
  for (size_t i = 0; i < solver->alias->n_values + n_buffers; ++i)
    solver->subjects[i].home = NEREID_FLOW_NONE;
  for (size_t b = 0; b < n_buffers; ++b) {
    subject_t *subject = &solver->subjects[solver->alias->n_values + b];
    if (is_argument(solver, (uint32_t)b))
      continue;
    subject->definition = nereid_flow_graph_position(solver->graph, solver->alias->buffers.data[b].alloc);
    subject->home = solver->graph->nodes_of_ops[subject->definition];
    subject->has_op = true;
  }
  number_times(solver);
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
  walk_all(&solver);
  return !arena->failed;
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
