/* Blocked encodings from shapes; see blocked.h. */
#include "dialects/ttg/blocked.h"

#include "nereid/dialects/ttg.h"

#include "mlir-c/BuiltinAttributes.h"

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

static int64_t at_least_one(int64_t value) { return value < 1 ? 1 : value; }

/* CTAs along each dimension: the fastest takes as many as it has tiles, the slowest the rest. */
static void deal_ctas(intptr_t rank, const int64_t *shape, const int32_t *size_per_thread, const int32_t *order,
                      int32_t num_ctas, int32_t *out_ctas) {
  int64_t left = num_ctas;
  for (intptr_t i = 0; i < rank; ++i) {
    const int32_t d = order[i];
    const int64_t tiles = at_least_one(shape[d] / size_per_thread[d]);
    out_ctas[d] = (int32_t)(i + 1 < rank ? clamp(left, 1, tiles) : left);
    left /= out_ctas[d];
  }
}

/* Lanes and warps along each dimension, of what one CTA holds. */
static void deal_threads(intptr_t rank, const int64_t *shape_per_cta, const int32_t *size_per_thread,
                         const int32_t *order, nereid_thread_grid_t grid, int32_t *out_lanes, int32_t *out_warps) {
  int64_t lanes = grid.threads_per_warp, warps = grid.num_warps, threads = lanes * warps;
  for (intptr_t i = 0; i < rank; ++i) {
    const int32_t d = order[i];
    if (i + 1 == rank) {
      out_lanes[d] = (int32_t)lanes;
      out_warps[d] = (int32_t)warps;
      return;
    }
    const int64_t here = clamp(threads, 1, at_least_one(shape_per_cta[d] / size_per_thread[d]));
    out_lanes[d] = (int32_t)clamp(here, 1, lanes);
    out_warps[d] = (int32_t)clamp(here / out_lanes[d], 1, warps);
    lanes /= out_lanes[d];
    warps /= out_warps[d];
    threads /= here;
  }
}

/* One basis vector per bit of the CTA number, fastest dimension first; null for a single CTA. */
static MlirAttribute cga_layout(MlirContext context, intptr_t rank, const int32_t *order, const int32_t *ctas) {
  MlirAttribute bases[32];
  intptr_t count = 0;
  for (intptr_t i = 0; i < rank; ++i)
    for (int32_t unit = 1; unit < ctas[order[i]] && count < 32; unit *= 2) {
      int32_t basis[NEREID_MAX_RANK] = {0};
      basis[order[i]] = unit;
      bases[count++] = mlirDenseI32ArrayGet(context, rank, basis);
    }
  return count ? mlirArrayAttrGet(context, count, bases) : (MlirAttribute){NULL};
}

MlirAttribute nereid_ttg_blocked_make(MlirContext context, intptr_t rank, const int64_t *shape,
                                      const int32_t *size_per_thread, const int32_t *order,
                                      nereid_thread_grid_t grid) {
  if (rank < 1 || rank > NEREID_MAX_RANK)
    return (MlirAttribute){NULL};
  int32_t ctas[NEREID_MAX_RANK], lanes[NEREID_MAX_RANK], warps[NEREID_MAX_RANK];
  int64_t shape_per_cta[NEREID_MAX_RANK];
  deal_ctas(rank, shape, size_per_thread, order, grid.num_ctas, ctas);
  for (intptr_t d = 0; d < rank; ++d)
    shape_per_cta[d] = at_least_one(shape[d] / ctas[d]);
  deal_threads(rank, shape_per_cta, size_per_thread, order, grid, lanes, warps);
  return nereid_ttg_blocked_attr_create(
      context, mlirDenseI32ArrayGet(context, rank, size_per_thread), mlirDenseI32ArrayGet(context, rank, lanes),
      mlirDenseI32ArrayGet(context, rank, warps), mlirDenseI32ArrayGet(context, rank, order),
      cga_layout(context, rank, order, ctas));
}

MlirAttribute nereid_ttg_blocked_default(MlirContext context, intptr_t rank, const int64_t *shape,
                                         nereid_thread_grid_t grid) {
  int32_t ones[NEREID_MAX_RANK], order[NEREID_MAX_RANK];
  if (rank < 1 || rank > NEREID_MAX_RANK)
    return (MlirAttribute){NULL};
  for (intptr_t d = 0; d < rank; ++d) {
    ones[d] = 1;
    order[d] = (int32_t)(rank - 1 - d);
  }
  return nereid_ttg_blocked_make(context, rank, shape, ones, order, grid);
}
