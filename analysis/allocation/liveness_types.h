/* Live ranges of buffers; see liveness.h. */
#ifndef NEREID_ANALYSIS_LIVENESS_TYPES_H
#define NEREID_ANALYSIS_LIVENESS_TYPES_H

#include "analysis/allocation/alias.h"
#include "analysis/allocation/flight.h"

/* Times [first, last]. */
typedef struct nereid_live_range {
  uint32_t first, last;
} nereid_live_range_t;

/* Ranges are ascending, disjoint and not adjacent. */
typedef struct nereid_live {
  const nereid_live_range_t *ranges;
  uint32_t count;
  uint32_t group;  /* the number of the ttg.warp_specialize that it is confined to, + 1; 0: none */
  uint32_t member; /* the region that it is confined to: 0 the default region, i + 1 partition i */
} nereid_live_t;

/* Operations in flight when a function returns, for its callers. */
typedef struct nereid_liveness_end {
  nereid_flight_end_t own;        /* on buffers of its own frame */
  nereid_flight_end_t *arguments; /* on buffers passed as arguments, by argument number */
  uint32_t n_arguments;
} nereid_liveness_end_t;

typedef struct nereid_liveness {
  nereid_arena_t *arena;
  const nereid_flow_graph_t *graph;
  uint32_t *starts;                         /* by node: the time of its first op */
  NEREID_VECTOR(MlirOperation) specialized; /* each ttg.warp_specialize, in program order */
  NEREID_VECTOR(nereid_live_range_t) spans; /* of each: the times inside it */
  uint32_t *groups;                         /* by node: number + 1 of the enclosing ttg.warp_specialize; or 0 */
  nereid_live_t *buffers;                   /* by buffer number; empty for function arguments */
  nereid_map_t calls;                       /* tt.call -> nereid_live_t * of a callee's frame that outlives the call */
  nereid_liveness_end_t end;
} nereid_liveness_t;

/* The time of the op at `position`. */
static inline uint32_t nereid_liveness_time(const nereid_liveness_t *liveness, uint32_t position) {
  const uint32_t node = liveness->graph->nodes_of_ops[position];
  return liveness->starts[node] + position - liveness->graph->nodes.data[node].first;
}

#endif
