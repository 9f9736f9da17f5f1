/* Places many items in one sweep over time, each in the lowest gap that is free when it begins; see placement.h.
 *
 * Gaps are kept by offset. Their number is bounded by the items live at once, which the shared memory of a CTA bounds.
 */
#include "analysis/allocation/placement.h"

#include <stdlib.h>
#include <string.h>

typedef struct stretch {
  int64_t first, end; /* bytes */
} stretch_t;

typedef struct event {
  uint32_t time, item;
  int64_t bytes; /* size of the item */
} event_t;

typedef struct sweep {
  const nereid_live_range_t *spans;
  size_t n_groups;
  nereid_arena_t *arena;
} sweep_t;

static int64_t align(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) & -alignment;
}

typedef struct gaps {
  NEREID_VECTOR(stretch_t) free; /* ascending; the last one has no end */
} gaps_t;

static bool insert_gap(sweep_t *sweep, gaps_t *gaps, size_t at, stretch_t gap) {
  if (!nereid_vector_push(sweep->arena, &gaps->free, gap))
    return false;
  memmove(gaps->free.data + at + 1, gaps->free.data + at, (gaps->free.size - 1 - at) * sizeof gap);
  gaps->free.data[at] = gap;
  return true;
}

static void remove_gap(gaps_t *gaps, size_t at) {
  memmove(gaps->free.data + at, gaps->free.data + at + 1, (gaps->free.size - 1 - at) * sizeof *gaps->free.data);
  --gaps->free.size;
}

static bool take(sweep_t *sweep, gaps_t *gaps, nereid_placement_item_t *item) {
  size_t at = 0;
  while (align(gaps->free.data[at].first, item->alignment) + item->bytes > gaps->free.data[at].end)
    ++at;
  stretch_t *gap = &gaps->free.data[at];
  item->offset = align(gap->first, item->alignment);
  const stretch_t below = {gap->first, item->offset};
  gap->first = item->offset + item->bytes;
  if (gap->first == gap->end)
    remove_gap(gaps, at);
  return below.first == below.end || insert_gap(sweep, gaps, at, below);
}

static bool give_back(sweep_t *sweep, gaps_t *gaps, const nereid_placement_item_t *item) {
  const stretch_t freed = {item->offset, item->offset + item->bytes};
  size_t low = 0, high = gaps->free.size;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (gaps->free.data[middle].first < freed.first)
      low = middle + 1;
    else
      high = middle;
  }
  stretch_t *next = &gaps->free.data[low], *before = low ? next - 1 : NULL;
  const bool joins_before = before && before->end == freed.first, joins_next = next->first == freed.end;
  if (joins_before && joins_next) {
    before->end = next->end;
    remove_gap(gaps, low);
  } else if (joins_before) {
    before->end = freed.end;
  } else if (joins_next) {
    next->first = freed.first;
  } else {
    return insert_gap(sweep, gaps, low, freed);
  }
  return true;
}

/* From its first time to its last; for a confined item, the times of its group. */
static nereid_live_range_t hull(const sweep_t *sweep, const nereid_placement_item_t *item) {
  const nereid_live_t *live = &item->live;
  if (live->group && live->group <= sweep->n_groups)
    return sweep->spans[live->group - 1];
  return live->count ? (nereid_live_range_t){live->ranges[0].first, live->ranges[live->count - 1].last}
                     : (nereid_live_range_t){0, 0};
}

static int by_item_time(const void *a, const void *b) {
  const event_t *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return (x->item > y->item) - (x->item < y->item);
}

int64_t nereid_placement_sweep(nereid_placement_item_t *items, size_t n, const nereid_live_range_t *spans,
                               size_t n_groups, nereid_arena_t *arena) {
  sweep_t sweep = {spans, n_groups, arena};
  event_t *starts = nereid_arena_new(arena, event_t, n), *ends = nereid_arena_new(arena, event_t, n);
  gaps_t gaps = {0};
  int64_t total = 0;
  if (!starts || !ends || !nereid_vector_push(arena, &gaps.free, (stretch_t){0, INT64_MAX}))
    return -1;
  for (uint32_t i = 0; i < n; ++i) {
    const nereid_live_range_t range = hull(&sweep, &items[i]);
    starts[i] = (event_t){range.first, i, items[i].bytes};
    ends[i] = (event_t){range.last, i, items[i].bytes};
  }
  qsort(starts, n, sizeof *starts, by_item_time);
  qsort(ends, n, sizeof *ends, by_item_time);
  for (size_t s = 0, e = 0; s < n; ++s) {
    for (; ends[e].time < starts[s].time; ++e)
      if (!give_back(&sweep, &gaps, &items[ends[e].item]))
        return -1;
    nereid_placement_item_t *item = &items[starts[s].item];
    if (!take(&sweep, &gaps, item))
      return -1;
    total = item->offset + item->bytes > total ? item->offset + item->bytes : total;
  }
  return total;
}
