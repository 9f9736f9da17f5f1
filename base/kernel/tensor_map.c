/* The emulator's encoding of a tensor map: a tag, the fields with dimensions from the innermost, a checksum.
 *
 *   byte   0  8   "NEREIDTM"
 *          8  4   version, 1
 *         12  1   element type                       13  1   rank
 *         14  1   swizzle in bytes                   15  1   1: NaN outside the tensor
 *         16  8   address
 *         24 40   five extents in elements, innermost first
 *         64 32   four strides in bytes, of dimension 1 and up
 *         96 10   five box extents in elements, innermost first
 *        106  5   five steps in the box, 0 for 1
 *        111  1   interleave                         112  1   1: im2col
 *        113  6   im2col: three lower, three upper corners; of rank 3 one each, 16 bits
 *        119  1   zero
 *        120  8   FNV-1a over bytes 0 to 119
 *
 * Little endian. The hardware's encoding is not documented, so the emulator cannot read it. Tag and checksum
 * distinguish a descriptor from 128 other bytes that a kernel received by mistake. */
#include "base/kernel/tensor_map.h"

#include <inttypes.h>
#include <string.h>

enum { VERSION = 1, CHECKED = 120, RANK = NEREID_TENSOR_MAP_RANK, INTERLEAVE_32 = 2 };

static const char tag[8] = {'N', 'E', 'R', 'E', 'I', 'D', 'T', 'M'};

uint32_t nereid_tensor_map_element_bits(unsigned element) {
  static const uint8_t bits[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4};
  _Static_assert(sizeof bits == NEREID_TENSOR_MAP_ELEMENTS, "a size per type");
  return element < sizeof bits ? bits[element] : 0;
}

static void put(uint8_t *at, size_t size, uint64_t value) {
  for (size_t i = 0; i < size; ++i)
    at[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t *at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i)
    value |= (uint64_t)at[i] << (8 * i);
  return value;
}

static uint64_t checksum(const uint8_t *bytes) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < CHECKED; ++i)
    hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

void nereid_tensor_map_write(const nereid_tensor_map_t *map, uint8_t bytes[NEREID_TENSOR_MAP_BYTES]) {
  memset(bytes, 0, NEREID_TENSOR_MAP_BYTES);
  memcpy(bytes, tag, sizeof tag);
  put(bytes + 8, 4, VERSION);
  bytes[12] = map->element;
  bytes[13] = map->rank;
  bytes[14] = map->swizzle;
  bytes[15] = map->nan_padding;
  put(bytes + 16, 8, map->address);
  for (size_t i = 0; i < RANK; ++i) {
    put(bytes + 24 + i * 8, 8, map->shape[i]);
    put(bytes + 96 + i * 2, 2, map->box[i]);
    if (i > 0)
      put(bytes + 64 + (i - 1) * 8, 8, map->strides[i - 1]);
    bytes[106 + i] = map->steps[i] == 1 ? 0 : map->steps[i];
  }
  bytes[111] = map->interleave;
  bytes[112] = map->im2col;
  size_t corner = map->rank <= 3 ? 2 : 1;
  for (size_t i = 0; i < 3 / corner; ++i) {
    put(bytes + 113 + i, corner, (uint64_t)map->lower[i]);
    put(bytes + 116 + i, corner, (uint64_t)map->upper[i]);
  }
  put(bytes + CHECKED, 8, checksum(bytes));
}

bool nereid_tensor_map_read(const void *memory, nereid_tensor_map_t *out_map) {
  const uint8_t *bytes = memory;
  if (memcmp(bytes, tag, sizeof tag) != 0 || get(bytes + 8, 4) != VERSION || get(bytes + CHECKED, 8) != checksum(bytes))
    return false;
  *out_map = (nereid_tensor_map_t){.address = get(bytes + 16, 8),
                                   .element = bytes[12],
                                   .rank = bytes[13],
                                   .swizzle = bytes[14],
                                   .nan_padding = bytes[15] != 0,
                                   .interleave = bytes[111],
                                   .im2col = bytes[112] != 0};
  for (size_t i = 0; i < RANK; ++i) {
    out_map->shape[i] = get(bytes + 24 + i * 8, 8);
    out_map->box[i] = (uint32_t)get(bytes + 96 + i * 2, 2);
    if (i > 0)
      out_map->strides[i - 1] = get(bytes + 64 + (i - 1) * 8, 8);
    out_map->steps[i] = bytes[106 + i] ? bytes[106 + i] : 1;
  }
  size_t corner = out_map->rank <= 3 ? 2 : 1;
  for (size_t i = 0; i < 3 / corner; ++i) {
    uint64_t lower = get(bytes + 113 + i, corner), upper = get(bytes + 116 + i, corner);
    out_map->lower[i] = (int16_t)(corner == 2 ? (int16_t)lower : (int8_t)lower);
    out_map->upper[i] = (int16_t)(corner == 2 ? (int16_t)upper : (int8_t)upper);
  }
  return out_map->rank <= RANK;
}

#define REFUSE(...) nereid_message_set(message, NEREID_ERROR_ARGUMENT, __VA_ARGS__)

static bool is_float(unsigned element) {
  return element >= NEREID_TENSOR_MAP_F16 && element <= NEREID_TENSOR_MAP_TF32_FTZ;
}

static nereid_status_t check_type(const nereid_tensor_map_t *map, nereid_message_t *message) {
  if (nereid_tensor_map_element_bits(map->element) == 0)
    return REFUSE("tensor map: %d is not an element type", (int)map->element);
  if (map->rank < 1 || map->rank > RANK)
    return REFUSE("tensor map: the rank must be 1 to 5, not %d", (int)map->rank);
  if (map->swizzle && map->swizzle != 32 && map->swizzle != 64 && map->swizzle != 128)
    return REFUSE("tensor map: the swizzle must be 0, 32, 64 or 128 bytes, not %d", (int)map->swizzle);
  if (map->interleave > INTERLEAVE_32)
    return REFUSE("tensor map: the interleave must be 0, 16 or 32 bytes, not number %d", (int)map->interleave);
  if (map->interleave && map->rank < 3)
    return REFUSE("tensor map: an interleaved layout requires a rank of 3 to 5, not %d", (int)map->rank);
  if (map->interleave && map->element == NEREID_TENSOR_MAP_U4_PADDED)
    return REFUSE("tensor map: padded 4-bit elements cannot be interleaved");
  if (map->interleave == INTERLEAVE_32 && map->swizzle != 32)
    return REFUSE("tensor map: an interleave of 32 bytes requires a swizzle of 32 bytes, not %d", (int)map->swizzle);
  if (map->im2col && map->rank < 3)
    return REFUSE("tensor map: im2col requires a rank of 3 to 5, not %d", (int)map->rank);
  if (map->nan_padding && !is_float(map->element))
    return REFUSE("tensor map: NaN padding requires a float element type");
  if (map->element == NEREID_TENSOR_MAP_U4_PADDED && map->swizzle && map->swizzle != 128)
    return REFUSE("tensor map: padded 4-bit elements require a swizzle of 0 or 128 bytes, not %d", (int)map->swizzle);
  return NEREID_OK;
}

static nereid_status_t check_tensor(const nereid_tensor_map_t *map, nereid_message_t *message) {
  bool padded = map->element == NEREID_TENSOR_MAP_U4_PADDED;
  uint64_t align = padded || map->interleave == INTERLEAVE_32 ? 32 : 16;
  uint32_t bits = nereid_tensor_map_element_bits(map->element);
  if (map->address == 0 || map->address % align)
    return REFUSE("tensor map: the address must be a multiple of %d bytes, not 0x%" PRIx64, (int)align, map->address);
  for (int i = map->rank - 1; i >= 0; --i)
    if (map->shape[i] == 0 || map->shape[i] > UINT64_C(1) << 32)
      return REFUSE("tensor map: the extent of dimension %d must be 1 to 2^32, not %" PRIu64, map->rank - 1 - i,
                    map->shape[i]);
  for (int i = map->rank - 1; i > 0; --i)
    if (map->strides[i - 1] % align || map->strides[i - 1] >= UINT64_C(1) << 40)
      return REFUSE("tensor map: the stride of dimension %d must be a multiple of %d bytes below 2^40, not %" PRIu64,
                    map->rank - 1 - i, (int)align, map->strides[i - 1]);
  if (bits == 4 && map->shape[0] % (padded ? 128 : 2))
    return REFUSE("tensor map: the innermost extent of 4-bit elements must be a multiple of %d, not %" PRIu64,
                  padded ? 128 : 2, map->shape[0]);
  return NEREID_OK;
}

/* im2col: `box` contains channels and pixels, up to 256 and 1024. */
static nereid_status_t check_box(const nereid_tensor_map_t *map, nereid_message_t *message) {
  uint32_t bits = nereid_tensor_map_element_bits(map->element);
  bool padded = map->element == NEREID_TENSOR_MAP_U4_PADDED;
  for (int i = (map->im2col ? 2 : map->rank) - 1; i >= 0; --i) {
    uint32_t most = map->im2col && i == 1 ? 1024 : 256;
    if (map->box[i] == 0 || map->box[i] > most)
      return REFUSE("tensor map: the box of dimension %d must be 1 to %" PRIu32 " elements, not %" PRIu32,
                    map->rank - 1 - i, most, map->box[i]);
  }
  for (int i = 0; i < map->rank; ++i)
    if (map->steps[i] > 8)
      return REFUSE("tensor map: the element stride of dimension %d must be 1 to 8, not %d", map->rank - 1 - i,
                    (int)map->steps[i]);
  if (padded && map->box[0] != 128)
    return REFUSE("tensor map: the innermost box of padded 4-bit elements must be 128, not %" PRIu32, map->box[0]);
  if (map->interleave)
    return NEREID_OK;
  uint32_t row = map->box[0] * (padded ? 8 : bits) / 8; /* bytes in shared memory */
  if (row % 16 || map->box[0] * bits % 8)
    return REFUSE("tensor map: a row of the box must be a multiple of 16 bytes, not %" PRIu32, row);
  if (map->swizzle && row > map->swizzle)
    return REFUSE("tensor map: a row of the box must fit the swizzle of %d bytes, not be %" PRIu32 " bytes",
                  (int)map->swizzle, row);
  return NEREID_OK;
}

nereid_status_t nereid_tensor_map_validate(const nereid_tensor_map_t *map, nereid_message_t *message) {
  nereid_status_t status = check_type(map, message);
  if (!status)
    status = check_tensor(map, message);
  return status ? status : check_box(map, message);
}
