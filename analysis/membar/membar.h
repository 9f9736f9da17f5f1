/* Where threads of a CTA must wait for each other because of shared or global memory, and where what they wrote must be
 * fenced before the async proxy reads it.
 *
 *   ttg.local_store %x, %b
 *   %y = ttg.local_load %b      ->   a barrier in front: the bytes may have been written by another thread
 *
 * Accesses that no barrier has followed yet are pending, as intervals of bytes; one that overlaps a pending one, where
 * either writes, gets a barrier in front of it, of the CTA or, where both sides are of one warp, of each warp. Through
 * branches, loops and calls to a fixed point: docs/barriers.md. */
#ifndef NEREID_ANALYSIS_MEMBAR_H
#define NEREID_ANALYSIS_MEMBAR_H

#include "analysis/membar/membar_types.h"

/* Analyses the module of `calls` and changes nothing. Near linear; lives in `arena`. False when out of memory. */
bool nereid_membar_analyze(const nereid_call_graph_t *calls, nereid_membar_options_t options, nereid_arena_t *arena,
                           nereid_membar_t *out);

/* Puts barriers, or fences, where the analysis needs them. */
void nereid_membar_insert(const nereid_membar_t *membar);

/* Both. */
bool nereid_membar_run(const nereid_call_graph_t *calls, nereid_membar_options_t options, nereid_arena_t *arena);

#endif
