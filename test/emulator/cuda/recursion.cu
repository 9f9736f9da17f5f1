// Recursion is rejected: when the module is loaded for direct calls, at the call for calls through a pointer.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_recursion %t.ptx
// RUN: %nvcc -ptx -arch=sm_90a -DDIRECT %s -o %t.direct.ptx
// RUN: not %build/cuda/cuda_recursion %t.direct.ptx 2>&1 | FileCheck %s
// CHECK: recursive calls are not emulated: '_Z9factoriali'
#ifdef __CUDACC__
typedef int (*function)(int);
extern __device__ function next;
__device__ __noinline__ int factorial(int n) {
#ifdef DIRECT
  return n < 2 ? n : factorial(n - 1) + factorial(n - 2);
#else
  return n < 2 ? 1 : n * next(n - 1);
#endif
}
__device__ function next = factorial;
extern "C" __global__ void recursion(int *out, int n) { 
#ifdef DIRECT
  out[threadIdx.x] = factorial(n);
#else
  out[threadIdx.x] = next(n);
#endif
}
#else
#include "test/emulator/cuda/driver.h"

static void test(cuda_t *cuda) {
  static int out[32];
  int n = 1;
  uint64_t a = cuda_buffer(cuda, out, sizeof out);
  LAUNCH(cuda, "recursion", DIM(1, 1, 1), DIM(32, 1, 1), 0, &a, &n);
  EXPECT(out[5] == 1, "1! is %d", out[5]);
  n = 5;
  EXPECT(LAUNCH_STATUS(cuda, "recursion", DIM(1, 1, 1), DIM(32, 1, 1), 0, &a, &n) == NEREID_ERROR_PROGRAM, "it ran");
  EXPECT(strstr(cuda->report.message.text, "recursive calls are not emulated"), "%s", cuda->report.message.text);
}
CUDA_MAIN
#endif
