// An inclusive sum over a block by shuffles, and shuffles of every kind with part of the warp exited.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_scan %t.ptx
#ifdef __CUDACC__
extern "C" __global__ void scan(const int *in, int *out, int n) {
  __shared__ int sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int x = i < n ? in[i] : 0;
  for (int by = 1; by < 32; by *= 2) {
    int other = __shfl_up_sync(~0u, x, by);
    if (lane >= by)
      x += other;
  }
  if (lane == 31)
    sums[warp] = x;
  __syncthreads();
  if (warp == 0) {
    int s = lane < blockDim.x / 32 ? sums[lane] : 0;
    for (int by = 1; by < 32; by *= 2) {
      int other = __shfl_up_sync(~0u, s, by);
      s += lane >= by ? other : 0;
    }
    sums[lane] = s;
  }
  __syncthreads();
  if (i < n)
    out[i] = x + (warp ? sums[warp - 1] : 0);
}
extern "C" __global__ void shuffles(const double *in, double *out) {
  int i = threadIdx.x;
  double x = in[i];
  out[i] = __shfl_xor_sync(~0u, x, 5);
  out[i + 32] = __shfl_down_sync(~0u, x, 3, 8);
  out[i + 64] = __shfl_sync(~0u, x, 9, 16);
  if (i % 3 == 0)
    out[i + 96] = __shfl_sync(0x49249249, x, 30);
  else
    out[i + 96] = -1;
}
#else
#include "test/emulator/cuda/driver.h"

enum { N = 1000, BLOCK = 256 };

static void test(cuda_t *cuda) {
  static int in[N], out[N];
  int n = N;
  for (int i = 0; i < N; ++i)
    in[i] = (int)(cuda_random(cuda) % 2001) - 1000;
  uint64_t a = cuda_buffer(cuda, in, sizeof in), b = cuda_buffer(cuda, out, sizeof out);
  LAUNCH(cuda, "scan", DIM(4, 1, 1), DIM(BLOCK, 1, 1), 0, &a, &b, &n);
  for (int i = 0, sum = 0; i < N; ++i) {
    sum = i % BLOCK ? sum + in[i] : in[i];
    EXPECT(out[i] == sum, "%d: %d, not %d", i, out[i], sum);
  }
  static double x[32], y[128];
  for (int i = 0; i < 32; ++i)
    x[i] = i + 0.5;
  uint64_t c = cuda_buffer(cuda, x, sizeof x), d = cuda_buffer(cuda, y, sizeof y);
  LAUNCH(cuda, "shuffles", DIM(1, 1, 1), DIM(32, 1, 1), 0, &c, &d);
  for (int i = 0; i < 32; ++i) {
    EXPECT(y[i] == x[i ^ 5], "xor %d", i);
    EXPECT(y[32 + i] == x[i % 8 + 3 < 8 ? i + 3 : i], "down %d", i);
    EXPECT(y[64 + i] == x[i / 16 * 16 + 9], "idx %d", i);
    EXPECT(y[96 + i] == (i % 3 ? -1 : x[30]), "part %d", i);
  }
}
CUDA_MAIN
#endif
