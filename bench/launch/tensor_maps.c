/* Measures the host time of tensor maps: encoding one, and finding it in a cache, with one and with several threads.
 *
 *   tensor_maps [emulator | GPU] [THREADS]
 *
 * Every row is the median of 101 blocks of 1,000 calls, in nanoseconds per call. `encode` calls nereid_tma_encode for a
 * matrix whose number of rows changes with each call, as with dynamic shapes; `found` gets and releases a reference to
 * one of 64 maps of a cache; the last row does so in all threads at once. Exit status 0, or 2 if it cannot run. */
#include "nereid/launch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BLOCKS = 101, CALLS = 1000, MAPS = 64, MAX_THREADS = 256 };

typedef struct bench {
  nereid_device_t *device;
  nereid_tma_cache_t *cache;
  uint64_t address;   /* device address of the matrix, which is smaller than the maps describe: no kernel uses them */
  double nanoseconds; /* out */
  bool failed;
} bench_t;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static nereid_tma_request_t request_of(const bench_t *bench, uint64_t rows) {
  return nereid_tma_request_2d(bench->address, NEREID_TMA_F16, rows, 4096, 128, 64);
}

static bool encode(bench_t *bench) {
  nereid_tma_descriptor_t descriptor;
  bool good = true;
  for (uint64_t i = 1; i <= CALLS; ++i) {
    const nereid_tma_request_t request = request_of(bench, i);
    good &= nereid_tma_encode(NEREID_TMA_DRIVER, bench->device, &request, &descriptor, NULL) == NEREID_OK;
  }
  return good;
}

static bool find(bench_t *bench) {
  nereid_tma_reference_t reference;
  bool good = true;
  for (uint64_t i = 0; i < CALLS; ++i) {
    const nereid_tma_request_t request = request_of(bench, 1 + i % MAPS);
    good &= nereid_tma_cache_get(bench->cache, &request, NULL, &reference, NULL) == NEREID_OK;
    nereid_tma_reference_release(&reference);
  }
  return good;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(bench_t *bench, bool (*block)(bench_t *)) {
  double times[BLOCKS];
  for (int i = 0; i < BLOCKS; ++i) {
    const double start = now();
    bench->failed |= !block(bench);
    times[i] = (now() - start) / CALLS;
  }
  qsort(times, BLOCKS, sizeof *times, by_value);
  bench->nanoseconds = times[BLOCKS / 2];
}

static void *measure_finding(void *data) {
  measure(data, find);
  return NULL;
}

/* Returns the mean of the threads' medians. */
static double measure_threads(const bench_t *bench, size_t n, bool *failed) {
  static bench_t benches[MAX_THREADS];
  static pthread_t threads[MAX_THREADS];
  double sum = 0;
  size_t started = 0;
  for (; started < n; ++started) {
    benches[started] = *bench;
    if (pthread_create(&threads[started], NULL, measure_finding, &benches[started]))
      break;
  }
  for (size_t i = 0; i < started; ++i) {
    pthread_join(threads[i], NULL);
    sum += benches[i].nanoseconds;
    *failed |= benches[i].failed;
  }
  *failed |= started < n;
  return started ? sum / (double)started : 0;
}

int main(int argc, char **argv) {
  bench_t bench = {0};
  nereid_message_t message = {""};
  const long threads = argc > 2 ? strtol(argv[2], NULL, 10) : 16;
  if (argc > 3 || threads < 1 || threads > MAX_THREADS) {
    fputs("usage: tensor_maps [emulator | GPU] [THREADS]\n", stderr);
    return 2;
  }
  if (nereid_device_open_named(argc > 1 ? argv[1] : "emulator", &bench.device, &message) ||
      nereid_device_allocate(bench.device, 1 << 20, &bench.address, &message) ||
      nereid_tma_cache_create(NEREID_TMA_DRIVER, bench.device, 0, &bench.cache)) {
    fprintf(stderr, "tensor_maps: %s\n", message.text);
    nereid_device_close(bench.device);
    return 2;
  }
  measure(&bench, encode);
  printf("encode             %8.1f ns\n", bench.nanoseconds);
  measure(&bench, find);
  printf("found              %8.1f ns\n", bench.nanoseconds);
  printf("found, %3ld threads %8.1f ns\n", threads, measure_threads(&bench, (size_t)threads, &bench.failed));
  if (bench.failed)
    fputs("tensor_maps: a call failed\n", stderr);
  nereid_tma_cache_destroy(bench.cache);
  nereid_device_free(bench.device, bench.address);
  nereid_device_close(bench.device);
  return bench.failed ? 2 : 0;
}
