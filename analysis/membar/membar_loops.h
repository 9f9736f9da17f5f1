/* Barriers before loops rather than in them.
 *
 *   tt.store %p, %zeros                tt.store %p, %zeros
 *   scf.for ... {                ->    ttg.local_barrier
 *     tt.atomic_rmw %q, ...            scf.for ... {
 *   }                                    tt.atomic_rmw %q, ...
 *
 * For accesses to global memory only. An access that no barrier comes before in its loop waits for what was pending
 * before the loop where the loop begins: once. One that waits for an earlier iteration has a barrier in the loop. */
#ifndef NEREID_ANALYSIS_MEMBAR_MEMBAR_LOOPS_H
#define NEREID_ANALYSIS_MEMBAR_MEMBAR_LOOPS_H

#include "analysis/membar/membar_types.h"

typedef struct nereid_membar_loops {
  nereid_map_t accesses;         /* header (const nereid_flow_node_t *) -> nereid_access_set_t * of what comes first */
  nereid_membar_reason_t reason; /* of the last answer */
} nereid_membar_loops_t;

/* Finds for each loop the accesses that can be reached from its head without a barrier; `events` by node, `calls`
 * (null: none) and `needs` by event, as in the walk. Out of memory: the arena says so. */
void nereid_membar_loops_find(nereid_membar_loops_t *loops, const nereid_membar_context_t *context,
                              const uint32_t *events, const nereid_membar_summary_t *calls, const uint8_t *needs);

/* What must happen at `event`, after which control may enter loops. */
nereid_access_order_t nereid_membar_loops_order(nereid_membar_loops_t *loops, const nereid_membar_context_t *context,
                                                const nereid_membar_state_t *state, const nereid_membar_event_t *event);

#endif
