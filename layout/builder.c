/* Builds a layout over a tensor of known shape; see the header.
 *
 *   8x16 with used = [3, 2]: identity(LANE, 1, 8) adds bases 4, 8 and, past the 16 columns, one 0. */
#include "layout/builder.h"

#include <assert.h>
#include <string.h>

int nereid_layout_log2(int64_t size) {
  return size > 0 && (size & (size - 1)) == 0 ? __builtin_ctzll((unsigned long long)size) : -1;
}

/* Bits along `d` that the CTAs divide among them. */
static int split_bits(const nereid_layout_cga_t *cga, int d) {
  int32_t span = 0;
  for (int i = 0; cga && i < cga->bits; i++)
    span |= cga->bases[i][d];
  int bits = 0;
  while (span >> bits)
    bits++;
  return bits;
}

void nereid_layout_builder_initialize(nereid_layout_builder_t *builder, int rank, const int64_t *shape,
                                      const nereid_layout_cga_t *cga) {
  memset(builder, 0, sizeof *builder);
  builder->cga = cga;
  if (rank < 0 || rank > NEREID_LAYOUT_MAX_RANK || (cga && cga->bits > NEREID_LAYOUT_MAX_BLOCK_BITS)) {
    builder->failed = true;
    return;
  }
  builder->layout.rank = (uint8_t)rank;
  int total = 0;
  for (int d = 0; d < rank; d++) {
    int bits = nereid_layout_log2(shape[d]);
    builder->failed |= bits < 0;
    builder->layout.out_bits[d] = (uint8_t)(bits < 0 ? 0 : bits);
    total += bits;
    int split = split_bits(cga, d);
    builder->limit[d] = bits > split ? bits - split : 0;
  }
  builder->failed |= total >= NEREID_LAYOUT_MAX_BITS;
}

static void append(nereid_layout_builder_t *builder, nereid_layout_dim_t in, uint32_t basis) {
  nereid_layout_t *layout = &builder->layout;
  if (layout->in_bits[in] >= NEREID_LAYOUT_MAX_BITS)
    builder->failed = true;
  else
    layout->bases[in][layout->in_bits[in]++] = basis;
}

void nereid_layout_builder_identity(nereid_layout_builder_t *builder, nereid_layout_dim_t in, int d, int64_t size) {
  int bits = nereid_layout_log2(size);
  if (builder->failed || bits < 0) {
    builder->failed = true;
    return;
  }
  int shift = nereid_layout_out_shift(&builder->layout, d);
  for (int i = 0; i < bits; i++, builder->used[d]++)
    append(builder, in, builder->used[d] < builder->limit[d] ? UINT32_C(1) << (shift + builder->used[d]) : 0);
}

void nereid_layout_builder_zeros(nereid_layout_builder_t *builder, nereid_layout_dim_t in, int64_t size) {
  int bits = nereid_layout_log2(size);
  builder->failed |= bits < 0;
  for (int i = 0; i < bits; i++)
    append(builder, in, 0);
}

void nereid_layout_builder_basis(nereid_layout_builder_t *builder, nereid_layout_dim_t in, const int32_t *coordinates) {
  if (!builder->failed)
    append(builder, in, nereid_layout_pack(&builder->layout, coordinates));
}

/* A permutation of the dimensions? */
static bool order_is_valid(int rank, const int32_t *order) {
  uint32_t seen = 0;
  for (int i = 0; i < rank; i++)
    if (order[i] >= 0 && order[i] < rank)
      seen |= UINT32_C(1) << order[i];
  return seen == (UINT32_C(1) << rank) - 1;
}

void nereid_layout_builder_grid(nereid_layout_builder_t *builder, nereid_layout_dim_t in, const int32_t *sizes,
                                const int32_t *order, int copied) {
  int rank = builder->layout.rank;
  if (builder->failed || !order_is_valid(rank, order)) {
    builder->failed = true;
    return;
  }
  for (int i = 0; i < rank; i++) {
    int d = order[i];
    if (d == copied)
      nereid_layout_builder_zeros(builder, in, sizes[d]);
    else
      nereid_layout_builder_identity(builder, in, d, sizes[d]);
  }
}

/* Where CTA 2^i begins, clipped to the tensor. */
static uint32_t block_basis(const nereid_layout_builder_t *builder, int i) {
  int32_t start[NEREID_LAYOUT_MAX_RANK];
  for (int d = 0; d < builder->layout.rank; d++)
    start[d] = (int32_t)((uint32_t)builder->cga->bases[i][d] << builder->limit[d]);
  return nereid_layout_pack(&builder->layout, start);
}

nereid_status_t nereid_layout_builder_finish(nereid_layout_builder_t *builder, const int32_t *order,
                                             nereid_layout_t *out) {
  int rank = builder->layout.rank;
  if (builder->failed || !order_is_valid(rank, order))
    return NEREID_ERROR_ARGUMENT;
  for (int i = 0; i < rank; i++) {
    int d = order[i];
    assert(d >= 0 && d < rank);
    int missing = builder->limit[d] - builder->used[d];
    if (missing > 0)
      nereid_layout_builder_identity(builder, NEREID_LAYOUT_REGISTER, d, INT64_C(1) << missing);
  }
  for (int i = 0; builder->cga && i < builder->cga->bits; i++)
    append(builder, NEREID_LAYOUT_BLOCK, block_basis(builder, i));
  if (builder->failed || nereid_layout_in_total(&builder->layout) > 64)
    return NEREID_ERROR_ARGUMENT;
  *out = builder->layout;
  return NEREID_OK;
}

void nereid_layout_matrix_order(int rank, bool row_major, int32_t *out_order) {
  for (int i = 0; i < rank; i++)
    out_order[i] = rank - 1 - i;
  if (!row_major && rank >= 2) {
    out_order[0] = rank - 2;
    out_order[1] = rank - 1;
  }
}
