/* Computes where threads of a CTA must synchronize because of shared or global memory, and where their writes must be
 * fenced before the async proxy reads them.
 *
 *   ttg.local_store %x, %b
 *   %y = ttg.local_load %b      ->   a barrier before the load: another thread may have written the bytes
 *
 * Accesses that no barrier has followed yet are pending, as intervals of bytes. An access that overlaps a pending one,
 * where either writes, gets a barrier before it: of the CTA or, if both sides are in one warp, of each warp. The
 * analysis runs through branches, loops and calls to a fixed point: docs/barriers.md. */
#ifndef NEREID_ANALYSIS_MEMBAR_H
#define NEREID_ANALYSIS_MEMBAR_H

#include "analysis/membar/membar_types.h"

/* Analyses the module of `calls` without changing it. Near linear; lives in `arena`. False when out of memory. */
bool nereid_membar_analyze(const nereid_call_graph_t *calls, nereid_membar_options_t options, nereid_arena_t *arena,
                           nereid_membar_t *out);

/* Analyses, and inserts the barriers or fences that are required. */
bool nereid_membar_run(const nereid_call_graph_t *calls, nereid_membar_options_t options, nereid_arena_t *arena);

#endif
