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
} search_t;

static void add(search_t *search, const nereid_shared_access_t *access) {
  if (nereid_access_is_global(access))
    nereid_access_set_add(search->context->arena, search->found, *access);
}

/* Adds the accesses of the event; false when control cannot pass it without a barrier. */
static bool pass(search_t *search, uint32_t number) {
  enum {
    BEFORE = NEREID_EVENT_BARRIER | NEREID_EVENT_BARRIER_FIRST,
    AFTER = NEREID_EVENT_BARRIER_INSIDE | NEREID_EVENT_BARRIER_LAST,
  };
  const nereid_membar_event_t *event = &search->context->effects->events.data[number];
  if (event->flags & BEFORE || search->needs[number] == NEREID_ORDER_CTA)
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
    if (!pass(search, i))
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
    nereid_access_set_t *found = find_first(&search, i);
    if (place)
      *place = (uintptr_t)found;
  }
}

/* The order between one pending access and the first accesses of the loop that `edge` enters. */
static nereid_access_order_t order_of(nereid_membar_loops_t *loops, const nereid_membar_context_t *context,
                                      const nereid_shared_access_t *pending, const nereid_flow_edge_t *edge,
                                      nereid_access_order_t least) {
  const uintptr_t *place = nereid_map_find(&loops->accesses, &context->graph->nodes.data[edge->to]);
  const nereid_access_set_t *set = place ? (const nereid_access_set_t *)*place : NULL;
  nereid_shared_access_t earlier = *pending;
  nereid_membar_state_cross(context, &earlier, edge);
  for (size_t i = 0; set && i < set->size && least < NEREID_ORDER_CTA; ++i) {
    const nereid_access_order_t order = nereid_access_order(&earlier, &set->data[i]);
    if (order <= least)
      continue;
    least = order;
    loops->reason = (nereid_membar_reason_t){pending->op, set->data[i].op, {pending->kind, set->data[i].kind}, true};
  }
  return least;
}

nereid_access_order_t nereid_membar_loops_order(nereid_membar_loops_t *loops, const nereid_membar_context_t *context,
                                                const nereid_membar_state_t *state,
                                                const nereid_membar_event_t *event) {
  const nereid_flow_graph_t *graph = context->graph;
  const nereid_flow_node_t *node = &graph->nodes.data[graph->nodes_of_ops[event->position]];
  nereid_access_order_t most = NEREID_ORDER_NONE;
  for (uint32_t i = 0; i < node->n_edges; ++i) {
    const nereid_flow_edge_t *edge = &graph->edges.data[node->first_edge + i];
    if (edge->is_back || !nereid_flow_graph_is_header(graph, edge->to))
      continue;
    for (size_t k = 0; k < state->pending.size; ++k)
      if (nereid_access_is_global(&state->pending.data[k]))
        most = order_of(loops, context, &state->pending.data[k], edge, most);
  }
  return most;
}
