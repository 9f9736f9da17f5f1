/* Measures the speed of the PTX emulator on one host thread, in processor time, the best of several runs:
 *
 *   emulator [--runs N] FILE.ptx...     files whose kernel is `vector_add` or `matmul`, such as the corpus's
 *
 *   vector_add   x + y of 4 Mi floats, 1,024 per CTA: millions of thread-instructions per second
 *   matmul       one CTA's 128x256 tile of f16 with K = 4096: seconds
 *
 * Each is measured without options, with counters, and with the race detector. Loading is timed too. Results are
 * compared with a computation on the host. */
#include "nereid/emulator.h"
#include "base/float.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ELEMENTS = 1 << 22, ROWS = 128, COLUMNS = 256, DEPTH = 4096, SHARED = 192 * 1024 };

typedef struct bench {
  const char *kernel;
  uint32_t grid, elements[3], each; /* of three arrays; bytes per element */
  void (*fill)(void *const *arrays);
  bool (*check)(void *const *arrays);
  uint32_t scalars[8], n_scalars; /* after three pointers */
  bool seconds;                   /* prints seconds, else instructions per second */
} bench_t;

static float number(uint32_t i) { /* small, exact in f16 */
  return (float)(int)(i * 2654435761u >> 28) - 7.0f;
}

static void fill_add(void *const *arrays) {
  for (uint32_t i = 0; i < ELEMENTS; ++i) {
    ((float *)arrays[0])[i] = number(i);
    ((float *)arrays[1])[i] = number(i + 77);
  }
}

static bool check_add(void *const *arrays) {
  for (uint32_t i = 0; i < ELEMENTS; ++i)
    if (((const float *)arrays[2])[i] != number(i) + number(i + 77))
      return false;
  return true;
}

static void fill_matmul(void *const *arrays) {
  for (uint32_t i = 0; i < ROWS * DEPTH; ++i)
    ((uint16_t *)arrays[0])[i] = nereid_float_to_f16((double)number(i), NEREID_FLOAT_NEAREST);
  for (uint32_t i = 0; i < DEPTH * COLUMNS; ++i)
    ((uint16_t *)arrays[1])[i] = nereid_float_to_f16((double)number(i + 77), NEREID_FLOAT_NEAREST);
}

static bool check_matmul(void *const *arrays) { /* every 97th element; products are integers, so sums are exact */
  for (uint32_t i = 0; i < ROWS * COLUMNS; i += 97) {
    double sum = 0;
    for (uint32_t k = 0; k < DEPTH; ++k)
      sum += (double)number(i / COLUMNS * DEPTH + k) * (double)number(k * COLUMNS + i % COLUMNS + 77);
    if (((const uint16_t *)arrays[2])[i] != nereid_float_to_f16(sum, NEREID_FLOAT_NEAREST))
      return false;
  }
  return true;
}

static const bench_t benches[] = {
    {.kernel = "vector_add",
     .grid = ELEMENTS / 1024,
     .elements = {ELEMENTS, ELEMENTS, ELEMENTS},
     .each = sizeof(float),
     .fill = fill_add,
     .check = check_add,
     .scalars = {ELEMENTS},
     .n_scalars = 1},
    {.kernel = "matmul",
     .grid = 1,
     .elements = {ROWS * DEPTH, DEPTH * COLUMNS, ROWS * COLUMNS},
     .each = sizeof(uint16_t),
     .fill = fill_matmul,
     .check = check_matmul,
     .scalars = {ROWS, COLUMNS, DEPTH, DEPTH, COLUMNS, COLUMNS},
     .n_scalars = 6,
     .seconds = true},
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static char *read_file(const char *path, size_t *out_size) {
  enum { MOST = 1 << 24 };
  FILE *file = fopen(path, "rb");
  char *text = malloc(MOST);
  *out_size = file && text ? fread(text, 1, MOST, file) : 0;
  if (file)
    fclose(file);
  return text;
}

static void put_parameters(const nereid_emulator_kernel_t *kernel, const bench_t *bench, const uint64_t *addresses,
                           uint8_t *block) {
  const nereid_emulator_parameter_t *parameters;
  size_t n = nereid_emulator_kernel_parameters(kernel, &parameters);
  for (size_t i = 0; i < n && i < 3 + bench->n_scalars;
       ++i) /* the remaining parameters are unused scratch pointers: zeros */
    memcpy(block + parameters[i].offset, i < 3 ? (const void *)&addresses[i] : &bench->scalars[i - 3],
           parameters[i].size);
}

static bool run(const bench_t *bench, const nereid_emulator_kernel_t *kernel, const nereid_emulator_launch_t *launch,
                const char *mode, int runs) {
  nereid_emulator_report_t report;
  double best = INFINITY;
  for (int i = 0; i < runs; ++i) {
    double start = now();
    if (nereid_emulator_run(kernel, launch, &report)) {
      printf("%s\n", report.message.text);
      return false;
    }
    double took = now() - start;
    best = took < best ? took : best;
  }
  if (bench->seconds)
    printf("  %-10s %8.3f s\n", mode, best);
  else
    printf("  %-10s %8.0f million thread-instructions/s\n", mode, (double)report.thread_instructions / best / 1e6);
  return true;
}

static bool measure(const bench_t *bench, const nereid_emulator_kernel_t *kernel, int runs) {
  static uint8_t block[4096];
  nereid_emulator_memory_t *memory = NULL;
  void *arrays[3];
  uint64_t addresses[3];
  if (nereid_emulator_kernel_parameter_bytes(kernel) > sizeof block || nereid_emulator_memory_create(&memory))
    return false;
  for (int i = 0; i < 3; ++i) {
    arrays[i] = calloc(bench->elements[i], bench->each);
    if (!arrays[i] || nereid_emulator_memory_add(memory, arrays[i], (size_t)bench->elements[i] * bench->each, 256, NULL,
                                                 &addresses[i]))
      return false;
  }
  bench->fill(arrays);
  put_parameters(kernel, bench, addresses, block);
  nereid_emulator_launch_t launch = {.grid = {bench->grid, 1, 1},
                                     .shared_bytes = bench->seconds ? SHARED : 0,
                                     .parameters = block,
                                     .parameter_bytes = nereid_emulator_kernel_parameter_bytes(kernel),
                                     .memory = memory,
                                     .threads = 1};
  bool good = run(bench, kernel, &launch, "plain", runs);
  launch.count = true;
  good = good && run(bench, kernel, &launch, "counters", runs);
  launch.count = false;
  launch.racecheck = true;
  good = good && run(bench, kernel, &launch, "racecheck", runs);
  if (good && !bench->check(arrays))
    good = printf("  the results are wrong\n") < 0;
  for (int i = 0; i < 3; ++i)
    free(arrays[i]);
  nereid_emulator_memory_destroy(memory);
  return good;
}

static bool bench_file(const char *path, int runs) {
  size_t size;
  char *text = read_file(path, &size);
  nereid_emulator_program_t *program = NULL;
  nereid_message_t message;
  double start = now();
  nereid_status_t status = nereid_emulator_load(nereid_view_of(text, size), path, &program, &message);
  printf("%s\n  %-10s %8.3f ms\n", path, "load", (now() - start) * 1e3);
  const nereid_emulator_kernel_t *kernel = status ? NULL : nereid_emulator_kernel(program, NULL);
  bool good = false;
  if (status)
    printf("  %s\n", message.text);
  for (size_t i = 0; kernel && i < sizeof benches / sizeof *benches; ++i)
    if (strcmp(benches[i].kernel, nereid_emulator_kernel_name(kernel)) == 0)
      good = measure(&benches[i], kernel, runs);
  nereid_emulator_unload(program);
  free(text);
  return good;
}

int main(int argc, char **argv) {
  int runs = 5, failures = 0, first = 1;
  if (argc > 2 && strcmp(argv[1], "--runs") == 0) {
    runs = atoi(argv[2]);
    first = 3;
  }
  for (int i = first; i < argc; ++i)
    failures += !bench_file(argv[i], runs > 0 ? runs : 1);
  return failures != 0 || first == argc;
}
