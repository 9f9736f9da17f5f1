// Warp-wide operations: redux, match, elect, and votes in divergent parts of a warp.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_lanes %t.ptx
#ifdef __CUDACC__
extern "C" __global__ void lanes(const int *in, int *out) {
  int i = threadIdx.x, lane = i & 31, x = in[i], *o = out + 16 * i;
  o[0] = __reduce_add_sync(~0u, x);
  o[1] = __reduce_min_sync(~0u, x);
  o[2] = (int)__reduce_max_sync(~0u, (unsigned)x);
  o[3] = (int)__reduce_xor_sync(~0u, (unsigned)x);
  int all = 0;
  o[4] = (int)__match_any_sync(~0u, x & 3);
  o[5] = (int)__match_all_sync(~0u, x & 1024, &all) + all;
  unsigned odd = __ballot_sync(~0u, x & 1);
  if (x & 1) {
    o[6] = __reduce_add_sync(odd, lane);
    o[7] = __any_sync(odd, lane == 5);
    __syncwarp(odd);
  } else {
    o[6] = __reduce_add_sync(~odd, 2 * lane);
    o[7] = __all_sync(~odd, lane != 5);
  }
  unsigned leader;
  asm volatile("{ .reg .pred p; elect.sync _|p, -1; selp.u32 %0, 1, 0, p; }" : "=r"(leader));
  o[8] = __popc(__ballot_sync(~0u, leader));
  int mine = 0;
  for (int k = 0; k < (x & 7); ++k)
    mine += __popc(__activemask());
  o[9] = mine > 0;
  __syncwarp();
  unsigned mask_lt, mask_ge;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask_lt));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(mask_ge));
  o[10] = __popc(odd & mask_lt);
  o[11] = __popc(odd & mask_ge);
  o[12] = __shfl_down_sync(~0u, x, 4) + __shfl_xor_sync(~0u, x, 16);
}
#else
#include "test/emulator/cuda/driver.h"

static void check(const int *in, int (*out)[16]) {
  int sum = 0, least = in[0], of_odd = 0, of_even = 0;
  uint32_t most = 0, parity = 0, odd = 0, same[4] = {0}, any_1024 = 0, all_1024 = UINT32_MAX;
  for (int l = 0; l < 32; ++l) {
    sum += in[l];
    least = in[l] < least ? in[l] : least;
    most = (uint32_t)in[l] > most ? (uint32_t)in[l] : most;
    parity ^= (uint32_t)in[l];
    odd |= (uint32_t)(in[l] & 1) << l;
    same[in[l] & 3] |= UINT32_C(1) << l;
    any_1024 |= (uint32_t)in[l] & 1024;
    all_1024 &= (uint32_t)in[l];
    of_odd += in[l] & 1 ? l : 0;
    of_even += in[l] & 1 ? 0 : 2 * l;
  }
  bool agree = !any_1024 || all_1024 & 1024;
  for (int l = 0; l < 32; ++l) {
    const int *o = out[l];
    uint32_t below = (UINT32_C(1) << l) - 1;
    EXPECT(o[0] == sum && o[1] == least && (uint32_t)o[2] == most && (uint32_t)o[3] == parity, "redux");
    EXPECT((uint32_t)o[4] == same[in[l] & 3] && o[5] == (agree ? -1 + 1 : 0), "match %x %d", (unsigned)o[4], o[5]);
    bool five = odd >> 5 & 1;
    EXPECT(o[6] == (in[l] & 1 ? of_odd : of_even) && o[7] == (in[l] & 1 ? five : five), "parts %d: %d %d", l, o[6], o[7]);
    EXPECT(o[8] == 1 && o[9] == ((in[l] & 7) != 0), "elected %d", o[8]);
    EXPECT(o[10] == __builtin_popcount(odd & below) && o[11] == __builtin_popcount(odd & ~below), "masks");
    EXPECT(o[12] == in[l + 4 < 32 ? l + 4 : l] + in[l ^ 16], "shuffles");
  }
}

static void test(cuda_t *cuda) {
  static int in[64], out[64][16];
  for (int i = 0; i < 64; ++i)
    in[i] = (int)(cuda_random(cuda) % 1000) - 300;
  uint64_t a = cuda_buffer(cuda, in, sizeof in), b = cuda_buffer(cuda, out, sizeof out);
  LAUNCH(cuda, "lanes", DIM(1, 1, 1), DIM(64, 1, 1), 0, &a, &b);
  check(in, out);
  check(in + 32, out + 32);
}
CUDA_MAIN
#endif
