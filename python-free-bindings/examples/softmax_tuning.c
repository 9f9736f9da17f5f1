/* Softmax with a block size that is found by measurement:
 *
 *   softmax_tuning examples/softmax.ttir [emulator | GPU] [STORE]
 *
 * The kernel is a template with one constant, the number of columns of a block. Six configurations compile in the
 * background. The first launch for a bucket of widths times them on its own matrix; later launches of the bucket use
 * the fastest. With a store, which is a folder, a second run neither compiles nor tunes. Each result is compared with a
 * reference computed here. Exit status: 0 all results are right; 1 some are not, or a call failed; 3 there is no such
 * device. */
#include "nereid/kernel.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_CONFIGURATIONS = 6, NO_DEVICE = 3, MAX_ROWS = 4096, MAX_COLUMNS = 8192 };

typedef struct shape {
  int32_t rows, columns;
} shape_t;

/* Widths 300 and 500 have one bucket. On a GPU there are more rows. */
static const shape_t small_shapes[] = {{12, 300}, {12, 500}, {6, 2000}};
static const shape_t large_shapes[] = {{4096, 300}, {4096, 500}, {2048, 8192}};
enum { N_SHAPES = 3, LAUNCHES = 3 };

static double value_at(size_t i) {
  return (double)((int)(i * 7919 % 2001) - 1000) / 250;
}

static nereid_status_t upload(nereid_device_t *device, uint64_t address, shape_t shape, nereid_message_t *message) {
  const size_t n = (size_t)shape.rows * (size_t)shape.columns;
  float *host = malloc((n + 1) * sizeof *host);
  if (!host)
    return NEREID_ERROR_MEMORY;
  for (size_t i = 0; i < n; ++i)
    host[i] = (float)value_at(i);
  nereid_status_t status = nereid_device_upload(device, address, host, n * sizeof *host, message);
  free(host);
  return status;
}

static size_t count_wrong_in_row(const float *row, size_t first, size_t columns) {
  double sum = 0;
  size_t wrong = 0;
  for (size_t i = 0; i < columns; ++i)
    sum += exp((double)(float)value_at(first + i));
  for (size_t i = 0; i < columns; ++i) {
    const double expected = exp((double)(float)value_at(first + i)) / sum;
    wrong += !(fabs((double)row[i] - expected) <= 1e-5 * expected);
  }
  return wrong;
}

static nereid_status_t check(nereid_device_t *device, uint64_t address, shape_t shape, size_t *out_wrong,
                             nereid_message_t *message) {
  const size_t columns = (size_t)shape.columns, n = (size_t)shape.rows * columns;
  float *host = malloc((n + 1) * sizeof *host);
  *out_wrong = 0;
  if (!host)
    return NEREID_ERROR_MEMORY;
  nereid_status_t status = nereid_device_download(device, host, address, n * sizeof *host, message);
  for (size_t i = 0; !status && i < n; i += columns)
    *out_wrong += count_wrong_in_row(host + i, i, columns);
  free(host);
  return status;
}

/* Compilations are reported by threads of the pool. */
static void print_progress(void *user_data, const nereid_lazy_progress_t *progress) {
  atomic_int *compiled = user_data;
  if (!progress->tuning && strcmp(progress->state, "compiled") == 0)
    atomic_fetch_add(compiled, 1);
  if (progress->tuning)
    printf("  configuration %zu: %s, %.0f\n", progress->configuration, progress->state, progress->time);
}

static nereid_status_t create(nereid_device_t *device, const char *path, nereid_store_t *store, atomic_int *compiled,
                              nereid_lazy_kernel_t **out_kernel, nereid_message_t *message) {
  static const nereid_constant_t blocks[] = {{"BLOCK", "256"}, {"BLOCK", "1024"}, {"BLOCK", "4096"}};
  nereid_lazy_configuration_t configurations[N_CONFIGURATIONS];
  for (int i = 0; i < N_CONFIGURATIONS; ++i)
    configurations[i] = (nereid_lazy_configuration_t){
        .num_warps = i < N_CONFIGURATIONS / 2 ? 4 : 8, .n_constants = 1, .constants = &blocks[i % 3]};
  const nereid_lazy_options_t options = {.size = sizeof options,
                                         .path = path,
                                         .n_configurations = N_CONFIGURATIONS,
                                         .configurations = configurations,
                                         .compiler = nereid_lazy_compiler(),
                                         .store = store,
                                         .specialize = NEREID_LAZY_SPECIALIZE_DIVISIBLE,
                                         .progress = print_progress,
                                         .user_data = compiled};
  return nereid_lazy_create(device, &options, out_kernel, message);
}

/* Launches the kernel for one shape; prints the winner and the number of wrong elements. */
static nereid_status_t run_shape(nereid_device_t *device, nereid_lazy_kernel_t *kernel, uint64_t x, uint64_t y,
                                 shape_t shape, size_t *out_wrong, nereid_message_t *message) {
  const nereid_value_t arguments[] = {nereid_value_pointer(x), nereid_value_pointer(y), nereid_value_i32(shape.rows),
                                      nereid_value_i32(shape.columns)};
  const nereid_lazy_launch_t launch = {.key = nereid_lazy_bucket((uint64_t)shape.columns)};
  size_t winner = 0;
  printf("%d x %d:\n", shape.rows, shape.columns);
  nereid_status_t status = upload(device, x, shape, message);
  for (int i = 0; !status && i < LAUNCHES; ++i)
    status = nereid_lazy_launch(kernel, &launch, 4, arguments, message);
  if (!status)
    status = nereid_device_synchronize(device, message);
  if (!status)
    status = check(device, y, shape, out_wrong, message);
  if (!status)
    status = nereid_lazy_winner(kernel, &launch, 4, arguments, &winner, NULL, message);
  if (!status)
    printf("  winner %zu, %zu elements wrong\n", winner, *out_wrong);
  return status;
}

static nereid_status_t run(nereid_device_t *device, const char *path, nereid_store_t *store, bool emulated,
                           size_t *out_wrong, nereid_message_t *message) {
  const shape_t *shapes = emulated ? small_shapes : large_shapes;
  const uint64_t bytes = (uint64_t)MAX_ROWS * MAX_COLUMNS * sizeof(float) / (emulated ? 256 : 1);
  nereid_lazy_kernel_t *kernel = NULL;
  atomic_int compiled = 0;
  uint64_t x = 0, y = 0;
  nereid_status_t status = create(device, path, store, &compiled, &kernel, message);
  if (!status)
    status = nereid_device_allocate(device, bytes, &x, message);
  if (!status)
    status = nereid_device_allocate(device, bytes, &y, message);
  for (int i = 0; !status && i < N_SHAPES; ++i) {
    size_t wrong = 0;
    status = run_shape(device, kernel, x, y, shapes[i], &wrong, message);
    *out_wrong += wrong;
  }
  nereid_lazy_destroy(kernel);
  printf("compiled %d configurations\n", atomic_load(&compiled));
  nereid_device_free(device, x);
  nereid_device_free(device, y);
  return status;
}

int main(int argc, char **argv) {
  const char *name = argc > 2 ? argv[2] : "emulator";
  const bool emulated = strcmp(name, "emulator") == 0;
  nereid_message_t message = {""};
  nereid_device_t *device;
  nereid_store_t *store = NULL;
  size_t wrong = 0;
  if (argc < 2) {
    fputs("usage: softmax_tuning examples/softmax.ttir [emulator | GPU] [STORE]\n", stderr);
    return 1;
  }
  if (nereid_device_open_named(name, &device, &message)) {
    fprintf(stderr, "%s\n", message.text);
    return NO_DEVICE;
  }
  nereid_status_t status = NEREID_OK;
  if (argc > 3)
    status = nereid_store_open(&(nereid_store_options_t){.size = sizeof(nereid_store_options_t), .folder = argv[3]},
                               &store, &message);
  if (!status)
    status = run(device, argv[1], store, emulated, &wrong, &message);
  if (status)
    fprintf(stderr, "%s: %s\n", nereid_status_string(status), message.text);
  nereid_store_close(store);
  nereid_device_close(device);
  return status || wrong ? 1 : 0;
}
