/* Validates and encodes tensor maps.
 *
 * The rules are those of cuTensorMapEncodeTiled (CUDA driver API). The driver reports every violation as "invalid
 * value"; here each message has the rule and the number. */
#include "python-free-bindings/launch/tma/tma_layout.h"

#include "python-free-bindings/launch/driver.h"

#include <assert.h>
#include <inttypes.h>

#define REFUSE(...) nereid_message_set(message, NEREID_ERROR_ARGUMENT, __VA_ARGS__)

nereid_status_t nereid_tma_validate(const nereid_tma_request_t *request, nereid_message_t *message) {
  nereid_tensor_map_t map;
  uint32_t bits = nereid_tma_element_bits(request->element);
  if (request->rank < 1 || request->rank > NEREID_TMA_RANK)
    return REFUSE("tensor map: the rank must be 1 to 5, not %" PRIu32, request->rank);
  if (request->swizzle > 128)
    return REFUSE("tensor map: the swizzle must be 0, 32, 64 or 128 bytes, not %" PRIu32, request->swizzle);
  if (request->interleave != 0 && request->interleave != 16 && request->interleave != 32)
    return REFUSE("tensor map: the interleave must be 0, 16 or 32 bytes, not %" PRIu32, request->interleave);
  if ((unsigned)request->promotion > NEREID_TMA_PROMOTE_NONE)
    return REFUSE("tensor map: %d is not an L2 promotion", (int)request->promotion);
  for (uint32_t i = 0; i < request->rank; ++i)
    if (request->steps[i] > 8)
      return REFUSE("tensor map: the step of dimension %" PRIu32 " must be 1 to 8, not %" PRIu32, i, request->steps[i]);
  nereid_tma_map_of(request, &map);
  nereid_status_t status = nereid_tensor_map_validate(&map, message);
  uint64_t inner = request->strides[request->rank - 1];
  if (!status && bits >= 8 && inner != bits / 8)
    return REFUSE("tensor map: the innermost dimension must be contiguous (stride %" PRIu32 " bytes, not %" PRIu64 ")",
                  bits / 8, inner);
  return status;
}

/* Encodes with the driver, which counts dimensions from the innermost and takes no stride for that one.
 * CUtensorMapL2promotion counts from none (0) to 256 bytes (3). */
static nereid_status_t encode_driver(struct nereid_device *device, const nereid_tma_request_t *request,
                                     nereid_tma_descriptor_t *out_descriptor, nereid_message_t *message) {
  uint64_t shape[NEREID_TMA_RANK], strides[NEREID_TMA_RANK] = {0};
  uint32_t box[NEREID_TMA_RANK], steps[NEREID_TMA_RANK];
  int swizzle = request->swizzle == 128 ? 3 : (int)(request->swizzle / 32);
  int interleave = (int)(request->interleave / 16), promotion = 3 - (int)request->promotion;
  bool pushed;
  assert(request->rank <= NEREID_TMA_RANK);
  if (!device)
    return REFUSE("tensor map: encoding for a GPU requires a device");
  const nereid_driver_t *driver = device->driver;
  if (!driver->tensor_map_encode_tiled)
    return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED,
                              "the CUDA driver does not support tensor maps; expected a driver for CUDA 12.0 or later");
  for (uint32_t i = 0; i < request->rank; ++i) {
    uint32_t from = request->rank - 1 - i;
    shape[i] = request->shape[from];
    box[i] = request->box[from];
    steps[i] = request->steps[from] ? request->steps[from] : 1;
    if (i > 0)
      strides[i - 1] = request->strides[from];
  }
  if (nereid_device_is_foreign(device, request->address))
    return REFUSE("tensor map: the address 0x%" PRIx64 " is memory of another device", request->address);
  nereid_status_t status = nereid_device_enter(device, &pushed, message);
  if (status)
    return status;
  void *address = (void *)(uintptr_t)request->address;
  nereid_cu_result_t result =
      driver->tensor_map_encode_tiled(out_descriptor->bytes, (int)request->element, request->rank, address, shape,
                                      strides, box, steps, interleave, swizzle, promotion, request->nan_padding);
  nereid_device_leave(device, pushed);
  return nereid_driver_check(driver, result, "encoding a tensor map", message);
}

nereid_status_t nereid_tma_encode(nereid_tma_backend_t backend, struct nereid_device *device,
                                  const nereid_tma_request_t *request, nereid_tma_descriptor_t *out_descriptor,
                                  nereid_message_t *message) {
  nereid_status_t status = nereid_tma_validate(request, message);
  if (status)
    return status;
  if (backend == NEREID_TMA_DRIVER)
    return encode_driver(device, request, out_descriptor, message);
  nereid_tensor_map_t map;
  nereid_tma_map_of(request, &map);
  nereid_tensor_map_write(&map, out_descriptor->bytes);
  return NEREID_OK;
}
