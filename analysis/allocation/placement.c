/* First fit in several orders, keeping the best result; see placement.h.
 *
 * Largest first is best almost always: small items fit around large ones (Gergov, "Algorithms for compile-time memory
 * optimization", 1999). When the result is above the lower bound, other orders are tried. Then the item that ended
 * highest is repeatedly moved to the front, within a work limit. */
#include "analysis/allocation/placement.h"

#include <stdlib.h>
#include <string.h>

/* Limits: pairs of items to compare, visits of them over all orders, orders. */
enum { MAX_PAIRS = 1000000, MAX_VISITS = 8000000, MAX_ORDERS = 64 };

typedef struct stretch {
  int64_t first, end; /* bytes */
} stretch_t;

typedef struct event {
  uint32_t time, item;
  int64_t bytes; /* change of the total from here on */
} event_t;

typedef NEREID_VECTOR(event_t) events_t;

typedef struct pair {
  uint32_t a, b;
} pair_t;

typedef struct placer {
  nereid_placement_item_t *items;
  uint32_t n;
  nereid_arena_t *arena;
  uint32_t *conflicts, *first_conflict; /* by item, and one more: items that are live at the same time */
  uint32_t *order;
  bool *placed;
  int64_t *best;
  stretch_t *taken; /* for one item: bytes of items that are live at the same time */
  int64_t best_total;
} placer_t;

static int64_t align(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) & -alignment;
}

/* --- the lower bound --- */

static int by_time(const void *a, const void *b) {
  const event_t *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return (x->bytes > y->bytes) - (x->bytes < y->bytes); /* Items that end come first. */
}

static void add_events(nereid_arena_t *arena, events_t *events, int64_t bytes, nereid_live_range_t range) {
  nereid_vector_push(arena, events, (event_t){.time = range.first, .bytes = bytes});
  nereid_vector_push(arena, events, (event_t){.time = range.last + 1, .bytes = -bytes});
}

static int64_t peak_of(events_t *events) {
  int64_t bytes = 0, most = 0;
  if (events->size)
    qsort(events->data, events->size, sizeof *events->data, by_time);
  for (size_t i = 0; i < events->size; ++i) {
    bytes += events->data[i].bytes;
    most = bytes > most ? bytes : most;
  }
  return most;
}

static int by_region(const void *a, const void *b) {
  const nereid_live_t *x = &(*(const nereid_placement_item_t *const *)a)->live;
  const nereid_live_t *y = &(*(const nereid_placement_item_t *const *)b)->live;
  if (x->group != y->group)
    return x->group < y->group ? -1 : 1;
  return (x->member > y->member) - (x->member < y->member);
}

static bool same_region(const nereid_live_t *a, const nereid_live_t *b) {
  return a->group == b->group && a->member == b->member;
}

int64_t nereid_placement_bound(const nereid_placement_item_t *items, size_t n, const nereid_live_range_t *spans,
                               size_t n_groups, nereid_arena_t *arena) {
  events_t outer = {0}, inner = {0};
  const nereid_placement_item_t **sorted = nereid_arena_new(arena, const nereid_placement_item_t *, n);
  for (size_t i = 0; sorted && i < n; ++i)
    sorted[i] = &items[i];
  if (sorted && n)
    qsort(sorted, n, sizeof *sorted, by_region);
  for (size_t i = 0; sorted && i < n; ++i) {
    const nereid_live_t *live = &sorted[i]->live;
    for (uint32_t r = 0; r < live->count; ++r)
      add_events(arena, live->group ? &inner : &outer, align(sorted[i]->bytes, sorted[i]->alignment), live->ranges[r]);
    /* The largest total of a region counts for the whole op. */
    if (live->group && live->group <= n_groups && (i + 1 == n || !same_region(live, &sorted[i + 1]->live))) {
      add_events(arena, &outer, peak_of(&inner), spans[live->group - 1]);
      inner.size = 0;
    }
  }
  return arena->failed ? -1 : peak_of(&outer);
}

/* --- pairs that are live at the same time --- */

typedef struct active {
  uint32_t item, last;
} active_t;

typedef struct pairs {
  NEREID_VECTOR(pair_t) list;
  NEREID_VECTOR(active_t) active;
} pairs_t;

static bool add_pair(placer_t *placer, pairs_t *pairs, uint32_t a, uint32_t b) {
  return a == b || (pairs->list.size < MAX_PAIRS && nereid_vector_push(placer->arena, &pairs->list, (pair_t){a, b}));
}

/* A range begins: pairs it with all ranges that have not ended. */
static bool meet(placer_t *placer, pairs_t *pairs, uint32_t item, nereid_live_range_t range) {
  size_t kept = 0;
  for (size_t i = 0; i < pairs->active.size; ++i) {
    const active_t active = pairs->active.data[i];
    if (active.last < range.first)
      continue;
    pairs->active.data[kept++] = active;
    if (!add_pair(placer, pairs, active.item, item))
      return false;
  }
  pairs->active.size = kept;
  return nereid_vector_push(placer->arena, &pairs->active, (active_t){item, range.last});
}

static bool meet_in_time(placer_t *placer, pairs_t *pairs) {
  events_t starts = {0};
  for (uint32_t i = 0; i < placer->n; ++i)
    for (uint32_t r = 0; r < placer->items[i].live.count; ++r)
      nereid_vector_push(placer->arena, &starts,
                         (event_t){.time = placer->items[i].live.ranges[r].first, .item = i, .bytes = r});
  if (starts.size)
    qsort(starts.data, starts.size, sizeof *starts.data, by_time);
  for (size_t s = 0; s < starts.size; ++s) {
    const event_t *start = &starts.data[s];
    if (!meet(placer, pairs, start->item, placer->items[start->item].live.ranges[start->bytes]))
      return false;
  }
  return !placer->arena->failed;
}

/* Pairs items confined to a member of a group with the items confined to other members. */
static bool meet_in_groups(placer_t *placer, pairs_t *pairs) {
  NEREID_VECTOR(const nereid_placement_item_t *) confined = {0};
  for (uint32_t i = 0; i < placer->n; ++i)
    if (placer->items[i].live.group)
      nereid_vector_push(placer->arena, &confined, &placer->items[i]);
  if (confined.size)
    qsort(confined.data, confined.size, sizeof *confined.data, by_region);
  for (size_t i = 1, group = 0, member = 0; i < confined.size; ++i) {
    const nereid_live_t *before = &confined.data[i - 1]->live, *live = &confined.data[i]->live;
    member = same_region(before, live) ? member : i;
    group = before->group == live->group ? group : i;
    for (size_t j = group; j < member; ++j)
      if (!add_pair(placer, pairs, (uint32_t)(confined.data[j] - placer->items),
                    (uint32_t)(confined.data[i] - placer->items)))
        return false;
  }
  return !placer->arena->failed;
}

/* False when there are too many. */
static bool find_neighbours(placer_t *placer) {
  pairs_t pairs = {0};
  if (!meet_in_time(placer, &pairs) || !meet_in_groups(placer, &pairs))
    return false;
  uint32_t *first = nereid_arena_new(placer->arena, uint32_t, (size_t)placer->n + 2);
  placer->conflicts = nereid_arena_new(placer->arena, uint32_t, 2 * pairs.list.size);
  if (placer->arena->failed)
    return false;
  for (size_t p = 0; p < pairs.list.size; ++p) {
    first[pairs.list.data[p].a + 2]++;
    first[pairs.list.data[p].b + 2]++;
  }
  for (uint32_t i = 2; i < placer->n + 2; ++i)
    first[i] += first[i - 1];
  for (size_t p = 0; p < pairs.list.size; ++p) {
    const pair_t pair = pairs.list.data[p];
    placer->conflicts[first[pair.a + 1]++] = pair.b;
    placer->conflicts[first[pair.b + 1]++] = pair.a;
  }
  placer->first_conflict = first;
  uint32_t most = 0;
  for (uint32_t i = 0; i < placer->n; ++i)
    most = first[i + 1] - first[i] > most ? first[i + 1] - first[i] : most;
  placer->taken = nereid_arena_new(placer->arena, stretch_t, most);
  return placer->taken != NULL;
}

/* --- first fit in an order --- */

static int by_first_byte(const void *a, const void *b) {
  const stretch_t *x = a, *y = b;
  return (x->first > y->first) - (x->first < y->first);
}

/* The lowest offset that does not overlap an item that is live at the same time. */
static int64_t lowest(placer_t *placer, uint32_t item) {
  const nereid_placement_item_t *it = &placer->items[item];
  size_t n = 0;
  for (uint32_t k = placer->first_conflict[item]; k < placer->first_conflict[item + 1]; ++k) {
    const nereid_placement_item_t *other = &placer->items[placer->conflicts[k]];
    if (placer->placed[placer->conflicts[k]])
      placer->taken[n++] = (stretch_t){other->offset, other->offset + other->bytes};
  }
  if (n > 1)
    qsort(placer->taken, n, sizeof *placer->taken, by_first_byte);
  int64_t offset = 0;
  for (size_t t = 0; t < n && placer->taken[t].first < offset + it->bytes; ++t)
    if (placer->taken[t].end > offset)
      offset = align(placer->taken[t].end, it->alignment);
  return offset;
}

/* The item that ends highest. */
static uint32_t place_in_order(placer_t *placer) {
  int64_t total = -1;
  uint32_t highest = 0;
  memset(placer->placed, 0, placer->n * sizeof *placer->placed);
  for (uint32_t i = 0; i < placer->n; ++i) {
    nereid_placement_item_t *item = &placer->items[placer->order[i]];
    item->offset = lowest(placer, placer->order[i]);
    placer->placed[placer->order[i]] = true;
    if (item->offset + item->bytes > total) {
      total = item->offset + item->bytes;
      highest = placer->order[i];
    }
  }
  if (placer->best_total >= 0 && total >= placer->best_total)
    return highest;
  placer->best_total = total;
  for (uint32_t i = 0; i < placer->n; ++i)
    placer->best[i] = placer->items[i].offset;
  return highest;
}

/* --- orders --- */

typedef struct key {
  int64_t major, minor;
  uint32_t item;
} sort_key_t;

static int by_key(const void *a, const void *b) {
  const sort_key_t *x = a, *y = b;
  if (x->major != y->major)
    return x->major > y->major ? -1 : 1;
  if (x->minor != y->minor)
    return x->minor > y->minor ? -1 : 1;
  return (x->item > y->item) - (x->item < y->item);
}

static int64_t duration(const nereid_live_t *live) {
  int64_t time = 0;
  for (uint32_t r = 0; r < live->count; ++r)
    time += live->ranges[r].last - live->ranges[r].first + 1;
  return time;
}

enum { LARGE_FIRST, LARGE_AND_LONG_FIRST, ALIGNED_FIRST, EARLY_FIRST, RULES };

static sort_key_t key_by(int rule, const nereid_placement_item_t *item, uint32_t number) {
  const int64_t early = item->live.count ? -(int64_t)item->live.ranges[0].first : 0;
  switch (rule) {
  case LARGE_AND_LONG_FIRST:
    return (sort_key_t){item->bytes * duration(&item->live), item->bytes, number};
  case ALIGNED_FIRST:
    return (sort_key_t){item->alignment, item->bytes, number};
  case EARLY_FIRST:
    return (sort_key_t){early, item->bytes, number};
  default:
    return (sort_key_t){item->bytes, early, number};
  }
}

static bool sort_by(placer_t *placer, int rule) {
  sort_key_t *keys = nereid_arena_new(placer->arena, sort_key_t, placer->n);
  for (uint32_t i = 0; keys && i < placer->n; ++i)
    keys[i] = key_by(rule, &placer->items[i], i);
  if (keys)
    qsort(keys, placer->n, sizeof *keys, by_key);
  for (uint32_t i = 0; keys && i < placer->n; ++i)
    placer->order[i] = keys[i].item;
  return keys != NULL;
}

static void move_to_front(placer_t *placer, uint32_t item) {
  uint32_t at = 0;
  while (placer->order[at] != item)
    ++at;
  memmove(placer->order + 1, placer->order, at * sizeof *placer->order);
  placer->order[0] = item;
}

static bool try_orders(placer_t *placer, int64_t bound) {
  const size_t visits = placer->first_conflict[placer->n] + (size_t)placer->n;
  const size_t orders = MAX_VISITS / visits < MAX_ORDERS ? MAX_VISITS / visits : MAX_ORDERS;
  for (int rule = 0; rule < RULES && (rule == 0 || (size_t)rule < orders); ++rule) {
    if (!sort_by(placer, rule))
      return false;
    place_in_order(placer);
    if (placer->best_total <= bound)
      return true;
  }
  if (!sort_by(placer, LARGE_FIRST))
    return false;
  uint32_t highest = orders > RULES ? place_in_order(placer) : 0;
  for (size_t i = RULES + 1; i < orders && placer->best_total > bound && placer->order[0] != highest; ++i) {
    move_to_front(placer, highest);
    highest = place_in_order(placer);
  }
  return true;
}

int64_t nereid_placement_run(nereid_placement_item_t *items, size_t n, const nereid_live_range_t *spans,
                             size_t n_groups, nereid_arena_t *arena) {
  placer_t placer = {.items = items,
                     .n = (uint32_t)n,
                     .arena = arena,
                     .order = nereid_arena_new(arena, uint32_t, n),
                     .placed = nereid_arena_new(arena, bool, n),
                     .best = nereid_arena_new(arena, int64_t, n),
                     .best_total = -1};
  const int64_t bound = nereid_placement_bound(items, n, spans, n_groups, arena);
  if (arena->failed)
    return -1;
  if (!n)
    return 0;
  if (!find_neighbours(&placer))
    return arena->failed ? -1 : nereid_placement_sweep(items, n, spans, n_groups, arena);
  if (!try_orders(&placer, bound) || arena->failed)
    return -1;
  for (size_t i = 0; i < n; ++i)
    items[i].offset = placer.best[i];
  return placer.best_total;
}
