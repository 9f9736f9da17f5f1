/* Conversion of requests to the tensor maps that the emulator reads. */
#ifndef NEREID_LAUNCH_TMA_LAYOUT_H
#define NEREID_LAUNCH_TMA_LAYOUT_H

#include "base/kernel/tensor_map.h"
#include "nereid/tma.h"

/* Returns the map of a request of rank 1 to 5. */
void nereid_tma_map_of(const nereid_tma_request_t *request, nereid_tensor_map_t *out_map);

#endif
