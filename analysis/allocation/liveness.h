/* When each buffer of shared memory of a function holds something that is still wanted.
 *
 *   %a = ttg.local_alloc                    a
 *   scf.for ... {                           a
 *     %x = ttg.local_load %a                a
 *     %b = ttg.local_alloc %x               a b
 *     ttg.async_copy_... %p, %b             a b
 *   }                                       a b    (no wait yet)
 *   ttg.async_wait {num = 0 : i32}            b
 *
 * A buffer lives where its ttg.local_alloc has run and a use of a value that it may be can follow without another run
 * of it: over the flow graph, so blocks may stand in any order. What an asynchronous operation reads or writes lives
 * until a wait has completed it (analysis/allocation/flight.h); the target of a bulk load until the last wait for the
 * mbarrier
 * that is told of it.
 *
 * Regions of a ttg.warp_specialize run at once. A buffer that lives in one of them and also outside of it lives as long
 * as the whole op; one that lives in one region only is `confined`, and interferes with all that lives in the others.
 *
 * Times number ops as positions do, but nodes follow each other in reverse post order: a loop is one stretch of time.
 */
#ifndef NEREID_ANALYSIS_LIVENESS_H
#define NEREID_ANALYSIS_LIVENESS_H

#include "analysis/allocation/liveness_types.h"

/* Liveness of the function of `graph`; `is_called` that it may run several times: what one run leaves under way is
 * there when the next begins. `ends` holds what called functions leave under way (nereid_liveness_end_t *) by their
 * names (StringAttr); null or missing: nothing. Time and memory: linear in ops and in the nodes that buffers live in.
 * Lives in `arena`; false when out of memory. */
bool nereid_liveness_run(const nereid_flow_graph_t *graph, const nereid_alias_t *alias, bool is_called,
                         const nereid_map_t *ends, nereid_arena_t *arena, nereid_liveness_t *out);

/* What lives while the op at `position` runs: an op's scratch, the frame of a call. Null ranges when out of memory. */
nereid_live_t nereid_liveness_of_op(nereid_liveness_t *liveness, uint32_t position);

#endif
