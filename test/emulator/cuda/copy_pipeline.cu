// A matrix multiplication with cp.async, three stages in flight, and zero-filled edge tiles.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_copy_pipeline %t.ptx
#ifdef __CUDACC__
#include <cuda_pipeline_primitives.h>
enum { T = 16, STAGES = 3 };
extern "C" __global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ __align__(16) float as[STAGES][T][T], bs[STAGES][T][T];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x, tiles = (k + T - 1) / T;
  float sum = 0;
  auto fetch = [&](int t) {
    if (t < tiles) {
      int ak = t * T + x, bk = t * T + y;
      bool ain = row < m && ak < k, bin = bk < k && column < n;
      __pipeline_memcpy_async(&as[t % STAGES][y][x], ain ? a + row * k + ak : a, 4, ain ? 0 : 4);
      __pipeline_memcpy_async(&bs[t % STAGES][y][x], bin ? b + bk * n + column : b, 4, bin ? 0 : 4);
    }
    __pipeline_commit();
  };
  for (int t = 0; t < STAGES - 1; ++t)
    fetch(t);
  for (int t = 0; t < tiles; ++t) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    fetch(t + STAGES - 1);
    for (int i = 0; i < T; ++i)
      sum = fmaf(as[t % STAGES][y][i], bs[t % STAGES][i][x], sum);
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}
#else
#include "test/emulator/cuda/driver.h"

static void test(cuda_t *cuda) {
  enum { M = 37, N = 29, K = 83 };
  static float a[M * K], b[K * N], c[M * N];
  int m = M, n = N, k = K;
  for (int i = 0; i < M * K; ++i)
    a[i] = cuda_random_float(cuda);
  for (int i = 0; i < K * N; ++i)
    b[i] = cuda_random_float(cuda);
  uint64_t pa = cuda_buffer(cuda, a, sizeof a), pb = cuda_buffer(cuda, b, sizeof b), pc = cuda_buffer(cuda, c, sizeof c);
  LAUNCH(cuda, "product", DIM(2, 3, 1), DIM(16, 16, 1), 0, &pa, &pb, &pc, &m, &n, &k);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int l = 0; l < K; ++l)
        sum = fmaf(a[i * K + l], b[l * N + j], sum);
      EXPECT(c[i * N + j] == sum, "%d, %d: %g, not %g", i, j, (double)c[i * N + j], (double)sum);
    }
}
CUDA_MAIN
#endif
