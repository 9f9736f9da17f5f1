/* First accesses of loops; see membar_loops.h. */
#include "analysis/membar/membar_loops.h"

typedef struct search {
  const nereid_membar_context_t *context;
  const uint32_t *events;
  const nereid_membar_summary_t *calls;
  const uint8_t *needs;
  const nereid_map_t *loop;
  nereid_map_t seen;
  NEREID_VECTOR(uint32_t) stack;
  nereid_access_set_t *found;
  bool bulk; /* searches accesses without a wait for TMA or a proxy fence, instead of a barrier */
} search_t;

static void add(search_t *search, const nereid_shared_access_t *access) {
  if (nereid_access_is_global(access))
    nereid_access_set_add(search->context->arena, search->found, *access);
}

/* Adds the accesses of the event; false when control cannot pass it without a wait or a fence. */
static bool pass_bulk(search_t *search, uint32_t number) {
  const nereid_membar_effects_t *effects = search->context->effects;
  const nereid_membar_event_t *event = &effects->events.data[number];
  if (search->needs[number] & (NEREID_NEED_WAIT | NEREID_NEED_FENCE))
    return false;
  for (uint32_t i = 0; i < event->n; ++i)
    add(search, &effects->accesses.data[event->first + i]);
  if (event->flags & NEREID_EVENT_CALL)
    nereid_access_set_join(search->context->arena, search->found, &search->calls[number].bulk);
  return true;
}

/* Adds the accesses of the event; false when control cannot pass it without a barrier. */
static bool pass(search_t *search, uint32_t number) {
  enum {
    BEFORE = NEREID_EVENT_BARRIER | NEREID_EVENT_BARRIER_FIRST,
    AFTER = NEREID_EVENT_BARRIER_INSIDE | NEREID_EVENT_BARRIER_LAST,
  };
  const nereid_membar_event_t *event = &search->context->effects->events.data[number];
  if (event->flags & BEFORE || (search->needs[number] & NEREID_NEED_ORDER) == NEREID_ORDER_CTA)
    return false;
  for (uint32_t i = 0; i < event->n; ++i)
    add(search, &search->context->effects->accesses.data[event->first + i]);
  if (event->flags & NEREID_EVENT_CALL) {
    const nereid_membar_summary_t *call = &search->calls[number];
    for (size_t i = 0; i < call->entry.size; ++i)
      add(search, &call->entry.data[i]);
    return call->exit.open;
  }
  return !(event->flags & AFTER);
}

static void visit(search_t *search, uint32_t number) {
  const nereid_flow_graph_t *graph = search->context->graph;
  const nereid_flow_node_t *node = &graph->nodes.data[number];
  for (uint32_t i = search->events[number]; i < search->events[number + 1]; ++i)
    if (!(search->bulk ? pass_bulk(search, i) : pass(search, i)))
      return;
  for (uint32_t i = 0; i < node->n_edges; ++i) {
    const uint32_t to = graph->edges.data[node->first_edge + i].to;
    const nereid_flow_node_t *next = &graph->nodes.data[to];
    uintptr_t *place = nereid_map_find(search->loop, next) ? nereid_map_insert(&search->seen, next) : NULL;
    if (!place || *place)
      continue;
    *place = 1;
    nereid_vector_push(search->context->arena, &search->stack, to);
  }
}

static nereid_access_set_t *find_first(search_t *search, uint32_t header) {
  nereid_arena_t *arena = search->context->arena;
  const nereid_flow_graph_t *graph = search->context->graph;
  search->loop = nereid_flow_graph_loop(graph, header, arena);
  search->found = nereid_arena_new(arena, nereid_access_set_t, 1);
  if (!search->loop || !search->found)
    return search->found;
  nereid_map_initialize(&search->seen, arena);
  *nereid_map_insert(&search->seen, &graph->nodes.data[header]) = 1;
  nereid_vector_push(arena, &search->stack, header);
  while (search->stack.size)
    visit(search, search->stack.data[--search->stack.size]);
  return search->found;
}

void nereid_membar_loops_find(nereid_membar_loops_t *loops, const nereid_membar_context_t *context,
                              const uint32_t *events, const nereid_membar_summary_t *calls, const uint8_t *needs) {
  nereid_map_initialize(&loops->accesses, context->arena);
  for (uint32_t i = 0; i < context->graph->nodes.size && !context->arena->failed; ++i) {
    if (context->graph->nodes.data[i].rank == NEREID_FLOW_NONE || !nereid_flow_graph_is_header(context->graph, i))
      continue;
    search_t search = {.context = context, .events = events, .calls = calls, .needs = needs};
    uintptr_t *place = nereid_map_insert(&loops->accesses, &context->graph->nodes.data[i]);
    nereid_loop_accesses_t *accesses = nereid_arena_new(context->arena, nereid_loop_accesses_t, 1);
    if (!place || !accesses)
      return;
    accesses->first = find_first(&search, i);
    search.bulk = true;
    accesses->bulk = context->bulk ? find_first(&search, i) : NULL;
    *place = (uintptr_t)accesses;
  }
}

/* --- what must precede a loop --- */

typedef struct entering {
  nereid_membar_loops_t *loops;
  const nereid_membar_context_t *context;
  const nereid_flow_edge_t *edge;
  const nereid_loop_accesses_t *accesses;
  uint8_t need;
} entering_t;

static void explain(entering_t *entering, const nereid_shared_access_t *earlier, const nereid_shared_access_t *later,
                    bool in_flight) {
  entering->loops->reason =
      (nereid_membar_reason_t){earlier->op, later->op, {earlier->kind, later->kind}, true, in_flight};
}

/* The order between a pending access and the first accesses of the loop. */
static void order_pending(entering_t *entering, nereid_shared_access_t pending) {
  const nereid_access_set_t *set = entering->accesses->first;
  nereid_membar_state_cross(entering->context, &pending, entering->edge);
  for (size_t i = 0; set && i < set->size && (entering->need & NEREID_NEED_ORDER) < NEREID_ORDER_CTA; ++i) {
    const uint8_t order = (uint8_t)nereid_access_order(&pending, &set->data[i]);
    if (order <= (entering->need & NEREID_NEED_ORDER))
      continue;
    entering->need = nereid_needs_join(entering->need, order);
    explain(entering, &pending, &set->data[i], false);
  }
}

/* The same for a write that TMA performs, or may not see, and accesses of the loop. */
static void order_bulk(entering_t *entering, nereid_shared_access_t write) {
  const nereid_access_set_t *set = entering->accesses->bulk;
  nereid_membar_state_cross(entering->context, &write, entering->edge);
  for (size_t i = 0; set && i < set->size; ++i) {
    const uint8_t need = nereid_membar_bulk_need(&write, &set->data[i]);
    if (need & ~entering->need & ~NEREID_NEED_ORDER)
      explain(entering, &write, &set->data[i], write.async_proxy);
    entering->need = nereid_needs_join(entering->need, need);
  }
}

uint8_t nereid_membar_loops_need(nereid_membar_loops_t *loops, const nereid_membar_context_t *context,
                                 const nereid_membar_state_t *state, const nereid_membar_event_t *event) {
  const nereid_flow_graph_t *graph = context->graph;
  const nereid_flow_node_t *node = &graph->nodes.data[graph->nodes_of_ops[event->position]];
  entering_t entering = {.loops = loops, .context = context};
  for (uint32_t i = 0; i < node->n_edges; ++i) {
    entering.edge = &graph->edges.data[node->first_edge + i];
    const uintptr_t *place = nereid_map_find(&loops->accesses, &graph->nodes.data[entering.edge->to]);
    entering.accesses = place ? (const nereid_loop_accesses_t *)*place : NULL;
    if (entering.edge->is_back || !entering.accesses)
      continue;
    for (size_t k = 0; k < state->pending.size; ++k)
      if (nereid_access_is_global(&state->pending.data[k]))
        order_pending(&entering, state->pending.data[k]);
    for (size_t k = 0; k < state->writing.size; ++k)
      order_bulk(&entering, state->writing.data[k]);
    for (size_t k = 0; k < state->unpublished.size; ++k)
      order_bulk(&entering, state->unpublished.data[k]);
  }
  return entering.need;
}
