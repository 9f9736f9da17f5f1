/* The host side of the tests in this folder. Each .cu file holds a kernel, which nvcc compiles to PTX when the test
 * runs, and its reference in C, which the build compiles: the program loads the PTX, runs `test` under every schedule
 * and fails when a result differs.
 *
 *   static void test(cuda_t *cuda) { ...; LAUNCH(cuda, "k", grid, block, shared, &pointer, &n); ... }
 *   CUDA_MAIN */
#ifndef NEREID_TEST_CUDA_DRIVER_H
#define NEREID_TEST_CUDA_DRIVER_H

#include "base/float.h"
#include "nereid/emulator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct cuda {
  nereid_emulator_program_t *program;
  nereid_emulator_memory_t *memory;
  nereid_emulator_launch_t launch; /* options of a test: cluster, threads, ... */
  nereid_emulator_report_t report;
  nereid_status_t status; /* result of the last launch */
  uint64_t random;
  char printed[1 << 14];
  size_t printed_size;
} cuda_t;

typedef struct cuda_dim {
  uint32_t x, y, z;
} cuda_dim_t;

#define FAIL(...)                                                                                                      \
  (fprintf(stderr, "%s:%d: ", __FILE__, __LINE__), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1))
#define EXPECT(condition, ...) ((condition) ? (void)0 : FAIL(__VA_ARGS__))
#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline uint64_t cuda_random(cuda_t *cuda) { /* splitmix64 */
  uint64_t z = cuda->random += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* In [-1, 1). */
static inline float cuda_random_float(cuda_t *cuda) {
  return (float)(cuda_random(cuda) >> 40) * 0x1p-23f - 1.0f;
}

static inline uint64_t cuda_buffer(cuda_t *cuda, void *host, size_t bytes) {
  uint64_t address = 0;
  EXPECT(nereid_emulator_memory_add(cuda->memory, host, bytes, 256, NULL, &address) == NEREID_OK, "memory");
  return address;
}

/* The arguments' addresses, in the kernel's order. */
static inline nereid_status_t cuda_try(cuda_t *cuda, const char *name, cuda_dim_t grid, cuda_dim_t block,
                                       uint32_t shared, const void *const *arguments, size_t n) {
  uint8_t block_of[4096] = {0};
  const nereid_emulator_kernel_t *kernel = nereid_emulator_kernel(cuda->program, name);
  const nereid_emulator_parameter_t *parameters = NULL;
  EXPECT(kernel, "no kernel '%s'", name);
  EXPECT(nereid_emulator_kernel_parameters(kernel, &parameters) == n, "'%s' has other parameters", name);
  for (size_t i = 0; i < n; ++i)
    memcpy(block_of + parameters[i].offset, arguments[i], parameters[i].size);
  nereid_emulator_launch_t launch = cuda->launch;
  memcpy(launch.grid, &grid, sizeof launch.grid);
  memcpy(launch.block, &block, sizeof launch.block);
  launch.shared_bytes = shared;
  launch.parameters = block_of;
  launch.parameter_bytes = nereid_emulator_kernel_parameter_bytes(kernel);
  launch.memory = cuda->memory;
  cuda->status = nereid_emulator_run(kernel, &launch, &cuda->report);
  return cuda->status;
}

#define LAUNCH_STATUS(cuda, name, grid, block, shared, ...)                                                            \
  cuda_try(cuda, name, grid, block, shared, (const void *const[]){__VA_ARGS__},                                        \
           COUNT(((const void *const[]){__VA_ARGS__})))
#define LAUNCH(cuda, name, grid, block, shared, ...)                                                                   \
  EXPECT(LAUNCH_STATUS(cuda, name, grid, block, shared, __VA_ARGS__) == NEREID_OK, "%s", (cuda)->report.message.text)
#define DIM(...) ((cuda_dim_t){__VA_ARGS__})

static inline void cuda_printed(void *user_data, nereid_view_t text) {
  cuda_t *cuda = user_data;
  size_t left = sizeof cuda->printed - 1 - cuda->printed_size, n = text.size < left ? text.size : left;
  memcpy(cuda->printed + cuda->printed_size, text.data, n);
  cuda->printed_size += n;
  cuda->printed[cuda->printed_size] = 0;
}

static inline char *cuda_read(const char *path, size_t *out_size) {
  FILE *file = fopen(path, "rb");
  EXPECT(file, "cannot open '%s'", path);
  char *text = malloc(1 << 24);
  EXPECT(text, "out of memory");
  *out_size = fread(text, 1, 1 << 24, file);
  fclose(file);
  return text;
}

/* Every schedule, with effects that land at issue, at the wait and at random. */
static inline int cuda_main(int argc, char **argv, void (*test)(cuda_t *cuda)) {
  static cuda_t cuda;
  nereid_message_t message = {""};
  size_t size = 0;
  EXPECT(argc == 2, "usage: %s FILE.ptx", argv[0]);
  char *text = cuda_read(argv[1], &size);
  EXPECT(nereid_emulator_load(nereid_view_of(text, size), argv[1], &cuda.program, &message) == NEREID_OK, "%s",
         message.text);
  for (int i = 0; i < 6; ++i) {
    static const nereid_emulator_schedule_t schedules[] = {NEREID_EMULATOR_ROUND_ROBIN, NEREID_EMULATOR_RANDOM,
                                                           NEREID_EMULATOR_ADVERSARIAL};
    static const nereid_emulator_landing_t landings[] = {NEREID_EMULATOR_LAND_AT_WAIT, NEREID_EMULATOR_LAND_RANDOM,
                                                         NEREID_EMULATOR_LAND_AT_ISSUE};
    cuda.random = 1 + (uint64_t)i;
    cuda.printed_size = 0;
    cuda.launch =
        (nereid_emulator_launch_t){.schedule = schedules[i % 3],
                                   .landing = landings[(i + i / 3) % 3],
                                   .proxy = i % 2 ? NEREID_EMULATOR_PROXY_AT_FENCE : NEREID_EMULATOR_PROXY_AT_ONCE,
                                   .seed = (uint64_t)i,
                                   .steps = 100000000,
                                   .count = true,
                                   .print = cuda_printed,
                                   .user_data = &cuda};
    EXPECT(nereid_emulator_memory_create(&cuda.memory) == NEREID_OK, "memory");
    test(&cuda);
    nereid_emulator_memory_destroy(cuda.memory);
  }
  nereid_emulator_unload(cuda.program);
  free(text);
  return 0;
}

#define CUDA_MAIN                                                                                                      \
  int main(int argc, char **argv) {                                                                                    \
    return cuda_main(argc, argv, test);                                                                                \
  }

#endif
