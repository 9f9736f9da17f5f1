/* Requests for tensor maps from tensors, tiles and blocks.
 *
 *   tensor   f16, shape 1000x512, strides 512 and 1 elements      tile   block 128x128, swizzle 128 bytes
 *   request  f16, shape 1000x512, strides 1024 and 2 bytes, box 128x64
 *
 * A tensor map describes one transfer. A tile that is wider than a transfer can be is divided along its rows, so the
 * box depends on the element type and on the swizzle (docs/abi.md). */
#include "nereid/tma.h"

#include <inttypes.h>

#define REFUSE(...) nereid_message_set(message, NEREID_ERROR_ARGUMENT, __VA_ARGS__)

enum { MAX_BOX = 256 /* elements of a dimension */ };

bool nereid_tma_element_of(nereid_element_t element, nereid_tma_element_t *out_element) {
  static const struct {
    nereid_element_t from;
    nereid_tma_element_t to;
  } rows[] = {{NEREID_ELEMENT_I8, NEREID_TMA_U8},       {NEREID_ELEMENT_I16, NEREID_TMA_U16},
              {NEREID_ELEMENT_I32, NEREID_TMA_U32},     {NEREID_ELEMENT_I64, NEREID_TMA_U64},
              {NEREID_ELEMENT_F16, NEREID_TMA_F16},     {NEREID_ELEMENT_BF16, NEREID_TMA_BF16},
              {NEREID_ELEMENT_F32, NEREID_TMA_F32},     {NEREID_ELEMENT_F64, NEREID_TMA_F64},
              {NEREID_ELEMENT_F8E4M3FN, NEREID_TMA_U8}, {NEREID_ELEMENT_F8E5M2, NEREID_TMA_U8}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (rows[i].from == element) {
      *out_element = rows[i].to;
      return true;
    }
  return false;
}

uint32_t nereid_tma_swizzle_of(uint64_t row_bytes) {
  for (uint32_t swizzle = 128; swizzle >= 32; swizzle /= 2)
    if (row_bytes >= swizzle && row_bytes % swizzle == 0)
      return swizzle;
  return 0;
}

void nereid_tma_box_of(uint32_t rank, const int32_t *block, uint32_t element_bits, uint32_t swizzle, bool fp4_padded,
                       uint32_t *out_box) {
  for (uint32_t i = 0; i < rank; ++i) {
    uint32_t extent = (uint32_t)block[i] * (fp4_padded && i + 1 == rank ? 2 : 1);
    out_box[i] = extent < MAX_BOX ? extent : MAX_BOX;
  }
  const uint32_t bits = fp4_padded ? 8 : element_bits; /* bits of an element in shared memory */
  uint32_t across = bits ? 8 * swizzle / bits : 0;
  if (rank && swizzle && across)
    out_box[rank - 1] = across;
}

nereid_status_t nereid_tensor_strides(const nereid_tensor_t *tensor, uint64_t out_strides[NEREID_TMA_RANK],
                                      nereid_message_t *message) {
  uint64_t stride = 1;
  if (tensor->rank < 1 || tensor->rank > NEREID_TMA_RANK)
    return REFUSE("tensor: the rank must be 1 to 5, not %" PRIu32, tensor->rank);
  const bool contiguous = tensor->strides[tensor->rank - 1] == 0;
  for (uint32_t i = tensor->rank; i-- > 0;) {
    if (contiguous && tensor->strides[i])
      return REFUSE("tensor: the stride of dimension %" PRIu32 " is %" PRIu64
                    ", but that of the innermost is 0; expected all strides, or none for a contiguous tensor",
                    i, tensor->strides[i]);
    out_strides[i] = contiguous ? stride : tensor->strides[i];
    if (contiguous && i && __builtin_mul_overflow(stride, tensor->shape[i], &stride))
      return REFUSE("tensor: its size exceeds 2^64 elements");
  }
  return NEREID_OK;
}

/* Padded 4-bit floats are pairs in the bytes of the tensor; the map counts single ones. */
static nereid_status_t copy_tensor(const nereid_tensor_t *tensor, bool fp4_padded, nereid_tma_request_t *out_request,
                                   nereid_message_t *message) {
  const uint64_t size = nereid_element_size(tensor->element);
  if (!nereid_tma_element_of(tensor->element, &out_request->element))
    return REFUSE("tensor maps do not support elements of type %s", nereid_element_name(tensor->element));
  if (fp4_padded)
    out_request->element = NEREID_TMA_U4_PADDED;
  nereid_status_t status = nereid_tensor_strides(tensor, out_request->strides, message);
  for (uint32_t i = 0; !status && i < tensor->rank; ++i) {
    out_request->shape[i] = tensor->shape[i] << (fp4_padded && i + 1 == tensor->rank);
    if (__builtin_mul_overflow(out_request->strides[i], size, &out_request->strides[i]))
      return REFUSE("tensor: the stride of dimension %" PRIu32 " exceeds 2^64 bytes", i);
  }
  return status;
}

nereid_status_t nereid_tma_request_of_tile(const nereid_tensor_t *tensor, const nereid_tma_tile_t *tile,
                                           nereid_tma_request_t *out_request, nereid_message_t *message) {
  *out_request = (nereid_tma_request_t){.address = tensor->address, .rank = tensor->rank};
  if (tensor->rank < 1 || tensor->rank > NEREID_TMA_RANK)
    return REFUSE("tensor: the rank must be 1 to 5, not %" PRIu32, tensor->rank);
  if (tensor->rank != tile->rank)
    return REFUSE("tensor: the rank is %" PRIu32 ", but that of the kernel's tile is %" PRIu32, tensor->rank,
                  tile->rank);
  for (uint32_t i = 0; i < tile->rank; ++i)
    if (tile->block[i] < 1)
      return REFUSE("tensor map: the block of dimension %" PRIu32 " must be at least 1 element, not %" PRId32, i,
                    tile->block[i]);
  nereid_status_t status = copy_tensor(tensor, tile->fp4_padded, out_request, message);
  if (status)
    return status;
  const uint32_t bits = nereid_tma_element_bits(out_request->element);
  const uint64_t row = (uint64_t)tile->block[tile->rank - 1] * (tile->fp4_padded ? 16 : bits) / 8;
  out_request->swizzle = tile->swizzle < 0 ? nereid_tma_swizzle_of(row) : (uint32_t)tile->swizzle;
  out_request->nan_padding = tensor->padding ? tensor->padding == NEREID_PADDING_NAN : tile->nan_padding;
  nereid_tma_box_of(tile->rank, tile->block, bits, out_request->swizzle, tile->fp4_padded, out_request->box);
  return NEREID_OK;
}

nereid_tma_request_t nereid_tma_request_1d(uint64_t address, nereid_tma_element_t element, uint64_t extent,
                                           uint32_t block) {
  return (nereid_tma_request_t){.address = address,
                                .element = element,
                                .rank = 1,
                                .shape = {extent},
                                .strides = {nereid_tma_element_bits(element) / 8},
                                .box = {block}};
}

nereid_tma_request_t nereid_tma_request_2d(uint64_t address, nereid_tma_element_t element, uint64_t rows,
                                           uint64_t columns, uint32_t block_rows, uint32_t block_columns) {
  const uint32_t bits = nereid_tma_element_bits(element);
  const uint32_t swizzle = nereid_tma_swizzle_of((uint64_t)block_columns * bits / 8);
  nereid_tma_request_t request = {.address = address,
                                  .element = element,
                                  .rank = 2,
                                  .shape = {rows, columns},
                                  .strides = {columns * bits / 8, bits / 8},
                                  .box = {block_rows, block_columns},
                                  .swizzle = swizzle};
  if (swizzle && bits)
    request.box[1] = swizzle * 8 / bits;
  return request;
}
