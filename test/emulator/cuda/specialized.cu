// A producer warp issues cp.async.bulk, consumer warps wait for mbarriers by parity: a ring with full and empty
// barriers.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_specialized %t.ptx
#ifdef __CUDACC__
enum { STAGES = 3, CHUNK = 256 };
__device__ unsigned address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait(unsigned long long *barrier, int parity) {
  asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra D;\nbra L;\nD:\n}" ::"r"(
                   address(barrier)),
               "r"(parity)
               : "memory");
}
extern "C" __global__ void ring(const int *in, int *out, int chunks) {
  __shared__ __align__(128) int buffer[STAGES][CHUNK];
  __shared__ __align__(8) unsigned long long full[STAGES], empty[STAGES];
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&full[s])));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(address(&empty[s])));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (warp == 4) {
    if (threadIdx.x == 128)
      for (int c = 0; c < chunks; ++c) {
        int s = c % STAGES;
        wait(&empty[s], ((c / STAGES) & 1) ^ 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&full[s])), "r"(CHUNK * 4)
                     : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         address(buffer[s])),
                     "l"(in + c * CHUNK), "r"(CHUNK * 4), "r"(address(&full[s]))
                     : "memory");
      }
  } else {
    int sum = 0;
    for (int c = 0; c < chunks; ++c) {
      int s = c % STAGES;
      wait(&full[s], (c / STAGES) & 1);
      sum += buffer[s][threadIdx.x] - 2 * buffer[s][CHUNK - 1 - threadIdx.x];
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(&empty[s])) : "memory");
    }
    out[threadIdx.x] = sum;
  }
}
#else
#include "test/emulator/cuda/driver.h"

static void test(cuda_t *cuda) {
  enum { CHUNK = 256, CHUNKS = 10 };
  static int in[CHUNK * CHUNKS], out[128];
  int chunks = CHUNKS;
  for (int i = 0; i < CHUNK * CHUNKS; ++i)
    in[i] = (int)(cuda_random(cuda) % 1000);
  uint64_t a = cuda_buffer(cuda, in, sizeof in), b = cuda_buffer(cuda, out, sizeof out);
  LAUNCH(cuda, "ring", DIM(1, 1, 1), DIM(160, 1, 1), 0, &a, &b, &chunks);
  for (int t = 0; t < 128; ++t) {
    int sum = 0;
    for (int c = 0; c < CHUNKS; ++c)
      sum += in[c * CHUNK + t] - 2 * in[c * CHUNK + CHUNK - 1 - t];
    EXPECT(out[t] == sum, "%d: %d, not %d", t, out[t], sum);
  }
  EXPECT(cuda->report.counters.bulk_copies == CHUNKS && cuda->report.counters.bulk_bytes == sizeof in, "counted");
}
CUDA_MAIN
#endif
