/* Runs a lowered kernel on the host, with a pthread per GPU thread, pthread barriers for the CTA and for each warp, and an
 * array as shared memory.
 *
 *   host_threads THREADS BYTES INPUT COUNT OUTPUT      kernel(input, output, count, null, null), both of BYTES bytes */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kernel(void *input, void *output, int32_t count, void *scratch, void *profile);
int host_tid(void);
void host_barrier(int32_t which);
void host_warp_barrier(int32_t lanes);

enum { WARP = 32, MAX_THREADS = 1024 };

_Alignas(16) char host_smem[1 << 18];

static __thread int thread_id;
static pthread_barrier_t barrier, warp_barriers[MAX_THREADS / WARP];
static char *input, *output;
static int count;

int host_tid(void) {
  return thread_id;
}

void host_barrier(int32_t which) {
  (void)which;
  pthread_barrier_wait(&barrier);
}

void host_warp_barrier(int32_t lanes) {
  (void)lanes;
  pthread_barrier_wait(&warp_barriers[thread_id / WARP]);
}

static void *run(void *id) {
  thread_id = (int)(intptr_t)id;
  kernel(input, output, count, NULL, NULL);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[MAX_THREADS];
  if (argc != 6)
    return 2;
  const int n = atoi(argv[1]);
  const size_t bytes = strtoul(argv[2], NULL, 10), room = (bytes + 63) / 64 * 64;
  FILE *in = fopen(argv[3], "rb"), *out = fopen(argv[5], "wb");
  input = aligned_alloc(64, room);
  output = aligned_alloc(64, room);
  count = atoi(argv[4]);
  if (!in || !out || n > MAX_THREADS || fread(input, 1, bytes, in) != bytes)
    return 2;
  memset(output, 0xEE, bytes);
  pthread_barrier_init(&barrier, NULL, (unsigned)n);
  for (int i = 0; i < n / WARP; ++i)
    pthread_barrier_init(&warp_barriers[i], NULL, WARP);
  for (int i = 0; i < n; ++i)
    pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i);
  for (int i = 0; i < n; ++i)
    pthread_join(threads[i], NULL);
  return fwrite(output, 1, bytes, out) != bytes || fclose(out) != 0;
}
