/* Blocked encodings from what a pass knows: a shape, elements per thread and a dimension order.
 *
 * A blocked encoding deals a tensor out in tiles of sizePerThread, to the lanes of a warp, then to the warps, both
 * along `order` (fastest dimension first). These functions decide threadsPerWarp and warpsPerCTA the way Triton 3.6
 * does: the fastest dimension takes as many threads as it has tiles, the slowest takes what is left. CTAs go the other
 * way round, to the slowest dimension first. */
#ifndef NEREID_DIALECTS_TTG_BLOCKED_H
#define NEREID_DIALECTS_TTG_BLOCKED_H

#include "dialects/ttg/encoding/encoding.h"

#include <mlir-c/IR.h>

#include <stdint.h>

/* What a kernel runs on: warps per CTA, lanes per warp, CTAs per cluster. All powers of two. */
typedef struct nereid_thread_grid {
  int32_t num_warps, threads_per_warp, num_ctas;
} nereid_thread_grid_t;

/* The blocked encoding of a `rank`-dimensional tensor (1 to NEREID_TTG_MAX_RANK) whose threads hold `size_per_thread`
 * neighbouring elements per dimension; `order` lists dimensions, fastest first. Null when the rank is out of range. */
MlirAttribute nereid_ttg_blocked_make(MlirContext context, intptr_t rank, const int64_t *shape,
                                      const int32_t *size_per_thread, const int32_t *order, nereid_thread_grid_t grid);

/* One element per thread, row major. Every such encoding deals out the flat row-major index alike, whatever the shape:
 * the low bits are lanes, the next warps, the rest registers. So a reshape between two of them moves nothing. */
MlirAttribute nereid_ttg_blocked_default(MlirContext context, intptr_t rank, const int64_t *shape,
                                         nereid_thread_grid_t grid);

#endif
