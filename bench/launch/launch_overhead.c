/* Measures the host time of a launch: Nereid's checked launch, and the warm call of a lazy kernel, against a bare
 * cuLaunchKernelEx of the same kernel.
 *
 *   nereid compile bench/launch/parameters_20.ttir -o k.cubin && launch_overhead k.cubin [BLOCKS [DEVICE]]
 *
 * The kernel (any cubin or PTX with its .json) gets zeros for scalars, so that its masks are empty, and one zeroed
 * buffer of 64 MiB for every pointer and descriptor, whose dimensions are 64; the grid is one CTA. Blocks of 200
 * launches of each kind alternate; the queue is drained between them, and only enqueuing is timed. The program prints
 * medians over the blocks, their 10th and 90th percentiles, and the ratios of the medians. The bare launch uses a
 * prepared configuration and parameters; Nereid's gets values and repeats all its work each time. For a kernel with
 * descriptors further kinds pass tensors instead of encoded maps. The lazy kernel has one configuration, whose
 * "compiler" returns the file, all specialization, and a key that each call computes from a size. DEVICE may be the
 * emulator, to test the program. Exit status 0, or 2 if it cannot run. */
#include "nereid/kernel.h"

#include "base/file.h"
#include "python-free-bindings/launch/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
  KINDS = 5,
  CALLS = 200,
  DEFAULT_BLOCKS = 500,
  BUFFER_BYTES = 64 << 20,
  EXTENT = 64,
  LIMIT = NEREID_KERNEL_PARAMETER_LIMIT
};

typedef struct bench {
  nereid_device_t *device;
  nereid_module_t *module;
  const nereid_kernel_t *kernel;
  nereid_lazy_kernel_t *lazy;
  uint64_t buffer;
  nereid_tma_descriptor_t maps[LIMIT]; /* indexed by parameter */
  nereid_value_t values[LIMIT];
  nereid_tensor_t tensors[LIMIT];
  nereid_value_t with_tensors[LIMIT];
  size_t n_with_tensors, n_tensors;
  void *parameters[LIMIT];
  uint64_t no_scratch;
  nereid_cu_launch_config_t config;
} bench_t;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Encodes the map of parameter i, a descriptor. */
static nereid_status_t make_map(bench_t *bench, size_t i, nereid_message_t *message) {
  const nereid_parameter_t *parameter = &nereid_kernel_metadata(bench->kernel)->parameters[i];
  nereid_tma_request_t request = {.address = bench->buffer, .swizzle = (uint32_t)parameter->swizzle};
  if (!nereid_tma_element_of(parameter->element, &request.element) || parameter->rank < 1)
    return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED, "a descriptor without a tile");
  request.rank = (uint32_t)parameter->rank;
  uint64_t stride = nereid_element_size(parameter->element);
  for (uint32_t k = request.rank; k-- > 0; stride *= EXTENT) {
    request.shape[k] = EXTENT;
    request.strides[k] = stride;
  }
  nereid_tma_box_of(request.rank, parameter->block, nereid_tma_element_bits(request.element), request.swizzle, false,
                    request.box);
  return nereid_tma_encode(NEREID_TMA_DRIVER, bench->device, &request, &bench->maps[i], message);
}

static nereid_status_t make_values(bench_t *bench, nereid_message_t *message) {
  const nereid_metadata_t *metadata = nereid_kernel_metadata(bench->kernel);
  nereid_status_t status = NEREID_OK;
  for (size_t i = 0; !status && i < metadata->n_parameters; ++i) {
    const nereid_parameter_t *parameter = &metadata->parameters[i];
    const uint64_t bits = parameter->group < 0 ? 0 : EXTENT;
    bool address = parameter->kind == NEREID_PARAMETER_POINTER ||
                   (parameter->kind == NEREID_PARAMETER_OPAQUE && parameter->size == 8);
    bool wide = parameter->kind == NEREID_PARAMETER_DESCRIPTOR;
    nereid_element_t element = parameter->kind == NEREID_PARAMETER_SCALAR ? parameter->element
                               : parameter->size == 4                     ? NEREID_ELEMENT_I32
                               : parameter->size == 2                     ? NEREID_ELEMENT_I16
                                                                          : NEREID_ELEMENT_I8;
    if (wide)
      status = make_map(bench, i, message);
    bench->values[i] = address ? nereid_value_pointer(bench->buffer)
                       : wide  ? nereid_value_descriptor(&bench->maps[i])
                               : nereid_value_scalar(element, &bits, sizeof bits);
    bench->parameters[i] = wide ? (void *)&bench->maps[i] : (void *)&bench->values[i].as.bits;
  }
  bench->parameters[metadata->n_parameters] = bench->parameters[metadata->n_parameters + 1] = &bench->no_scratch;
  return status;
}

/* The same arguments with a tensor for each descriptor of a known tile and its group. */
static void make_tensors(bench_t *bench) {
  const nereid_metadata_t *metadata = nereid_kernel_metadata(bench->kernel);
  for (size_t i = 0; i < metadata->n_parameters; ++i) {
    const nereid_parameter_t *head = &metadata->parameters[i];
    nereid_value_t *value = &bench->with_tensors[bench->n_with_tensors++];
    *value = bench->values[i];
    if (head->kind != NEREID_PARAMETER_DESCRIPTOR || head->rank < 1)
      continue;
    nereid_tensor_t *tensor = &bench->tensors[bench->n_tensors++];
    *tensor = (nereid_tensor_t){.address = bench->buffer, .rank = (uint32_t)head->rank};
    for (int32_t k = 0; k < head->rank; ++k)
      tensor->shape[k] = EXTENT;
    *value = nereid_value_tensor(tensor);
    while (i + 1 < metadata->n_parameters && metadata->parameters[i + 1].group == head->group)
      ++i;
  }
}

/* --- a compiler that returns a file --- */

static struct {
  nereid_arena_t arena;
  nereid_view_t image, metadata;
} file;

static nereid_status_t create_session(void **out_session) {
  *out_session = &file;
  return NEREID_OK;
}

static void destroy_session(void *session) {
  (void)session;
}

static nereid_status_t return_file(void *session, const nereid_lazy_request_t *request, nereid_lazy_image_t *out_image,
                                   nereid_message_t *message) {
  (void)session, (void)request, (void)message;
  *out_image = (nereid_lazy_image_t){.image = file.image, .metadata = file.metadata};
  return NEREID_OK;
}

static void keep_file(nereid_lazy_image_t *image) {
  (void)image;
}

static const char *version(void) {
  return "a file";
}

static nereid_status_t make_lazy(bench_t *bench, const char *path, nereid_message_t *message) {
  static const nereid_lazy_compiler_t compiler = {version, create_session, destroy_session, return_file, keep_file};
  const nereid_lazy_options_t options = {.size = sizeof options,
                                         .text = nereid_view("a file"),
                                         .compiler = &compiler,
                                         .specialize = NEREID_LAZY_SPECIALIZE_DIVISIBLE | NEREID_LAZY_SPECIALIZE_ONE |
                                                       NEREID_LAZY_SPECIALIZE_NULL};
  const char *beside = nereid_file_beside(&file.arena, path, ".json");
  nereid_status_t status = beside ? nereid_file_read(&file.arena, path, &file.image, message) : NEREID_ERROR_MEMORY;
  if (!status)
    status = nereid_file_read(&file.arena, beside, &file.metadata, message);
  return status ? status : nereid_lazy_create(bench->device, &options, &bench->lazy, message);
}

static nereid_status_t set_up(bench_t *bench, const char *path, const char *device, nereid_message_t *message) {
  nereid_status_t status = nereid_device_open_named(device, &bench->device, message);
  if (!status)
    status = nereid_module_load_file(bench->device, path, &bench->module, message);
  if (!status)
    status = nereid_module_kernel(bench->module, NULL, &bench->kernel, message);
  if (!status && bench->kernel->metadata.global_scratch_size)
    status = nereid_message_set(message, NEREID_ERROR_UNSUPPORTED, "a kernel with scratch measures the allocator");
  if (!status)
    status = nereid_device_allocate(bench->device, BUFFER_BYTES, &bench->buffer, message);
  if (!status)
    status = nereid_device_fill(bench->device, bench->buffer, 0, BUFFER_BYTES, NULL, message);
  if (!status)
    status = make_values(bench, message);
  if (!status)
    status = make_lazy(bench, path, message);
  if (status)
    return status;
  make_tensors(bench);
  bench->config = (nereid_cu_launch_config_t){.grid_x = (unsigned)bench->kernel->metadata.num_ctas,
                                              .grid_y = 1,
                                              .grid_z = 1,
                                              .block_x = bench->kernel->block[0],
                                              .block_y = 1,
                                              .block_z = 1,
                                              .shared = (unsigned)bench->kernel->metadata.shared,
                                              .attributes = (nereid_cu_launch_attribute_t *)bench->kernel->attributes,
                                              .n_attributes = bench->kernel->n_attributes};
  return NEREID_OK;
}

/* Measures one block of each kind, in nanoseconds per launch; false: a launch failed. */
static bool bare_block(bench_t *bench, double *out_nanoseconds) {
  const nereid_driver_t *driver = bench->device->driver;
  nereid_cu_result_t result = 0;
  double start = now();
  for (int i = 0; i < CALLS; ++i)
    result |= driver->launch_kernel_ex(&bench->config, bench->kernel->function, bench->parameters, NULL);
  *out_nanoseconds = (now() - start) / CALLS;
  return result == 0 && driver->ctx_synchronize() == 0;
}

static bool nereid_block(bench_t *bench, size_t n, const nereid_value_t *values, double *out_nanoseconds,
                         nereid_message_t *message) {
  const nereid_launch_t launch = {.grid = {1, 1, 1}};
  int failed = 0;
  double start = now();
  for (int i = 0; i < CALLS; ++i)
    failed |= nereid_kernel_launch(bench->kernel, &launch, n, values, message) != NEREID_OK;
  *out_nanoseconds = (now() - start) / CALLS;
  return !failed && nereid_device_synchronize(bench->device, message) == NEREID_OK;
}

static bool lazy_block(bench_t *bench, size_t n, const nereid_value_t *values, double *out_nanoseconds,
                       nereid_message_t *message) {
  nereid_lazy_launch_t launch = {.launch = {.grid = {1, 1, 1}}};
  int failed = 0;
  double start = now();
  for (int i = 0; i < CALLS; ++i) {
    launch.key = nereid_lazy_bucket((uint64_t)(1000 + i % 8));
    failed |= nereid_lazy_launch(bench->lazy, &launch, n, values, message) != NEREID_OK;
  }
  *out_nanoseconds = (now() - start) / CALLS;
  return !failed && nereid_device_synchronize(bench->device, message) == NEREID_OK;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double report(const char *name, double *nanoseconds, size_t n) {
  qsort(nanoseconds, n, sizeof *nanoseconds, by_value);
  printf("%-18s median %8.1f ns  p10 %8.1f  p90 %8.1f  of %zu blocks of %d\n", name, nanoseconds[n / 2],
         nanoseconds[n / 10], nanoseconds[n - 1 - n / 10], n, CALLS);
  return nanoseconds[n / 2];
}

/* Measures one block of each kind. */
static bool blocks_of_each(bench_t *bench, double out_nanoseconds[KINDS], nereid_message_t *message) {
  const size_t n = bench->kernel->metadata.n_parameters;
  return bare_block(bench, &out_nanoseconds[0]) &&
         nereid_block(bench, n, bench->values, &out_nanoseconds[1], message) &&
         lazy_block(bench, n, bench->values, &out_nanoseconds[2], message) &&
         nereid_block(bench, bench->n_with_tensors, bench->with_tensors, &out_nanoseconds[3], message) &&
         lazy_block(bench, bench->n_with_tensors, bench->with_tensors, &out_nanoseconds[4], message);
}

static nereid_status_t measure(bench_t *bench, size_t blocks, nereid_message_t *message) {
  enum { WARM_UP = 10 };
  static const char *const names[KINDS] = {"cuLaunchKernelEx", "nereid", "lazy", "nereid, tensors", "lazy, tensors"};
  double *times = calloc(KINDS * blocks, sizeof *times), block[KINDS], medians[KINDS];
  bool pushed, good = times != NULL;
  nereid_status_t status =
      nereid_device_enter(bench->device, &pushed, message); /* as for a caller that keeps the context current */
  for (size_t i = 0; !status && good && i < WARM_UP + blocks; ++i) {
    good = blocks_of_each(bench, block, message);
    for (size_t kind = 0; i >= WARM_UP && kind < KINDS; ++kind)
      times[kind * blocks + i - WARM_UP] = block[kind];
  }
  nereid_device_leave(bench->device, pushed);
  if (!status && (!good || !times)) /* a bare launch has no message */
    status =
        message->text[0] ? NEREID_ERROR_DEVICE : nereid_message_set(message, NEREID_ERROR_DEVICE, "a launch failed");
  for (size_t kind = 0; !status && times && kind < (bench->n_tensors ? KINDS : 3); ++kind) {
    medians[kind] = report(names[kind], times + kind * blocks, blocks);
    if (kind)
      printf("ratio              %.3f\n", medians[kind] / medians[0]);
  }
  free(times);
  return status;
}

int main(int argc, char **argv) {
  static bench_t bench;
  nereid_message_t message = {0};
  long blocks = argc > 2 ? strtol(argv[2], NULL, 10) : DEFAULT_BLOCKS;
  if (argc < 2 || argc > 4 || blocks < 1) {
    fputs("usage: launch_overhead KERNEL.cubin [BLOCKS [DEVICE]]\n", stderr);
    return 2;
  }
  nereid_arena_initialize(&file.arena);
  nereid_status_t status = set_up(&bench, argv[1], argc > 3 ? argv[3] : NULL, &message);
  if (!status)
    status = measure(&bench, (size_t)blocks, &message);
  if (status)
    fprintf(stderr, "launch_overhead: %s\n", message.text[0] ? message.text : nereid_status_string(status));
  nereid_lazy_destroy(bench.lazy);
  nereid_arena_deinitialize(&file.arena);
  nereid_device_free(bench.device, bench.buffer);
  nereid_module_unload(bench.module);
  nereid_device_close(bench.device);
  return status ? 2 : 0;
}
