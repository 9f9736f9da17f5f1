/* Swizzled, nvmma and linear shared layouts; see the header for their meaning.
 *
 *   nvmma, 128 bytes, 16-bit elements: an atom of 8 rows x 64 columns, 16-byte groups xor'ed with the row; atoms follow
 *   one another first down the rows, then along the columns, up to the box of one TMA copy (256 per dimension), and
 *   those boxes again until the buffer is covered. PTX ISA, "Shared Memory Matrix Layout" and "Swizzling modes". */
#include "layout/shared.h"

#include "layout/builder.h"

#include <assert.h>
#include <string.h>

nereid_status_t nereid_layout_swizzled_shared(int rank, const int64_t *shape, int vec, int per_phase, int max_phase,
                                              const int32_t *order, const nereid_layout_cga_t *cga,
                                              nereid_layout_t *out) {
  if (nereid_layout_log2(vec) < 0 || nereid_layout_log2(per_phase) < 0 || nereid_layout_log2(max_phase) < 0)
    return NEREID_ERROR_ARGUMENT;
  nereid_layout_builder_t builder;
  nereid_layout_builder_initialize(&builder, rank, shape, cga);
  if (builder.failed || rank < 1)
    return NEREID_ERROR_ARGUMENT;
  if (rank == 1)
    return nereid_layout_builder_finish(&builder, order, out);
  int column = order[0], row = order[1];
  if (column < 0 || column >= rank || row < 0 || row >= rank)
    return NEREID_ERROR_ARGUMENT;
  int64_t columns = INT64_C(1) << builder.limit[column];
  nereid_layout_builder_identity(&builder, NEREID_LAYOUT_OFFSET, column, columns);
  for (; builder.used[row] < builder.limit[row]; builder.used[row]++) {
    int64_t r = INT64_C(1) << builder.used[row];
    int32_t coordinates[NEREID_LAYOUT_MAX_RANK] = {0};
    coordinates[row] = (int32_t)r;
    coordinates[column] = (int32_t)(vec * ((r / per_phase) % max_phase) % columns);
    nereid_layout_builder_basis(&builder, NEREID_LAYOUT_OFFSET, coordinates);
  }
  return nereid_layout_builder_finish(&builder, order, out);
}

/* The box of one TMA copy within a CTA's part, per dimension, in elements as packed in the tensor. */
static bool tma_box(const nereid_layout_builder_t *builder, int swizzle_bytes, bool transposed, int element_bits,
                    bool fp4_padded, int64_t *out_box) {
  int rank = builder->layout.rank, contiguous = transposed ? 0 : rank - 1;
  assert(rank >= 1);
  for (int d = 0; d < rank; d++) {
    out_box[d] = INT64_C(1) << builder->limit[d];
    if (d == contiguous && fp4_padded)
      out_box[d] *= 2;
    if (out_box[d] > 256)
      out_box[d] = 256;
  }
  if (swizzle_bytes) {
    int64_t row = INT64_C(8) * swizzle_bytes / element_bits;
    if (out_box[contiguous] < row)
      return false;
    out_box[contiguous] = row;
  }
  if (fp4_padded)
    out_box[contiguous] /= 2;
  return true;
}

/* The position of a padded column of 4-bit pairs in the packed tensor: 8 real columns, then 8 that alias them. */
static int64_t packed_column(int64_t column, bool fp4_padded) {
  return fp4_padded ? column / 16 * 8 + column % 8 : column;
}

/* A row-major index into the box (rotated when transposed) as coordinates of the tensor. */
static void box_coordinates(int rank, const int64_t *box, bool transposed, int64_t index, int32_t *out_coordinates) {
  for (int i = rank - 1; i >= 0; i--) {
    int d = transposed ? (i + 1) % rank : i;
    out_coordinates[d] = (int32_t)(index % box[d]);
    index /= box[d];
  }
}

/* The offsets of one box: an atom of 8 rows, then rows, then columns. `columns` is the width of the flattened box. */
static bool swizzled_box(nereid_layout_builder_t *builder, const int64_t *box, int swizzle_bytes, bool transposed,
                         int element_bits, bool fp4_padded) {
  int rank = builder->layout.rank;
  int64_t inner = box[rank - 1], outer = 1;
  for (int d = 0; d + 1 < rank; d++)
    outer *= box[d];
  int64_t rows = transposed ? inner : outer, columns = transposed ? outer : inner;
  int64_t atom = INT64_C(8) * swizzle_bytes / element_bits, real = fp4_padded ? atom / 2 : atom;
  if (columns < real || rows < 8)
    return false;
  int64_t group = 128 / element_bits, per_phase = 128 / swizzle_bytes, phases = swizzle_bytes / 16;
  int32_t coordinates[NEREID_LAYOUT_MAX_RANK];
  for (int64_t column = 1; column < atom; column *= 2) {
    box_coordinates(rank, box, transposed, packed_column(column, fp4_padded), coordinates);
    nereid_layout_builder_basis(builder, NEREID_LAYOUT_OFFSET, coordinates);
  }
  for (int64_t row = 1; row < rows; row *= 2) {
    int64_t shifted = row < 8 ? packed_column(group * (row / per_phase % phases), fp4_padded) : 0;
    box_coordinates(rank, box, transposed, row * columns + shifted, coordinates);
    nereid_layout_builder_basis(builder, NEREID_LAYOUT_OFFSET, coordinates);
  }
  for (int64_t column = real; column < columns; column *= 2) {
    box_coordinates(rank, box, transposed, column, coordinates);
    nereid_layout_builder_basis(builder, NEREID_LAYOUT_OFFSET, coordinates);
  }
  return true;
}

nereid_status_t nereid_layout_nvmma_shared(int rank, const int64_t *shape, int swizzle_bytes, bool transposed,
                                           int element_bits, bool fp4_padded, const nereid_layout_cga_t *cga,
                                           nereid_layout_t *out) {
  nereid_layout_builder_t builder;
  nereid_layout_builder_initialize(&builder, rank, shape, cga);
  int64_t box[NEREID_LAYOUT_MAX_RANK] = {0};
  if (builder.failed || rank < 1 || nereid_layout_log2(element_bits) < 0 || (swizzle_bytes && rank < 2))
    return NEREID_ERROR_ARGUMENT;
  if (swizzle_bytes && swizzle_bytes != 32 && swizzle_bytes != 64 && swizzle_bytes != 128)
    return NEREID_ERROR_ARGUMENT;
  if (!tma_box(&builder, swizzle_bytes, transposed, element_bits, fp4_padded, box))
    return NEREID_ERROR_ARGUMENT;
  int32_t order[NEREID_LAYOUT_MAX_RANK];
  if (!swizzle_bytes) { /* row-major, rotated when transposed, as box_coordinates */
    for (int i = 0; i < rank; i++) {
      order[i] = transposed ? (rank - i) % rank : rank - 1 - i;
      nereid_layout_builder_identity(&builder, NEREID_LAYOUT_OFFSET, order[i], box[order[i]]);
    }
    return nereid_layout_builder_finish(&builder, order, out);
  }
  if (!swizzled_box(&builder, box, swizzle_bytes, transposed, element_bits, fp4_padded))
    return NEREID_ERROR_ARGUMENT;
  for (int d = 0; d < rank; d++) {
    builder.used[d] = nereid_layout_log2(box[d]);
    order[d] = d;
  }
  return nereid_layout_builder_finish(&builder, order, out);
}

nereid_status_t nereid_layout_shared_linear(int rank, const int64_t *shape, const nereid_layout_vectors_t *offsets,
                                            const nereid_layout_vectors_t *blocks, nereid_layout_t *out) {
  nereid_layout_builder_t builder;
  nereid_layout_builder_initialize(&builder, rank, shape, NULL);
  if (builder.failed)
    return NEREID_ERROR_ARGUMENT;
  const nereid_layout_vectors_t *tables[2] = {offsets, blocks};
  const nereid_layout_dim_t inputs[2] = {NEREID_LAYOUT_OFFSET, NEREID_LAYOUT_BLOCK};
  for (int t = 0; t < 2; t++)
    for (int i = 0; i < tables[t]->count; i++) {
      for (int d = 0; d < rank; d++)
        if (tables[t]->vectors[i][d] < 0 || tables[t]->vectors[i][d] >= shape[d])
          return NEREID_ERROR_ARGUMENT;
      nereid_layout_builder_basis(&builder, inputs[t], tables[t]->vectors[i]);
    }
  if (builder.failed || !nereid_layout_surjective(&builder.layout))
    return NEREID_ERROR_ARGUMENT;
  *out = builder.layout;
  return NEREID_OK;
}

nereid_status_t nereid_layout_stack(nereid_layout_t *layout, int count, const int64_t *shape) {
  if (count + layout->rank > NEREID_LAYOUT_MAX_RANK)
    return NEREID_ERROR_ARGUMENT;
  memmove(layout->out_bits + count, layout->out_bits, layout->rank);
  memset(layout->out_bits, 0, (size_t)count);
  layout->rank = (uint8_t)(layout->rank + count);
  for (int d = count - 1; d >= 0; d--) {
    int bits = nereid_layout_log2(shape[d]);
    if (bits < 0 || !nereid_layout_extend(layout, NEREID_LAYOUT_OFFSET, d, bits))
      return NEREID_ERROR_ARGUMENT;
  }
  return NEREID_OK;
}
