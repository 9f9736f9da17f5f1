// Atomics of all kinds, on global and on shared memory, of every width; compare-and-swap loops; a lock.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_atomics %t.ptx
#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
struct slots {
  int add, sub, least, most, exchanged, all_and, any_or, parity, cas, shared_add;
  unsigned inc, dec, locked, lock;
  unsigned long long add64, most64, cas64;
  float sum, cas_float;
  double sum64;
  __half2 half2_sum;
  __nv_bfloat162 bf162_sum;
  unsigned short cas16;
  __half half_sum;
  alignas(16) float2 pair;
};
extern "C" __global__ void atomics(slots *s, int n) {
  __shared__ int local;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    local = 0;
  __syncthreads();
  atomicAdd(&local, i);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd_system(&s->shared_add, local);
  atomicAdd(&s->add, i);
  atomicSub(&s->sub, i);
  atomicMin(&s->least, i - 100);
  atomicMax(&s->most, i - 100);
  int before = atomicExch(&s->exchanged, i + 1);
  if (before == i + 1)
    s->add = -1;
  atomicAnd(&s->all_and, ~(1 << (i & 15)));
  atomicOr(&s->any_or, 1 << (i & 31));
  atomicXor(&s->parity, i);
  atomicInc(&s->inc, 9);
  atomicDec(&s->dec, 9);
  atomicAdd(&s->add64, 0x100000001ull);
  atomicMax(&s->most64, (unsigned long long)i << 32);
  atomicAdd(&s->sum, 0.5f);
  atomicAdd(&s->sum64, 0.25);
  atomicAdd(&s->half2_sum, __floats2half2_rn(1.0f, 0.5f));
  atomicAdd(&s->half_sum, __float2half(1.0f));
  atomicAdd(&s->bf162_sum, __floats2bfloat162_rn(1.0f, 2.0f));
  atomicAdd(&s->pair, make_float2(1, 2));
  for (int old = s->cas, seen;; old = seen) {
    seen = atomicCAS(&s->cas, old, old * 3 + 1);
    if (seen == old)
      break;
  }
  for (unsigned long long old = s->cas64, seen;; old = seen)
    if ((seen = atomicCAS(&s->cas64, old, old + 7)) == old)
      break;
  for (unsigned short old = s->cas16, seen;; old = seen)
    if ((seen = atomicCAS(&s->cas16, old, (unsigned short)(old + 5))) == old)
      break;
  int *bits = (int *)&s->cas_float;
  for (int old = *bits, seen;; old = seen)
    if ((seen = atomicCAS(bits, old, __float_as_int(__int_as_float(old) + 2.0f))) == old)
      break;
  for (bool done = false; !done;)
    if (atomicCAS(&s->lock, 0u, 1u) == 0) {
      *(volatile unsigned *)&s->locked = *(volatile unsigned *)&s->locked + 1;
      __threadfence();
      atomicExch(&s->lock, 0u);
      done = true;
    }
}
#else
#include "test/emulator/cuda/driver.h"

struct slots {
  int add, sub, least, most, exchanged, all_and, any_or, parity, cas, shared_add;
  unsigned inc, dec, locked, lock;
  unsigned long long add64, most64, cas64;
  float sum, cas_float;
  double sum64;
  uint16_t half2_sum[2], bf162_sum[2], cas16, half_sum;
  _Alignas(16) float pair[2];
};

static void test(cuda_t *cuda) {
  enum { N = 192 };
  static struct slots s;
  int n = N, sum = N * (N - 1) / 2, cas = 1, parity = 0;
  s = (struct slots){.all_and = -1, .cas = 1, .dec = 5};
  uint64_t a = cuda_buffer(cuda, &s, sizeof s);
  LAUNCH(cuda, "atomics", DIM(3, 1, 1), DIM(64, 1, 1), 0, &a, &n);
  for (int i = 0; i < N; ++i) {
    cas = (int)((unsigned)cas * 3 + 1);
    parity ^= i;
  }
  EXPECT(s.add == sum && s.sub == -sum && s.shared_add == sum, "sums %d %d %d", s.add, s.sub, s.shared_add);
  EXPECT(s.least == -100 && s.most == N - 101, "extremes %d %d", s.least, s.most);
  EXPECT(s.exchanged >= 1 && s.exchanged <= N, "exchange");
  EXPECT(s.all_and == (int)0xffff0000 && s.any_or == -1 && s.parity == parity, "bits");
  EXPECT(s.inc == N % 10 && s.dec == (5 + 10 * N - N) % 10, "inc %u, dec %u", s.inc, s.dec);
  EXPECT(s.add64 == N * 0x100000001ull && s.most64 == (unsigned long long)(N - 1) << 32 && s.cas64 == 7 * N, "64 bits");
  EXPECT(s.sum == N / 2 && s.sum64 == N / 4 && s.cas_float == 2 * N, "floats");
  EXPECT(nereid_float_from_f16(s.half2_sum[0]) == N && nereid_float_from_f16(s.half2_sum[1]) == N / 2, "half2");
  EXPECT(nereid_float_from_bf16(s.bf162_sum[0]) == N && nereid_float_from_bf16(s.bf162_sum[1]) == 2 * N, "bf162");
  EXPECT(nereid_float_from_f16(s.half_sum) == N, "half");
  EXPECT(s.pair[0] == N && s.pair[1] == 2 * N, "float2");
  EXPECT(s.cas == cas && s.cas16 == (uint16_t)(5 * N) && s.locked == N && s.lock == 0, "loops");
}
CUDA_MAIN
#endif
