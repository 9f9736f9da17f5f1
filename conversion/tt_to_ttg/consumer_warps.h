/* Warps of kernels that are divided between a producer and consumers. */
#ifndef NEREID_CONVERSION_TT_TO_TTG_CONSUMER_WARPS_H
#define NEREID_CONVERSION_TT_TO_TTG_CONSUMER_WARPS_H

#include "mlir-c/IR.h"

#include <stdint.h>

/* Returns the warps that consume in the kernels of `module`, of which the tensors have no layouts yet: `warps`, or two
 * groups of four instead of one, if a loop with tt.warp_specialize has dots whose results leave a thread too few
 * registers, or several dots of 128 rows or more. Tiles are divided among `ctas` CTAs of a cluster. */
int64_t nereid_consumer_warps(MlirOperation module, int64_t warps, int64_t ctas);

#endif
