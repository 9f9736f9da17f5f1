/* Assigns offsets to items with live ranges: items that are live at the same time do not overlap.
 *
 *   bytes ^  +-----------+        +--+
 *         |  |     c     |        |d |          a from 0 to 9, b and c from 0 to 5, d from 4 to 9: total a + c + b,
 *         |  +--------+--+--------+--+          which is the lower bound when all of a, b, c are live at once
 *         |  |   b    |
 *         |  +--------+------------+
 *         |  |          a          |
 *         +--+---------------------+---> time
 *
 * Independent of ops and values: analysis/allocation/allocation.c creates the items from buffers and their liveness. */
#ifndef NEREID_ANALYSIS_PLACEMENT_H
#define NEREID_ANALYSIS_PLACEMENT_H

#include "analysis/allocation/liveness.h"

typedef struct nereid_placement_item {
  int64_t bytes, alignment; /* alignment: a power of two */
  nereid_live_t live;       /* items that are confined to different members of a group are live at the same time */
  int64_t offset;           /* the result */
} nereid_placement_item_t;

/* Assigns every item an offset and returns the highest end; -1 when out of memory. Deterministic. `spans` are the times
 * of the groups, `n_groups` of them.
 *
 * Takes O(n log n + c log c) for n ranges and c pairs of items that are live at the same time. With too many pairs,
 * each item gets the lowest gap that is free from its first time to its last. */
int64_t nereid_placement_run(nereid_placement_item_t *items, size_t n, const nereid_live_range_t *spans,
                             size_t n_groups, nereid_arena_t *arena);

/* The method for many pairs alone, for any number: placement_sweep.c. -1 when out of memory. */
int64_t nereid_placement_sweep(nereid_placement_item_t *items, size_t n, const nereid_live_range_t *spans,
                               size_t n_groups, nereid_arena_t *arena);

/* The lower bound of all placements: the maximum bytes live at once, each item rounded up to its alignment. -1 when out
 * of memory. */
int64_t nereid_placement_bound(const nereid_placement_item_t *items, size_t n, const nereid_live_range_t *spans,
                               size_t n_groups, nereid_arena_t *arena);

#endif
