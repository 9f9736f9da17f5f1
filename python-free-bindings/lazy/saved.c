/* The memory of a tuning: copies of the arguments that the kernel reads and writes, and a buffer that flushes the L2
 * cache.
 *
 *   save ── restore, flush, run ── restore, flush, run ── ... ── restore
 *
 * Copies are made in stream order: work of the caller that is still in flight writes the arguments first. */
#include "python-free-bindings/lazy/lazy.h"

#include <inttypes.h>
#include <stdlib.h>

/* The address of an argument that is memory; 0: it is null, or another kind. */
static uint64_t address_of(const nereid_value_t *argument) {
  if (argument->kind == NEREID_PARAMETER_POINTER)
    return argument->as.bits;
  return argument->kind == NEREID_PARAMETER_TENSOR && argument->as.tensor ? argument->as.tensor->address : 0;
}

nereid_status_t nereid_lazy_check_memory(const nereid_lazy_kernel_t *kernel, const nereid_call_t *call,
                                         nereid_message_t *message) {
  for (size_t i = 0; i < call->n; ++i) {
    const uint64_t address = address_of(&call->arguments[i]);
    if (nereid_device_is_foreign(kernel->device, address))
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                                "argument %zu is memory of another device, which kernels of %s (device %d) cannot use: "
                                "0x%" PRIx64,
                                i, kernel->device->info.name, (int)kernel->device->info.ordinal, address);
  }
  return NEREID_OK;
}

static nereid_status_t save(nereid_saved_t *saved, size_t argument, uint64_t address, uint64_t bytes,
                            nereid_message_t *message) {
  struct nereid_saved_region *region = &saved->regions[saved->n++];
  nereid_message_t reason;
  *region = (struct nereid_saved_region){.address = address, .bytes = bytes};
  nereid_status_t status = nereid_device_allocate(saved->device, bytes, &region->copy, &reason);
  if (!status)
    status = nereid_device_copy(saved->device, region->copy, address, bytes, saved->stream, &reason);
  if (status)
    return nereid_message_set(message, status, "argument %zu: saving its %" PRIu64 " bytes failed: %s", argument, bytes,
                              reason.text);
  return NEREID_OK;
}

static nereid_status_t save_all(nereid_saved_t *saved, const nereid_call_t *call, nereid_message_t *message) {
  nereid_status_t status = NEREID_OK;
  const uint64_t *sizes = call->launch->sizes;
  for (size_t i = 0; !status && sizes && i < call->n; ++i) {
    const nereid_value_t *argument = &call->arguments[i];
    const uint64_t address = address_of(argument);
    if (sizes[i] && argument->kind != NEREID_PARAMETER_POINTER && argument->kind != NEREID_PARAMETER_TENSOR)
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                                "argument %zu has a size of %" PRIu64 " bytes, but is not a pointer or a tensor", i,
                                sizes[i]);
    if (sizes[i] && address)
      status = save(saved, i, address, sizes[i], message);
  }
  return status;
}

nereid_status_t nereid_saved_initialize(nereid_saved_t *saved, nereid_lazy_kernel_t *kernel, const nereid_call_t *call,
                                        nereid_message_t *message) {
  *saved = (nereid_saved_t){.device = kernel->device, .stream = call->launch->launch.stream};
  saved->regions = calloc(call->n + 1, sizeof *saved->regions);
  if (!saved->regions)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  nereid_status_t status = save_all(saved, call, message);
  if (!status && !kernel->is_emulated && !kernel->options.no_flush) {
    saved->flush_bytes = 2 * (uint64_t)kernel->device->info.l2_size;
    status = nereid_device_allocate(kernel->device, saved->flush_bytes, &saved->flush, message);
  }
  if (status)
    nereid_saved_deinitialize(saved);
  return status;
}

nereid_status_t nereid_saved_restore(const nereid_saved_t *saved, nereid_message_t *message) {
  nereid_status_t status = NEREID_OK;
  for (size_t i = 0; !status && i < saved->n; ++i)
    status = nereid_device_copy(saved->device, saved->regions[i].address, saved->regions[i].copy,
                                saved->regions[i].bytes, saved->stream, message);
  return status;
}

nereid_status_t nereid_saved_flush(const nereid_saved_t *saved, nereid_message_t *message) {
  return nereid_device_fill(saved->device, saved->flush, 0, saved->flush ? saved->flush_bytes : 0, saved->stream,
                            message);
}

void nereid_saved_deinitialize(nereid_saved_t *saved) {
  for (size_t i = 0; i < saved->n; ++i)
    nereid_device_free(saved->device, saved->regions[i].copy);
  nereid_device_free(saved->device, saved->flush);
  free(saved->regions);
  *saved = (nereid_saved_t){0};
}
