// CTAs of a cluster that access each other's shared memory, also by atomics, and arrive at each other's mbarriers.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a -std=c++17 %s -o %t.ptx
// RUN: %build/cuda/cuda_cluster_memory %t.ptx
#ifdef __CUDACC__
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(4, 1, 1) histogram(const int *in, int *out, int n) {
  __shared__ int bins[8]; // of 32: the eighth of this CTA, of the next CTA, and so on
  cg::cluster_group cluster = cg::this_cluster();
  int rank = cluster.block_rank();
  if (threadIdx.x < 8)
    bins[threadIdx.x] = 0;
  cluster.sync();
  for (int i = cluster.thread_rank(); i < n; i += cluster.num_threads()) {
    int bin = in[i] & 31;
    atomicAdd(cluster.map_shared_rank(&bins[bin & 7], bin >> 3), 1);
  }
  cluster.sync();
  if (threadIdx.x < 8)
    out[blockIdx.x / 4 * 32 + rank * 8 + threadIdx.x] = bins[threadIdx.x];
}
// Each CTA stores a value to the next CTA's shared memory by st.async, which completes the mbarrier there.
extern "C" __global__ void __cluster_dims__(4, 1, 1) ring(int *out) {
  __shared__ __align__(8) unsigned long long barrier;
  __shared__ int mailbox[32];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank(), to = (rank + 1) % 4, remote, remote_barrier;
  unsigned own = (unsigned)__cvta_generic_to_shared(&barrier), box = (unsigned)__cvta_generic_to_shared(&mailbox[threadIdx.x]);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(own));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(own) : "memory");
  }
  cluster.sync();
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(box), "r"(to));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote_barrier) : "r"(own), "r"(to));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(remote),
               "r"(1000 * blockIdx.x + threadIdx.x), "r"(remote_barrier)
               : "memory");
  asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n@!p bra L;\n}" ::"r"(own)
               : "memory");
  out[blockIdx.x * 32 + threadIdx.x] = mailbox[threadIdx.x];
  cluster.sync();
}
#else
#include "test/emulator/cuda/driver.h"

static void test(cuda_t *cuda) {
  enum { N = 999 };
  static int in[N], out[64], sent[256];
  int n = N, bins[32] = {0};
  for (int i = 0; i < N; ++i) {
    in[i] = (int)(cuda_random(cuda) % 1000);
    bins[in[i] & 31]++;
  }
  uint64_t a = cuda_buffer(cuda, in, sizeof in), b = cuda_buffer(cuda, out, sizeof out), c = cuda_buffer(cuda, sent, sizeof sent);
  LAUNCH(cuda, "histogram", DIM(8, 1, 1), DIM(64, 1, 1), 0, &a, &b, &n);
  for (int i = 0; i < 64; ++i)
    EXPECT(out[i] == bins[i & 31], "bin %d: %d, not %d", i, out[i], bins[i & 31]);
  LAUNCH(cuda, "ring", DIM(8, 1, 1), DIM(32, 1, 1), 0, &c);
  for (int i = 0; i < 256; ++i) {
    int block = i / 32, from = block / 4 * 4 + (block + 3) % 4;
    EXPECT(sent[i] == 1000 * from + i % 32, "%d: %d", i, sent[i]);
  }
}
CUDA_MAIN
#endif
