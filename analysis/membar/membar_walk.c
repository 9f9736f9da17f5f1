/* Fixed point of the states at the starts of nodes; see membar_walk.h.
 *
 * A new barrier completes pending accesses, so fewer barriers may be needed after it, and states joined before are too
 * large. The walk is therefore repeated from empty states with the barriers found so far. Each repetition drops
 * barriers that are no longer needed and adds new ones, until nothing changes. Every remaining barrier separates an
 * access from a pending one that nothing else orders. */
#include "analysis/membar/membar_walk.h"

#include "analysis/membar/membar_loops.h"
#include "analysis/membar/membar_summary.h"

#include "nereid/dialects/ops.h"

enum { ROUNDS = 12 }; /* after this many rounds, barriers are not dropped any more */

typedef struct walk {
  nereid_membar_t *membar;
  nereid_membar_function_t *function;
  nereid_membar_state_t *states;  /* by node, at its start */
  bool *dirty;                    /* by node: the state has grown since the node was visited */
  uint32_t *events;               /* by node: its first event */
  nereid_membar_summary_t *calls; /* by event: the effects of a call, bound to it */
  nereid_membar_loops_t loops;    /* first accesses of loops */
  uint8_t *needs, *found;         /* by event: at the start of this round; found in this round */
  nereid_membar_state_t state;    /* the current state */
} walk_t;

static nereid_arena_t *arena_of(const walk_t *walk) {
  return walk->membar->arena;
}

/* --- the need of an event --- */

static uint8_t need_of_access(const walk_t *walk, const nereid_shared_access_t *access) {
  if (walk->membar->options.mode == NEREID_MEMBAR_BARRIERS)
    return (uint8_t)nereid_membar_state_order(&walk->state, access);
  return access->async_proxy && nereid_access_set_overlaps(&walk->state.unfenced, access);
}

/* Records why an access to global memory needs a stronger order than all others so far. */
static void explain(const walk_t *walk, size_t number, const nereid_shared_access_t *access, uint8_t need) {
  const nereid_shared_access_t *earlier =
      nereid_access_set_find(&walk->state.pending, access, (nereid_access_order_t)need);
  if (earlier && walk->function->reasons)
    walk->function->reasons[number] =
        (nereid_membar_reason_t){earlier->op, access->op, {earlier->kind, access->kind}, false, false};
}

static uint8_t need_of_accesses(const walk_t *walk, const nereid_membar_event_t *event, size_t number) {
  const nereid_membar_summary_t *call = event->flags & NEREID_EVENT_CALL ? &walk->calls[number] : NULL;
  const nereid_access_set_t *entry = !call                                                  ? NULL
                                     : walk->membar->options.mode == NEREID_MEMBAR_BARRIERS ? &call->entry
                                                                                            : &call->async;
  uint8_t most = 0, of_global = 0;
  if (walk->function->reasons)
    walk->function->reasons[number] = (nereid_membar_reason_t){0};
  for (size_t i = 0; i < event->ahead + (entry ? entry->size : 0); ++i) {
    const nereid_shared_access_t *access =
        i < event->ahead ? &walk->function->effects.accesses.data[event->first + i] : &entry->data[i - event->ahead];
    const uint8_t need = need_of_access(walk, access);
    uint8_t *kind = nereid_access_is_global(access) ? &of_global : &most;
    if (need > *kind && kind == &of_global)
      explain(walk, number, access, need);
    *kind = need > *kind ? need : *kind;
  }
  if (walk->function->reasons && of_global <= most)
    walk->function->reasons[number] = (nereid_membar_reason_t){0};
  return of_global > most ? of_global : most;
}

/* --- TMA and global memory --- */

static void explain_bulk(const walk_t *walk, size_t number, const nereid_shared_access_t *earlier,
                         const nereid_shared_access_t *access) {
  walk->function->reasons[number] =
      (nereid_membar_reason_t){earlier->op, access->op, {earlier->kind, access->kind}, false, earlier->async_proxy};
}

/* The first access in one of two sets; null when both are empty. */
static const nereid_shared_access_t *first_of(const nereid_access_set_t *a, const nereid_access_set_t *b) {
  return a->size ? a->data : b->size ? b->data : NULL;
}

/* At the boundaries of regions all writes are completed and published by the threads that issued them. */
static uint8_t need_of_boundary(const walk_t *walk, const nereid_membar_event_t *event, size_t number) {
  const nereid_membar_state_t *state = &walk->state;
  const nereid_shared_access_t *first = first_of(&state->writing, &state->unpublished);
  if (first)
    explain_bulk(walk, number, first, &(nereid_shared_access_t){.op = event->op});
  return (state->writing.size ? NEREID_NEED_WAIT : 0) | (state->unpublished.size ? NEREID_NEED_FENCE : 0);
}

/* Adds the need of `access` to `need`. Accesses after a barrier of a callee need the flags only (`ordered`). */
static void add_bulk(const walk_t *walk, size_t number, const nereid_shared_access_t *access, bool ordered,
                     uint8_t *need) {
  const nereid_shared_access_t *earlier = NULL;
  uint8_t more = nereid_access_is_global(access) ? nereid_membar_state_bulk(&walk->state, access, &earlier) : 0;
  if (ordered)
    more &= (uint8_t)~NEREID_NEED_ORDER;
  if (more & ~*need)
    explain_bulk(walk, number, earlier, access);
  *need = nereid_needs_join(*need, more);
}

static uint8_t need_of_bulk(const walk_t *walk, const nereid_membar_event_t *event, size_t number) {
  const nereid_membar_summary_t *call = event->flags & NEREID_EVENT_CALL ? &walk->calls[number] : NULL;
  uint8_t need = event->flags & NEREID_EVENT_REGION ? need_of_boundary(walk, event, number) : 0;
  for (uint32_t i = 0; i < event->n; ++i)
    add_bulk(walk, number, &walk->function->effects.accesses.data[event->first + i], false, &need);
  for (size_t i = 0; call && i < call->entry.size; ++i)
    add_bulk(walk, number, &call->entry.data[i], false, &need);
  for (size_t i = 0; call && i < call->bulk.size; ++i)
    add_bulk(walk, number, &call->bulk.data[i], !call->exit.open, &need);
  return need;
}

/* Whether other warps may access bytes by TMA or wgmma after `event`, the begin of regions or the end of a partition,
 * that the warps of this region have written and not fenced, as only the writing threads can. The warps of the default
 * region continue after it. */
static bool needs_fence_at_boundary(const walk_t *walk, const nereid_membar_event_t *event) {
  const nereid_membar_effects_t *effects = &walk->function->effects;
  const nereid_access_set_t *unfenced = &walk->state.unfenced;
  bool needs = false;
  if (!(event->flags & NEREID_EVENT_REGION) || nereid_op_kind(event->op) == NEREID_OP_TTG_WARP_YIELD)
    return false;
  for (size_t i = 0; unfenced->size && !needs && i < effects->accesses.size; ++i) {
    const nereid_shared_access_t *access = &effects->accesses.data[i];
    needs = access->async_proxy && !nereid_access_is_global(access) && nereid_access_set_overlaps(unfenced, access);
  }
  for (size_t i = 0; walk->calls && unfenced->size && !needs && i < effects->events.size; ++i)
    for (size_t k = 0; k < walk->calls[i].async.size && !needs; ++k)
      needs = nereid_access_set_overlaps(unfenced, &walk->calls[i].async.data[k]);
  return needs;
}

/* The event that directly follows a ttng.barrier_expect in its block, if it is a copy by TMA; SIZE_MAX otherwise. The
 * needs of such a copy are those of the ttng.barrier_expect, too: one thread then executes both without a barrier in
 * between. */
static size_t expected_copy(const walk_t *walk, size_t number) {
  const nereid_membar_effects_t *effects = &walk->function->effects;
  if (nereid_op_kind(effects->events.data[number].op) != NEREID_OP_TTNG_BARRIER_EXPECT ||
      number + 1 == effects->events.size)
    return SIZE_MAX;
  MlirOperation next = effects->events.data[number + 1].op;
  const bool follows =
      nereid_op_kind(next) == NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL &&
      mlirBlockEqual(mlirOperationGetBlock(next), mlirOperationGetBlock(effects->events.data[number].op));
  return follows ? number + 1 : SIZE_MAX;
}

static uint8_t need_of(const walk_t *walk, const nereid_membar_event_t *event, size_t number) {
  const size_t copy = expected_copy(walk, number);
  uint8_t need = need_of_accesses(walk, event, number);
  if (copy != SIZE_MAX && walk->membar->options.mode == NEREID_MEMBAR_BARRIERS)
    need = nereid_needs_join(need, need_of_accesses(walk, &walk->function->effects.events.data[copy], copy));
  if (walk->membar->options.mode == NEREID_MEMBAR_FENCES)
    return need || needs_fence_at_boundary(walk, event);
  return walk->function->context.bulk ? nereid_needs_join(need, need_of_bulk(walk, event, number)) : need;
}

static void satisfy(walk_t *walk, uint8_t need) {
  const nereid_membar_context_t *context = &walk->function->context;
  if (walk->membar->options.mode == NEREID_MEMBAR_FENCES) {
    if (need)
      nereid_membar_state_fence(context, &walk->state);
    return;
  }
  if (need & NEREID_NEED_WAIT)
    nereid_membar_state_complete(context, &walk->state);
  if (need & NEREID_NEED_FENCE)
    nereid_membar_state_publish(&walk->state);
  if ((need & NEREID_NEED_ORDER) == NEREID_ORDER_CTA)
    nereid_membar_state_barrier(&walk->state);
  else if ((need & NEREID_NEED_ORDER) == NEREID_ORDER_WARP)
    nereid_membar_state_warp_barrier(&walk->state);
}

/* --- the summary --- */

static void note_access(walk_t *walk, nereid_shared_access_t access) {
  nereid_membar_summary_t *summary = &walk->function->summary;
  nereid_membar_forget_ring(&walk->membar->shapes, &access);
  if (walk->state.open)
    nereid_access_set_add(arena_of(walk), &summary->entry, access);
  if (access.async_proxy && !nereid_access_is_global(&access))
    nereid_access_set_add(arena_of(walk), &summary->async, access);
  if (walk->function->context.bulk && nereid_access_is_global(&access))
    nereid_access_set_add(arena_of(walk), &summary->bulk, access);
}

static void note_event(walk_t *walk, const nereid_membar_event_t *event, size_t number) {
  nereid_membar_summary_t *summary = &walk->function->summary;
  for (uint32_t i = 0; i < event->n; ++i)
    note_access(walk, walk->function->effects.accesses.data[event->first + i]);
  if (event->flags & NEREID_EVENT_COMMITS)
    summary->commits[event->group] = true;
  if (event->flags & NEREID_EVENT_WAITS)
    summary->waits[event->group] = true;
  if (!(event->flags & NEREID_EVENT_CALL))
    return;
  const nereid_membar_summary_t *call = &walk->calls[number];
  for (size_t i = 0; i < call->entry.size; ++i)
    note_access(walk, call->entry.data[i]);
  nereid_access_set_join(arena_of(walk), &summary->async, &call->async);
  nereid_access_set_join(arena_of(walk), &summary->bulk, &call->bulk);
  for (int g = 0; g < NEREID_ASYNC_GROUPS; ++g) {
    summary->commits[g] |= call->commits[g];
    summary->waits[g] |= call->waits[g];
  }
}

/* --- the walk --- */

/* The requirements of the loops that follow `event`. */
static uint8_t need_of_loops(walk_t *walk, const nereid_membar_event_t *event, size_t number) {
  const uint8_t need = nereid_membar_loops_need(&walk->loops, &walk->function->context, &walk->state, event);
  walk->function->reasons[number] = (nereid_membar_reason_t){0};
  if (need)
    walk->function->reasons[number] = walk->loops.reason;
  return need;
}

static void visit_event(walk_t *walk, size_t number) {
  const nereid_membar_event_t *event = &walk->function->effects.events.data[number];
  if (event->flags & NEREID_EVENT_BARRIER_FIRST)
    nereid_membar_state_barrier(&walk->state);
  const uint8_t need =
      event->flags & NEREID_EVENT_LOOP ? need_of_loops(walk, event, number) : need_of(walk, event, number);
  walk->found[number] = nereid_needs_join(walk->found[number], need);
  satisfy(walk, nereid_needs_join(walk->needs[number], walk->found[number]));
  note_event(walk, event, number);
  if (event->flags & NEREID_EVENT_CALL)
    nereid_membar_state_call(&walk->function->context, &walk->state, &walk->calls[number]);
  else
    nereid_membar_state_step(&walk->function->context, &walk->state, event);
}

static void visit_node(walk_t *walk, uint32_t number) {
  const nereid_flow_graph_t *graph = &walk->function->graph;
  const nereid_flow_node_t *node = &graph->nodes.data[number];
  walk->dirty[number] = false;
  nereid_membar_state_copy(arena_of(walk), &walk->state, &walk->states[number]);
  for (uint32_t i = walk->events[number]; i < walk->events[number + 1]; ++i)
    visit_event(walk, i);
  for (uint32_t i = 0; i < node->n_edges; ++i) {
    const nereid_flow_edge_t *edge = &graph->edges.data[node->first_edge + i];
    if (nereid_membar_state_join(&walk->function->context, &walk->states[edge->to], &walk->state, edge))
      walk->dirty[edge->to] = true;
  }
  if (!node->n_edges)
    nereid_membar_state_leave(&walk->function->context, &walk->function->summary.exit, &walk->state);
}

static void begin_round(walk_t *walk) {
  const size_t nodes = walk->function->graph.nodes.size;
  for (size_t i = 0; i < nodes; ++i) {
    nereid_membar_state_clear(&walk->states[i]);
    walk->dirty[i] = false;
  }
  for (size_t i = 0; i < walk->function->effects.events.size; ++i)
    walk->found[i] = 0;
  walk->function->summary = (nereid_membar_summary_t){0};
  walk->states[0].reached = walk->states[0].open = true;
  walk->dirty[0] = true;
  if (walk->function->context.global)
    nereid_membar_loops_find(&walk->loops, &walk->function->context, walk->events, walk->calls, walk->needs);
}

static void run_round(walk_t *walk) {
  const nereid_flow_graph_t *graph = &walk->function->graph;
  begin_round(walk);
  for (bool changed = true; changed && !arena_of(walk)->failed;) {
    changed = false;
    for (uint32_t r = 0; r < graph->n_reached; ++r)
      if (walk->dirty[graph->order[r]]) {
        visit_node(walk, graph->order[r]);
        changed = true;
      }
  }
}

/* Takes over the result of a round; returns whether it changed. */
static bool take_over(walk_t *walk, bool may_drop) {
  bool changed = false;
  for (size_t i = 0; i < walk->function->effects.events.size; ++i) {
    const uint8_t need = may_drop ? walk->found[i] : nereid_needs_join(walk->needs[i], walk->found[i]);
    if (need == walk->needs[i])
      continue;
    walk->needs[i] = need;
    changed = true;
  }
  return changed;
}

/* --- inputs of the walk --- */

static bool bind_calls(walk_t *walk) {
  const nereid_membar_effects_t *effects = &walk->function->effects;
  const nereid_call_graph_t *calls = walk->membar->calls;
  for (size_t i = 0; i < effects->events.size; ++i) {
    const nereid_membar_event_t *event = &effects->events.data[i];
    if (!(event->flags & NEREID_EVENT_CALL))
      continue;
    const size_t callee = (size_t)(nereid_call_graph_callee(calls, event->op) - calls->functions.data);
    const nereid_membar_function_t *function = &walk->membar->functions[callee];
    nereid_membar_summary_bind(&walk->function->context, event->op, &function->slicer, &function->global,
                               &function->summary, &walk->calls[i]);
  }
  return !arena_of(walk)->failed;
}

/* Whether the function has calls: tables of calls by event exist only then. */
static bool has_calls(const nereid_membar_effects_t *effects) {
  for (size_t i = 0; i < effects->events.size; ++i)
    if (effects->events.data[i].flags & NEREID_EVENT_CALL)
      return true;
  return false;
}

static bool prepare(walk_t *walk) {
  const nereid_flow_graph_t *graph = &walk->function->graph;
  const nereid_membar_effects_t *effects = &walk->function->effects;
  const size_t nodes = graph->nodes.size, events = effects->events.size;
  walk->states = nereid_arena_new(arena_of(walk), nereid_membar_state_t, nodes);
  walk->dirty = nereid_arena_new(arena_of(walk), bool, nodes);
  walk->events = nereid_arena_new(arena_of(walk), uint32_t, nodes + 1);
  walk->needs = nereid_arena_new(arena_of(walk), uint8_t, events);
  walk->found = nereid_arena_new(arena_of(walk), uint8_t, events);
  if (walk->function->context.global)
    walk->function->reasons = nereid_arena_new(arena_of(walk), nereid_membar_reason_t, events);
  if (has_calls(effects))
    walk->calls = nereid_arena_new(arena_of(walk), nereid_membar_summary_t, events);
  if (arena_of(walk)->failed)
    return false;
  uint32_t event = 0;
  for (size_t n = 0; n <= nodes; ++n) {
    const uint32_t first = n < nodes ? graph->nodes.data[n].first : UINT32_MAX;
    while (event < events && effects->events.data[event].position < first)
      ++event;
    walk->events[n] = event;
  }
  walk->function->needs = walk->needs;
  return !walk->calls || bind_calls(walk);
}

bool nereid_membar_walk(nereid_membar_t *membar, size_t number) {
  walk_t walk = {.membar = membar, .function = &membar->functions[number]};
  if (!prepare(&walk))
    return false;
  for (int round = 0;; ++round) {
    run_round(&walk);
    if (membar->arena->failed || !take_over(&walk, round < ROUNDS))
      return !membar->arena->failed;
  }
}
