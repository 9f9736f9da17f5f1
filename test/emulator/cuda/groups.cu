// Cooperative groups: tiles, coalesced groups, labeled partitions, reductions with any operation.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a -std=c++17 %s -o %t.ptx
// RUN: %build/cuda/cuda_groups %t.ptx
#ifdef __CUDACC__
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sums(const int *in, int *out, int n) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = i < n ? in[i] : 0;
  int sum = cg::reduce(tile, x, cg::plus<int>());
  int most = cg::reduce(tile, x, cg::greater<int>());
  int before = cg::exclusive_scan(tile, x);
  if (tile.thread_rank() == 0) {
    atomicAdd(&out[0], sum);
    atomicMax(&out[1], most);
  }
  if (i < n)
    out[8 + i] = before;
  if (x % 3 == 0) {
    cg::coalesced_group some = cg::coalesced_threads();
    if (some.thread_rank() == 0)
      atomicAdd(&out[2], (int)some.size());
  }
  auto warp = cg::tiled_partition<32>(block);
  auto same = cg::labeled_partition(warp, x & 3);
  int parts = cg::reduce(same, 1, cg::plus<int>());
  if (same.thread_rank() == 0)
    atomicAdd(&out[3], parts * parts);
  float product = cg::reduce(tile, 1.0f + (tile.thread_rank() & 1), [](float a, float b) { return a * b; });
  if (i == 0)
    out[4] = (int)product;
  block.sync();
  if (block.thread_rank() == 0)
    atomicAdd(&out[5], (int)cg::this_grid().num_blocks());
}
#else
#include "test/emulator/cuda/driver.h"

enum { N = 500, BLOCK = 128, BLOCKS = 4 };

static void test(cuda_t *cuda) {
  static int in[N], out[8 + N];
  int n = N, sum = 0, most = 0, thirds = 0, squares = 0;
  memset(out, 0, sizeof out);
  for (int i = 0; i < N; ++i)
    in[i] = (int)(cuda_random(cuda) % 1000);
  uint64_t a = cuda_buffer(cuda, in, sizeof in), b = cuda_buffer(cuda, out, sizeof out);
  LAUNCH(cuda, "sums", DIM(BLOCKS, 1, 1), DIM(BLOCK, 1, 1), 0, &a, &b, &n);
  for (int i = 0, before = 0; i < BLOCKS * BLOCK; ++i) {
    int x = i < N ? in[i] : 0;
    before = i % 16 ? before : 0;
    if (i < N)
      EXPECT(out[8 + i] == before, "scan %d", i);
    before += x;
    sum += x;
    most = x > most ? x : most;
    thirds += x % 3 == 0;
  }
  for (int w = 0; w < BLOCKS * BLOCK / 32; ++w) {
    int parts[4] = {0};
    for (int i = 32 * w; i < 32 * w + 32; ++i)
      parts[(i < N ? in[i] : 0) & 3]++;
    for (int k = 0; k < 4; ++k)
      squares += parts[k] * parts[k];
  }
  EXPECT(out[0] == sum && out[1] == most, "sum %d, not %d, most %d, not %d", out[0], sum, out[1], most);
  EXPECT(out[2] == thirds, "coalesced: %d, not %d", out[2], thirds);
  EXPECT(out[3] == squares, "labeled: %d, not %d", out[3], squares);
  EXPECT(out[4] == 256 && out[5] == BLOCKS * BLOCKS, "product %d, blocks %d", out[4], out[5]);
}
CUDA_MAIN
#endif
