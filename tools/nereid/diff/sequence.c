/* The algorithm of Hunt and Szymanski: a longest increasing subsequence over the pairs of equal keys.
 *
 *   a: x y z y     pairs in the order of a, those of one element from the end of b:  (0,1) (1,3) (1,0) (3,3) (3,0)
 *   b: y x w y     longest chain that increases in both:                             (0,1) (1,3)
 *
 * Its time is proportional to the number of pairs, which is small for IR: most keys occur once. */
#include "tools/nereid/diff/sequence.h"

#include <stdlib.h>

typedef struct occurrence {
  uint64_t key;
  uint32_t index;
} occurrence_t;

typedef struct link {
  uint32_t a, b;
  const struct link *before;
} link_t;

static int by_key(const void *left, const void *right) {
  const occurrence_t *x = left, *y = right;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->index > y->index ? -1 : x->index < y->index; /* last first */
}

static uint32_t first_of(const occurrence_t *sorted, uint32_t n, uint64_t key) {
  uint32_t low = 0, high = n;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (sorted[middle].key < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Returns the length of the shortest chain whose last index in `b` is not below `b`. */
static uint32_t position_of(const link_t *const *ends, uint32_t n_ends, uint32_t b) {
  uint32_t low = 0, high = n_ends;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (ends[middle]->b < b)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static uint64_t count_pairs(const uint64_t *a, uint32_t n_a, const occurrence_t *sorted, uint32_t n_b) {
  uint64_t pairs = 0;
  for (uint32_t i = 0; i < n_a; ++i)
    for (uint32_t k = first_of(sorted, n_b, a[i]); a[i] && k < n_b && sorted[k].key == a[i]; ++k)
      ++pairs;
  return pairs;
}

/* Extends the chains by the pairs of a[i]. False when out of memory. */
static bool extend(nereid_arena_t *scratch, uint32_t i, uint64_t key, const occurrence_t *sorted, uint32_t n_b,
                   const link_t **ends, uint32_t *n_ends) {
  for (uint32_t k = first_of(sorted, n_b, key); k < n_b && sorted[k].key == key; ++k) {
    const uint32_t at = position_of(ends, *n_ends, sorted[k].index);
    if (at < *n_ends && ends[at]->b == sorted[k].index)
      continue;
    link_t *link = nereid_arena_new(scratch, link_t, 1);
    if (!link)
      return false;
    *link = (link_t){i, sorted[k].index, at ? ends[at - 1] : NULL};
    ends[at] = link;
    *n_ends += at == *n_ends;
  }
  return true;
}

bool tool_sequence_match(nereid_arena_t *scratch, const uint64_t *a, uint32_t n_a, const uint64_t *b, uint32_t n_b,
                         uint64_t limit, uint32_t *out_match) {
  for (uint32_t i = 0; i < n_a; ++i)
    out_match[i] = UINT32_MAX;
  if (!n_a || !n_b)
    return true;
  occurrence_t *sorted = nereid_arena_new(scratch, occurrence_t, n_b);
  const link_t **ends = nereid_arena_new(scratch, const link_t *, n_b);
  uint32_t n_ends = 0;
  if (!sorted || !ends)
    return false;
  for (uint32_t i = 0; i < n_b; ++i)
    sorted[i] = (occurrence_t){b[i], i};
  qsort(sorted, n_b, sizeof *sorted, by_key);
  if (count_pairs(a, n_a, sorted, n_b) > limit)
    return true;
  for (uint32_t i = 0; i < n_a; ++i)
    if (a[i] && !extend(scratch, i, a[i], sorted, n_b, ends, &n_ends))
      return false;
  for (const link_t *link = n_ends ? ends[n_ends - 1] : NULL; link; link = link->before)
    out_match[link->a] = link->b;
  return true;
}
