/* Blocked, tensor core, dot operand, slice and linear layouts; see the header for their meaning.
 *
 *   blocked:   registers of the box, lanes of the warp's grid, warps, then registers that repeat the whole
 *   mma:       2 registers and 4 lanes along the row, 8 lanes down, registers down, registers along; then warps */
#include "layout/distributed.h"

#include "layout/builder.h"

#include <string.h>

nereid_status_t nereid_layout_blocked(int rank, const int64_t *shape, const int32_t *size_per_thread,
                                      const int32_t *threads_per_warp, const int32_t *warps_per_cta,
                                      const int32_t *order, const nereid_layout_cga_t *cga, nereid_layout_t *out) {
  nereid_layout_builder_t builder;
  nereid_layout_builder_initialize(&builder, rank, shape, cga);
  nereid_layout_builder_grid(&builder, NEREID_LAYOUT_REGISTER, size_per_thread, order, -1);
  nereid_layout_builder_grid(&builder, NEREID_LAYOUT_LANE, threads_per_warp, order, -1);
  nereid_layout_builder_grid(&builder, NEREID_LAYOUT_WARP, warps_per_cta, order, -1);
  return nereid_layout_builder_finish(&builder, order, out);
}

/* The 8x4 lane pattern of tensor core fragments over a tile of `outer` by `inner` elements; each lane holds `width`
 * adjacent elements along the inner dimension order[0]. */
static void fragment(nereid_layout_builder_t *builder, const int32_t *order, int outer, int inner, int width) {
  if (outer % 8 != 0 || width <= 0 || inner % (width * 4) != 0) {
    builder->failed = true;
    return;
  }
  nereid_layout_builder_identity(builder, NEREID_LAYOUT_REGISTER, order[0], width);
  nereid_layout_builder_identity(builder, NEREID_LAYOUT_LANE, order[0], 4);
  nereid_layout_builder_identity(builder, NEREID_LAYOUT_LANE, order[1], 8);
  nereid_layout_builder_identity(builder, NEREID_LAYOUT_REGISTER, order[1], outer / 8);
  nereid_layout_builder_identity(builder, NEREID_LAYOUT_REGISTER, order[0], inner / (width * 4));
}

nereid_status_t nereid_layout_nvidia_mma(int rank, const int64_t *shape, int version, const int32_t *warps_per_cta,
                                         int instruction_rank, const int32_t *instruction,
                                         const nereid_layout_cga_t *cga, nereid_layout_t *out) {
  if (rank < 2 || rank > NEREID_LAYOUT_MAX_RANK || (version != 2 && version != 3))
    return NEREID_ERROR_ARGUMENT;
  if (instruction_rank < 2 || (version == 3 && instruction_rank != 3) || (version == 2 && instruction_rank != rank))
    return NEREID_ERROR_ARGUMENT;
  int m = version == 3 ? instruction[0] : instruction[rank - 2];
  int n = version == 3 ? instruction[1] : instruction[rank - 1];
  int32_t order[NEREID_LAYOUT_MAX_RANK], warp_order[NEREID_LAYOUT_MAX_RANK];
  nereid_layout_matrix_order(rank, true, order);
  nereid_layout_matrix_order(rank, version == 2, warp_order);
  nereid_layout_builder_t builder;
  nereid_layout_builder_initialize(&builder, rank, shape, cga);
  /* wgmma distributes its 64 rows over the four warps of a group: the tile of a warp has 16. */
  fragment(&builder, order, m, n, 2);
  nereid_layout_builder_grid(&builder, NEREID_LAYOUT_WARP, warps_per_cta, warp_order, -1);
  return nereid_layout_builder_finish(&builder, order, out);
}

/* The accumulator's CTA layout without the split along K, which all CTAs of a row or column share. */
static const nereid_layout_cga_t *without_dim(const nereid_layout_cga_t *cga, int d, nereid_layout_cga_t *copy) {
  if (!cga)
    return NULL;
  *copy = *cga;
  for (int i = 0; i < copy->bits && i < NEREID_LAYOUT_MAX_BLOCK_BITS; i++)
    copy->bases[i][d] = 0;
  return copy;
}

nereid_status_t nereid_layout_dot_of_mma(int rank, const int64_t *shape, int op_idx, int k_width, int version,
                                         int instruction_m, const int32_t *warps_per_cta,
                                         const nereid_layout_cga_t *cga, nereid_layout_t *out) {
  if (rank < 2 || rank > NEREID_LAYOUT_MAX_RANK || (version != 2 && !(version == 3 && op_idx == 0)))
    return NEREID_ERROR_ARGUMENT;
  int k_dim = op_idx == 0 ? rank - 1 : rank - 2;
  int32_t order[NEREID_LAYOUT_MAX_RANK], warp_order[NEREID_LAYOUT_MAX_RANK];
  nereid_layout_matrix_order(rank, op_idx == 0, order);
  nereid_layout_matrix_order(rank, version == 2, warp_order);
  nereid_layout_cga_t own;
  nereid_layout_builder_t builder;
  nereid_layout_builder_initialize(&builder, rank, shape, without_dim(cga, k_dim, &own));
  const int words = instruction_m == 8 ? 4 : 8; /* along k; m8n8k4 has one in each lane */
  fragment(&builder, order, op_idx == 0 ? instruction_m : 8, k_width * words, k_width);
  nereid_layout_builder_grid(&builder, NEREID_LAYOUT_WARP, warps_per_cta, warp_order, k_dim);
  return nereid_layout_builder_finish(&builder, order, out);
}

nereid_status_t nereid_layout_dot_of_blocked(int rank, const int64_t *shape, int op_idx, const int32_t *size_per_thread,
                                             const int32_t *threads_per_warp, const int32_t *warps_per_cta,
                                             const int32_t *order, const nereid_layout_cga_t *cga,
                                             nereid_layout_t *out) {
  if (rank < 2 || rank > NEREID_LAYOUT_MAX_RANK)
    return NEREID_ERROR_ARGUMENT;
  int k_dim = op_idx == 0 ? rank - 1 : rank - 2;
  int32_t sizes[NEREID_LAYOUT_MAX_RANK];
  memcpy(sizes, size_per_thread, (size_t)rank * sizeof *sizes);
  sizes[k_dim] = (int32_t)shape[k_dim];
  nereid_layout_cga_t own;
  nereid_layout_builder_t builder;
  nereid_layout_builder_initialize(&builder, rank, shape, without_dim(cga, k_dim, &own));
  nereid_layout_builder_grid(&builder, NEREID_LAYOUT_REGISTER, sizes, order, -1);
  nereid_layout_builder_grid(&builder, NEREID_LAYOUT_LANE, threads_per_warp, order, k_dim);
  nereid_layout_builder_grid(&builder, NEREID_LAYOUT_WARP, warps_per_cta, order, k_dim);
  return nereid_layout_builder_finish(&builder, order, out);
}

void nereid_layout_slice(nereid_layout_t *layout, int dim) {
  nereid_layout_drop_dim(layout, dim);
  uint32_t *registers = layout->bases[NEREID_LAYOUT_REGISTER];
  int kept = 0, bits = layout->in_bits[NEREID_LAYOUT_REGISTER];
  for (int i = 0; i < bits; i++)
    if (registers[i])
      registers[kept++] = registers[i];
  layout->in_bits[NEREID_LAYOUT_REGISTER] = (uint8_t)kept;
}

/* Bits that the vectors of all tables span along `d`. */
static int spanned_bits(const nereid_layout_vectors_t *tables, int d) {
  int32_t span = 0;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int i = 0; i < tables[in].count; i++)
      span |= tables[in].vectors[i][d];
  int bits = 0;
  while (span >> bits)
    bits++;
  return bits;
}

/* Dimensions in the order in which registers first move along them, then the others from the last to the first. */
static void register_order(const nereid_layout_vectors_t *registers, int rank, int32_t *out_order) {
  int count = 0;
  uint32_t seen = 0;
  for (int i = 0; i < registers->count + rank; i++)
    for (int d = rank - 1; d >= 0; d--) {
      bool moves = i < registers->count ? registers->vectors[i][d] != 0 : d == rank - 1 - (i - registers->count);
      if (!moves || seen >> d & 1)
        continue;
      seen |= UINT32_C(1) << d;
      out_order[count++] = d;
    }
}

nereid_status_t nereid_layout_linear(int rank, const int64_t *shape,
                                     const nereid_layout_vectors_t tables[NEREID_LAYOUT_DIMS], nereid_layout_t *out) {
  nereid_layout_builder_t builder;
  nereid_layout_builder_initialize(&builder, rank, shape, NULL);
  if (builder.failed)
    return NEREID_ERROR_ARGUMENT;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int i = 0; i < tables[in].count; i++) {
      const int32_t *vector = tables[in].vectors[i];
      bool moves = false, inside = false;
      for (int d = 0; d < rank; d++) {
        moves |= vector[d] != 0;
        inside |= (vector[d] & (shape[d] - 1)) != 0;
      }
      if (in != NEREID_LAYOUT_REGISTER || inside || !moves)
        nereid_layout_builder_basis(&builder, (nereid_layout_dim_t)in, vector);
    }
  for (int d = 0; d < rank; d++)
    builder.used[d] = spanned_bits(tables, d);
  int32_t order[NEREID_LAYOUT_MAX_RANK];
  register_order(&tables[NEREID_LAYOUT_REGISTER], rank, order);
  return nereid_layout_builder_finish(&builder, order, out);
}
