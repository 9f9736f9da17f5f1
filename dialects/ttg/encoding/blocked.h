/* Computes blocked encodings from a shape, elements per thread and a dimension order.
 *
 * A blocked encoding distributes a tensor in tiles of sizePerThread over the lanes of a warp, then over the warps, both
 * along `order` (fastest dimension first). These functions choose threadsPerWarp and warpsPerCTA as Triton 3.6 does:
 * the fastest dimension takes as many threads as it has tiles, the slowest takes the rest. CTAs are distributed in the
 * opposite order, over the slowest dimension first. */
#ifndef NEREID_DIALECTS_TTG_BLOCKED_H
#define NEREID_DIALECTS_TTG_BLOCKED_H

#include "dialects/ttg/encoding/encoding.h"

#include <mlir-c/IR.h>

#include <stdint.h>

/* The launch size of a kernel: warps per CTA, lanes per warp, CTAs per cluster. All powers of two. */
typedef struct nereid_thread_grid {
  int32_t num_warps, threads_per_warp, num_ctas;
} nereid_thread_grid_t;

/* Returns the blocked encoding of a `rank`-dimensional tensor (1 to NEREID_TTG_MAX_RANK) whose threads hold
 * `size_per_thread` adjacent elements per dimension; `order` lists dimensions, fastest first. Null when the rank is out
 * of range. */
MlirAttribute nereid_ttg_blocked_make(MlirContext context, intptr_t rank, const int64_t *shape,
                                      const int32_t *size_per_thread, const int32_t *order, nereid_thread_grid_t grid);

/* Returns the encoding with one element per thread, row major. Every such encoding distributes the flat row-major index
 * in the same way, whatever the shape: the low bits are lanes, the next warps, the rest registers. A reshape between
 * two of them therefore moves no elements. */
MlirAttribute nereid_ttg_blocked_default(MlirContext context, intptr_t rank, const int64_t *shape,
                                         nereid_thread_grid_t grid);

#endif
