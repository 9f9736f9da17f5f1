/* The longest common subsequence of two sequences of keys. */
#ifndef NEREID_TOOLS_SEQUENCE_H
#define NEREID_TOOLS_SEQUENCE_H

#include "base/arena.h"

/* Sets out_match[i], for each i below `n_a`, to the index in `b` that corresponds to a[i], or to UINT32_MAX. The
 * matches are increasing. Keys of 0 match nothing. Matches nothing when there are more than `limit` pairs of equal
 * keys. False when out of memory. */
bool tool_sequence_match(nereid_arena_t *scratch, const uint64_t *a, uint32_t n_a, const uint64_t *b, uint32_t n_b,
                         uint64_t limit, uint32_t *out_match);

#endif
