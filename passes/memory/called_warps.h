/* Number of warps that execute a called function, from its calls. */
#ifndef NEREID_PASSES_CALLED_WARPS_H
#define NEREID_PASSES_CALLED_WARPS_H

#include "analysis/call_graph.h"

/* Sets ttg.num-warps on every function that is called, directly or indirectly, from a partition of a
 * ttg.warp_specialize. False after a diagnostic at a call whose number of warps differs from its function's. */
bool nereid_called_warps_set(const nereid_call_graph_t *calls, nereid_arena_t *arena);

#endif
