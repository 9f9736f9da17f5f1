/* Computes blocked encodings from shapes; see blocked.h.
 *
 *   64x32, sizePerThread [1, 1], order [1, 0], 4 warps  ->  threadsPerWarp [1, 32], warpsPerCTA [4, 1] */
#include "dialects/ttg/encoding/blocked.h"

#include "dialects/ttg/encoding/encoding.h"

#include <mlir-c/BuiltinAttributes.h>

#include <string.h>

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

static int64_t tiles(const nereid_ttg_blocked_t *blocked, const int64_t *shape, int d) {
  int64_t count = shape[d] / blocked->size_per_thread[d];
  return count > 1 ? count : 1;
}

/* Distributes CTAs over the slowest dimensions first. CTAs without elements of their own hold replicas: their bits are
 * the highest ones of the number, whatever the shape, so that a reshape moves no elements. `shape` becomes the shape of
 * one CTA's part. */
static void deal_ctas(nereid_ttg_blocked_t *blocked, int64_t *shape, int32_t num_ctas) {
  int32_t ctas[NEREID_TTG_MAX_RANK], split[NEREID_TTG_MAX_RANK];
  int64_t left = num_ctas;
  for (int i = blocked->rank - 1; i >= 0; i--) {
    int d = blocked->order[i];
    split[d] = ctas[d] = (int32_t)clamp(left, 1, tiles(blocked, shape, d));
    left /= ctas[d];
    shape[d] /= split[d];
  }
  ctas[blocked->order[blocked->rank - 1]] *= (int32_t)left;
  nereid_ttg_cga_from_counts(blocked->rank, ctas, split, blocked->order, &blocked->cga);
}

/* Distributes lanes and warps over the fastest dimensions first; the slowest dimension takes the rest. */
static void deal_threads(nereid_ttg_blocked_t *blocked, const int64_t *shape, nereid_thread_grid_t grid) {
  int64_t lanes = grid.threads_per_warp, warps = grid.num_warps, threads = lanes * warps;
  for (int i = 0; i < blocked->rank; i++) {
    int d = blocked->order[i];
    bool last = i == blocked->rank - 1;
    int64_t here = clamp(threads, 1, tiles(blocked, shape, d));
    blocked->threads_per_warp[d] = (int32_t)(last ? lanes : clamp(here, 1, lanes));
    blocked->warps_per_cta[d] = (int32_t)(last ? warps : clamp(here / blocked->threads_per_warp[d], 1, warps));
    lanes /= blocked->threads_per_warp[d];
    warps /= blocked->warps_per_cta[d];
    threads /= here;
  }
}

MlirAttribute nereid_ttg_blocked_make(MlirContext context, intptr_t rank, const int64_t *shape,
                                      const int32_t *size_per_thread, const int32_t *order, nereid_thread_grid_t grid) {
  if (rank < 1 || rank > NEREID_TTG_MAX_RANK)
    return mlirAttributeGetNull();
  nereid_ttg_blocked_t blocked = {.rank = (int)rank};
  int64_t part[NEREID_TTG_MAX_RANK];
  memcpy(part, shape, (size_t)rank * sizeof *part);
  memcpy(blocked.size_per_thread, size_per_thread, (size_t)rank * sizeof *size_per_thread);
  memcpy(blocked.order, order, (size_t)rank * sizeof *order);
  deal_ctas(&blocked, part, grid.num_ctas);
  deal_threads(&blocked, part, grid);
  return nereid_ttg_blocked_attribute(context, &blocked);
}

MlirAttribute nereid_ttg_blocked_default(MlirContext context, intptr_t rank, const int64_t *shape,
                                         nereid_thread_grid_t grid) {
  int32_t ones[NEREID_TTG_MAX_RANK], order[NEREID_TTG_MAX_RANK];
  if (rank < 1 || rank > NEREID_TTG_MAX_RANK)
    return mlirAttributeGetNull();
  for (intptr_t d = 0; d < rank; d++) {
    ones[d] = 1;
    order[d] = (int32_t)(rank - 1 - d);
  }
  return nereid_ttg_blocked_make(context, rank, shape, ones, order, grid);
}
