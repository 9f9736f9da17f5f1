// A switch (brx.idx), function pointers, virtual functions, structs as parameters; calls that diverge.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_dispatch %t.ptx
#ifdef __CUDACC__
struct args {
  int a[5];
  double d;
  char c;
};
typedef int (*function)(int, args);
__device__ __noinline__ int f0(int x, args s) { return x + s.a[1]; }
__device__ __noinline__ int f1(int x, args s) { return x * s.a[2] + (int)s.d; }
__device__ __noinline__ int f2(int x, args s) { return f1(x, s) - s.c; }
__device__ function table[3] = {f0, f1, f2};
struct base {
  virtual __device__ int go(int) = 0;
};
struct plus : base {
  __device__ int go(int x) { return x + 1; }
};
struct times : base {
  int k;
  __device__ int go(int x) { return x * k; }
};
extern "C" __global__ void dispatch(int *out, int n, const int *cases) {
  int i = threadIdx.x;
  args s;
  for (int k = 0; k < 5; ++k)
    s.a[k] = n + k;
  s.d = 3.5;
  s.c = 2;
  out[i] = table[i % 3](i, s);
  plus p;
  times t;
  t.k = 3;
  base *b = i & 2 ? (base *)&p : (base *)&t;
  out[i + 64] = b->go(n);
  int x = i;
  switch (cases[i]) {
  case 0: x = x * 3 + out[i]; break;
  case 1: x -= 17; break;
  case 2: x ^= 0x55; // falls through
  case 3: x <<= 2; break;
  case 4: x = __popc(x); break;
  case 5: x = x / (n | 1); break;
  case 6: x = ~x; break;
  case 7: return;
  default: x = -x;
  }
  out[i + 128] = x;
}
#else
#include "test/emulator/cuda/driver.h"

static void test(cuda_t *cuda) {
  static int out[192], cases[64];
  int n = 11;
  for (int i = 0; i < 64; ++i)
    cases[i] = (int)(cuda_random(cuda) % 10);
  memset(out, 0, sizeof out);
  uint64_t a = cuda_buffer(cuda, out, sizeof out), b = cuda_buffer(cuda, cases, sizeof cases);
  LAUNCH(cuda, "dispatch", DIM(1, 1, 1), DIM(64, 1, 1), 0, &a, &n, &b);
  for (int i = 0; i < 64; ++i) {
    int f = i % 3 == 0 ? i + n + 1 : i * (n + 2) + 3 - (i % 3 == 2 ? 2 : 0);
    EXPECT(out[i] == f, "function of %d: %d, not %d", i, out[i], f);
    EXPECT(out[64 + i] == (i & 2 ? n + 1 : n * 3), "virtual of %d", i);
    int k = cases[i], x = k == 0   ? i * 3 + f
                          : k == 1 ? i - 17
                          : k == 2 ? (i ^ 0x55) << 2
                          : k == 3 ? i << 2
                          : k == 4 ? __builtin_popcount((unsigned)i)
                          : k == 5 ? i / n
                          : k == 6 ? ~i
                          : k == 7 ? 0
                                   : -i;
    EXPECT(out[128 + i] == x, "case %d of %d: %d, not %d", k, i, out[128 + i], x);
  }
}
CUDA_MAIN
#endif
