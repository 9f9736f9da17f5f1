/* Runs a lowered kernel on the host, with a pthread per GPU thread, pthread barriers for the CTA and for each warp, and
 * an array as shared memory. Threads of a warp exchange registers and addresses through arrays, between two barriers.
 *
 *   host_threads THREADS BYTES INPUT COUNT OUTPUT      kernel(input, output, count, null, null), both of BYTES bytes */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kernel(void *input, void *output, int32_t count, void *scratch, void *profile);
int host_tid(void);
void host_barrier(int32_t which);
void host_warp_barrier(int32_t lanes);
uint32_t host_prmt(uint32_t a, uint32_t b, uint32_t selector);
uint32_t host_shfl_idx(int32_t lanes, uint32_t value, uint32_t from, uint32_t clamp);
void host_ldmatrix(char *row, uint16_t *registers, int32_t matrices, int32_t transposed);
void host_stmatrix(char *row, const uint16_t *registers, int32_t matrices, int32_t transposed);

enum { WARP = 32, MAX_THREADS = 1024, ROWS = 8, ROW_BYTES = 16 };

_Alignas(16) char host_smem[1 << 18];

static __thread int thread_id;
static pthread_barrier_t barrier, warp_barriers[MAX_THREADS / WARP];
static uint32_t values[MAX_THREADS]; /* source registers of shfl.sync, by thread */
static char *rows[MAX_THREADS];      /* row addresses of ldmatrix and stmatrix, by thread */
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

/* Byte i of the result is byte 0 to 7 of a and b, or that byte's sign, by bits 4i to 4i+3 (PTX ISA, prmt). */
uint32_t host_prmt(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t bytes = (uint64_t)b << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t select = selector >> 4 * i, byte = (uint32_t)(bytes >> 8 * (select & 7)) & 0xFF;
    const uint32_t sign = byte & 0x80 ? 0xFF : 0;
    result |= (select & 8 ? sign : byte) << 8 * i;
  }
  return result;
}

/* PTX ISA, shfl.sync: bits 8 to 12 of `clamp` are the mask of segments, and a lane reads its own value if `from` is
 * beyond the clamp. */
uint32_t host_shfl_idx(int32_t lanes, uint32_t value, uint32_t from, uint32_t clamp) {
  const uint32_t lane = (uint32_t)thread_id % WARP, segments = clamp >> 8 & (WARP - 1);
  const uint32_t source = (lane & segments) | (from & ~segments & (WARP - 1));
  const uint32_t last = (lane & segments) | (clamp & ~segments & (WARP - 1));
  values[thread_id] = value;
  host_warp_barrier(lanes);
  const uint32_t result = values[(uint32_t)thread_id - lane + (source <= last ? source : lane)];
  host_warp_barrier(lanes);
  return result;
}

/* The element of matrix `matrix` that is half `half` of this thread's register (PTX ISA, ldmatrix). */
static char *element(int matrix, int half, bool transposed) {
  const int lane = thread_id % WARP, row = lane / 4, column = lane % 4 * 2 + half;
  char *const *of_matrix = rows + (thread_id - lane) + matrix * ROWS;
  return transposed ? of_matrix[column] + row * 2 : of_matrix[row] + column * 2;
}

/* Lane 8m+r passes row r of matrix m, aligned to 16 bytes. */
static void pass_row(char *row, int32_t matrices) {
  if (thread_id % WARP < matrices * ROWS && (uintptr_t)row % ROW_BYTES) {
    fprintf(stderr, "the row of a matrix is not aligned to %d bytes\n", ROW_BYTES);
    exit(3);
  }
  rows[thread_id] = row;
  host_warp_barrier(-1);
}

void host_ldmatrix(char *row, uint16_t *registers, int32_t matrices, int32_t transposed) {
  pass_row(row, matrices);
  for (int i = 0; i < 2 * matrices; ++i)
    memcpy(&registers[i], element(i / 2, i % 2, transposed), sizeof *registers);
  host_warp_barrier(-1);
}

void host_stmatrix(char *row, const uint16_t *registers, int32_t matrices, int32_t transposed) {
  pass_row(row, matrices);
  for (int i = 0; i < 2 * matrices; ++i)
    memcpy(element(i / 2, i % 2, transposed), &registers[i], sizeof *registers);
  host_warp_barrier(-1);
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
