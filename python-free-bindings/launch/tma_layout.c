/* The emulator's encoding of a tensor map: a tag, the request with dimensions from the innermost, a checksum.
 *
 *   byte   0  8   "NEREIDTM"
 *          8  4   version, 1
 *         12  1   element (nereid_tma_element_t)     13  1   rank
 *         14  1   swizzle in bytes                   15  1   1: NaN outside the tensor
 *         16  8   address
 *         24 40   five extents in elements, innermost first
 *         64 32   four strides in bytes, of dimension 1 and up
 *         96 10   five box extents in elements, innermost first
 *        106 14   zero
 *        120  8   FNV-1a over bytes 0 to 119
 *
 * Little endian. What a real tensor map holds is not documented, so an emulator cannot read one, and a kernel that was
 * given the wrong 128 bytes must be told from one that was given a descriptor: hence tag and checksum. */
#include "python-free-bindings/launch/tma_layout.h"

#include <string.h>

enum { VERSION = 1, CHECKED = 120 };

static const char tag[8] = {'N', 'E', 'R', 'E', 'I', 'D', 'T', 'M'};

uint32_t nereid_tma_element_bits(nereid_tma_element_t element) {
  static const uint8_t bits[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4};
  return (size_t)element < sizeof bits ? bits[element] : 0;
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

void nereid_tma_layout_write(const nereid_tma_request_t *request, uint8_t bytes[128]) {
  memset(bytes, 0, 128);
  memcpy(bytes, tag, sizeof tag);
  put(bytes + 8, 4, VERSION);
  bytes[12] = (uint8_t)request->element;
  bytes[13] = (uint8_t)request->rank;
  bytes[14] = (uint8_t)request->swizzle;
  bytes[15] = request->nan_padding;
  put(bytes + 16, 8, request->address);
  for (uint32_t i = 0; i < request->rank; ++i) {
    uint32_t from = request->rank - 1 - i;
    put(bytes + 24 + (size_t)i * 8, 8, request->shape[from]);
    put(bytes + 96 + (size_t)i * 2, 2, request->box[from]);
    if (i > 0)
      put(bytes + 64 + (size_t)(i - 1) * 8, 8, request->strides[from]);
  }
  put(bytes + CHECKED, 8, checksum(bytes));
}

bool nereid_tma_decode(const void *memory, nereid_tma_request_t *out_request) {
  const uint8_t *bytes = memory;
  if (memcmp(bytes, tag, sizeof tag) != 0 || get(bytes + 8, 4) != VERSION || get(bytes + CHECKED, 8) != checksum(bytes))
    return false;
  *out_request = (nereid_tma_request_t){.address = get(bytes + 16, 8),
                                        .element = (nereid_tma_element_t)bytes[12],
                                        .rank = bytes[13],
                                        .swizzle = bytes[14],
                                        .nan_padding = bytes[15] != 0};
  if (out_request->rank < 1 || out_request->rank > NEREID_TMA_RANK)
    return false;
  for (uint32_t i = 0; i < out_request->rank; ++i) {
    uint32_t to = out_request->rank - 1 - i;
    out_request->shape[to] = get(bytes + 24 + (size_t)i * 8, 8);
    out_request->box[to] = (uint32_t)get(bytes + 96 + (size_t)i * 2, 2);
    out_request->strides[to] =
        i ? get(bytes + 64 + (size_t)(i - 1) * 8, 8) : nereid_tma_element_bits(out_request->element) / 8;
  }
  return true;
}
