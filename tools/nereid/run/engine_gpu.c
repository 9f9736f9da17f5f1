/* Runs the kernel on the GPU, device 0 (or the first of CUDA_VISIBLE_DEVICES), through libnereid-launch.
 *
 * Before each timed run a buffer of twice the size of the L2 cache is written, so that the kernel reads its data from
 * memory as on first use. Events around the launch measure the kernel alone. The returned tensors are those after the
 * first run; the timed runs continue with its results. */
#include "tools/nereid/run/engine.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct gpu {
  nereid_device_t *device;
  char description[192], target[16];
} gpu_t;

/* The addresses and descriptors of one job on the device. */
typedef struct residence {
  gpu_t *gpu;
  tool_job_t *job;
  uint64_t *allocated, *addresses; /* per tensor; aligned as the signature promises */
  nereid_tma_descriptor_t *maps;   /* per slot */
  nereid_value_t *values;          /* per slot */
} residence_t;

static nereid_status_t gpu_open(void **out_state, nereid_message_t *message) {
  gpu_t *gpu = calloc(1, sizeof *gpu);
  if (!gpu)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  nereid_status_t status = nereid_device_open(-1, &gpu->device, message);
  if (status) {
    free(gpu);
    return status;
  }
  const nereid_device_info_t *info = nereid_device_info(gpu->device);
  snprintf(gpu->description, sizeof gpu->description, "%s (sm_%d, %d multiprocessors)", info->name,
           (int)info->capability, (int)info->multiprocessors);
  snprintf(gpu->target, sizeof gpu->target, "sm_%d%s", (int)info->capability, info->capability >= 90 ? "a" : "");
  *out_state = gpu;
  return NEREID_OK;
}

static const char *gpu_describe(const void *state) {
  return ((const gpu_t *)state)->description;
}

static const char *gpu_target(const void *state) {
  return ((const gpu_t *)state)->target;
}

static void gpu_close(void *state) {
  gpu_t *gpu = state;
  nereid_device_close(gpu->device);
  free(gpu);
}

/* Returns the alignment that the parameters bound to this tensor promise. */
static uint64_t alignment_of(const tool_job_t *job, size_t tensor) {
  uint64_t alignment = 16;
  for (size_t i = 0; i < job->n_slots; ++i)
    if (job->slots[i].kind == TOOL_SLOT_TENSOR && job->slots[i].tensor == tensor &&
        job->metadata.parameters[i].divisibility > alignment)
      alignment = job->metadata.parameters[i].divisibility;
  return alignment;
}

static nereid_status_t place_tensor(residence_t *residence, size_t i, nereid_message_t *message) {
  const tool_tensor_t *tensor = &residence->job->tensors[i];
  uint64_t alignment = alignment_of(residence->job, i);
  nereid_device_t *device = residence->gpu->device;
  nereid_status_t status = nereid_device_allocate(device, (tensor->bytes ? tensor->bytes : 1) + alignment,
                                                  &residence->allocated[i], message);
  if (status)
    return status;
  residence->addresses[i] = (residence->allocated[i] + alignment - 1) / alignment * alignment;
  return nereid_device_upload(device, residence->addresses[i], tensor->data, tensor->bytes, message);
}

static nereid_status_t bind_slot(residence_t *residence, size_t i, nereid_message_t *message) {
  const tool_slot_t *slot = &residence->job->slots[i];
  switch (slot->kind) {
  case TOOL_SLOT_SCALAR:
    residence->values[i] = nereid_value_scalar(slot->element, &slot->bits, sizeof slot->bits);
    return NEREID_OK;
  case TOOL_SLOT_NULL:
    residence->values[i] = nereid_value_pointer(0);
    return NEREID_OK;
  case TOOL_SLOT_TENSOR:
    residence->values[i] =
        nereid_value_pointer_to(residence->job->tensors[slot->tensor].element, residence->addresses[slot->tensor]);
    return NEREID_OK;
  case TOOL_SLOT_DESCRIPTOR:
    break;
  }
  nereid_tma_request_t request = slot->request;
  request.address = residence->addresses[slot->tensor];
  residence->values[i] = nereid_value_descriptor(&residence->maps[i]);
  return nereid_tma_encode(NEREID_TMA_DRIVER, residence->gpu->device, &request, &residence->maps[i], message);
}

static nereid_status_t place(residence_t *residence, nereid_message_t *message) {
  nereid_status_t status = NEREID_OK;
  for (size_t i = 0; !status && i < residence->job->n_tensors; ++i)
    status = place_tensor(residence, i, message);
  for (size_t i = 0; !status && i < residence->job->n_slots; ++i)
    status = bind_slot(residence, i, message);
  return status;
}

static nereid_status_t bring_back(residence_t *residence, nereid_message_t *message) {
  nereid_status_t status = nereid_device_synchronize(residence->gpu->device, message);
  for (size_t i = 0; !status && i < residence->job->n_tensors; ++i) {
    tool_tensor_t *tensor = &residence->job->tensors[i];
    status =
        nereid_device_download(residence->gpu->device, tensor->data, residence->addresses[i], tensor->bytes, message);
  }
  return status;
}

static nereid_status_t launch(residence_t *residence, const nereid_kernel_t *kernel, nereid_message_t *message) {
  const tool_job_t *job = residence->job;
  nereid_launch_t how = {.grid = {job->grid[0], job->grid[1], job->grid[2]}};
  return nereid_kernel_launch(kernel, &how, job->n_slots, residence->values, message);
}

static nereid_status_t time_once(residence_t *residence, const nereid_kernel_t *kernel, nereid_event_t *events[2],
                                 uint64_t flush, size_t flush_bytes, float *out_milliseconds,
                                 nereid_message_t *message) {
  nereid_status_t status = nereid_device_fill(residence->gpu->device, flush, 0, flush_bytes, NULL, message);
  if (!status)
    status = nereid_event_record(events[0], NULL, message);
  if (!status)
    status = launch(residence, kernel, message);
  if (!status)
    status = nereid_event_record(events[1], NULL, message);
  return status ? status : nereid_event_elapsed(events[0], events[1], out_milliseconds, message);
}

static nereid_status_t time_all(residence_t *residence, const nereid_kernel_t *kernel, nereid_message_t *message) {
  nereid_device_t *device = residence->gpu->device;
  nereid_event_t *events[2] = {NULL, NULL};
  uint64_t flush = 0;
  size_t flush_bytes = 2 * (size_t)nereid_device_info(device)->l2_size;
  nereid_status_t status = nereid_device_allocate(device, flush_bytes, &flush, message);
  for (int i = 0; !status && i < 2; ++i)
    status = nereid_event_create(device, &events[i], message);
  for (size_t i = 0; !status && i < residence->job->repeats; ++i)
    status = time_once(residence, kernel, events, flush, flush_bytes, &residence->job->milliseconds[i], message);
  nereid_event_destroy(events[0]);
  nereid_event_destroy(events[1]);
  nereid_device_free(device, flush);
  return status;
}

static nereid_status_t run_resident(residence_t *residence, const nereid_kernel_t *kernel, nereid_message_t *message) {
  nereid_status_t status = place(residence, message);
  if (!status)
    status = launch(residence, kernel, message);
  if (!status)
    status = bring_back(residence, message);
  return status || !residence->job->repeats ? status : time_all(residence, kernel, message);
}

static nereid_status_t gpu_run(void *state, tool_job_t *job, nereid_message_t *message) {
  gpu_t *gpu = state;
  nereid_arena_t arena;
  nereid_module_t *module = NULL;
  const nereid_kernel_t *kernel = NULL;
  nereid_arena_initialize(&arena);
  residence_t residence = {.gpu = gpu,
                           .job = job,
                           .allocated = nereid_arena_new(&arena, uint64_t, job->n_tensors),
                           .addresses = nereid_arena_new(&arena, uint64_t, job->n_tensors),
                           .values = nereid_arena_new(&arena, nereid_value_t, job->n_slots)};
  residence.maps = aligned_alloc(64, (job->n_slots + 1) * sizeof(nereid_tma_descriptor_t));
  nereid_status_t status = arena.failed || !residence.maps
                               ? nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory")
                               : tool_job_grid(job, nereid_device_info(gpu->device)->multiprocessors, message);
  if (!status)
    status = nereid_module_load(gpu->device, job->image, job->description, &module, message);
  if (!status)
    status = nereid_module_kernel(module, NULL, &kernel, message);
  if (!status)
    status = run_resident(&residence, kernel, message);
  for (size_t i = 0; residence.allocated && i < job->n_tensors; ++i)
    nereid_device_free(gpu->device, residence.allocated[i]);
  nereid_module_unload(module);
  free(residence.maps);
  nereid_arena_deinitialize(&arena);
  return status;
}

const tool_engine_t tool_engine_gpu = {
    .name = "gpu",
    .stage = NEREID_STAGE_CUBIN,
    .open = gpu_open,
    .describe = gpu_describe,
    .target = gpu_target,
    .run = gpu_run,
    .close = gpu_close,
};
