/* Verifiers of TMA copies and of descriptors created on the device.
 *
 *   ttng.async_tma_copy_global_to_local %d[%i] %buf, %bar, %p : !tt.tensordesc<tensor<128x64xf16>>, ...
 *     -> error: ... expects one coordinate for each of the 2 dimensions of the descriptor's block, got 1
 *
 * A buffer may omit leading dimensions of size 1 of the block, as in descriptor loads. */
#include "dialects/diagnose.h"
#include "dialects/ttng/descriptor_type.h"
#include "dialects/ttng/ttng_verify.h"

#include "bindings/ttng_hooks.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"

#include <mlir-c/BuiltinTypes.h>

/* Of cp.async.bulk.tensor, PTX ISA. In im2col mode the first dimension is that of images, the last that of channels. */
enum { rank_limit = 5, im2col_rank = 3, gather_rows = 8, gather_row_bytes = 32 };

static MlirType block_of(MlirValue descriptor) {
  return nereid_ttng_descriptor_block(mlirValueGetType(descriptor));
}

/* Returns whether element types match: a descriptor's elements may be signed, those in memory are signless. */
static bool same_element(MlirType block_element, MlirType element) {
  if (mlirTypeIsAInteger(block_element) && mlirTypeIsAInteger(element))
    return mlirIntegerTypeGetWidth(block_element) == mlirIntegerTypeGetWidth(element);
  return mlirTypeEqual(block_element, element);
}

static bool same_shape_but_leading_ones(MlirType block, MlirType buffer) {
  int64_t dropped = mlirShapedTypeGetRank(block) - mlirShapedTypeGetRank(buffer);
  if (dropped < 0)
    return false;
  for (int64_t i = 0; i < mlirShapedTypeGetRank(block); ++i) {
    int64_t expected = i < dropped ? 1 : mlirShapedTypeGetDimSize(buffer, i - dropped);
    if (mlirShapedTypeGetDimSize(block, i) != expected)
      return false;
  }
  return true;
}

/* Verifies coordinates and buffer of a copy of one box. */
static MlirLogicalResult verify_box(MlirOperation op, MlirValue descriptor, intptr_t coordinates, MlirValue buffer) {
  MlirType block = block_of(descriptor);
  MlirType type = mlirValueGetType(buffer);
  const bool im2col = nereid_ttng_tensordesc_im2col_type_isa(mlirValueGetType(descriptor));
  if (coordinates < 1 || coordinates > rank_limit)
    return nereid_diagnose(op, "expects 1 to %d coordinates, got %d", (int)rank_limit, (int)coordinates);
  if (im2col && coordinates < im2col_rank)
    return nereid_diagnose(op, "expects %d to %d coordinates in im2col mode, got %d", (int)im2col_rank, (int)rank_limit,
                           (int)coordinates);
  if (!im2col && coordinates != mlirShapedTypeGetRank(block))
    return nereid_diagnose(op, "expects one coordinate for each of the %d dimensions of the descriptor's block, got %d",
                           (int)mlirShapedTypeGetRank(block), (int)coordinates);
  if (same_shape_but_leading_ones(block, type) &&
      same_element(mlirShapedTypeGetElementType(block), mlirShapedTypeGetElementType(type)))
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "expects a buffer with the shape and element type of the descriptor's block %s, got %s",
                         nereid_text_of_type(block).chars, nereid_text_of_type(type).chars);
}

static MlirLogicalResult verify_mutable(MlirOperation op, MlirValue buffer) {
  if (nereid_ttg_memdesc_type_get_mutable_memory(mlirValueGetType(buffer)))
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "writes to its result buffer and expects it to be mutable, got %s",
                         nereid_text_of_type(mlirValueGetType(buffer)).chars);
}

/* In im2col mode, offsets of all dimensions but the first and the last follow the coordinates. */
static MlirLogicalResult verify_offsets(MlirOperation op) {
  const intptr_t n = nereid_ttng_async_tma_copy_global_to_local_get_coord_count(op), rank = nereid_ttng_copy_rank(op);
  MlirType type = mlirValueGetType(nereid_ttng_async_tma_copy_global_to_local_get_desc(op));
  const intptr_t expected = nereid_ttng_tensordesc_im2col_type_isa(type) ? rank - 2 : 0;
  for (intptr_t i = rank; i < n; ++i)
    if (mlirIntegerTypeGetWidth(mlirValueGetType(nereid_ttng_async_tma_copy_global_to_local_get_coord(op, i))) != 16)
      return nereid_diagnose(op, "expects coordinates, i32, before offsets, i16");
  if (n - rank == expected)
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "expects %d offsets for %d coordinates and a descriptor of type %s, got %d", (int)expected,
                         (int)rank, nereid_text_of_type(type).chars, (int)(n - rank));
}

MlirLogicalResult nereid_ttng_async_tma_copy_global_to_local_verify(MlirOperation op) {
  MlirValue result = nereid_ttng_async_tma_copy_global_to_local_get_result(op);
  MlirValue barrier = nereid_ttng_async_tma_copy_global_to_local_get_barrier(op);
  if (mlirLogicalResultIsFailure(nereid_ttng_barrier_operand_verify(op, barrier)) ||
      mlirLogicalResultIsFailure(
          verify_box(op, nereid_ttng_async_tma_copy_global_to_local_get_desc(op), nereid_ttng_copy_rank(op), result)) ||
      mlirLogicalResultIsFailure(verify_offsets(op)) || mlirLogicalResultIsFailure(verify_mutable(op, result)))
    return mlirLogicalResultFailure();
  MlirAttribute encoding = nereid_ttg_memdesc_type_get_encoding(mlirValueGetType(result));
  if (nereid_ttg_nvmma_shared_attr_isa(encoding))
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "expects a result buffer with a #ttg.nvmma_shared encoding, got %s",
                         nereid_text_of_attribute(encoding).chars);
}

MlirLogicalResult nereid_ttng_async_tma_copy_local_to_global_verify(MlirOperation op) {
  return verify_box(op, nereid_ttng_async_tma_copy_local_to_global_get_desc(op),
                    nereid_ttng_async_tma_copy_local_to_global_get_coord_count(op),
                    nereid_ttng_async_tma_copy_local_to_global_get_src(op));
}

MlirLogicalResult nereid_ttng_async_tma_reduce_verify(MlirOperation op) {
  return verify_box(op, nereid_ttng_async_tma_reduce_get_desc(op), nereid_ttng_async_tma_reduce_get_coord_count(op),
                    nereid_ttng_async_tma_reduce_get_src(op));
}

static MlirLogicalResult verify_row_size(MlirOperation op, MlirType buffer) {
  MlirType element = mlirShapedTypeGetElementType(buffer);
  int64_t bits = mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element) : mlirFloatTypeGetWidth(element);
  if (bits > 32)
    return nereid_diagnose(op, "expects elements of at most 32 bits, got %s", nereid_text_of_type(element).chars);
  int64_t least = (int64_t)8 * gather_row_bytes / bits;
  if (mlirShapedTypeGetDimSize(buffer, 1) >= least)
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "expects rows of at least %d bytes, %d columns of %s, got %d columns",
                         (int)gather_row_bytes, (int)least, nereid_text_of_type(element).chars,
                         (int)mlirShapedTypeGetDimSize(buffer, 1));
}

/* Verifies the rows of `buffer`, one for each of `rows`, gathered from the matrix of `descriptor`. */
static MlirLogicalResult verify_rows(MlirOperation op, MlirValue descriptor, MlirValue rows, MlirValue buffer) {
  MlirType block = block_of(descriptor), type = mlirValueGetType(buffer), offsets = mlirValueGetType(rows);
  if (mlirShapedTypeGetRank(offsets) != 1)
    return nereid_diagnose(op, "expects row numbers in a tensor of one dimension, got %s",
                           nereid_text_of_type(offsets).chars);
  if (mlirShapedTypeGetRank(type) != 2 || mlirShapedTypeGetDimSize(type, 0) != mlirShapedTypeGetDimSize(offsets, 0))
    return nereid_diagnose(op, "expects a buffer of two dimensions with a row for each of the %d row numbers, got %s",
                           (int)mlirShapedTypeGetDimSize(offsets, 0), nereid_text_of_type(type).chars);
  if (mlirShapedTypeGetDimSize(type, 0) < gather_rows)
    return nereid_diagnose(op, "expects at least %d rows, got %d", (int)gather_rows,
                           (int)mlirShapedTypeGetDimSize(type, 0));
  if (mlirShapedTypeGetRank(block) != 2 || mlirShapedTypeGetDimSize(block, 1) != mlirShapedTypeGetDimSize(type, 1) ||
      !same_element(mlirShapedTypeGetElementType(block), mlirShapedTypeGetElementType(type)))
    return nereid_diagnose(op,
                           "expects a descriptor whose block has rows like those of the buffer, got %s for rows of %s",
                           nereid_text_of_type(block).chars, nereid_text_of_type(type).chars);
  return verify_row_size(op, type);
}

MlirLogicalResult nereid_ttng_async_tma_gather_verify(MlirOperation op) {
  MlirValue result = nereid_ttng_async_tma_gather_get_result(op);
  MlirValue barrier = nereid_ttng_async_tma_gather_get_barrier(op);
  if (mlirLogicalResultIsFailure(nereid_ttng_barrier_operand_verify(op, barrier)) ||
      mlirLogicalResultIsFailure(verify_mutable(op, result)))
    return mlirLogicalResultFailure();
  return verify_rows(op, nereid_ttng_async_tma_gather_get_desc(op), nereid_ttng_async_tma_gather_get_x_offsets(op),
                     result);
}

MlirLogicalResult nereid_ttng_async_tma_scatter_verify(MlirOperation op) {
  return verify_rows(op, nereid_ttng_async_tma_scatter_get_desc(op), nereid_ttng_async_tma_scatter_get_x_offsets(op),
                     nereid_ttng_async_tma_scatter_get_src(op));
}

MlirLogicalResult nereid_ttng_async_tma_store_wait_verify(MlirOperation op) {
  int32_t pendings = nereid_ttng_async_tma_store_wait_get_pendings(op);
  if (nereid_ttng_async_tma_store_wait_get_writes(op) && nereid_ttng_async_tma_store_wait_get_read_only(op))
    return nereid_diagnose(op, "waits for writes and for reads only: expects writes or read_only");
  if (pendings >= 0)
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "expects a number of pending stores, at least 0, got %d", pendings);
}

static MlirLogicalResult verify_list(MlirOperation op, const char *what, intptr_t count, intptr_t expected) {
  if (count == expected)
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "expects %d values of %s, got %d", (int)expected, what, (int)count);
}

MlirLogicalResult nereid_ttng_tensormap_create_verify(MlirOperation op) {
  intptr_t rank = nereid_ttng_tensormap_create_get_box_dim_count(op);
  if (rank < 1 || rank > rank_limit)
    return nereid_diagnose(op, "expects a box of 1 to %d dimensions, got %d", (int)rank_limit, (int)rank);
  if (mlirLogicalResultIsFailure(
          verify_list(op, "global_dim", nereid_ttng_tensormap_create_get_global_dim_count(op), rank)) ||
      mlirLogicalResultIsFailure(
          verify_list(op, "global_stride", nereid_ttng_tensormap_create_get_global_stride_count(op), rank - 1)))
    return mlirLogicalResultFailure();
  return verify_list(op, "element_stride", nereid_ttng_tensormap_create_get_element_stride_count(op), rank);
}
