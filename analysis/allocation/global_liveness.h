/* Live ranges of the global scratch allocations of a function.
 *
 *   %a = ttg.global_scratch_alloc                      a
 *   ttng.tensormap_create %a, ...                      a
 *   %d = ttng.reinterpret_tensor_descriptor %a         a
 *   ttng.async_tma_copy_local_to_global %d ...         a
 *   ttng.async_tma_store_wait {pendings = 0 : i32}     a      the copy has read the descriptor
 *   %b = ttg.global_scratch_alloc                        b    may have the same bytes
 *
 * An allocation is live from its op to the last use, along any path, of a value derived from its pointer. Asynchronous
 * reads keep it live until they complete (analysis/allocation/flight.h): cp.async and bulk stores until the waits for
 * their groups, bulk loads and gathers until every wait for their mbarrier. It `lasts`, which means that it is live to
 * the end, if the pointer is returned, passed to a call, stored, written into a descriptor, used by an unknown op, or
 * read by an operation for which the function never waits. */
#ifndef NEREID_ANALYSIS_GLOBAL_LIVENESS_H
#define NEREID_ANALYSIS_GLOBAL_LIVENESS_H

#include "analysis/allocation/liveness.h"

typedef struct nereid_global_allocation {
  MlirOperation op;
  nereid_live_t live;
  bool lasts; /* live until the end of the function and possibly longer: live at all times */
} nereid_global_allocation_t;

typedef struct nereid_global_liveness {
  nereid_flow_graph_t graph;
  nereid_liveness_t times;                               /* of buffers of shared memory; numbers the ops of both */
  nereid_live_range_t always;                            /* all times of the function */
  NEREID_VECTOR(nereid_global_allocation_t) allocations; /* in program order */
} nereid_global_liveness_t;

/* Computes the liveness of the allocations of `function`. Time: linear in ops and in values derived from the pointers;
 * for each allocation that bulk loads read, also in the waits of the function. Lives in `arena`; false when out of
 * memory. */
bool nereid_global_liveness_run(MlirOperation function, nereid_arena_t *arena, nereid_global_liveness_t *out);

#endif
