// A radix sort of a block's keys by ballots and ranks, and a histogram by match and shared atomics.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_sort %t.ptx
#ifdef __CUDACC__
extern "C" __global__ void sort(unsigned *keys) {
  __shared__ unsigned buffer[256];
  __shared__ int zeros[8], ones[8];
  int i = threadIdx.x, lane = i & 31, warp = i >> 5;
  unsigned key = keys[i];
  for (int bit = 0; bit < 32; ++bit) {
    bool set = key >> bit & 1;
    unsigned votes = __ballot_sync(~0u, set);
    int before = __popc(votes & ((1u << lane) - 1));
    if (lane == 0) {
      ones[warp] = __popc(votes);
      zeros[warp] = 32 - __popc(votes);
    }
    __syncthreads();
    int all_zeros = 0, zeros_before = 0, ones_before = 0;
    for (int w = 0; w < 8; ++w) {
      all_zeros += zeros[w];
      zeros_before += w < warp ? zeros[w] : 0;
      ones_before += w < warp ? ones[w] : 0;
    }
    buffer[set ? all_zeros + ones_before + before : zeros_before + lane - before] = key;
    __syncthreads();
    key = buffer[i];
    __syncthreads();
  }
  keys[i] = key;
}
extern "C" __global__ void histogram(const unsigned char *in, unsigned *out, int n) {
  __shared__ unsigned counts[16];
  if (threadIdx.x < 16)
    counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned active = __activemask(), mine = __match_any_sync(active, in[i] & 15);
    if ((threadIdx.x & 31) == __ffs(mine) - 1)
      atomicAdd(&counts[in[i] & 15], __popc(mine));
    if (__all_sync(active, in[i] == 255) || __any_sync(active, in[i] == 254))
      atomicAdd(&out[16], 1);
  }
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}
#else
#include "test/emulator/cuda/driver.h"

static int compare(const void *a, const void *b) {
  uint32_t x, y;
  memcpy(&x, a, 4);
  memcpy(&y, b, 4);
  return (x > y) - (x < y);
}

static void test(cuda_t *cuda) {
  enum { N = 2000 };
  static uint32_t keys[256], expected[256], counts[17], sums[16];
  static uint8_t in[N];
  int n = N;
  for (int i = 0; i < 256; ++i)
    expected[i] = keys[i] = (uint32_t)cuda_random(cuda);
  qsort(expected, 256, 4, compare);
  uint64_t a = cuda_buffer(cuda, keys, sizeof keys);
  LAUNCH(cuda, "sort", DIM(1, 1, 1), DIM(256, 1, 1), 0, &a);
  EXPECT(memcmp(keys, expected, sizeof keys) == 0, "not sorted");
  memset(counts, 0, sizeof counts);
  memset(sums, 0, sizeof sums);
  for (int i = 0; i < N; ++i) {
    in[i] = (uint8_t)(cuda_random(cuda) % 200);
    sums[in[i] & 15]++;
  }
  uint64_t b = cuda_buffer(cuda, in, sizeof in), c = cuda_buffer(cuda, counts, sizeof counts);
  LAUNCH(cuda, "histogram", DIM(3, 1, 1), DIM(96, 1, 1), 0, &b, &c, &n);
  EXPECT(memcmp(counts, sums, sizeof sums) == 0 && counts[16] == 0, "counts");
}
CUDA_MAIN
#endif
