/* Placement of fences between proxies: see fence_place.c. */
#ifndef NEREID_ANALYSIS_FENCE_PLACE_H
#define NEREID_ANALYSIS_FENCE_PLACE_H

#include "analysis/membar/membar_types.h"

/* Inserts ttng.fence_async_shared where `function`, analysed for fences, needs them: after the last write or outside of
 * loops if `early`, else directly before the access. True if any is inserted. */
bool nereid_fence_place(const nereid_membar_function_t *function, bool early);

#endif
