/* Encodings as C structs; see the header.
 *
 *   #ttg.blocked<{sizePerThread = [1, 8], ...}>  <->  nereid_ttg_blocked_t{.rank = 2, .size_per_thread = {1, 8}, ...}
 *
 * All code that reads or creates an encoding uses this file, so that no other file depends on its storage. */
#include "dialects/ttg/encoding/encoding.h"

#include "layout/encoding.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>

#include <string.h>

/* --- kinds of attributes --- */

bool nereid_ttg_is_distributed(MlirAttribute encoding) {
  return !mlirAttributeIsNull(encoding) &&
         (nereid_ttg_blocked_attr_isa(encoding) || nereid_ttg_linear_attr_isa(encoding) ||
          nereid_ttg_generic_linear_attr_isa(encoding) || nereid_ttg_slice_attr_isa(encoding) ||
          nereid_ttg_dot_op_attr_isa(encoding) || nereid_ttg_nvidia_mma_attr_isa(encoding));
}

bool nereid_ttg_is_shared(MlirAttribute encoding) {
  return !mlirAttributeIsNull(encoding) &&
         (nereid_ttg_swizzled_shared_attr_isa(encoding) || nereid_ttg_nvmma_shared_attr_isa(encoding) ||
          nereid_ttg_padded_shared_attr_isa(encoding) || nereid_ttg_shared_linear_attr_isa(encoding));
}

static int bases_rank(MlirAttribute first, MlirAttribute second) {
  for (int i = 0; i < 2; i++) {
    MlirAttribute array = i == 0 ? first : second;
    if (!mlirAttributeIsNull(array) && mlirArrayAttrGetNumElements(array) > 0)
      return (int)mlirDenseArrayGetNumElements(mlirArrayAttrGetElement(array, 0));
  }
  return -1;
}

static int linear_rank(const MlirAttribute vectors[NEREID_LAYOUT_DIMS]) {
  int rank = bases_rank(vectors[NEREID_LAYOUT_REGISTER], vectors[NEREID_LAYOUT_LANE]);
  return rank > 0 ? rank : bases_rank(vectors[NEREID_LAYOUT_WARP], vectors[NEREID_LAYOUT_BLOCK]);
}

static int count(MlirAttribute array) {
  return (int)mlirDenseArrayGetNumElements(array);
}

int nereid_ttg_encoding_rank(MlirAttribute encoding) {
  if (mlirAttributeIsNull(encoding))
    return -1;
  MlirAttribute vectors[NEREID_LAYOUT_DIMS];
  if (nereid_ttg_blocked_attr_isa(encoding))
    return count(nereid_ttg_blocked_attr_get_order(encoding));
  if (nereid_layout_vectors_of_linear(encoding, vectors))
    return linear_rank(vectors);
  if (nereid_ttg_slice_attr_isa(encoding))
    return nereid_ttg_encoding_rank(nereid_ttg_slice_attr_get_parent(encoding)) - 1;
  if (nereid_ttg_dot_op_attr_isa(encoding))
    return nereid_ttg_encoding_rank(nereid_ttg_dot_op_attr_get_parent(encoding));
  if (nereid_ttg_nvidia_mma_attr_isa(encoding))
    return count(nereid_ttg_nvidia_mma_attr_get_warps_per_cta(encoding));
  if (nereid_ttg_swizzled_shared_attr_isa(encoding))
    return count(nereid_ttg_swizzled_shared_attr_get_order(encoding));
  if (nereid_ttg_nvmma_shared_attr_isa(encoding))
    return (int)nereid_ttg_nvmma_shared_attr_get_rank(encoding);
  if (nereid_ttg_padded_shared_attr_isa(encoding))
    return count(nereid_ttg_padded_shared_attr_get_shape(encoding));
  if (nereid_ttg_shared_linear_attr_isa(encoding))
    return bases_rank(nereid_ttg_shared_linear_attr_get_offset_bases(encoding),
                      nereid_ttg_shared_linear_attr_get_block_bases(encoding));
  return -1;
}

int32_t nereid_ttg_shared_alignment(MlirAttribute encoding) {
  if (nereid_ttg_shared_linear_attr_isa(encoding))
    return (int32_t)nereid_ttg_shared_linear_attr_get_layout_alignment(encoding);
  if (!nereid_ttg_nvmma_shared_attr_isa(encoding))
    return 16;
  /* An atom is eight rows: the hardware's xor takes the row from these address bits. */
  int32_t bytes = (int32_t)nereid_ttg_nvmma_shared_attr_get_swizzling_byte_width(encoding);
  return bytes > 16 ? 8 * bytes : 128;
}

int nereid_ttg_cta_bits(MlirAttribute encoding) {
  nereid_ttg_bases_t bases;
  return nereid_ttg_cga_read(encoding, &bases) ? bases.count : 0;
}

void nereid_ttg_shape_per_cta(MlirAttribute encoding, int rank, const int64_t *shape, int64_t *out_shape) {
  nereid_ttg_bases_t bases;
  memmove(out_shape, shape, (size_t)rank * sizeof *shape);
  if (!nereid_ttg_cga_read(encoding, &bases))
    return;
  for (int i = 0; i < bases.count; i++)
    for (int d = 0; d < bases.rank && d < rank; d++)
      if (bases.vectors[i][d] && out_shape[d] > 1)
        out_shape[d] /= 2;
}

bool nereid_ttg_is_generic(MlirAttribute encoding) {
  if (mlirAttributeIsNull(encoding))
    return false;
  if (nereid_ttg_slice_attr_isa(encoding))
    return nereid_ttg_is_generic(nereid_ttg_slice_attr_get_parent(encoding));
  return nereid_ttg_generic_linear_attr_isa(encoding);
}

static bool moves_along_one(const nereid_layout_t *layout, uint32_t basis) {
  int dims = 0;
  for (int d = 0; d < layout->rank; d++)
    dims += (basis & nereid_layout_out_mask(layout, d)) != 0;
  return dims <= 1;
}

bool nereid_ttg_linear_represents(const nereid_layout_t *layout, bool generic) {
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int i = 0; i < layout->in_bits[in]; i++)
      if (!(generic && in == NEREID_LAYOUT_WARP) && !moves_along_one(layout, layout->bases[in][i]))
        return false;
  return true;
}

bool nereid_ttg_has_swizzled_warps(MlirAttribute encoding) {
  MlirAttribute vectors[NEREID_LAYOUT_DIMS];
  nereid_ttg_bases_t warps;
  if (!nereid_layout_vectors_of_linear(encoding, vectors) ||
      !nereid_ttg_bases_read(vectors[NEREID_LAYOUT_WARP], &warps))
    return false;
  for (int i = 0; i < warps.count; i++) {
    int dims = 0;
    for (int d = 0; d < warps.rank; d++)
      dims += warps.vectors[i][d] != 0;
    if (dims > 1)
      return true;
  }
  return false;
}

/* --- arrays and bases --- */

int nereid_ttg_ints_read(MlirAttribute array, int32_t *out) {
  if (mlirAttributeIsNull(array) || !mlirAttributeIsADenseI32Array(array))
    return -1;
  intptr_t size = mlirDenseArrayGetNumElements(array);
  if (size > NEREID_TTG_MAX_RANK)
    return -1;
  for (intptr_t i = 0; i < size; i++)
    out[i] = mlirDenseI32ArrayGetElement(array, i);
  return (int)size;
}

MlirAttribute nereid_ttg_ints_make(MlirContext ctx, int size, const int32_t *values) {
  return mlirDenseI32ArrayGet(ctx, size, values);
}

bool nereid_ttg_bases_read(MlirAttribute array, nereid_ttg_bases_t *out) {
  memset(out, 0, sizeof *out);
  if (mlirAttributeIsNull(array))
    return true;
  if (!mlirAttributeIsAArray(array) || mlirArrayAttrGetNumElements(array) > NEREID_TTG_MAX_BASES)
    return false;
  out->count = (int)mlirArrayAttrGetNumElements(array);
  for (int i = 0; i < out->count; i++) {
    int rank = nereid_ttg_ints_read(mlirArrayAttrGetElement(array, i), out->vectors[i]);
    if (rank < 0 || (i > 0 && rank != out->rank))
      return false;
    out->rank = rank;
  }
  return true;
}

MlirAttribute nereid_ttg_bases_make(MlirContext ctx, const nereid_ttg_bases_t *bases) {
  MlirAttribute vectors[NEREID_TTG_MAX_BASES];
  for (int i = 0; i < bases->count; i++)
    vectors[i] = nereid_ttg_ints_make(ctx, bases->rank, bases->vectors[i]);
  return mlirArrayAttrGet(ctx, bases->count, vectors);
}

MlirAttribute nereid_ttg_cga_make(MlirContext ctx, const nereid_ttg_bases_t *bases) {
  return bases->count == 0 ? mlirAttributeGetNull() : nereid_ttg_bases_make(ctx, bases);
}

static void erase_dim(nereid_ttg_bases_t *bases, int dim) {
  if (bases->rank == 0)
    return;
  bases->rank--;
  for (int i = 0; i < bases->count; i++)
    memmove(&bases->vectors[i][dim], &bases->vectors[i][dim + 1], (size_t)(bases->rank - dim) * sizeof(int32_t));
}

/* Returns the attribute with the CTA layout of an encoding that is not a slice or dot operand. */
static MlirAttribute own_cga(MlirAttribute encoding) {
  MlirAttribute vectors[NEREID_LAYOUT_DIMS];
  if (nereid_ttg_blocked_attr_isa(encoding))
    return nereid_ttg_blocked_attr_get_cga_layout(encoding);
  if (nereid_layout_vectors_of_linear(encoding, vectors))
    return vectors[NEREID_LAYOUT_BLOCK];
  if (nereid_ttg_nvidia_mma_attr_isa(encoding))
    return nereid_ttg_nvidia_mma_attr_get_cga_layout(encoding);
  if (nereid_ttg_swizzled_shared_attr_isa(encoding))
    return nereid_ttg_swizzled_shared_attr_get_cga_layout(encoding);
  if (nereid_ttg_nvmma_shared_attr_isa(encoding))
    return nereid_ttg_nvmma_shared_attr_get_cga_layout(encoding);
  if (nereid_ttg_padded_shared_attr_isa(encoding))
    return nereid_ttg_padded_shared_attr_get_block_bases(encoding);
  return nereid_ttg_shared_linear_attr_get_block_bases(encoding);
}

bool nereid_ttg_cga_read(MlirAttribute encoding, nereid_ttg_bases_t *out) {
  memset(out, 0, sizeof *out);
  if (!nereid_ttg_is_distributed(encoding) && !nereid_ttg_is_shared(encoding))
    return false;
  if (nereid_ttg_slice_attr_isa(encoding)) {
    bool read = nereid_ttg_cga_read(nereid_ttg_slice_attr_get_parent(encoding), out);
    erase_dim(out, (int)nereid_ttg_slice_attr_get_dim(encoding));
    return read;
  }
  if (!nereid_ttg_dot_op_attr_isa(encoding))
    return nereid_ttg_bases_read(own_cga(encoding), out);
  /* All CTAs of a row (of a column, for the right operand) hold all of K. */
  bool read = nereid_ttg_cga_read(nereid_ttg_dot_op_attr_get_parent(encoding), out);
  int k = out->rank - (nereid_ttg_dot_op_attr_get_op_idx(encoding) == 0 ? 1 : 2);
  for (int i = 0; i < out->count && k >= 0 && k < NEREID_TTG_MAX_RANK; i++)
    out->vectors[i][k] = 0;
  return read;
}

void nereid_ttg_cga_from_counts(int rank, const int32_t *ctas_per_cga, const int32_t *cta_split_num,
                                const int32_t *cta_order, nereid_ttg_bases_t *out) {
  memset(out, 0, sizeof *out);
  for (int i = 0; i < rank; i++) {
    int d = cta_order[i];
    for (int32_t cta = 1; cta < ctas_per_cga[d] && out->count < NEREID_TTG_MAX_BASES; cta *= 2)
      out->vectors[out->count++][d] = cta < cta_split_num[d] ? cta : 0;
  }
  out->rank = out->count ? rank : 0;
}

/* --- creating encodings --- */

bool nereid_ttg_blocked_read(MlirAttribute encoding, nereid_ttg_blocked_t *out) {
  if (mlirAttributeIsNull(encoding) || !nereid_ttg_blocked_attr_isa(encoding))
    return false;
  out->rank = nereid_ttg_ints_read(nereid_ttg_blocked_attr_get_size_per_thread(encoding), out->size_per_thread);
  nereid_ttg_ints_read(nereid_ttg_blocked_attr_get_threads_per_warp(encoding), out->threads_per_warp);
  nereid_ttg_ints_read(nereid_ttg_blocked_attr_get_warps_per_cta(encoding), out->warps_per_cta);
  nereid_ttg_ints_read(nereid_ttg_blocked_attr_get_order(encoding), out->order);
  return nereid_ttg_bases_read(nereid_ttg_blocked_attr_get_cga_layout(encoding), &out->cga) && out->rank >= 0;
}

MlirAttribute nereid_ttg_blocked_attribute(MlirContext ctx, const nereid_ttg_blocked_t *blocked) {
  int rank = blocked->rank;
  return nereid_ttg_blocked_attr_create(ctx, nereid_ttg_ints_make(ctx, rank, blocked->size_per_thread),
                                        nereid_ttg_ints_make(ctx, rank, blocked->threads_per_warp),
                                        nereid_ttg_ints_make(ctx, rank, blocked->warps_per_cta),
                                        nereid_ttg_ints_make(ctx, rank, blocked->order),
                                        nereid_ttg_cga_make(ctx, &blocked->cga));
}

static void add_bases(nereid_layout_t *layout, nereid_layout_dim_t in, const nereid_ttg_bases_t *bases) {
  layout->in_bits[in] = (uint8_t)bases->count;
  for (int i = 0; i < bases->count; i++)
    layout->bases[in][i] = nereid_layout_pack(layout, bases->vectors[i]);
}

bool nereid_ttg_padded_layout(MlirAttribute encoding, nereid_layout_t *out) {
  nereid_ttg_bases_t offset, block;
  if (!nereid_ttg_padded_shared_attr_isa(encoding) ||
      !nereid_ttg_bases_read(nereid_ttg_padded_shared_attr_get_offset_bases(encoding), &offset) ||
      !nereid_ttg_bases_read(nereid_ttg_padded_shared_attr_get_block_bases(encoding), &block))
    return false;
  MlirAttribute shape = nereid_ttg_padded_shared_attr_get_shape(encoding);
  int rank = count(shape);
  if (rank > NEREID_LAYOUT_MAX_RANK)
    return false;
  nereid_layout_initialize(out, rank);
  for (int d = 0; d < rank; d++)
    while (INT64_C(1) << out->out_bits[d] < mlirDenseI64ArrayGetElement(shape, d))
      out->out_bits[d]++;
  add_bases(out, NEREID_LAYOUT_OFFSET, &offset);
  add_bases(out, NEREID_LAYOUT_BLOCK, &block);
  return true;
}

static MlirAttribute layout_bases(MlirContext ctx, const nereid_layout_t *layout, nereid_layout_dim_t in) {
  nereid_ttg_bases_t bases = {.count = layout->in_bits[in], .rank = layout->in_bits[in] ? layout->rank : 0};
  for (int i = 0; i < bases.count; i++)
    nereid_layout_coordinates(layout, layout->bases[in][i], bases.vectors[i]);
  return nereid_ttg_bases_make(ctx, &bases);
}

MlirAttribute nereid_ttg_linear_from_layout(MlirContext ctx, const nereid_layout_t *layout) {
  return nereid_ttg_linear_attr_create(
      ctx, layout_bases(ctx, layout, NEREID_LAYOUT_REGISTER), layout_bases(ctx, layout, NEREID_LAYOUT_LANE),
      layout_bases(ctx, layout, NEREID_LAYOUT_WARP), layout_bases(ctx, layout, NEREID_LAYOUT_BLOCK));
}

MlirAttribute nereid_ttg_generic_linear_from_layout(MlirContext ctx, const nereid_layout_t *layout) {
  return nereid_ttg_generic_linear_attr_create(
      ctx, layout_bases(ctx, layout, NEREID_LAYOUT_REGISTER), layout_bases(ctx, layout, NEREID_LAYOUT_LANE),
      layout_bases(ctx, layout, NEREID_LAYOUT_WARP), layout_bases(ctx, layout, NEREID_LAYOUT_BLOCK));
}

MlirAttribute nereid_ttg_shared_linear_from_layout(MlirContext ctx, const nereid_layout_t *layout, unsigned alignment) {
  return nereid_ttg_shared_linear_attr_create(ctx, layout_bases(ctx, layout, NEREID_LAYOUT_OFFSET),
                                              layout_bases(ctx, layout, NEREID_LAYOUT_BLOCK), alignment);
}
