/* Encodings of the IR as linear layouts: reads parameters, calls layout/distributed.c and layout/shared.c.
 *
 *   #ttg.slice<{dim = 1, parent = #ttg.blocked<..>}> of 128  ->  blocked of 128x1, dimension 1 dropped
 *
 * Attributes are verified on creation, so only their combination with a shape can fail here. */
#include "layout/encoding.h"

#include "layout/shared.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <string.h>

typedef struct numbers {
  int32_t values[NEREID_LAYOUT_MAX_RANK];
} numbers_t;

/* The elements of a DenseI32ArrayAttr of `rank` entries. */
static bool read_numbers(MlirAttribute array, int rank, numbers_t *out) {
  if (mlirAttributeIsNull(array) || mlirDenseArrayGetNumElements(array) != rank || rank > NEREID_LAYOUT_MAX_RANK)
    return false;
  for (int i = 0; i < rank; i++)
    out->values[i] = mlirDenseI32ArrayGetElement(array, i);
  return true;
}

/* The vectors of an ArrayAttr of DenseI32ArrayAttr; `rank` numbers each. */
static bool read_vectors(MlirAttribute array, int rank, nereid_layout_vectors_t *out) {
  out->count = 0;
  if (mlirAttributeIsNull(array))
    return true;
  intptr_t n = mlirArrayAttrGetNumElements(array);
  if (n > NEREID_LAYOUT_MAX_BITS)
    return false;
  for (intptr_t i = 0; i < n; i++) {
    numbers_t vector;
    if (!read_numbers(mlirArrayAttrGetElement(array, i), rank, &vector))
      return false;
    memcpy(out->vectors[i], vector.values, sizeof vector.values);
  }
  out->count = (int)n;
  return true;
}

/* A `cgaLayout` parameter; false when it is malformed, *out null when there is one CTA. */
static bool read_cga(MlirAttribute array, int rank, nereid_layout_cga_t *storage, const nereid_layout_cga_t **out) {
  nereid_layout_vectors_t vectors;
  *out = NULL;
  if (!read_vectors(array, rank, &vectors) || vectors.count > NEREID_LAYOUT_MAX_BLOCK_BITS)
    return false;
  if (vectors.count == 0)
    return true;
  memset(storage, 0, sizeof *storage);
  storage->bits = vectors.count;
  for (int i = 0; i < vectors.count; i++)
    memcpy(storage->bases[i], vectors.vectors[i], (size_t)rank * sizeof(int32_t));
  *out = storage;
  return true;
}

/* The parameters of a blocked encoding, for its layout and those of its dot operands. */
typedef struct blocked {
  numbers_t size, threads, warps, order;
  nereid_layout_cga_t storage;
  const nereid_layout_cga_t *cga;
} blocked_t;

static bool read_blocked(MlirAttribute encoding, int rank, blocked_t *out) {
  return read_numbers(nereid_ttg_blocked_attr_get_size_per_thread(encoding), rank, &out->size) &&
         read_numbers(nereid_ttg_blocked_attr_get_threads_per_warp(encoding), rank, &out->threads) &&
         read_numbers(nereid_ttg_blocked_attr_get_warps_per_cta(encoding), rank, &out->warps) &&
         read_numbers(nereid_ttg_blocked_attr_get_order(encoding), rank, &out->order) &&
         read_cga(nereid_ttg_blocked_attr_get_cga_layout(encoding), rank, &out->storage, &out->cga);
}

static nereid_status_t from_blocked(MlirAttribute encoding, int rank, const int64_t *shape, nereid_layout_t *out) {
  blocked_t b;
  if (!read_blocked(encoding, rank, &b))
    return NEREID_ERROR_ARGUMENT;
  return nereid_layout_blocked(rank, shape, b.size.values, b.threads.values, b.warps.values, b.order.values, b.cga,
                               out);
}

bool nereid_layout_vectors_of_linear(MlirAttribute encoding, MlirAttribute out[NEREID_LAYOUT_DIMS]) {
  if (nereid_ttg_linear_attr_isa(encoding)) {
    out[NEREID_LAYOUT_REGISTER] = nereid_ttg_linear_attr_get_register_bases(encoding);
    out[NEREID_LAYOUT_LANE] = nereid_ttg_linear_attr_get_lane_bases(encoding);
    out[NEREID_LAYOUT_WARP] = nereid_ttg_linear_attr_get_warp_bases(encoding);
    out[NEREID_LAYOUT_BLOCK] = nereid_ttg_linear_attr_get_block_bases(encoding);
    return true;
  }
  if (!nereid_ttg_generic_linear_attr_isa(encoding))
    return false;
  out[NEREID_LAYOUT_REGISTER] = nereid_ttg_generic_linear_attr_get_register_bases(encoding);
  out[NEREID_LAYOUT_LANE] = nereid_ttg_generic_linear_attr_get_lane_bases(encoding);
  out[NEREID_LAYOUT_WARP] = nereid_ttg_generic_linear_attr_get_warp_bases(encoding);
  out[NEREID_LAYOUT_BLOCK] = nereid_ttg_generic_linear_attr_get_block_bases(encoding);
  return true;
}

static nereid_status_t from_linear(const MlirAttribute arrays[NEREID_LAYOUT_DIMS], int rank, const int64_t *shape,
                                   nereid_layout_t *out) {
  nereid_layout_vectors_t tables[NEREID_LAYOUT_DIMS];
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    if (!read_vectors(arrays[in], rank, &tables[in]))
      return NEREID_ERROR_ARGUMENT;
  return nereid_layout_linear(rank, shape, tables, out);
}

static nereid_status_t from_slice(MlirAttribute encoding, int rank, const int64_t *shape, nereid_layout_t *out) {
  int dim = (int)nereid_ttg_slice_attr_get_dim(encoding);
  int64_t parent[NEREID_LAYOUT_MAX_RANK];
  if (rank + 1 > NEREID_LAYOUT_MAX_RANK || dim > rank)
    return NEREID_ERROR_ARGUMENT;
  for (int d = 0; d <= rank; d++)
    parent[d] = d < dim ? shape[d] : d == dim ? 1 : shape[d - 1];
  nereid_status_t status =
      nereid_layout_from_encoding(nereid_ttg_slice_attr_get_parent(encoding), rank + 1, parent, out);
  if (status == NEREID_OK)
    nereid_layout_slice(out, dim);
  return status;
}

typedef struct mma {
  int version;
  int instruction_rank;
  numbers_t warps, instruction;
  nereid_layout_cga_t storage;
  const nereid_layout_cga_t *cga;
} mma_t;

static bool read_mma(MlirAttribute encoding, int rank, mma_t *out) {
  out->version = (int)nereid_ttg_nvidia_mma_attr_get_version_major(encoding);
  MlirAttribute instruction = nereid_ttg_nvidia_mma_attr_get_instr_shape(encoding);
  out->instruction_rank = (int)mlirDenseArrayGetNumElements(instruction);
  return read_numbers(nereid_ttg_nvidia_mma_attr_get_warps_per_cta(encoding), rank, &out->warps) &&
         read_numbers(instruction, out->instruction_rank, &out->instruction) &&
         read_cga(nereid_ttg_nvidia_mma_attr_get_cga_layout(encoding), rank, &out->storage, &out->cga);
}

static nereid_status_t from_mma(MlirAttribute encoding, int rank, const int64_t *shape, nereid_layout_t *out) {
  mma_t mma;
  if (!read_mma(encoding, rank, &mma))
    return NEREID_ERROR_ARGUMENT;
  return nereid_layout_nvidia_mma(rank, shape, mma.version, mma.warps.values, mma.instruction_rank,
                                  mma.instruction.values, mma.cga, out);
}

static nereid_status_t from_dot_op(MlirAttribute encoding, int rank, const int64_t *shape, nereid_layout_t *out) {
  MlirAttribute parent = nereid_ttg_dot_op_attr_get_parent(encoding);
  int op_idx = (int)nereid_ttg_dot_op_attr_get_op_idx(encoding);
  if (nereid_ttg_blocked_attr_isa(parent)) {
    blocked_t b;
    if (!read_blocked(parent, rank, &b))
      return NEREID_ERROR_ARGUMENT;
    return nereid_layout_dot_of_blocked(rank, shape, op_idx, b.size.values, b.threads.values, b.warps.values,
                                        b.order.values, b.cga, out);
  }
  if (!nereid_ttg_nvidia_mma_attr_isa(parent))
    return NEREID_ERROR_UNSUPPORTED;
  mma_t mma;
  if (rank < 2 || !read_mma(parent, rank, &mma))
    return NEREID_ERROR_ARGUMENT;
  const int m = mma.instruction.values[mma.version == 3 ? 0 : rank - 2];
  return nereid_layout_dot_of_mma(rank, shape, op_idx, (int)nereid_ttg_dot_op_attr_get_k_width(encoding), mma.version,
                                  m, mma.warps.values, mma.cga, out);
}

static nereid_status_t from_swizzled(MlirAttribute encoding, int rank, const int64_t *shape, nereid_layout_t *out) {
  numbers_t order;
  nereid_layout_cga_t storage;
  const nereid_layout_cga_t *cga;
  if (!read_numbers(nereid_ttg_swizzled_shared_attr_get_order(encoding), rank, &order) ||
      !read_cga(nereid_ttg_swizzled_shared_attr_get_cga_layout(encoding), rank, &storage, &cga))
    return NEREID_ERROR_ARGUMENT;
  return nereid_layout_swizzled_shared(rank, shape, (int)nereid_ttg_swizzled_shared_attr_get_vec(encoding),
                                       (int)nereid_ttg_swizzled_shared_attr_get_per_phase(encoding),
                                       (int)nereid_ttg_swizzled_shared_attr_get_max_phase(encoding), order.values, cga,
                                       out);
}

static nereid_status_t from_nvmma(MlirAttribute encoding, int rank, const int64_t *shape, nereid_layout_t *out) {
  nereid_layout_cga_t storage;
  const nereid_layout_cga_t *cga;
  if (!read_cga(nereid_ttg_nvmma_shared_attr_get_cga_layout(encoding), rank, &storage, &cga))
    return NEREID_ERROR_ARGUMENT;
  return nereid_layout_nvmma_shared(rank, shape, (int)nereid_ttg_nvmma_shared_attr_get_swizzling_byte_width(encoding),
                                    nereid_ttg_nvmma_shared_attr_get_transposed(encoding),
                                    (int)nereid_ttg_nvmma_shared_attr_get_element_bit_width(encoding),
                                    nereid_ttg_nvmma_shared_attr_get_fp4_padded(encoding), cga, out);
}

static nereid_status_t from_shared_linear(MlirAttribute encoding, int rank, const int64_t *shape,
                                          nereid_layout_t *out) {
  nereid_layout_vectors_t offsets, blocks;
  if (!read_vectors(nereid_ttg_shared_linear_attr_get_offset_bases(encoding), rank, &offsets) ||
      !read_vectors(nereid_ttg_shared_linear_attr_get_block_bases(encoding), rank, &blocks))
    return NEREID_ERROR_ARGUMENT;
  return nereid_layout_shared_linear(rank, shape, &offsets, &blocks, out);
}

nereid_status_t nereid_layout_from_padded(MlirAttribute encoding, int rank, const int64_t *shape,
                                          nereid_layout_t *out) {
  nereid_layout_vectors_t offsets, blocks;
  if (!nereid_ttg_padded_shared_attr_isa(encoding))
    return NEREID_ERROR_UNSUPPORTED;
  if (!read_vectors(nereid_ttg_padded_shared_attr_get_offset_bases(encoding), rank, &offsets) ||
      !read_vectors(nereid_ttg_padded_shared_attr_get_block_bases(encoding), rank, &blocks))
    return NEREID_ERROR_ARGUMENT;
  return nereid_layout_shared_linear(rank, shape, &offsets, &blocks, out);
}

int64_t nereid_layout_padded_offset(MlirAttribute encoding, int64_t index) {
  MlirAttribute intervals = nereid_ttg_padded_shared_attr_get_intervals(encoding);
  MlirAttribute paddings = nereid_ttg_padded_shared_attr_get_paddings(encoding);
  int64_t offset = index;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(intervals); ++i)
    offset += index / mlirDenseI32ArrayGetElement(intervals, i) * mlirDenseI32ArrayGetElement(paddings, i);
  return offset;
}

/* Dimensions of a shared encoding; -1 for any other attribute. */
static int shared_rank(MlirAttribute encoding) {
  if (nereid_ttg_swizzled_shared_attr_isa(encoding))
    return (int)mlirDenseArrayGetNumElements(nereid_ttg_swizzled_shared_attr_get_order(encoding));
  if (nereid_ttg_nvmma_shared_attr_isa(encoding))
    return (int)nereid_ttg_nvmma_shared_attr_get_rank(encoding);
  if (!nereid_ttg_shared_linear_attr_isa(encoding))
    return -1;
  MlirAttribute offsets = nereid_ttg_shared_linear_attr_get_offset_bases(encoding);
  MlirAttribute blocks = nereid_ttg_shared_linear_attr_get_block_bases(encoding);
  MlirAttribute any = mlirArrayAttrGetNumElements(offsets) ? offsets : blocks;
  return mlirArrayAttrGetNumElements(any) ? (int)mlirDenseArrayGetNumElements(mlirArrayAttrGetElement(any, 0)) : -1;
}

static nereid_status_t from_shared(MlirAttribute encoding, int encoding_rank, int rank, const int64_t *shape,
                                   nereid_layout_t *out) {
  int stages = rank - encoding_rank;
  if (stages < 0)
    return NEREID_ERROR_ARGUMENT;
  const int64_t *inner = shape + stages;
  nereid_status_t status;
  if (nereid_ttg_swizzled_shared_attr_isa(encoding))
    status = from_swizzled(encoding, encoding_rank, inner, out);
  else if (nereid_ttg_nvmma_shared_attr_isa(encoding))
    status = from_nvmma(encoding, encoding_rank, inner, out);
  else
    status = from_shared_linear(encoding, encoding_rank, inner, out);
  return status == NEREID_OK && stages > 0 ? nereid_layout_stack(out, stages, shape) : status;
}

nereid_status_t nereid_layout_from_encoding(MlirAttribute encoding, int rank, const int64_t *shape,
                                            nereid_layout_t *out) {
  if (mlirAttributeIsNull(encoding))
    return NEREID_ERROR_UNSUPPORTED;
  if (rank < 0 || rank > NEREID_LAYOUT_MAX_RANK)
    return NEREID_ERROR_ARGUMENT;
  if (nereid_ttg_blocked_attr_isa(encoding))
    return from_blocked(encoding, rank, shape, out);
  if (nereid_ttg_slice_attr_isa(encoding))
    return from_slice(encoding, rank, shape, out);
  MlirAttribute vectors[NEREID_LAYOUT_DIMS];
  if (nereid_layout_vectors_of_linear(encoding, vectors))
    return from_linear(vectors, rank, shape, out);
  if (nereid_ttg_nvidia_mma_attr_isa(encoding))
    return from_mma(encoding, rank, shape, out);
  if (nereid_ttg_dot_op_attr_isa(encoding))
    return from_dot_op(encoding, rank, shape, out);
  int encoding_rank = shared_rank(encoding);
  return encoding_rank < 0 ? NEREID_ERROR_UNSUPPORTED : from_shared(encoding, encoding_rank, rank, shape, out);
}

nereid_status_t nereid_layout_from_type(MlirType type, nereid_layout_t *out) {
  int64_t shape[NEREID_LAYOUT_MAX_RANK];
  if (mlirTypeIsARankedTensor(type)) {
    int64_t rank = mlirShapedTypeGetRank(type);
    if (rank > NEREID_LAYOUT_MAX_RANK)
      return NEREID_ERROR_ARGUMENT;
    for (int64_t d = 0; d < rank; d++)
      shape[d] = mlirShapedTypeGetDimSize(type, d);
    return nereid_layout_from_encoding(mlirRankedTensorTypeGetEncoding(type), (int)rank, shape, out);
  }
  if (!nereid_ttg_memdesc_type_isa(type))
    return NEREID_ERROR_UNSUPPORTED;
  MlirAttribute view = nereid_ttg_memdesc_type_get_dims(type), whole = nereid_ttg_memdesc_type_get_alloc_dims(type);
  intptr_t rank = mlirDenseArrayGetNumElements(view), extra = mlirDenseArrayGetNumElements(whole) - rank;
  if (rank > NEREID_LAYOUT_MAX_RANK || extra < 0)
    return NEREID_ERROR_ARGUMENT;
  for (intptr_t d = 0; d < rank; d++)
    shape[d] = mlirDenseI64ArrayGetElement(whole, extra + d);
  return nereid_layout_from_encoding(nereid_ttg_memdesc_type_get_encoding(type), (int)rank, shape, out);
}
