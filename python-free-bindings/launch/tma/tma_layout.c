/* Converts a request to the tensor map that the emulator reads (base/kernel/tensor_map.h), and back. Requests count
 * dimensions from the outermost; maps count from the innermost and have no stride for that one. */
#include "python-free-bindings/launch/tma/tma_layout.h"

#include <string.h>

uint32_t nereid_tma_element_bits(nereid_tma_element_t element) {
  return nereid_tensor_map_element_bits((unsigned)element);
}

void nereid_tma_map_of(const nereid_tma_request_t *request, nereid_tensor_map_t *out_map) {
  *out_map = (nereid_tensor_map_t){.address = request->address,
                                   .element = (uint8_t)request->element,
                                   .rank = (uint8_t)request->rank,
                                   .swizzle = (uint8_t)request->swizzle,
                                   .interleave = (uint8_t)(request->interleave / 16),
                                   .nan_padding = request->nan_padding};
  for (uint32_t i = 0; i < request->rank; ++i) {
    uint32_t from = request->rank - 1 - i;
    out_map->shape[i] = request->shape[from];
    out_map->box[i] = request->box[from];
    out_map->steps[i] = request->steps[from] ? (uint8_t)request->steps[from] : 1;
    if (i > 0)
      out_map->strides[i - 1] = request->strides[from];
  }
}

bool nereid_tma_decode(const void *memory, nereid_tma_request_t *out_request) {
  nereid_tensor_map_t map;
  if (!nereid_tensor_map_read(memory, &map) || map.rank < 1)
    return false;
  *out_request = (nereid_tma_request_t){.address = map.address,
                                        .element = (nereid_tma_element_t)map.element,
                                        .rank = map.rank,
                                        .swizzle = map.swizzle,
                                        .interleave = map.interleave * 16U,
                                        .nan_padding = map.nan_padding};
  for (uint32_t i = 0; i < out_request->rank; ++i) {
    uint32_t to = out_request->rank - 1 - i;
    out_request->shape[to] = map.shape[i];
    out_request->box[to] = map.box[i];
    out_request->steps[to] = map.steps[i] == 1 ? 0 : map.steps[i];
    out_request->strides[to] = i ? map.strides[i - 1] : nereid_tma_element_bits(out_request->element) / 8;
  }
  return true;
}
