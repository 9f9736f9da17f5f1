/* Backward data flow with a bit per subject; see value_liveness.h.
 *
 * Dirty nodes are processed from the last in time to the first, and again when a loop's start makes its end dirty; so a
 * bit passes a node once, and once more for each enclosing loop. Adjacent whole nodes in which a subject is live are
 * then merged in the order of time, at no cost for nodes without a definition or a last use. */
#include "analysis/allocation/value_liveness.h"

enum { WORD = 64 };

typedef struct node_bits {
  uint64_t in, out, home; /* live at its start, at its end; defined in it */
  uint64_t made;          /* the definition may have been executed before its start */
  uint32_t chunk;         /* chunk to which the bits belong */
  bool is_dirty;
} node_bits_t;

typedef struct walk {
  const nereid_live_subjects_t *subjects;
  node_bits_t *nodes;
  uint32_t first, count; /* subjects of the chunk */
  uint32_t chunk;
  uint32_t low, high; /* places of nodes that have bits */
  uint32_t dirty;     /* the highest place that is dirty + 1 */
  nereid_live_callback_t callback;
  void *user_data;
} walk_t;

void nereid_live_subjects_use(nereid_live_subjects_t *subjects, uint32_t subject, uint32_t position,
                              nereid_arena_t *arena) {
  nereid_live_subject_t *used = &subjects->list[subject];
  const uint32_t node = subjects->graph->nodes_of_ops[position];
  if (used->uses) {
    nereid_live_use_t *latest = &subjects->uses.data[used->uses - 1];
    if (latest->node == node && (latest->last < used->definition) == (position < used->definition)) {
      latest->last = position;
      return;
    }
  }
  if (nereid_vector_push(arena, &subjects->uses, (nereid_live_use_t){node, position, used->uses}))
    used->uses = (uint32_t)subjects->uses.size;
}

static node_bits_t *bits_of(walk_t *walk, uint32_t node) {
  node_bits_t *bits = &walk->nodes[node];
  const uint32_t place = walk->subjects->places[node];
  if (bits->chunk != walk->chunk)
    *bits = (node_bits_t){.chunk = walk->chunk};
  walk->low = place < walk->low ? place : walk->low;
  walk->high = place > walk->high ? place : walk->high;
  return bits;
}

static void set_dirty(walk_t *walk, uint32_t node, node_bits_t *bits) {
  const uint32_t place = walk->subjects->places[node];
  bits->is_dirty = true;
  walk->dirty = place + 1 > walk->dirty ? place + 1 : walk->dirty;
}

static bool is_in_front(const nereid_live_subject_t *subject, const nereid_live_use_t *use) {
  return use->node != subject->home || use->last < subject->definition;
}

static void seed(walk_t *walk) {
  for (uint32_t i = 0; i < walk->count; ++i) {
    const nereid_live_subject_t *subject = &walk->subjects->list[walk->first + i];
    if (subject->home == NEREID_FLOW_NONE)
      continue;
    bits_of(walk, subject->home)->home |= UINT64_C(1) << i;
    for (uint32_t u = subject->uses; u; u = walk->subjects->uses.data[u - 1].next) {
      const nereid_live_use_t *use = &walk->subjects->uses.data[u - 1];
      if (!is_in_front(subject, use))
        continue;
      node_bits_t *bits = bits_of(walk, use->node);
      bits->in |= UINT64_C(1) << i;
      set_dirty(walk, use->node, bits);
    }
  }
}

/* Propagates subjects live at the start of `node` to the ends of its predecessors. */
static void pull(walk_t *walk, uint32_t node) {
  const nereid_flow_graph_t *graph = walk->subjects->graph;
  const nereid_flow_node_t *at = &graph->nodes.data[node];
  const uint64_t in = walk->nodes[node].in;
  for (uint32_t i = 0; i < at->n_incoming; ++i) {
    const uint32_t from = graph->edges.data[graph->incoming[at->first_incoming + i]].from;
    node_bits_t *bits = bits_of(walk, from);
    bits->out |= in;
    if (!(bits->out & ~bits->home & ~bits->in))
      continue;
    bits->in |= bits->out & ~bits->home;
    set_dirty(walk, from, bits);
  }
}

static void pull_all(walk_t *walk) {
  while (walk->dirty > walk->low) {
    const uint32_t node = walk->subjects->sequence[--walk->dirty];
    node_bits_t *bits = &walk->nodes[node];
    if (bits->chunk != walk->chunk || !bits->is_dirty)
      continue;
    bits->is_dirty = false;
    pull(walk, node);
  }
}

/* Propagates forward from definitions through live nodes, first to last, and again for back edges. */
static void push_all(walk_t *walk) {
  const nereid_flow_graph_t *graph = walk->subjects->graph;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t place = walk->low; place <= walk->high; ++place) {
      const uint32_t node = walk->subjects->sequence[place];
      const node_bits_t *bits = &walk->nodes[node];
      if (bits->chunk != walk->chunk)
        continue;
      const uint64_t there = bits->out & (bits->home | bits->made);
      for (uint32_t i = 0; i < graph->nodes.data[node].n_edges; ++i) {
        const uint32_t to = graph->edges.data[graph->nodes.data[node].first_edge + i].to;
        node_bits_t *next = &walk->nodes[to];
        const uint64_t more = next->chunk == walk->chunk ? there & next->in & ~next->made : 0;
        next->made |= more;
        again |= more && walk->subjects->places[to] <= place;
      }
    }
  }
}

/* --- pieces --- */

static void report(walk_t *walk, uint32_t i, uint32_t first, uint32_t last) {
  walk->callback(walk->first + i, first, last, walk->user_data);
}

/* Nodes in which the subject is live from start to end. */
static void report_whole(walk_t *walk) {
  uint64_t open = 0;
  uint32_t since[WORD] = {0};
  for (uint32_t place = walk->low; place <= walk->high + 1; ++place) {
    const bool is_end = place > walk->high;
    const uint32_t node = is_end ? 0 : walk->subjects->sequence[place];
    const node_bits_t *bits = &walk->nodes[node];
    const bool has_bits = !is_end && bits->chunk == walk->chunk;
    const uint64_t now = has_bits ? bits->in & bits->out & bits->made & ~bits->home : 0;
    const uint32_t before = is_end ? walk->subjects->sequence[walk->high] : node;
    const uint32_t time =
        walk->subjects->starts[before] +
        (is_end ? walk->subjects->graph->nodes.data[before].end - walk->subjects->graph->nodes.data[before].first : 0);
    for (uint64_t changed = now ^ open; changed; changed &= changed - 1) {
      const uint32_t i = (uint32_t)__builtin_ctzll(changed);
      if (now >> i & 1)
        since[i] = time;
      else
        report(walk, i, since[i], time - 1);
    }
    open = now;
  }
}

/* Its home node from the definition on, and nodes at whose end it is not live. */
static void report_parts(walk_t *walk, uint32_t i) {
  const nereid_live_subjects_t *subjects = walk->subjects;
  const nereid_live_subject_t *subject = &subjects->list[walk->first + i];
  if (subject->home == NEREID_FLOW_NONE)
    return;
  const nereid_flow_node_t *home = &subjects->graph->nodes.data[subject->home];
  const uint64_t bit = UINT64_C(1) << i;
  uint32_t end =
      subject->has_op ? subject->definition + 1 : subject->definition; /* End of the live range, exclusive. */
  for (uint32_t u = subject->uses; u; u = subjects->uses.data[u - 1].next) {
    const nereid_live_use_t *use = &subjects->uses.data[u - 1];
    const node_bits_t *bits = &walk->nodes[use->node];
    const uint32_t start = subjects->starts[use->node], first = subjects->graph->nodes.data[use->node].first;
    if (!is_in_front(subject, use))
      end = use->last >= end ? use->last + 1 : end;
    else if (bits->made & bit && (use->node == subject->home || !(bits->out & bit)))
      report(walk, i, start, start + use->last - first);
  }
  if (walk->nodes[subject->home].out & bit)
    end = home->end;
  const uint32_t start = subjects->starts[subject->home] - home->first;
  if (end > subject->definition)
    report(walk, i, start + subject->definition, start + end - 1);
}

static void walk_chunk(walk_t *walk, bool dominated) {
  ++walk->chunk;
  walk->dirty = 0;
  walk->low = UINT32_MAX;
  walk->high = 0;
  seed(walk);
  if (walk->low == UINT32_MAX)
    return;
  pull_all(walk);
  for (uint32_t place = walk->low; dominated && place <= walk->high; ++place)
    walk->nodes[walk->subjects->sequence[place]].made = UINT64_MAX;
  if (!dominated)
    push_all(walk);
  report_whole(walk);
  for (uint32_t i = 0; i < walk->count; ++i)
    report_parts(walk, i);
}

bool nereid_live_subjects_walk(const nereid_live_subjects_t *subjects, uint32_t first, uint32_t end, bool dominated,
                               nereid_arena_t *arena, nereid_live_callback_t callback, void *user_data) {
  walk_t walk = {.subjects = subjects,
                 .nodes = nereid_arena_new(arena, node_bits_t, subjects->graph->nodes.size),
                 .callback = callback,
                 .user_data = user_data};
  for (uint32_t at = first; walk.nodes && at < end; at += WORD) {
    walk.first = at;
    walk.count = end - at < WORD ? end - at : WORD;
    walk_chunk(&walk, dominated);
  }
  return !arena->failed;
}
