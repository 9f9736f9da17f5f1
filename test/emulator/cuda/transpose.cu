// A transposition through shared memory, with and without the padding that avoids bank conflicts.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_transpose %t.ptx
#ifdef __CUDACC__
template <int PITCH> __device__ void transposed(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[32 * PITCH];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < columns && y + i < rows)
      tile[(threadIdx.y + i) * PITCH + threadIdx.x] = in[(y + i) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < rows && y + i < columns)
      out[(y + i) * rows + x] = tile[threadIdx.x * PITCH + threadIdx.y + i];
}
extern "C" __global__ void padded(const float *in, float *out, int rows, int columns) {
  transposed<33>(in, out, rows, columns);
}
extern "C" __global__ void conflicting(const float *in, float *out, int rows, int columns) {
  transposed<32>(in, out, rows, columns);
}
#else
#include "test/emulator/cuda/driver.h"

enum { ROWS = 96, COLUMNS = 64 };

static void one(cuda_t *cuda, const char *name, uint64_t wavefronts_per_load) {
  static float in[ROWS * COLUMNS], out[ROWS * COLUMNS];
  int rows = ROWS, columns = COLUMNS;
  for (int i = 0; i < ROWS * COLUMNS; ++i)
    in[i] = cuda_random_float(cuda);
  uint64_t a = cuda_buffer(cuda, in, sizeof in), b = cuda_buffer(cuda, out, sizeof out);
  LAUNCH(cuda, name, DIM(2, 3, 1), DIM(32, 8, 1), 0, &a, &b, &rows, &columns);
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j)
      EXPECT(out[j * ROWS + i] == in[i * COLUMNS + j], "%s: %d, %d", name, i, j);
  const nereid_emulator_counters_t *counters = &cuda->report.counters;
  EXPECT(counters->shared_requests[0] == 6 * 32 && counters->shared_wavefronts[1] == 6 * 32, "%s: requests", name);
  EXPECT(counters->shared_wavefronts[0] == 6 * 32 * wavefronts_per_load, "%s: wavefronts", name);
}

static void test(cuda_t *cuda) {
  one(cuda, "padded", 1);
  one(cuda, "conflicting", 32);
}
CUDA_MAIN
#endif
