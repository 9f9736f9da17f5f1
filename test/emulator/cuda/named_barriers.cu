// Producers and consumers synchronize by named barriers: consumers sync, producers arrive; __syncthreads_count.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_named_barriers %t.ptx
#ifdef __CUDACC__
__device__ void sync(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ void arrive(int id, int n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }
// Warps 0 and 1 produce, 2 to 5 consume; two buffers, barriers 1 and 2 are "full", 3 and 4 "empty".
extern "C" __global__ void named(const int *in, int *out, int rounds) {
  __shared__ int buffer[2][64];
  if (threadIdx.x < 64) {
    for (int r = 0; r < rounds; ++r) {
      if (r >= 2)
        sync(3 + (r & 1), 192);
      buffer[r & 1][threadIdx.x] = in[64 * r + threadIdx.x];
      __threadfence_block();
      arrive(1 + (r & 1), 192);
    }
  } else {
    int t = threadIdx.x - 64, sum = 0;
    for (int r = 0; r < rounds; ++r) {
      sync(1 + (r & 1), 192);
      sum += buffer[r & 1][t & 63] * (t < 64 ? 1 : -1);
      if (r + 2 < rounds)
        arrive(3 + (r & 1), 192);
    }
    out[t] = sum;
  }
  __syncthreads();
  int some = __syncthreads_count(threadIdx.x % 5 == 0), all = __syncthreads_and(threadIdx.x < 192),
      any = __syncthreads_or(threadIdx.x == 77);
  int part = 0;
  if (threadIdx.x >= 128)
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 150; barrier.red.popc.aligned.u32 %0, 7, 64, p; }"
                 : "=r"(part)
                 : "r"((int)threadIdx.x)
                 : "memory");
  if (threadIdx.x == 191) {
    out[128] = some;
    out[129] = all;
    out[130] = any;
    out[131] = part;
  }
}
#else
#include "test/emulator/cuda/driver.h"

static void test(cuda_t *cuda) {
  enum { ROUNDS = 9 };
  static int in[64 * ROUNDS], out[132];
  int rounds = ROUNDS;
  for (int i = 0; i < 64 * ROUNDS; ++i)
    in[i] = (int)(cuda_random(cuda) % 100);
  uint64_t a = cuda_buffer(cuda, in, sizeof in), b = cuda_buffer(cuda, out, sizeof out);
  LAUNCH(cuda, "named", DIM(1, 1, 1), DIM(192, 1, 1), 0, &a, &b, &rounds);
  for (int t = 0; t < 128; ++t) {
    int sum = 0;
    for (int r = 0; r < ROUNDS; ++r)
      sum += in[64 * r + t % 64] * (t < 64 ? 1 : -1);
    EXPECT(out[t] == sum, "%d: %d, not %d", t, out[t], sum);
  }
  EXPECT(out[128] == 39 && out[129] && out[130] && out[131] == 41, "%d %d %d %d", out[128], out[129], out[130], out[131]);
}
CUDA_MAIN
#endif
