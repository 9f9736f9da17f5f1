/* Transfer functions of the states; see membar_state.h. */
#include "analysis/membar/membar_state.h"

/* --- rings --- */

void nereid_membar_forget_ring(nereid_access_shapes_t *shapes, nereid_shared_access_t *access) {
  if (access->shape && access->shape->ring)
    access->shape =
        access->shape->single ? nereid_access_shapes_get(shapes, (nereid_access_shape_t){.single = true}) : NULL;
}

typedef struct crossing {
  const nereid_membar_context_t *context;
  const nereid_flow_edge_t *edge;
} crossing_t;

/* The position of `shape` in a ring, when it is in a constant slot: counters that begin at constants select slot
 * `phase` in the first iteration. */
static bool find_slot(const nereid_access_shape_t *shape, const nereid_ring_t *ring, nereid_access_shape_t *out) {
  const int64_t at = shape->base + shape->offset - ring->base;
  int64_t first, last;
  if (ring->root || ring->any_slot || at < 0 || at >= ring->stride * ring->slots)
    return false;
  *out = *shape;
  out->ring = ring;
  out->base = ring->base;
  out->offset = (uint32_t)(at % ring->stride);
  out->phase = (int32_t)(at / ring->stride);
  nereid_access_bases_range(shape->bases, out->offset, &first, &last);
  return last < ring->stride;
}

/* Gives an access to a constant slot the phase that the slot has in the first iteration of a loop. */
static void enter_loop(const nereid_membar_context_t *context, nereid_shared_access_t *access,
                       const nereid_flow_edge_t *edge) {
  nereid_access_shape_t shape;
  if (edge->is_back || !access->shape || !access->shape->bases || access->shape->ring)
    return;
  for (size_t i = 0; i < context->slicer->rings.size; ++i) {
    const nereid_ring_t *ring = context->slicer->rings.data[i];
    if (ring->loop && ring->header == edge->to && find_slot(access->shape, ring, &shape)) {
      access->shape = nereid_access_shapes_get(context->shapes, shape);
      return;
    }
  }
}

/* Moves an access one iteration back along a back edge; outside of the loop, slots have no meaning. */
static bool cross(nereid_shared_access_t *access, void *data) {
  const crossing_t *crossing = data;
  const nereid_membar_context_t *context = crossing->context;
  const nereid_ring_t *ring = access->shape ? access->shape->ring : NULL;
  if (!ring)
    enter_loop(context, access, crossing->edge);
  if (!ring || !ring->loop)
    return true;
  if (!nereid_map_find(ring->loop, &context->graph->nodes.data[crossing->edge->to])) {
    nereid_access_shape_t shape = *access->shape;
    shape.ring = ring->forgotten;
    shape.phase = 0;
    access->shape = nereid_access_shapes_get(context->shapes, shape);
  } else if (crossing->edge->to == ring->header) {
    nereid_access_shape_t shape = *access->shape;
    shape.phase = (shape.phase - ring->step + ring->slots) % ring->slots;
    access->shape = nereid_access_shapes_get(context->shapes, shape);
  }
  return true;
}

void nereid_membar_state_cross(const nereid_membar_context_t *context, nereid_shared_access_t *access,
                               const nereid_flow_edge_t *edge) {
  if (access->shape && (access->shape->address || access->shape->tile))
    access->shape = nereid_membar_global_cross(context->global, access->shape, edge);
  else
    cross(access, &(crossing_t){context, edge});
}

static bool forget(nereid_shared_access_t *access, void *shapes) {
  nereid_membar_forget_ring(shapes, access);
  return true;
}

/* --- sets --- */

enum { UNFENCED = 1, WRITING = 3, UNPUBLISHED, FIXED, SETS = FIXED + NEREID_ASYNC_GROUPS };

static nereid_access_set_t *set_of(nereid_membar_state_t *state, int i) {
  nereid_access_set_t *const sets[] = {&state->pending, &state->unfenced, &state->fenced, &state->writing,
                                       &state->unpublished};
  return i < FIXED ? sets[i] : &state->in_flight[i - FIXED];
}

static const nereid_access_set_t *view_of(const nereid_membar_state_t *state, int i) {
  const nereid_access_set_t *const sets[] = {&state->pending, &state->unfenced, &state->fenced, &state->writing,
                                             &state->unpublished};
  return i < FIXED ? sets[i] : &state->in_flight[i - FIXED];
}

bool nereid_membar_state_copy(nereid_arena_t *arena, nereid_membar_state_t *state, const nereid_membar_state_t *from) {
  for (int i = 0; i < SETS; ++i)
    if (!nereid_access_set_copy(arena, set_of(state, i), view_of(from, i)))
      return false;
  state->reached = from->reached;
  state->open = from->open;
  return true;
}

void nereid_membar_state_clear(nereid_membar_state_t *state) {
  for (int i = 0; i < SETS; ++i)
    set_of(state, i)->size = 0;
  state->reached = state->open = false;
}

static bool join_set(const nereid_membar_context_t *context, nereid_access_set_t *into, const nereid_access_set_t *from,
                     const nereid_flow_edge_t *edge) {
  if (!context->slicer->rings.size && !context->global)
    return nereid_access_set_join(context->arena, into, from);
  bool grew = false;
  for (size_t i = 0; i < from->size; ++i) {
    nereid_shared_access_t access = from->data[i];
    nereid_membar_state_cross(context, &access, edge);
    grew |= nereid_access_set_add(context->arena, into, access);
  }
  return grew;
}

/* All threads of the CTA synchronize at the begin and the end of regions of a ttg.warp_specialize. This is not a fence
 * between proxies. */
static bool enters_or_leaves_region(const nereid_flow_node_t *from, const nereid_flow_node_t *to) {
  return from->partition != to->partition || !mlirOperationEqual(from->specialize, to->specialize);
}

/* Operations in flight and writes without a fence belong to the warps that started them; the default region is executed
 * by the warps of the surrounding code. What other regions access in the async proxy has been fenced. */
static bool crosses(int set, bool apart, bool same_warps) {
  return !apart || (same_warps && (set == UNFENCED || set >= FIXED));
}

bool nereid_membar_state_join(const nereid_membar_context_t *context, nereid_membar_state_t *into,
                              const nereid_membar_state_t *from, const nereid_flow_edge_t *edge) {
  const nereid_flow_node_t *from_node = &context->graph->nodes.data[edge->from];
  const nereid_flow_node_t *to_node = &context->graph->nodes.data[edge->to];
  const bool apart = enters_or_leaves_region(from_node, to_node), same = from_node->partition == to_node->partition;
  bool grew = !into->reached || (from->open && !apart && !into->open);
  into->reached = true;
  into->open |= from->open && !apart;
  for (int i = 0; i < SETS; ++i)
    if (crosses(i, apart, same))
      grew |= join_set(context, set_of(into, i), view_of(from, i), edge);
  return grew;
}

void nereid_membar_state_leave(const nereid_membar_context_t *context, nereid_membar_state_t *exit,
                               const nereid_membar_state_t *from) {
  exit->reached = true;
  exit->open |= from->open;
  for (int i = 0; i < SETS; ++i) {
    nereid_access_set_join(context->arena, set_of(exit, i), view_of(from, i));
    nereid_access_set_transform(context->arena, set_of(exit, i), forget, context->shapes);
  }
}

/* --- waits --- */

void nereid_membar_state_barrier(nereid_membar_state_t *state) {
  state->pending.size = 0;
  state->fenced.size = 0;
  state->open = false;
}

void nereid_membar_state_warp_barrier(nereid_membar_state_t *state) {
  for (size_t i = 0; i < state->pending.size; ++i)
    state->pending.data[i].warp_waited = true;
}

void nereid_membar_state_fence(const nereid_membar_context_t *context, nereid_membar_state_t *state) {
  nereid_access_set_join(context->arena, &state->fenced, &state->unfenced);
  state->unfenced.size = 0;
}

void nereid_membar_state_complete(const nereid_membar_context_t *context, nereid_membar_state_t *state) {
  nereid_access_set_join(context->arena, &state->pending, &state->writing);
  state->writing.size = 0;
}

void nereid_membar_state_publish(nereid_membar_state_t *state) {
  state->unpublished.size = 0;
}

uint8_t nereid_membar_bulk_need(const nereid_shared_access_t *earlier, const nereid_shared_access_t *access) {
  const uint8_t barrier = earlier->async_proxy && access->async_proxy ? 0 : NEREID_ORDER_CTA;
  if ((!earlier->async_proxy && !access->async_proxy) || !nereid_access_conflicts(earlier, access))
    return 0;
  return barrier | (earlier->async_proxy ? NEREID_NEED_WAIT : NEREID_NEED_FENCE);
}

uint8_t nereid_membar_state_bulk(const nereid_membar_state_t *state, const nereid_shared_access_t *access,
                                 const nereid_shared_access_t **out_earlier) {
  const nereid_shared_access_t *flying = nereid_access_set_conflict(&state->writing, access);
  const nereid_shared_access_t *hidden =
      access->async_proxy ? nereid_access_set_conflict(&state->unpublished, access) : NULL;
  const uint8_t wait = flying ? nereid_membar_bulk_need(flying, access) : 0;
  const uint8_t fence = hidden ? nereid_membar_bulk_need(hidden, access) : 0;
  if (flying || hidden)
    *out_earlier = flying ? flying : hidden;
  return nereid_needs_join(wait, fence);
}

nereid_access_order_t nereid_membar_state_order(const nereid_membar_state_t *state,
                                                const nereid_shared_access_t *access) {
  nereid_access_order_t order = nereid_access_set_order(&state->pending, access);
  if (!access->async_proxy || order == NEREID_ORDER_CTA)
    return order;
  const nereid_access_order_t fenced = nereid_access_set_order(&state->fenced, access);
  const nereid_access_order_t unfenced = nereid_access_set_order(&state->unfenced, access);
  order = fenced > order ? fenced : order;
  return unfenced > order ? unfenced : order;
}

/* --- asynchronous operations --- */

static void make_pending(const nereid_membar_context_t *context, nereid_membar_state_t *state,
                         nereid_shared_access_t access) {
  access.age = 0;
  nereid_access_set_add(context->arena, &state->pending, access);
  if (context->proxies && nereid_access_needs_fence(&access))
    nereid_access_set_add(context->arena, &state->unfenced, access);
}

static void grow_older(nereid_access_set_t *set) {
  for (size_t i = 0; i < set->size; ++i)
    set->data[i].age += set->data[i].age < NEREID_SHARED_AGES;
}

static void make_ageless(nereid_access_set_t *set) {
  for (size_t i = 0; i < set->size; ++i)
    set->data[i].age = NEREID_SHARED_AGES;
}

/* Operations that callers started on the passed buffers may complete, too. */
static void finish_outer(const nereid_membar_context_t *context, nereid_membar_state_t *state, uint8_t group) {
  const bool copies = group == NEREID_ASYNC_COPIES;
  for (intptr_t i = 0; i < context->slicer->n_arguments; ++i) {
    const int64_t space = nereid_slicer_space(context->slicer, i);
    if (context->outer_in_flight[group][i])
      make_pending(context, state,
                   (nereid_shared_access_t){.first = space,
                                            .end = space + NEREID_SHARED_SPACE(1),
                                            .kind = copies ? NEREID_SHARED_WRITE : NEREID_SHARED_READ,
                                            .async_proxy = !copies});
  }
}

/* Completes operations when at most `pending` groups remain; operations of unknown age may be complete. */
static void wait_for(const nereid_membar_context_t *context, nereid_membar_state_t *state, uint8_t group,
                     int32_t pending) {
  nereid_access_set_t *set = &state->in_flight[group], rest = {0};
  for (size_t i = 0; i < set->size; ++i) {
    const bool ageless = set->data[i].age == NEREID_SHARED_AGES;
    if (ageless || set->data[i].age > pending)
      make_pending(context, state, set->data[i]);
    if (ageless || set->data[i].age <= pending)
      nereid_access_set_add(context->arena, &rest, set->data[i]);
  }
  *set = rest;
  finish_outer(context, state, group);
}

/* --- events --- */

/* Records an access to global memory where the module has TMA copies; false when it does not become pending. A thread
 * that needs the data of a copy to shared memory waits for its mbarrier, which ends the read of global memory. */
static bool leave_global(const nereid_membar_context_t *context, nereid_membar_state_t *state,
                         const nereid_shared_access_t *access) {
  if (access->kind != NEREID_SHARED_READ)
    nereid_access_set_add(context->arena, access->async_proxy ? &state->writing : &state->unpublished, *access);
  return !access->async_proxy;
}

/* An op with a barrier inside writes its scratch before the barrier and reads it afterwards; an atomic accesses global
 * memory before the barrier. */
static void leave_scratch(const nereid_membar_context_t *context, nereid_membar_state_t *state,
                          nereid_shared_access_t access) {
  if (nereid_access_is_global(&access))
    return;
  if (context->proxies && nereid_access_needs_fence(&access))
    nereid_access_set_add(context->arena, &state->unfenced, access);
  access.kind = NEREID_SHARED_READ;
  make_pending(context, state, access);
}

static void leave_accesses(const nereid_membar_context_t *context, nereid_membar_state_t *state,
                           const nereid_membar_event_t *event) {
  for (uint32_t i = 0; i < event->n; ++i) {
    nereid_shared_access_t access = context->effects->accesses.data[event->first + i];
    if (context->bulk && nereid_access_is_global(&access) && !leave_global(context, state, &access))
      continue;
    if (event->flags & NEREID_EVENT_BARRIER_INSIDE)
      leave_scratch(context, state, access);
    else if (event->flags & NEREID_EVENT_STARTS && access.kind <= NEREID_SHARED_WRITE)
      nereid_access_set_add(context->arena, &state->in_flight[event->group], access);
    else if (access.kind != NEREID_SHARED_RELEASE && !(access.async_proxy && access.kind == NEREID_SHARED_WRITE))
      make_pending(context, state, access);
  }
}

void nereid_membar_state_step(const nereid_membar_context_t *context, nereid_membar_state_t *state,
                              const nereid_membar_event_t *event) {
  if (event->flags & (NEREID_EVENT_BARRIER | NEREID_EVENT_BARRIER_INSIDE))
    nereid_membar_state_barrier(state);
  if (event->flags & (NEREID_EVENT_WARP_BARRIER | NEREID_EVENT_WARP_INSIDE))
    nereid_membar_state_warp_barrier(state);
  if (event->flags & NEREID_EVENT_FENCE)
    nereid_membar_state_fence(context, state);
  leave_accesses(context, state, event);
  if (event->flags & NEREID_EVENT_COMMITS)
    grow_older(&state->in_flight[event->group]);
  if (event->flags & NEREID_EVENT_COMPLETES)
    nereid_membar_state_complete(context, state);
  if (event->flags & NEREID_EVENT_WAITS)
    wait_for(context, state, event->group, event->pending);
  if (event->flags & NEREID_EVENT_BARRIER_LAST)
    nereid_membar_state_barrier(state);
}

/* The caller's operations in flight: the callee may have closed groups, and waited for any of them. */
static void call_groups(const nereid_membar_context_t *context, nereid_membar_state_t *state,
                        const nereid_membar_summary_t *callee) {
  for (int g = 0; g < NEREID_ASYNC_GROUPS; ++g) {
    if (!callee->commits[g] && !callee->waits[g])
      continue;
    make_ageless(&state->in_flight[g]);
    for (size_t i = 0; callee->waits[g] && i < state->in_flight[g].size; ++i)
      make_pending(context, state, state->in_flight[g].data[i]);
    if (callee->waits[g])
      finish_outer(context, state, (uint8_t)g);
  }
}

void nereid_membar_state_call(const nereid_membar_context_t *context, nereid_membar_state_t *state,
                              const nereid_membar_summary_t *callee) {
  if (!callee->exit.open)
    nereid_membar_state_barrier(state);
  call_groups(context, state, callee);
  for (int i = 0; i < SETS; ++i)
    if (context->proxies || i == 0 || i >= WRITING)
      nereid_access_set_join(context->arena, set_of(state, i), view_of(&callee->exit, i));
}
