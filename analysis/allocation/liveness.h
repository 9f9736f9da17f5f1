/* Live ranges of the shared-memory buffers of a function.
 *
 *   %a = ttg.local_alloc                    a
 *   scf.for ... {                           a
 *     %x = ttg.local_load %a                a
 *     %b = ttg.local_alloc %x               a b
 *     ttg.async_copy_... %p, %b             a b
 *   }                                       a b    (no wait yet)
 *   ttg.async_wait {num = 0 : i32}            b
 *
 * A buffer is live where its ttg.local_alloc has been executed and a use of an aliasing value can follow without
 * executing the allocation again. This holds over the flow graph, so blocks may be in any order. A buffer used by an
 * asynchronous operation stays live until its wait (analysis/allocation/flight.h); the target of a bulk load until the
 * last wait for its mbarrier.
 *
 * Regions of a ttg.warp_specialize run concurrently. A buffer that is live in one of them and also outside of it is
 * live during the whole op. A buffer that is live in one region only is `confined` and interferes with all buffers that
 * are live in the other regions.
 *
 * Times number ops like positions, but nodes are in reverse post order: a loop is one interval of times. */
#ifndef NEREID_ANALYSIS_LIVENESS_H
#define NEREID_ANALYSIS_LIVENESS_H

#include "analysis/allocation/liveness_types.h"

/* Computes the liveness for the function of `graph`. `is_called`: the function may run several times, so operations
 * that one run leaves in flight are in flight when the next begins. `ends` maps called functions by name (StringAttr)
 * to the operations that they leave in flight (nereid_liveness_end_t *); null or missing: none. Time and memory: linear
 * in ops and in the nodes in which buffers are live. Lives in `arena`; false when out of memory. */
bool nereid_liveness_run(const nereid_flow_graph_t *graph, const nereid_alias_t *alias, bool is_called,
                         const nereid_map_t *ends, nereid_arena_t *arena, nereid_liveness_t *out);

/* The liveness of a temporary of the op at `position`: its scratch or the frame of a call. Null ranges when out of
 * memory. */
nereid_live_t nereid_liveness_of_op(nereid_liveness_t *liveness, uint32_t position);

#endif
