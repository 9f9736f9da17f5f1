/* When each allocation of global scratch of a function holds something that is still wanted.
 *
 *   %a = ttg.global_scratch_alloc                      a
 *   ttng.tensormap_create %a, ...                      a
 *   %d = ttng.reinterpret_tensor_descriptor %a         a
 *   ttng.async_tma_copy_local_to_global %d ...         a
 *   ttng.async_tma_store_wait {pendings = 0 : i32}     a      the copy has read the descriptor
 *   %b = ttg.global_scratch_alloc                        b    may have the same bytes
 *
 * An allocation lives from its op to the last use, along any path, of a value that is made of its pointer. What may
 * read it later than the op that begins that keeps it until a wait has ended that (analysis/allocation/flight.h):
 * cp.async and
 * bulk stores their groups' waits; bulk loads and gathers every wait for the mbarrier that they tell. Whatever is not
 * known to be done with the pointer keeps it for good: it `lasts` when it is returned, passed to a call, stored,
 * written into a descriptor, given to an op that is not known, or read by what nothing in the function waits for. */
#ifndef NEREID_ANALYSIS_GLOBAL_LIVENESS_H
#define NEREID_ANALYSIS_GLOBAL_LIVENESS_H

#include "analysis/allocation/liveness.h"

typedef struct nereid_global_allocation {
  MlirOperation op;
  nereid_live_t live;
  bool lasts; /* until the function is done, and perhaps longer: lives at all times */
} nereid_global_allocation_t;

typedef struct nereid_global_liveness {
  nereid_flow_graph_t graph;
  nereid_liveness_t times;                               /* of buffers of shared memory; numbers the ops of both */
  nereid_live_range_t always;                            /* all times of the function */
  NEREID_VECTOR(nereid_global_allocation_t) allocations; /* in the order of the text */
} nereid_global_liveness_t;

/* Liveness of what `function` allocates. Time: linear in ops and in what is made of the pointers; for each allocation
 * that bulk loads read, in the waits of the function too. Lives in `arena`; false when out of memory. */
bool nereid_global_liveness_run(MlirOperation function, nereid_arena_t *arena, nereid_global_liveness_t *out);

#endif
