/* Places barriers before loops instead of inside them.
 *
 *   tt.store %p, %zeros                tt.store %p, %zeros
 *   scf.for ... {                ->    ttg.local_barrier
 *     tt.atomic_rmw %q, ...            scf.for ... {
 *   }                                    tt.atomic_rmw %q, ...
 *
 * For accesses to global memory only. An access that is not preceded by a barrier in its loop is ordered after accesses
 * pending before the loop by one barrier at the loop's entry. A dependence on an earlier iteration needs a barrier
 * inside the loop. */
#ifndef NEREID_ANALYSIS_MEMBAR_MEMBAR_LOOPS_H
#define NEREID_ANALYSIS_MEMBAR_MEMBAR_LOOPS_H

#include "analysis/membar/membar_types.h"

/* Accesses of a loop to global memory. */
typedef struct nereid_loop_accesses {
  const nereid_access_set_t *first; /* those that no barrier in the loop precedes */
  const nereid_access_set_t *bulk;  /* those that no wait for TMA and no proxy fence precedes; null without TMA */
} nereid_loop_accesses_t;

typedef struct nereid_membar_loops {
  nereid_map_t accesses;         /* header (const nereid_flow_node_t *) -> nereid_loop_accesses_t * */
  nereid_membar_reason_t reason; /* reason of the last result */
} nereid_membar_loops_t;

/* Finds for each loop the accesses that are reachable from its header without a barrier; `events` by node, `calls`
 * (null: none) and `needs` by event, as in the walk. Out of memory: arena->failed. */
void nereid_membar_loops_find(nereid_membar_loops_t *loops, const nereid_membar_context_t *context,
                              const uint32_t *events, const nereid_membar_summary_t *calls, const uint8_t *needs);

/* The requirements (NEREID_NEED_...) at `event` of the loops that control may enter after it. */
uint8_t nereid_membar_loops_need(nereid_membar_loops_t *loops, const nereid_membar_context_t *context,
                                 const nereid_membar_state_t *state, const nereid_membar_event_t *event);

#endif
