/* Walks forward from asynchronous operations to the waits that complete them; see flight.h.
 *
 * The cost of a walk is the nodes in which the operation is in flight, each again only when it is reached with a
 * smaller count. Within a node, it is the groups up to the largest count of any wait, then the next wait. */
#include "analysis/allocation/flight.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"

enum { ARRIVES = -1, MAKES_GROUP = -2, NOTHING = -3, MAX_PENDINGS = 128, ENOUGH_FOR_CALLERS = 8 };

/* --- events --- */

/* The pending count of a wait, ARRIVES, MAKES_GROUP or NOTHING. */
static int32_t event_of(MlirOperation op, nereid_flight_kind_t *kind) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTG_ASYNC_COMMIT_GROUP:
    *kind = NEREID_FLIGHT_COPY;
    return MAKES_GROUP;
  case NEREID_OP_TTG_ASYNC_WAIT:
    *kind = NEREID_FLIGHT_COPY;
    return nereid_ttg_async_wait_get_num(op);
  case NEREID_OP_TTNG_ASYNC_COPY_MBARRIER_ARRIVE:
    *kind = NEREID_FLIGHT_COPY;
    return ARRIVES;
  case NEREID_OP_TTNG_WARP_GROUP_DOT:
    *kind = NEREID_FLIGHT_DOT;
    return MAKES_GROUP;
  case NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT:
    *kind = NEREID_FLIGHT_DOT;
    return nereid_ttng_warp_group_dot_wait_get_pendings(op);
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_LOCAL_TO_GLOBAL:
  case NEREID_OP_TTNG_ASYNC_TMA_REDUCE:
  case NEREID_OP_TTNG_ASYNC_TMA_SCATTER:
    *kind = NEREID_FLIGHT_STORE;
    return MAKES_GROUP;
  case NEREID_OP_TTNG_ASYNC_TMA_STORE_WAIT:
    *kind = NEREID_FLIGHT_STORE;
    return nereid_ttng_async_tma_store_wait_get_pendings(op);
  default:
    return NOTHING;
  }
}

bool nereid_flight_begins(MlirOperation op, nereid_flight_kind_t *kind) {
  const nereid_op_kind_t op_kind = nereid_op_kind(op);
  if (op_kind == NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL) {
    *kind = NEREID_FLIGHT_COPY;
    return true;
  }
  if (op_kind == NEREID_OP_TTNG_WARP_GROUP_DOT) {
    *kind = NEREID_FLIGHT_DOT;
    return nereid_ttng_warp_group_dot_get_is_async(op);
  }
  return event_of(op, kind) == MAKES_GROUP && *kind == NEREID_FLIGHT_STORE;
}

uint8_t nereid_flight_groups_at_begin(nereid_flight_kind_t kind) {
  return kind == NEREID_FLIGHT_COPY ? 0 : 1;
}

static void add_event(nereid_flight_t *flight, MlirOperation op, uint32_t position) {
  nereid_flight_kind_t kind;
  const int32_t pendings = event_of(op, &kind);
  if (pendings == NOTHING || pendings > MAX_PENDINGS) /* a wait that leaves nearly everything pending has no effect */
    return;
  nereid_flight_track_t *track = &flight->tracks[kind];
  nereid_vector_push(flight->arena, &track->events,
                     (nereid_flight_event_t){.position = position, .pendings = pendings});
  track->max_pendings = pendings > track->max_pendings ? pendings : track->max_pendings;
}

static void link_waits(nereid_flight_track_t *track, uint32_t first, uint32_t end) {
  uint32_t next = end;
  for (uint32_t e = end; e > first; --e) {
    if (track->events.data[e - 1].pendings != MAKES_GROUP)
      next = e - 1;
    track->events.data[e - 1].next_wait = next;
  }
}

bool nereid_flight_build(const nereid_flow_graph_t *graph, nereid_arena_t *arena, nereid_flight_t *out) {
  const size_t n = graph->nodes.size;
  *out = (nereid_flight_t){.arena = arena, .graph = graph};
  for (int k = 0; k < NEREID_FLIGHT_KINDS; ++k) {
    out->tracks[k].first = nereid_arena_new(arena, uint32_t, n + 1);
    out->tracks[k].max_pendings = ENOUGH_FOR_CALLERS;
  }
  out->seen = nereid_arena_new(arena, uint32_t, n);
  out->until = nereid_arena_new(arena, uint32_t, n);
  out->groups = nereid_arena_new(arena, uint8_t, n);
  for (size_t i = 0; !arena->failed && i < n; ++i) {
    for (int k = 0; k < NEREID_FLIGHT_KINDS; ++k)
      out->tracks[k].first[i] = (uint32_t)out->tracks[k].events.size;
    for (uint32_t p = graph->nodes.data[i].first; p < graph->nodes.data[i].end; ++p)
      if (graph->concerned[p])
        add_event(out, graph->ops.data[p], p);
    for (int k = 0; !arena->failed && k < NEREID_FLIGHT_KINDS; ++k) {
      out->tracks[k].first[i + 1] = (uint32_t)out->tracks[k].events.size;
      link_waits(&out->tracks[k], out->tracks[k].first[i], out->tracks[k].first[i + 1]);
    }
  }
  return !arena->failed;
}

/* --- walks --- */

/* The first event of the node after `position`. */
static uint32_t event_after(const nereid_flight_track_t *track, uint32_t node, uint32_t position) {
  uint32_t low = track->first[node], high = track->first[node + 1];
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (track->events.data[middle].position > position)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* The position in `node` at which the operation completes, or the node's end; counts groups from event `e` on. */
static uint32_t pass(nereid_flight_t *flight, const nereid_flight_track_t *track, uint32_t node, uint32_t e,
                     uint8_t *groups) {
  const uint32_t end = track->first[node + 1];
  for (; e < end; ++e) {
    if (*groups > track->max_pendings)
      e = track->events.data[e].next_wait;
    if (e == end)
      break;
    const nereid_flight_event_t *event = &track->events.data[e];
    if (event->pendings == MAKES_GROUP) {
      ++*groups; /* bounded: stops at max_pendings + 1 */
    } else if (event->pendings == ARRIVES) {
      if (!flight->ends_at_arrivals)
        continue;
      nereid_vector_push(flight->arena, &flight->arrivals, event->position);
      return event->position;
    } else if (*groups > event->pendings) {
      return event->position;
    }
  }
  return flight->graph->nodes.data[node].end;
}

static void reach(nereid_flight_t *flight, uint32_t node, uint8_t groups) {
  const bool is_new = flight->seen[node] != flight->walk;
  if (!is_new && flight->groups[node] <= groups)
    return;
  flight->groups[node] = groups;
  nereid_vector_push(flight->arena, &flight->work, node);
  if (!is_new)
    return;
  flight->seen[node] = flight->walk;
  flight->until[node] = 0;
  nereid_vector_push(flight->arena, &flight->reached, node);
}

/* Continues after `node`; returns the count if the function ends there. */
static uint8_t leave(nereid_flight_t *flight, uint32_t node, uint8_t groups) {
  const nereid_flow_node_t *left = &flight->graph->nodes.data[node];
  for (uint32_t i = 0; i < left->n_edges; ++i)
    reach(flight, flight->graph->edges.data[left->first_edge + i].to, groups);
  return left->n_edges ? NEREID_FLIGHT_DONE : groups;
}

static void add_stretch(nereid_flight_t *flight, uint32_t node, uint32_t first, uint32_t end) {
  const uint32_t node_end = flight->graph->nodes.data[node].end;
  nereid_vector_push(flight->arena, &flight->stretches,
                     (nereid_flight_stretch_t){node, first, end < node_end ? end : node_end - 1});
}

/* Walks from the starts of the nodes in `work`; `least` is the minimum count at an end so far. */
static uint8_t walk_on(nereid_flight_t *flight, const nereid_flight_track_t *track, uint8_t least) {
  const nereid_flow_graph_t *graph = flight->graph;
  while (flight->work.size && !flight->arena->failed) {
    const uint32_t node = flight->work.data[--flight->work.size];
    uint8_t count = flight->groups[node];
    const uint32_t until = pass(flight, track, node, track->first[node], &count);
    flight->until[node] = until > flight->until[node] ? until : flight->until[node];
    if (until != graph->nodes.data[node].end)
      continue;
    const uint8_t left = leave(flight, node, count);
    least = left < least ? left : least;
  }
  for (size_t i = 0; i < flight->reached.size; ++i)
    add_stretch(flight, flight->reached.data[i], graph->nodes.data[flight->reached.data[i]].first,
                flight->until[flight->reached.data[i]]);
  return least;
}

static void start_walk(nereid_flight_t *flight) {
  ++flight->walk;
  flight->stretches.size = flight->reached.size = flight->work.size = flight->arrivals.size = 0;
}

uint8_t nereid_flight_walk(nereid_flight_t *flight, uint32_t position, nereid_flight_kind_t kind, uint8_t groups) {
  const nereid_flow_graph_t *graph = flight->graph;
  const nereid_flight_track_t *track = &flight->tracks[kind];
  const uint32_t start = graph->nodes_of_ops[position];
  start_walk(flight);
  const uint32_t stop = pass(flight, track, start, event_after(track, start, position), &groups);
  add_stretch(flight, start, position, stop);
  const bool goes_on = stop == graph->nodes.data[start].end;
  return walk_on(flight, track, goes_on ? leave(flight, start, groups) : NEREID_FLIGHT_DONE);
}

uint8_t nereid_flight_walk_again(nereid_flight_t *flight, nereid_flight_kind_t kind, uint8_t groups) {
  start_walk(flight);
  reach(flight, 0, groups);
  return walk_on(flight, &flight->tracks[kind], NEREID_FLIGHT_DONE);
}
