/* Verifiers of tensor descriptors and their accesses: the block type determines the loaded and stored types.
 *
 *   !tt.tensordesc<tensor<1x64x64xsi8>>   descriptor_load may return tensor<1x64x64xi8> or tensor<64x64xi8>
 *
 * Gathers and scatters have the limits of TMA: rows of at least 8 * 32 / bits elements, at least 8 rows. */
#include "bindings/tt_hooks.h"
#include "dialects/diagnose.h"
#include "dialects/tt/tensor.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinTypes.h>

#include <string.h>

MlirLogicalResult nereid_tt_tensordesc_type_verify(nereid_error_sink_t sink, MlirType block_type) {
  if (mlirTypeIsARankedTensor(block_type))
    return mlirLogicalResultSuccess();
  nereidMlirErrorEmit(sink,
                      mlirStringRefCreateFromCString("!tt.tensordesc expects a ranked tensor, the type of a block"));
  return mlirLogicalResultFailure();
}

/* Returns the tensor type of a loaded block: signed and unsigned integers become signless. */
static nereid_tt_tensor_t block_of(MlirValue descriptor) {
  nereid_tt_tensor_t block;
  nereid_tt_tensor_read(nereid_tt_tensordesc_type_get_block_type(mlirValueGetType(descriptor)), &block);
  if (!mlirTypeIsNull(block.element) && mlirTypeIsAInteger(block.element))
    block.element = mlirIntegerTypeGet(mlirTypeGetContext(block.element), mlirIntegerTypeGetWidth(block.element));
  return block;
}

MlirLogicalResult nereid_tt_make_tensor_descriptor_verify(MlirOperation op) {
  MlirType pointer = mlirValueGetType(nereid_tt_make_tensor_descriptor_get_base(op));
  nereid_tt_tensor_t block = block_of(nereid_tt_make_tensor_descriptor_get_result(op));
  MlirType pointee = nereid_tt_ptr_type_get_pointee_type(pointer);
  intptr_t given = nereid_tt_make_tensor_descriptor_get_shape_count(op);
  if (given != block.rank)
    return nereid_diagnose(op, "expects %ld sizes and strides, one per dimension of the block, got %ld",
                           (long)block.rank, (long)given);
  if (!mlirTypeEqual(pointee, block.element))
    return nereid_diagnose(op, "expects the base to point to the block's elements, %s, got %s",
                           nereid_text_of_type(block.element).chars, nereid_text_of_type(pointee).chars);
  return mlirLogicalResultSuccess();
}

/* Verifies that `tensor` is the block, or the block without leading dimensions of size 1. */
static MlirLogicalResult verify_access(MlirOperation op, MlirValue descriptor, MlirValue tensor, intptr_t indices) {
  nereid_tt_tensor_t block = block_of(descriptor), accessed = nereid_tt_tensor_of(tensor);
  if (indices != block.rank)
    return nereid_diagnose(op, "expects %ld indices, one per dimension of the block, got %ld", (long)block.rank,
                           (long)indices);
  intptr_t dropped = block.rank > accessed.rank ? block.rank - accessed.rank : 0;
  for (intptr_t i = 0; i < dropped; i++)
    if (block.shape[i] != 1)
      return nereid_diagnose(op, "expects only leading dimensions of size 1 to be missing, got a block of %ld at %ld",
                             (long)block.shape[i], (long)i);
  bool same = block.rank - dropped == accessed.rank &&
              memcmp(block.shape + dropped, accessed.shape, (size_t)accessed.rank * sizeof *accessed.shape) == 0;
  if (same && mlirTypeEqual(block.element, accessed.element))
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "expects a tensor of the descriptor's block type, %s, got %s",
                         nereid_text_of_type(nereid_tt_tensor_type(&block)).chars,
                         nereid_text_of_type(mlirValueGetType(tensor)).chars);
}

MlirLogicalResult nereid_tt_descriptor_load_verify(MlirOperation op) {
  return verify_access(op, nereid_tt_descriptor_load_get_desc(op), nereid_tt_descriptor_load_get_result(op),
                       nereid_tt_descriptor_load_get_indices_count(op));
}

MlirLogicalResult nereid_tt_descriptor_store_verify(MlirOperation op) {
  return verify_access(op, nereid_tt_descriptor_store_get_desc(op), nereid_tt_descriptor_store_get_src(op),
                       nereid_tt_descriptor_store_get_indices_count(op));
}

MlirLogicalResult nereid_tt_descriptor_reduce_verify(MlirOperation op) {
  return verify_access(op, nereid_tt_descriptor_reduce_get_desc(op), nereid_tt_descriptor_reduce_get_src(op),
                       nereid_tt_descriptor_reduce_get_indices_count(op));
}

/* --- rows by index --- */

static MlirLogicalResult verify_block_is_row(MlirOperation op, const nereid_tt_tensor_t *block) {
  if (block->rank != 2 || block->shape[0] != 1)
    return nereid_diagnose(op, "expects a descriptor whose block is one row, got %s",
                           nereid_text_of_type(nereid_tt_tensor_type(block)).chars);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult verify_rows_fit_tma(MlirOperation op, const nereid_tt_tensor_t *rows) {
  unsigned bits = nereid_tt_bit_width(rows->element);
  if (bits == 0 || bits > 32)
    return nereid_diagnose(op, "expects elements of at most 32 bits, got %s", nereid_text_of_type(rows->element).chars);
  if (rows->shape[0] < 8)
    return nereid_diagnose(op, "expects at least 8 rows, got %ld", (long)rows->shape[0]);
  unsigned columns = 32 / bits * 8;
  if (rows->shape[1] < columns)
    return nereid_diagnose(op, "expects rows of %s to have at least %u columns, got %ld",
                           nereid_text_of_type(rows->element).chars, columns, (long)rows->shape[1]);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult verify_rows(MlirOperation op, MlirValue descriptor, MlirValue tensor, MlirValue offsets) {
  nereid_tt_tensor_t block = block_of(descriptor), rows = nereid_tt_tensor_of(tensor);
  nereid_tt_tensor_t indices = nereid_tt_tensor_of(offsets);
  if (mlirLogicalResultIsFailure(verify_block_is_row(op, &block)))
    return mlirLogicalResultFailure();
  if (indices.rank != 1)
    return nereid_diagnose(op, "expects row indices of 1 dimension, got %s",
                           nereid_text_of_type(mlirValueGetType(offsets)).chars);
  if (rows.rank != 2)
    return nereid_diagnose(op, "expects a tensor of 2 dimensions, got %s",
                           nereid_text_of_type(mlirValueGetType(tensor)).chars);
  if (mlirLogicalResultIsFailure(verify_rows_fit_tma(op, &rows)))
    return mlirLogicalResultFailure();
  if (rows.shape[0] != indices.shape[0])
    return nereid_diagnose(op, "expects as many rows as indices, %ld, got %ld", (long)indices.shape[0],
                           (long)rows.shape[0]);
  if (rows.shape[1] != block.shape[1])
    return nereid_diagnose(op, "expects as many columns as the block, %ld, got %ld", (long)block.shape[1],
                           (long)rows.shape[1]);
  if (!mlirTypeEqual(rows.element, block.element))
    return nereid_diagnose(op, "expects elements of the block's type, %s, got %s",
                           nereid_text_of_type(block.element).chars, nereid_text_of_type(rows.element).chars);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_descriptor_gather_verify(MlirOperation op) {
  return verify_rows(op, nereid_tt_descriptor_gather_get_desc(op), nereid_tt_descriptor_gather_get_result(op),
                     nereid_tt_descriptor_gather_get_x_offsets(op));
}

MlirLogicalResult nereid_tt_descriptor_scatter_verify(MlirOperation op) {
  return verify_rows(op, nereid_tt_descriptor_scatter_get_desc(op), nereid_tt_descriptor_scatter_get_src(op),
                     nereid_tt_descriptor_scatter_get_x_offsets(op));
}
