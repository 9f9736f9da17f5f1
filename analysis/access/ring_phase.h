/* The slot of a ring that an index selects in each iteration.
 *
 *   scf.for … iter_args(%x = %c0)             %x     slot (0 + t) mod 3 in iteration t: phase 0
 *     %y = (%x + 1 == 3) ? 0 : %x + 1         %y     slot (1 + t) mod 3: phase 1
 *     scf.yield %y
 *
 * A counter is an argument of a loop's first block that is incremented modulo n, by compare and select or by a
 * remainder, once or several times per iteration; or one that receives the value of another counter, so that it has it
 * one iteration later, and begins accordingly. Counters of one loop that begin at the same value, or at constants,
 * differ by a constant in each iteration; so do values derived from one another by increments. An argument of the
 * function always selects the same slot. */
#ifndef NEREID_ANALYSIS_RING_PHASE_H
#define NEREID_ANALYSIS_RING_PHASE_H

#include "analysis/flow_graph.h"

typedef struct nereid_ring_phase {
  uint32_t header;          /* node at which the loop's iterations begin */
  const nereid_map_t *loop; /* its nodes (const nereid_flow_node_t *); null: there is no loop, and t is 0 */
  const void *root;         /* initial value of the counter; null: the constant 0 */
  int32_t slots;            /* n */
  int32_t step;             /* slots per iteration */
  int32_t phase;            /* in iteration t: (root + phase + step * t) mod n */
} nereid_ring_phase_t;

typedef struct nereid_ring_phases {
  const nereid_flow_graph_t *graph; /* borrowed */
  nereid_arena_t *arena;
  nereid_map_t loops; /* header node -> its loop */
} nereid_ring_phases_t;

void nereid_ring_phases_initialize(nereid_ring_phases_t *phases, const nereid_flow_graph_t *graph,
                                   nereid_arena_t *arena);

/* Reads `index` as the index of a ring of `slots`; false when it is unknown. */
bool nereid_ring_phases_get(nereid_ring_phases_t *phases, MlirValue index, int64_t slots, nereid_ring_phase_t *out);

/* The value of an arith.constant; false for any other value. */
bool nereid_ring_constant(MlirValue value, int64_t *out);

#endif
