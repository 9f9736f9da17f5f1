/* How many warps execute a called function: as many as its calls say. */
#ifndef NEREID_PASSES_CALLED_WARPS_H
#define NEREID_PASSES_CALLED_WARPS_H

#include "analysis/call_graph.h"

/* Sets ttg.num-warps on every function that is called from a partition of a ttg.warp_specialize, directly or not. False
 * after an error at a call whose warps are not those that its function has. */
bool nereid_called_warps_set(const nereid_call_graph_t *calls, nereid_arena_t *arena);

#endif
