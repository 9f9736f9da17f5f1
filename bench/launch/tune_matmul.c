/* Checks that tuning finds the fastest configuration of a matrix multiplication, and does not damage memory.
 *
 *   tune_matmul bench/launch/matmul.ttir [SIZE [DEVICE [CONFIGURATIONS]]]               4096, GPU 0, all 12
 *
 * Three tunings are first launches of lazy kernels with these configurations, compiled again. After each, a and b must
 * be unchanged, and 64 rows of c must be those of a * b exactly, which small integers allow. Then every configuration
 * is timed for itself: 5 rounds over all of them, 10 runs in each, with the L2 cache flushed before each run; its time
 * is the median. The program prints all times, and for each tuning the time of its winner over the least one, which
 * must be at most 1.02. On the emulator times are not compared. Exit status: 0; 1 a winner is slower or memory is
 * wrong; 2 it cannot run. */
#include "nereid/kernel.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_CONFIGURATIONS = 12, TUNINGS = 3, ROUNDS = 5, RUNS = 10, SAMPLES = ROUNDS * RUNS };
static const double most = 1.02;

typedef struct shape {
  const char *m, *n, *k;
  int32_t warps, stages;
} shape_t;

static const shape_t shapes[MAX_CONFIGURATIONS] = {
    {"64", "64", "64", 4, 3},   {"128", "128", "64", 4, 3}, {"128", "128", "64", 8, 4},  {"128", "256", "64", 8, 3},
    {"128", "256", "64", 8, 4}, {"256", "128", "64", 8, 3}, {"64", "128", "64", 4, 4},   {"64", "256", "64", 4, 4},
    {"128", "64", "64", 4, 4},  {"256", "128", "64", 8, 4}, {"128", "128", "128", 8, 3}, {"128", "128", "32", 4, 5},
};

typedef struct bench {
  nereid_device_t *device;
  const char *path;
  int32_t size;
  bool emulated;
  size_t n; /* configurations */
  nereid_constant_t constants[MAX_CONFIGURATIONS][3];
  nereid_lazy_configuration_t configurations[MAX_CONFIGURATIONS];
  uint64_t matrices[3], flush; /* a, b, c; twice the size of the L2 cache */
  nereid_tensor_t tensors[3];
  nereid_value_t arguments[3];
  uint16_t *host[3];                /* a, b, a * b */
  double times[MAX_CONFIGURATIONS]; /* microseconds; 0: not valid */
} bench_t;

/* --- matrices --- */

/* -1, 0 or 1, so that sums of products are integers below 2,048 with certainty only up to that size; beyond it they are
 * with overwhelming probability: their standard deviation is two thirds of the square root of the size. */
static int element(uint32_t matrix, uint32_t index) {
  uint32_t x = index * 2654435761U + matrix * 40503U;
  x ^= x >> 15;
  x *= 2246822519U;
  x ^= x >> 13;
  return (int)(x % 3) - 1;
}

static size_t bytes_of(const bench_t *bench) {
  return (size_t)bench->size * (size_t)bench->size * sizeof(uint16_t);
}

/* Every how many rows of c are checked: 64 rows or all. */
static size_t step_of(const bench_t *bench) {
  return bench->size > 64 ? (size_t)bench->size / 64 : 1;
}

/* Checked rows of a * b on the host. */
static void multiply(const bench_t *bench) {
  const size_t n = (size_t)bench->size;
  int *row = calloc(n, sizeof *row);
  for (size_t i = 0; row && i < n; i += step_of(bench)) {
    memset(row, 0, n * sizeof *row);
    for (size_t k = 0; k < n; ++k) {
      const int left = element(0, (uint32_t)(i * n + k));
      for (size_t j = 0; left && j < n; ++j)
        row[j] += left * element(1, (uint32_t)(k * n + j));
    }
    for (size_t j = 0; j < n; ++j)
      nereid_element_write(NEREID_ELEMENT_F16, &bench->host[2][i * n + j], row[j]);
  }
  free(row);
}

static nereid_status_t make_matrices(bench_t *bench, nereid_message_t *message) {
  const size_t bytes = bytes_of(bench);
  nereid_status_t status = NEREID_OK;
  for (uint32_t m = 0; !status && m < 3; ++m) {
    bench->host[m] = calloc(bytes, 1);
    if (!bench->host[m])
      return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; m < 2 && i < bytes / 2; ++i)
      nereid_element_write(NEREID_ELEMENT_F16, &bench->host[m][i], element(m, (uint32_t)i));
    status = nereid_device_allocate(bench->device, bytes, &bench->matrices[m], message);
    if (!status)
      status = nereid_device_upload(bench->device, bench->matrices[m], bench->host[m], bytes, message);
    bench->tensors[m] = (nereid_tensor_t){
        .address = bench->matrices[m], .rank = 2, .shape = {(uint64_t)bench->size, (uint64_t)bench->size}};
    bench->arguments[m] = nereid_value_tensor(&bench->tensors[m]);
  }
  if (!status)
    multiply(bench);
  return status;
}

static nereid_status_t count_wrong(bench_t *bench, size_t *out_wrong, nereid_message_t *message) {
  const size_t bytes = bytes_of(bench);
  uint16_t *found = malloc(bytes + 1);
  nereid_status_t status = found ? NEREID_OK : NEREID_ERROR_MEMORY;
  *out_wrong = 0;
  for (int m = 0; !status && found && m < 3; ++m) {
    status = nereid_device_download(bench->device, found, bench->matrices[m], bytes, message);
    for (size_t i = 0; !status && i < bytes / 2; ++i)
      *out_wrong += (m < 2 || i / (size_t)bench->size % step_of(bench) == 0) &&
                    nereid_element_read(NEREID_ELEMENT_F16, &found[i]) !=
                        nereid_element_read(NEREID_ELEMENT_F16, &bench->host[m][i]);
  }
  free(found);
  return status;
}

/* --- kernels --- */

static void make_configurations(bench_t *bench) {
  for (size_t i = 0; i < bench->n; ++i) {
    bench->constants[i][0] = (nereid_constant_t){"BLOCK_M", shapes[i].m};
    bench->constants[i][1] = (nereid_constant_t){"BLOCK_N", shapes[i].n};
    bench->constants[i][2] = (nereid_constant_t){"BLOCK_K", shapes[i].k};
    bench->configurations[i] = (nereid_lazy_configuration_t){.num_warps = shapes[i].warps,
                                                             .num_stages = shapes[i].stages,
                                                             .n_constants = 3,
                                                             .constants = bench->constants[i]};
  }
}

static nereid_status_t create(bench_t *bench, size_t first, size_t n, nereid_lazy_kernel_t **out_kernel,
                              nereid_message_t *message) {
  const nereid_lazy_options_t options = {.size = sizeof options,
                                         .path = bench->path,
                                         .n_configurations = n,
                                         .configurations = &bench->configurations[first],
                                         .compiler = nereid_lazy_compiler()};
  return nereid_lazy_create(bench->device, &options, out_kernel, message);
}

/* Tunes once; checks the memory after it. */
static nereid_status_t tune(bench_t *bench, size_t *out_winner, size_t *out_wrong, nereid_message_t *message) {
  const uint64_t sizes[] = {0, 0, bytes_of(bench)};
  const nereid_lazy_launch_t launch = {.sizes = sizes};
  nereid_lazy_kernel_t *kernel;
  nereid_status_t status = nereid_device_fill(bench->device, bench->matrices[2], 0, bytes_of(bench), NULL, message);
  if (!status)
    status = create(bench, 0, bench->n, &kernel, message);
  if (status)
    return status;
  status = nereid_lazy_launch(kernel, &launch, 3, bench->arguments, message);
  if (!status)
    status = nereid_device_synchronize(bench->device, message);
  if (!status)
    status = count_wrong(bench, out_wrong, message);
  if (!status)
    status = nereid_lazy_winner(kernel, &launch, 3, bench->arguments, out_winner, NULL, message);
  nereid_lazy_destroy(kernel);
  return status;
}

/* --- the time of each configuration --- */

static nereid_status_t time_run(bench_t *bench, const nereid_kernel_t *kernel, nereid_event_t *const events[2],
                                double *out_microseconds, nereid_message_t *message) {
  const size_t bytes = 2 * (size_t)nereid_device_info(bench->device)->l2_size;
  float milliseconds = 0;
  nereid_status_t status = nereid_device_fill(bench->device, bench->flush, 0, bytes, NULL, message);
  if (!status)
    status = nereid_event_record(events[0], NULL, message);
  if (!status)
    status = nereid_kernel_launch(kernel, NULL, 3, bench->arguments, message);
  if (!status)
    status = nereid_event_record(events[1], NULL, message);
  if (!status)
    status = nereid_event_elapsed(events[0], events[1], &milliseconds, message);
  *out_microseconds = (double)milliseconds * 1e3;
  return status;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static nereid_status_t time_rounds(bench_t *bench, const nereid_kernel_t *const loaded[MAX_CONFIGURATIONS],
                                   nereid_message_t *message) {
  static double samples[MAX_CONFIGURATIONS][SAMPLES];
  nereid_event_t *events[2] = {NULL, NULL};
  nereid_status_t status = nereid_event_create(bench->device, &events[0], message);
  if (!status)
    status = nereid_event_create(bench->device, &events[1], message);
  for (size_t round = 0; !status && round < ROUNDS; ++round)
    for (size_t i = 0; i < bench->n; ++i)
      for (size_t run = 0; !status && loaded[i] && run < RUNS; ++run)
        status = time_run(bench, loaded[i], events, &samples[i][round * RUNS + run], message);
  for (size_t i = 0; !status && i < bench->n; ++i) {
    qsort(samples[i], SAMPLES, sizeof(double), by_value);
    bench->times[i] = loaded[i] ? samples[i][SAMPLES / 2] : 0;
  }
  nereid_event_destroy(events[0]);
  nereid_event_destroy(events[1]);
  return status;
}

/* Compiles each configuration as a kernel of its own, and times all of them in turn. */
static nereid_status_t time_each(bench_t *bench, nereid_message_t *message) {
  nereid_lazy_kernel_t *kernels[MAX_CONFIGURATIONS] = {NULL};
  const nereid_kernel_t *loaded[MAX_CONFIGURATIONS] = {NULL};
  nereid_message_t problem;
  nereid_status_t status = NEREID_OK;
  for (size_t i = 0; !status && i < bench->n; ++i) {
    status = create(bench, i, 1, &kernels[i], message);
    if (!status && nereid_lazy_tune(kernels[i], NULL, 3, bench->arguments, &problem))
      printf("configuration %zu: %s\n", i, problem.text);
    else if (!status)
      status = nereid_lazy_winner(kernels[i], NULL, 3, bench->arguments, NULL, &loaded[i], message);
  }
  if (!status)
    status = time_rounds(bench, loaded, message);
  for (size_t i = 0; i < bench->n; ++i)
    nereid_lazy_destroy(kernels[i]);
  return status;
}

/* --- the program --- */

static double print_times(const bench_t *bench) {
  const double operations = 2.0 * bench->size * bench->size * bench->size;
  double least = 0;
  for (size_t i = 0; i < bench->n; ++i) {
    printf("%2zu  %3sx%3sx%3s  %d warps  %d stages  %10.1f us  %6.1f TFLOP/s\n", i, shapes[i].m, shapes[i].n,
           shapes[i].k, (int)shapes[i].warps, (int)shapes[i].stages, bench->times[i],
           bench->times[i] > 0 ? operations / bench->times[i] * 1e-6 : 0);
    if (bench->times[i] > 0 && (least == 0 || bench->times[i] < least))
      least = bench->times[i];
  }
  return least;
}

static nereid_status_t run(bench_t *bench, bool *out_good, nereid_message_t *message) {
  size_t winners[TUNINGS] = {0}, wrong[TUNINGS] = {0};
  nereid_status_t status = make_matrices(bench, message);
  if (!status)
    status = nereid_device_allocate(bench->device, 2 * (uint64_t)nereid_device_info(bench->device)->l2_size,
                                    &bench->flush, message);
  for (int i = 0; !status && i < (bench->emulated ? 1 : TUNINGS); ++i)
    status = tune(bench, &winners[i], &wrong[i], message);
  if (!status && !bench->emulated)
    status = time_each(bench, message);
  const double least = !status && !bench->emulated ? print_times(bench) : 0;
  *out_good = !status;
  for (int i = 0; !status && i < (bench->emulated ? 1 : TUNINGS); ++i) {
    const double ratio = least > 0 ? bench->times[winners[i]] / least : 1;
    printf("tuning %d: winner %zu, %.3f of the fastest, %zu elements wrong\n", i, winners[i], ratio, wrong[i]);
    *out_good &= ratio <= most && !wrong[i];
  }
  for (int m = 0; m < 3; ++m) {
    nereid_device_free(bench->device, bench->matrices[m]);
    free(bench->host[m]);
  }
  nereid_device_free(bench->device, bench->flush);
  return status;
}

int main(int argc, char **argv) {
  static bench_t bench;
  nereid_message_t message = {""};
  bool good = false;
  const char *device = argc > 3 ? argv[3] : "0";
  const long n = argc > 4 ? strtol(argv[4], NULL, 10) : MAX_CONFIGURATIONS;
  const long size = argc > 2 ? strtol(argv[2], NULL, 10) : 4096;
  if (argc < 2 || size < 8 || size % 8 || size > 16384 || n < 1 || n > MAX_CONFIGURATIONS) {
    fputs("usage: tune_matmul bench/launch/matmul.ttir [SIZE [DEVICE [CONFIGURATIONS]]]; SIZE is a multiple of 8\n",
          stderr);
    return 2;
  }
  bench = (bench_t){.path = argv[1], .size = (int32_t)size, .n = (size_t)n, .emulated = !strcmp(device, "emulator")};
  make_configurations(&bench);
  nereid_status_t status = nereid_device_open_named(device, &bench.device, &message);
  if (!status)
    status = run(&bench, &good, &message);
  if (status)
    fprintf(stderr, "tune_matmul: %s\n", message.text[0] ? message.text : nereid_status_string(status));
  nereid_device_close(bench.device);
  return status ? 2 : !good;
}
