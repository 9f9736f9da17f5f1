/* The emulator's driver table: contexts, memory, copies, events, tensor maps, and the device that has it.
 *
 *   nereid_device_upload  →  driver->memcpy_htod(address, host, bytes)  →  the host bytes of the address, or an error
 *
 * A GPU driver takes its context from the thread; so does the table, with a stack of contexts per thread. Entries that
 * only opening a GPU uses are absent: nereid_device_open_emulator fills the device itself. */
#include "python-free-bindings/launch/emulated/emulated.h"

#include "base/kernel/tensor_map.h"
#include "base/target_facts.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PLACES = 64, PLACE_BITS = 56 };
enum { MAX_CONTEXTS = 8, ALIGNMENT = 256, DRIVER_VERSION = 13000, MULTIPROCESSORS = 132, L2_BYTES = 50 << 20 };

static _Thread_local struct {
  nereid_emulated_t *contexts[MAX_CONTEXTS]; /* the current one last */
  int n_contexts;
  char problem[512];
} thread;

nereid_emulated_t *nereid_emulated_current(void) {
  return thread.n_contexts ? thread.contexts[thread.n_contexts - 1] : NULL;
}

nereid_cu_result_t nereid_emulated_fail(nereid_cu_result_t result, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(thread.problem, sizeof thread.problem, format, arguments);
  va_end(arguments);
  return result;
}

static nereid_cu_result_t get_error_name(nereid_cu_result_t error, const char **name) {
  static const struct {
    nereid_cu_result_t error;
    const char *name;
  } rows[] = {{NEREID_CU_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
              {NEREID_CU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
              {NEREID_CU_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
              {NEREID_CU_INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
              {NEREID_CU_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
              {NEREID_CU_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
              {NEREID_CU_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
              {NEREID_CU_STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (rows[i].error == error) {
      *name = rows[i].name;
      return 0;
    }
  return NEREID_CU_INVALID_VALUE;
}

static nereid_cu_result_t get_error_string(nereid_cu_result_t error, const char **text) {
  (void)error;
  *text = thread.problem;
  return 0;
}

static nereid_cu_result_t ctx_get_current(void **context) {
  *context = nereid_emulated_current();
  return 0;
}

static nereid_cu_result_t ctx_push_current(void *context) {
  if (thread.n_contexts == MAX_CONTEXTS)
    return nereid_emulated_fail(NEREID_CU_INVALID_VALUE, "more than %d emulator devices are in use at once by a thread",
                                (int)MAX_CONTEXTS);
  thread.contexts[thread.n_contexts++] = context;
  return 0;
}

static nereid_cu_result_t ctx_pop_current(void **context) {
  *context = nereid_emulated_current();
  thread.n_contexts -= thread.n_contexts > 0;
  return 0;
}

/* A launch has ended when its call returns. */
static nereid_cu_result_t ctx_synchronize(void) {
  return nereid_emulated_may_capture("waiting for the device");
}

static nereid_cu_result_t stream_synchronize(void *stream) {
  (void)stream;
  return 0;
}

/* --- places --- */

/* The places of open devices, a bit each. The memory of a device is within 2^56 bytes at its place, so that devices of
 * one process have different addresses; the first one has those of a process with one device. */
static _Atomic uint64_t places;

/* Takes the lowest free place; place 0 for more than 64 devices, whose memory then cannot be told apart. */
static void take_place(nereid_emulated_t *it) {
  uint64_t used = atomic_load(&places);
  for (int place = 0; place < PLACES;) {
    if (used >> place & 1)
      ++place;
    else if (atomic_compare_exchange_weak(&places, &used, used | UINT64_C(1) << place)) {
      it->place = place;
      it->has_place = true;
      return;
    } else
      place = 0;
  }
}

static void leave_place(const nereid_emulated_t *it) {
  if (it->has_place)
    atomic_fetch_and(&places, ~(UINT64_C(1) << it->place));
}

/* Memory types and addresses of this and of other open devices; what is at none of their places is unknown. */
static nereid_cu_result_t pointer_get_attribute(void *value, int attribute, uint64_t address) {
  const uint64_t place = address >> PLACE_BITS;
  const bool is_own = place == (uint64_t)nereid_emulated_current()->place;
  const bool is_known = place < PLACES && atomic_load(&places) >> place & 1;
  if (is_known && attribute == NEREID_CU_POINTER_MEMORY_TYPE)
    *(int *)value = NEREID_CU_MEMORY_DEVICE;
  else if (is_known && is_own && attribute == NEREID_CU_POINTER_DEVICE_POINTER)
    *(uint64_t *)value = address;
  else
    return nereid_emulated_fail(NEREID_CU_INVALID_VALUE, "0x%llx is not memory of this device",
                                (unsigned long long)address);
  return 0;
}

/* --- memory --- */

/* What precedes the bytes of a buffer, so that closing the device frees those that the program did not. 16 bytes: the
 * buffer is aligned as calloc's. */
struct nereid_emulated_buffer {
  struct nereid_emulated_buffer *previous, *next;
};
typedef struct nereid_emulated_buffer buffer_t;

static void link_buffer(nereid_emulated_t *it, buffer_t *buffer) {
  buffer->next = it->buffers;
  if (it->buffers)
    it->buffers->previous = buffer;
  it->buffers = buffer;
}

static void unlink_buffer(nereid_emulated_t *it, buffer_t *buffer) {
  if (buffer->next)
    buffer->next->previous = buffer->previous;
  if (buffer->previous)
    buffer->previous->next = buffer->next;
  else
    it->buffers = buffer->next;
}

static nereid_cu_result_t add_buffer(nereid_emulated_t *it, buffer_t *buffer, size_t bytes, uint64_t *address) {
  pthread_mutex_lock(&it->lock);
  nereid_status_t status =
      nereid_emulator_memory_add(it->memory, buffer + 1, bytes, ALIGNMENT, "a device allocation", address);
  if (!status && it->options.initcheck) {
    status = nereid_emulator_memory_scratch(it->memory, *address);
    if (status && nereid_emulator_memory_remove(it->memory, *address))
      buffer = NULL; /* still mapped: kept rather than freed */
  }
  if (!status)
    link_buffer(it, buffer);
  pthread_mutex_unlock(&it->lock);
  if (!status)
    return 0;
  free(buffer);
  *address = 0;
  return nereid_emulated_fail(NEREID_CU_OUT_OF_MEMORY, "the emulator cannot place a buffer of %zu bytes", bytes);
}

static nereid_cu_result_t mem_alloc(uint64_t *address, size_t bytes) {
  buffer_t *buffer = bytes <= SIZE_MAX - sizeof *buffer ? calloc(1, sizeof *buffer + bytes) : NULL;
  if (!buffer)
    return nereid_emulated_fail(NEREID_CU_OUT_OF_MEMORY, "the host has no %zu bytes for device memory", bytes);
  return add_buffer(nereid_emulated_current(), buffer, bytes, address);
}

nereid_cu_result_t nereid_emulated_free(uint64_t address) {
  nereid_emulated_t *it = nereid_emulated_current();
  pthread_mutex_lock(&it->lock);
  buffer_t *buffer = nereid_emulator_memory_host(it->memory, address, 1);
  nereid_status_t status = nereid_emulator_memory_remove(it->memory, address);
  if (!status)
    unlink_buffer(it, --buffer);
  pthread_mutex_unlock(&it->lock);
  if (status)
    return nereid_emulated_fail(NEREID_CU_INVALID_VALUE, "no allocation begins at 0x%llx", (unsigned long long)address);
  free(buffer);
  return 0;
}

static nereid_cu_result_t mem_alloc_now(uint64_t *address, size_t bytes) {
  nereid_cu_result_t result = nereid_emulated_may_capture("allocating memory");
  return result ? result : mem_alloc(address, bytes);
}

static nereid_cu_result_t mem_free_now(uint64_t address) {
  nereid_cu_result_t result = nereid_emulated_may_capture("freeing memory");
  return result ? result : nereid_emulated_free(address);
}

static nereid_cu_result_t mem_alloc_async(uint64_t *address, size_t bytes, void *stream) {
  (void)stream;
  return mem_alloc(address, bytes);
}

static nereid_cu_result_t mem_free_async(uint64_t address, void *stream) {
  return nereid_emulated_captures(stream) ? nereid_emulated_record_free(stream, address)
                                          : nereid_emulated_free(address);
}

/* The host bytes of device memory, with the lock held; null, with the problem stored, when it is not all there. */
static uint8_t *reach(nereid_emulated_t *it, uint64_t address, size_t bytes) {
  uint8_t *host = nereid_emulator_memory_host(it->memory, address, bytes);
  if (!host)
    nereid_emulated_fail(0, "bytes 0x%llx to 0x%llx are not within one allocation: it is smaller, or was freed",
                         (unsigned long long)address, (unsigned long long)(address + bytes - 1));
  return host;
}

static nereid_cu_result_t memcpy_htod(uint64_t address, const void *source, size_t bytes) {
  nereid_emulated_t *it = nereid_emulated_current();
  pthread_mutex_lock(&it->lock);
  uint8_t *host = reach(it, address, bytes);
  if (host) {
    memcpy(host, source, bytes);
    nereid_emulator_memory_define(it->memory, address, bytes);
  }
  pthread_mutex_unlock(&it->lock);
  return host ? 0 : NEREID_CU_INVALID_VALUE;
}

static nereid_cu_result_t memcpy_dtoh(void *target, uint64_t address, size_t bytes) {
  nereid_emulated_t *it = nereid_emulated_current();
  pthread_mutex_lock(&it->lock);
  const uint8_t *host = reach(it, address, bytes);
  if (host)
    memcpy(target, host, bytes);
  pthread_mutex_unlock(&it->lock);
  return host ? 0 : NEREID_CU_INVALID_VALUE;
}

nereid_cu_result_t nereid_emulated_fill(uint64_t address, uint8_t value, size_t n) {
  nereid_emulated_t *it = nereid_emulated_current();
  pthread_mutex_lock(&it->lock);
  uint8_t *host = reach(it, address, n);
  if (host) {
    memset(host, value, n);
    nereid_emulator_memory_define(it->memory, address, n);
  }
  pthread_mutex_unlock(&it->lock);
  return host ? 0 : NEREID_CU_INVALID_VALUE;
}

nereid_cu_result_t nereid_emulated_copy(uint64_t to, uint64_t from, size_t n) {
  nereid_emulated_t *it = nereid_emulated_current();
  pthread_mutex_lock(&it->lock);
  const uint8_t *source = reach(it, from, n);
  uint8_t *host = source ? reach(it, to, n) : NULL;
  if (host) {
    memmove(host, source, n);
    nereid_emulator_memory_define(it->memory, to, n);
  }
  pthread_mutex_unlock(&it->lock);
  return host ? 0 : NEREID_CU_INVALID_VALUE;
}

static nereid_cu_result_t memcpy_dtod_async(uint64_t to, uint64_t from, size_t n, void *stream) {
  return nereid_emulated_captures(stream) ? nereid_emulated_record_copy(stream, to, from, n)
                                          : nereid_emulated_copy(to, from, n);
}

static nereid_cu_result_t memset_d8_async(uint64_t address, unsigned char value, size_t n, void *stream) {
  return nereid_emulated_captures(stream) ? nereid_emulated_record_fill(stream, address, value, n)
                                          : nereid_emulated_fill(address, value, n);
}

/* --- events --- */

static nereid_cu_result_t event_create(void **event, unsigned flags) {
  (void)flags;
  *event = calloc(1, sizeof(struct timespec));
  return *event ? 0 : nereid_emulated_fail(NEREID_CU_OUT_OF_MEMORY, "out of memory for an event");
}

static nereid_cu_result_t event_destroy(void *event) {
  free(event);
  return 0;
}

static nereid_cu_result_t event_record(void *event, void *stream) {
  (void)stream;
  clock_gettime(CLOCK_MONOTONIC, event);
  return 0;
}

static nereid_cu_result_t event_synchronize(void *event) {
  (void)event;
  return 0;
}

static nereid_cu_result_t event_elapsed_time(float *milliseconds, void *start, void *end) {
  const struct timespec *from = start, *to = end;
  *milliseconds = (float)((double)(to->tv_sec - from->tv_sec) * 1e3 + (double)(to->tv_nsec - from->tv_nsec) * 1e-6);
  return 0;
}

/* --- tensor maps --- */

/* Both the driver and nereid_tensor_map_t count dimensions from the innermost. */
static nereid_cu_result_t tensor_map_encode_tiled(void *out, int element, uint32_t rank, void *address,
                                                  const uint64_t *shape, const uint64_t *strides, const uint32_t *box,
                                                  const uint32_t *steps, int interleave, int swizzle, int l2_promotion,
                                                  int fill) {
  static const uint8_t swizzles[] = {0, 32, 64, 128};
  nereid_message_t message = {""};
  nereid_tensor_map_t map = {.address = (uintptr_t)address,
                             .element = (uint8_t)element,
                             .rank = (uint8_t)rank,
                             .swizzle = swizzles[swizzle & 3],
                             .interleave = (uint8_t)interleave,
                             .nan_padding = fill != 0};
  (void)l2_promotion; /* a matter of speed */
  for (uint32_t i = 0; i < rank && i < NEREID_TENSOR_MAP_RANK; ++i) {
    map.shape[i] = shape[i];
    map.box[i] = box[i];
    map.steps[i] = (uint8_t)steps[i];
    if (i + 1 < rank)
      map.strides[i] = strides[i];
  }
  if (nereid_tensor_map_validate(&map, &message))
    return nereid_emulated_fail(NEREID_CU_INVALID_VALUE, "%s", message.text);
  nereid_tensor_map_write(&map, out);
  return 0;
}

static const nereid_driver_t table = {
    .get_error_name = get_error_name,
    .get_error_string = get_error_string,
    .ctx_get_current = ctx_get_current,
    .ctx_push_current = ctx_push_current,
    .ctx_pop_current = ctx_pop_current,
    .ctx_synchronize = ctx_synchronize,
    .module_load_data_ex = nereid_emulated_module_load,
    .module_unload = nereid_emulated_module_unload,
    .module_get_function = nereid_emulated_get_function,
    .func_get_attribute = nereid_emulated_get_attribute,
    .func_set_attribute = nereid_emulated_set_attribute,
    .launch_kernel_ex = nereid_emulated_launch,
    .mem_alloc = mem_alloc_now,
    .mem_free = mem_free_now,
    .mem_alloc_async = mem_alloc_async,
    .mem_free_async = mem_free_async,
    .memcpy_htod = memcpy_htod,
    .memcpy_dtoh = memcpy_dtoh,
    .memcpy_dtod_async = memcpy_dtod_async,
    .memset_d8_async = memset_d8_async,
    .stream_synchronize = stream_synchronize,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_synchronize = event_synchronize,
    .event_elapsed_time = event_elapsed_time,
    .pointer_get_attribute = pointer_get_attribute,
    .tensor_map_encode_tiled = tensor_map_encode_tiled,
    .stream_get_capture_info = nereid_emulated_capture_info,
    .user_object_create = nereid_emulated_object_create,
    .user_object_release = nereid_emulated_object_release,
    .graph_retain_user_object = nereid_emulated_graph_retain,
    .stream_create = nereid_emulated_stream_create,
    .stream_destroy = nereid_emulated_stream_destroy,
    .stream_begin_capture = nereid_emulated_begin_capture,
    .thread_exchange_capture_mode = nereid_emulated_exchange_capture_mode,
    .stream_end_capture = nereid_emulated_end_capture,
    .graph_instantiate = nereid_emulated_graph_instantiate,
    .graph_launch = nereid_emulated_graph_launch,
    .graph_exec_destroy = nereid_emulated_graph_destroy,
    .graph_destroy = nereid_emulated_graph_destroy,
};

/* --- the device --- */

static nereid_device_info_t describe(const nereid_emulated_t *it) {
  const int capability = it->options.capability;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  nereid_device_info_t info = {
      .driver_version = DRIVER_VERSION,
      .capability = capability,
      .multiprocessors = it->options.multiprocessors,
      .shared_limit = it->shared_limit,
      .l2_size = L2_BYTES,
      .clusters = nereid_target_has_clusters(capability),
      .cooperative = true,
      .pools = true,
      .memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0,
  };
  snprintf(info.name, sizeof info.name, "Nereid's PTX emulator");
  return info;
}

static nereid_status_t initialize(nereid_emulated_t *it, const nereid_emulator_device_options_t *options,
                                  nereid_message_t *message) {
  if (options && options->size != sizeof *options)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "`size` of the emulator device's options is %zu: set it to "
                              "sizeof(nereid_emulator_device_options_t), which is %zu",
                              options->size, sizeof *options);
  if (options)
    it->options = *options;
  if (!it->options.capability)
    it->options.capability = NEREID_SM_90;
  if (it->options.capability < NEREID_SM_80 || it->options.capability > NEREID_SM_90)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the emulator has compute capabilities 80 to 90, not %d",
                              (int)it->options.capability);
  if (it->options.multiprocessors <= 0)
    it->options.multiprocessors = MULTIPROCESSORS;
  it->shared_limit = (int32_t)nereid_target_shared_memory(it->options.capability);
  take_place(it);
  nereid_status_t status = nereid_emulator_memory_create_at((uint64_t)it->place << PLACE_BITS, &it->memory);
  return status ? nereid_message_set(message, status, "out of memory") : NEREID_OK;
}

void nereid_emulated_destroy(nereid_emulated_t *it) {
  if (!it)
    return;
  leave_place(it);
  nereid_emulator_memory_destroy(it->memory);
  for (buffer_t *buffer = it->buffers, *next; buffer; buffer = next) {
    next = buffer->next;
    free(buffer);
  }
  pthread_mutex_destroy(&it->lock);
  free(it);
}

nereid_status_t nereid_device_open_emulator(const nereid_emulator_device_options_t *options,
                                            nereid_device_t **out_device, nereid_message_t *message) {
  *out_device = NULL;
  nereid_device_t *device = calloc(1, sizeof *device);
  nereid_emulated_t *it = calloc(1, sizeof *it);
  if (!device || !it || pthread_mutex_init(&it->lock, NULL)) {
    free(device);
    free(it);
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  }
  device->driver = &table;
  device->context = device->emulated = it;
  nereid_status_t status = initialize(it, options, message);
  device->info = describe(it);
  if (!status)
    status = nereid_device_initialize(device, message);
  if (status)
    nereid_device_close(device);
  else
    *out_device = device;
  return status;
}

nereid_status_t nereid_emulator_device_report(nereid_device_t *device, nereid_emulator_report_t *out_report,
                                              nereid_message_t *message) {
  nereid_emulated_t *it = device->emulated;
  if (!it)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "%s is not an emulator device", device->info.name);
  pthread_mutex_lock(&it->lock);
  const bool launched = it->launched;
  *out_report = it->report;
  pthread_mutex_unlock(&it->lock);
  return launched ? NEREID_OK
                  : nereid_message_set(message, NEREID_ERROR_NOT_FOUND, "no kernel was launched on this device yet");
}
