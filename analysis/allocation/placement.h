/* Offsets for things that need bytes at times: none overlaps another that is there at the same time.
 *
 *   bytes ^  +-----------+        +--+
 *         |  |     c     |        |d |          a from 0 to 9, b and c from 0 to 5, d from 4 to 9: total a + c + b,
 *         |  +--------+--+--------+--+          which is the lower bound when all of a, b, c live at once
 *         |  |   b    |
 *         |  +--------+------------+
 *         |  |          a          |
 *         +--+---------------------+---> time
 *
 * Knows neither ops nor values: buffers and their liveness are made of those by analysis/allocation/allocation.c. */
#ifndef NEREID_ANALYSIS_PLACEMENT_H
#define NEREID_ANALYSIS_PLACEMENT_H

#include "analysis/allocation/liveness.h"

typedef struct nereid_placement_item {
  int64_t bytes, alignment; /* alignment: a power of two */
  nereid_live_t live;       /* items that are confined to different members of a group are there at the same time */
  int64_t offset;           /* the answer */
} nereid_placement_item_t;

/* Gives every item an offset and returns the end of the highest; -1 when out of memory. The same items in the same
 * order always get the same offsets. `spans` are the times of the groups, `n_groups` of them.
 *
 * Takes O(n log n + c log c) for n ranges and c pairs of items that are there at the same time; where the pairs are too
 * many to be looked at one by one, items lie in the lowest gap that is free from their first time to their last. */
int64_t nereid_placement_run(nereid_placement_item_t *items, size_t n, const nereid_live_range_t *spans,
                             size_t n_groups, nereid_arena_t *arena);

/* The last of that, for any number: placement_sweep.c. -1 when out of memory. */
int64_t nereid_placement_sweep(nereid_placement_item_t *items, size_t n, const nereid_live_range_t *spans,
                               size_t n_groups, nereid_arena_t *arena);

/* What no placement can be below: the most bytes that are there at once, each item rounded up to its alignment. -1 when
 * out of memory. */
int64_t nereid_placement_bound(const nereid_placement_item_t *items, size_t n, const nereid_live_range_t *spans,
                               size_t n_groups, nereid_arena_t *arena);

#endif
