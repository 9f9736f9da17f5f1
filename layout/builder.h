/* Builds layouts of encodings bit by bit over a tensor of known shape. Private to layout/.
 *
 *   initialize (shape 8x16) -> identity(REGISTER, 1, 1) -> identity(LANE, 1, 2) ... -> fill(order) -> finish
 *
 * The bits of a dimension are assigned from the lowest; bits beyond one CTA's part replicate elements (basis 0), as for
 * a tensor smaller than the encoding's tile. Errors are sticky and are reported once, by finish. */
#ifndef NEREID_LAYOUT_BUILDER_H
#define NEREID_LAYOUT_BUILDER_H

#include "base/status.h"
#include "layout/cga.h"
#include "layout/linear_layout.h"

typedef struct nereid_layout_builder {
  nereid_layout_t layout;
  int used[NEREID_LAYOUT_MAX_RANK];  /* bits of each dimension assigned so far; may pass `limit` */
  int limit[NEREID_LAYOUT_MAX_RANK]; /* bits of each dimension in one CTA's part */
  const nereid_layout_cga_t *cga;    /* borrowed; null: one CTA */
  bool failed;
} nereid_layout_builder_t;

/* log2 of a power of two; -1 for anything else. */
int nereid_layout_log2(int64_t size);

/* Starts a layout of a tensor of `shape`. `cga` outlives the builder. */
void nereid_layout_builder_initialize(nereid_layout_builder_t *builder, int rank, const int64_t *shape,
                                      const nereid_layout_cga_t *cga);

/* Maps the next log2(size) bits of input `in` to dimension `d`. */
void nereid_layout_builder_identity(nereid_layout_builder_t *builder, nereid_layout_dim_t in, int d, int64_t size);

/* Maps the next log2(size) bits of input `in` to 0: they replicate elements. */
void nereid_layout_builder_zeros(nereid_layout_builder_t *builder, nereid_layout_dim_t in, int64_t size);

/* Maps the next bit of input `in` to `coordinates`; the caller accounts for it in `used`. */
void nereid_layout_builder_basis(nereid_layout_builder_t *builder, nereid_layout_dim_t in, const int32_t *coordinates);

/* A grid: identity of sizes[d] along each d, in `order`; along `copied` (-1: none) replication instead. */
void nereid_layout_builder_grid(nereid_layout_builder_t *builder, nereid_layout_dim_t in, const int32_t *sizes,
                                const int32_t *order, int copied);

/* Adds registers (or offsets) until one CTA's part is covered, in `order`; then the block bits. */
NEREID_MUST_USE nereid_status_t nereid_layout_builder_finish(nereid_layout_builder_t *builder, const int32_t *order,
                                                             nereid_layout_t *out);

/* [rank-1, .., 1, 0], with the two fastest swapped when not `row_major`. */
void nereid_layout_matrix_order(int rank, bool row_major, int32_t *out_order);

#endif
