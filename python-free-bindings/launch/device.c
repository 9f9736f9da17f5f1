/* A device, its context, its memory and its clock.
 *
 * The context is pushed and popped around every group of calls, unless it is already current. A caller that keeps one
 * context current pays one driver query; a caller with several finds its own context restored. */
#include "python-free-bindings/launch/emulated/emulated.h"
#include "python-free-bindings/launch/owners.h"

#include <stdlib.h>

nereid_status_t nereid_device_enter(const nereid_device_t *device, bool *out_pushed, nereid_message_t *message) {
  void *current = NULL;
  *out_pushed = false;
  nereid_cu_result_t result = device->driver->ctx_get_current(&current);
  if (result == 0 && current != device->context) {
    result = device->driver->ctx_push_current(device->context);
    *out_pushed = result == 0;
  }
  return nereid_driver_check(device->driver, result, "making the device current", message);
}

void nereid_device_leave(const nereid_device_t *device, bool pushed) {
  void *popped;
  if (pushed)
    device->driver->ctx_pop_current(&popped);
}

/* Retains the current context if it belongs to the requested device. */
static nereid_status_t take_context(nereid_device_t *device, int32_t ordinal, nereid_message_t *message) {
  const nereid_driver_t *driver = device->driver;
  void *current = NULL;
  int requested = 0, of_current = -1, count = 0;
  nereid_cu_result_t result = driver->device_get_count(&count);
  if (result == 0 && (count == 0 || ordinal >= count))
    return nereid_message_set(message, NEREID_ERROR_NOT_FOUND, "GPU %d does not exist: the driver reports %d", ordinal,
                              count);
  if (result == 0)
    result = driver->ctx_get_current(&current);
  if (result == 0 && current)
    result = driver->ctx_get_device(&of_current);
  if (result == 0)
    result = driver->device_get(&requested, ordinal < 0 ? 0 : ordinal);
  if (result == 0 && current && (ordinal < 0 || of_current == requested)) {
    device->context = current;
    device->device = of_current;
  } else if (result == 0) {
    device->device = requested;
    result = driver->device_primary_ctx_retain(&device->context, requested);
    device->retained = result == 0;
  }
  return nereid_driver_check(driver, result, "opening the device", message);
}

static nereid_status_t read_info(nereid_device_t *device, nereid_message_t *message) {
  const nereid_driver_t *driver = device->driver;
  nereid_device_info_t *info = &device->info;
  int major = 0, minor = 0, clusters = 0, cooperative = 0, pools = 0;
  struct {
    int *value, attribute;
  } attributes[] = {{&major, NEREID_CU_DEVICE_CAPABILITY_MAJOR},
                    {&minor, NEREID_CU_DEVICE_CAPABILITY_MINOR},
                    {&info->multiprocessors, NEREID_CU_DEVICE_MULTIPROCESSOR_COUNT},
                    {&info->shared_limit, NEREID_CU_DEVICE_SHARED_OPTIN},
                    {&info->l2_size, NEREID_CU_DEVICE_L2_CACHE_SIZE},
                    {&clusters, NEREID_CU_DEVICE_CLUSTER_LAUNCH},
                    {&cooperative, NEREID_CU_DEVICE_COOPERATIVE_LAUNCH},
                    {&pools, NEREID_CU_DEVICE_MEMORY_POOLS}};
  size_t bytes = 0;
  info->ordinal = device->device;
  nereid_cu_result_t result = driver->driver_get_version(&info->driver_version);
  for (size_t i = 0; result == 0 && i < sizeof attributes / sizeof *attributes; ++i)
    result = driver->device_get_attribute(attributes[i].value, attributes[i].attribute, device->device);
  if (result == 0)
    result = driver->device_get_name(info->name, (int)sizeof info->name, device->device);
  if (result == 0)
    result = driver->device_total_mem(&bytes, device->device);
  info->capability = major * 10 + minor;
  info->clusters = clusters != 0;
  info->cooperative = cooperative != 0;
  info->pools = pools != 0 && driver->mem_alloc_async && driver->mem_free_async;
  info->memory = bytes;
  return nereid_driver_check(driver, result, "querying the device", message);
}

nereid_status_t nereid_device_initialize(nereid_device_t *device, nereid_message_t *message) {
  nereid_status_t status = nereid_tma_cache_create(NEREID_TMA_DRIVER, device, 0, &device->maps);
  if (!status && !(device->owners = nereid_owners_create()))
    status = NEREID_ERROR_MEMORY;
  if (!status && !(device->has_tuning = pthread_mutex_init(&device->tuning, NULL) == 0))
    status = NEREID_ERROR_MEMORY;
  return status ? nereid_message_set(message, status, "out of memory") : NEREID_OK;
}

/* Initializes a device whose table is set; destroys it on failure. */
static nereid_status_t open_device(nereid_device_t *device, int32_t ordinal, nereid_device_t **out_device,
                                   nereid_message_t *message) {
  nereid_status_t status = take_context(device, ordinal, message);
  if (!status)
    status = read_info(device, message);
  if (!status)
    status = nereid_device_initialize(device, message);
  if (status)
    nereid_device_close(device);
  else
    *out_device = device;
  return status;
}

nereid_status_t nereid_device_open_with(const nereid_driver_t *driver, int32_t ordinal, nereid_device_t **out_device,
                                        nereid_message_t *message) {
  *out_device = NULL;
  nereid_device_t *device = calloc(1, sizeof *device);
  if (!device)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  device->driver = driver;
  return open_device(device, ordinal, out_device, message);
}

nereid_status_t nereid_device_open(int32_t ordinal, nereid_device_t **out_device, nereid_message_t *message) {
  *out_device = NULL;
  nereid_device_t *device = calloc(1, sizeof *device);
  if (!device)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  device->driver = &device->own;
  nereid_status_t status = nereid_driver_open("libcuda.so.1", &device->own, message);
  if (!status)
    return open_device(device, ordinal, out_device, message);
  free(device);
  return status;
}

nereid_status_t nereid_device_open_named(const char *name, nereid_device_t **out_device, nereid_message_t *message) {
  char *end = NULL;
  *out_device = NULL;
  if (!name)
    return nereid_device_open(-1, out_device, message);
  if (strcmp(name, "emulator") == 0)
    return nereid_device_open_emulator(NULL, out_device, message);
  const long ordinal = *name >= '0' && *name <= '9' ? strtol(name, &end, 10) : -1;
  if (!end || *end || ordinal > INT32_MAX)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "no device is named '%s': expected 'emulator' or the ordinal of a GPU, such as '0'",
                              name);
  return nereid_device_open((int32_t)ordinal, out_device, message);
}

void nereid_device_close(nereid_device_t *device) {
  if (!device)
    return;
  if (device->has_tuning)
    pthread_mutex_destroy(&device->tuning);
  nereid_owners_destroy(device->owners, device->driver);
  nereid_tma_cache_destroy(device->maps);
  if (device->retained)
    device->driver->device_primary_ctx_release(device->device);
  nereid_emulated_destroy(device->emulated);
  nereid_driver_close(&device->own);
  free(device);
}

const nereid_device_info_t *nereid_device_info(const nereid_device_t *device) {
  return &device->info;
}

/* Ends a call that entered the device and reports its result. */
static nereid_status_t leave(nereid_device_t *device, bool pushed, nereid_cu_result_t result, const char *doing,
                             nereid_message_t *message) {
  nereid_device_leave(device, pushed);
  return nereid_driver_check(device->driver, result, doing, message);
}

nereid_status_t nereid_device_allocate(nereid_device_t *device, uint64_t bytes, uint64_t *out_address,
                                       nereid_message_t *message) {
  bool pushed;
  *out_address = 0;
  if (bytes == 0)
    return NEREID_OK;
  nereid_status_t status = nereid_device_enter(device, &pushed, message);
  if (status)
    return status;
  return leave(device, pushed, device->driver->mem_alloc(out_address, (size_t)bytes), "allocating device memory",
               message);
}

void nereid_device_free(nereid_device_t *device, uint64_t address) {
  bool pushed;
  if (!device || !address || nereid_device_enter(device, &pushed, NULL))
    return;
  device->driver->mem_free(address);
  nereid_device_leave(device, pushed);
}

nereid_status_t nereid_device_upload(nereid_device_t *device, uint64_t address, const void *host, size_t bytes,
                                     nereid_message_t *message) {
  bool pushed;
  if (bytes == 0)
    return NEREID_OK;
  nereid_status_t status = nereid_device_enter(device, &pushed, message);
  if (status)
    return status;
  nereid_cu_result_t result = device->driver->memcpy_htod(address, host, bytes);
  if (!result) /* pageable memory: the call may return when the bytes are staged, and other streams do not wait */
    result = device->driver->stream_synchronize(NULL);
  return leave(device, pushed, result, "copying to the device", message);
}

nereid_status_t nereid_device_download(nereid_device_t *device, void *host, uint64_t address, size_t bytes,
                                       nereid_message_t *message) {
  bool pushed;
  if (bytes == 0)
    return NEREID_OK;
  nereid_status_t status = nereid_device_enter(device, &pushed, message);
  if (status)
    return status;
  return leave(device, pushed, device->driver->memcpy_dtoh(host, address, bytes), "copying from the device", message);
}

nereid_status_t nereid_device_fill(nereid_device_t *device, uint64_t address, uint8_t value, size_t bytes, void *stream,
                                   nereid_message_t *message) {
  bool pushed;
  if (bytes == 0)
    return NEREID_OK;
  nereid_status_t status = nereid_device_enter(device, &pushed, message);
  if (status)
    return status;
  return leave(device, pushed, device->driver->memset_d8_async(address, value, bytes, stream), "filling device memory",
               message);
}

nereid_status_t nereid_device_copy(nereid_device_t *device, uint64_t to, uint64_t from, size_t bytes, void *stream,
                                   nereid_message_t *message) {
  bool pushed;
  if (bytes == 0)
    return NEREID_OK;
  nereid_status_t status = nereid_device_enter(device, &pushed, message);
  if (status)
    return status;
  return leave(device, pushed, device->driver->memcpy_dtod_async(to, from, bytes, stream), "copying device memory",
               message);
}

bool nereid_device_is_foreign(const nereid_device_t *device, uint64_t address) {
  const nereid_driver_t *driver = device->driver;
  uint64_t usable = 0;
  int type = 0;
  bool pushed;
  if (!address || !driver->pointer_get_attribute || nereid_device_enter(device, &pushed, NULL))
    return false;
  const bool foreign = driver->pointer_get_attribute(&type, NEREID_CU_POINTER_MEMORY_TYPE, address) == 0 &&
                       type == NEREID_CU_MEMORY_DEVICE &&
                       driver->pointer_get_attribute(&usable, NEREID_CU_POINTER_DEVICE_POINTER, address) != 0;
  nereid_device_leave(device, pushed);
  return foreign;
}

int nereid_device_relax_capture(const nereid_device_t *device) {
  int mode = NEREID_CU_CAPTURE_RELAXED;
  if (device->driver->thread_exchange_capture_mode)
    device->driver->thread_exchange_capture_mode(&mode);
  return mode;
}

void nereid_device_restore_capture(const nereid_device_t *device, int mode) {
  if (device->driver->thread_exchange_capture_mode)
    device->driver->thread_exchange_capture_mode(&mode);
}

nereid_status_t nereid_device_synchronize(nereid_device_t *device, nereid_message_t *message) {
  bool pushed;
  nereid_status_t status = nereid_device_enter(device, &pushed, message);
  if (status)
    return status;
  status = leave(device, pushed, device->driver->ctx_synchronize(), "running on the device", message);
  nereid_owners_collect(device->owners, device->driver);
  return status;
}
