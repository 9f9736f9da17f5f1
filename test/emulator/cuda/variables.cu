// Module variables: initialized multidimensional arrays, strings, pointers between variables, constants; static
// and dynamic shared memory; local arrays; large parameters by value.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_variables %t.ptx
#ifdef __CUDACC__
struct node {
  const node *next;
  int value;
};
struct big {
  int x[100];
  short y;
};
__device__ const int grid_of[2][3] = {{1, 2}, {4, 5, 6}};
__constant__ float weights[4] = {0.5f, -1.25f, 3.0f};
extern __device__ const node second;
__device__ const node first = {&second, 10};
__device__ const node second = {nullptr, 20};
__device__ const char *const names[3] = {"zero", "one", "two"};
__device__ int counter = 100;
__device__ unsigned short *middle;
__device__ unsigned short places[8] = {9, 8, 7, 6, 5, 4, 3, 2};
__device__ unsigned short *inner = &places[3];
extern __shared__ int dynamic[];
extern "C" __global__ void variables(int *out, int n, big by_value) {
  __shared__ double fixed[32];
  int i = threadIdx.x, local[16];
  fixed[i] = i * 0.5;
  dynamic[i] = i * i;
  for (int k = 0; k < 16; ++k)
    local[k] = by_value.x[k] + i;
  __syncthreads();
  const node *at = &first;
  for (int k = 0; k < n; ++k)
    at = at->next;
  if (i == 0)
    middle = places + 4;
  __syncthreads();
  out[8 * i + 0] = grid_of[i & 1][i % 3];
  out[8 * i + 1] = (int)(weights[i & 3] * 4) + at->value;
  out[8 * i + 2] = names[i % 3][1] + (names[i % 3][3] ? 1 : 0);
  out[8 * i + 3] = dynamic[31 - i] + (int)(2 * fixed[31 - i]);
  out[8 * i + 4] = local[(i * 7) & 15];
  out[8 * i + 5] = by_value.x[99] + by_value.y;
  out[8 * i + 6] = *inner * 10 + *middle;
  if (i == 3)
    out[8 * i + 7] = atomicAdd(&counter, 5);
}
#else
#include "test/emulator/cuda/driver.h"

struct big {
  int x[100];
  short y;
};

static void test(cuda_t *cuda) {
  static int out[256];
  static const int grid_of[2][3] = {{1, 2}, {4, 5, 6}};
  static const float weights[4] = {0.5f, -1.25f, 3.0f};
  static const char *const names[3] = {"zero", "one", "two"};
  struct big by_value = {.y = -3};
  int n = 1;
  memset(out, 0, sizeof out);
  for (int i = 0; i < 100; ++i)
    by_value.x[i] = (int)(cuda_random(cuda) % 1000);
  uint64_t a = cuda_buffer(cuda, out, sizeof out);
  LAUNCH(cuda, "variables", DIM(1, 1, 1), DIM(32, 1, 1), 32 * 4, &a, &n, &by_value);
  for (int i = 0; i < 32; ++i) {
    const int *o = out + 8 * i;
    EXPECT(o[0] == grid_of[i & 1][i % 3] && o[1] == (int)(weights[i & 3] * 4) + 20, "tables %d: %d %d", i, o[0], o[1]);
    EXPECT(o[2] == names[i % 3][1] + (names[i % 3][3] ? 1 : 0), "names %d", i);
    EXPECT(o[3] == (31 - i) * (31 - i) + 31 - i && o[4] == by_value.x[(i * 7) & 15] + i, "memories %d", i);
    EXPECT(o[5] == by_value.x[99] - 3 && o[6] == 65 && o[7] == (i == 3 ? 100 : 0), "pointers %d: %d %d", i, o[6], o[7]);
  }
}
CUDA_MAIN
#endif
