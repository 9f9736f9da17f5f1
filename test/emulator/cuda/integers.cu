// 64- and 128-bit arithmetic with carries, bit intrinsics, byte dot products, SIMD in a word.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_integers %t.ptx
#ifdef __CUDACC__
typedef unsigned long long u64;
extern "C" __global__ void integers(const u64 *in, u64 *out) {
  u64 a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1], *o = out + 24 * threadIdx.x;
  unsigned x = (unsigned)a, y = (unsigned)(a >> 32), z = (unsigned)b;
  unsigned __int128 w = (unsigned __int128)a * b + (((unsigned __int128)b << 64) | a);
  o[0] = (u64)w;
  o[1] = (u64)(w >> 64);
  w = w / (b | 1) - (a >> 3);
  o[2] = (u64)w;
  o[3] = (u64)(w >> 64);
  o[4] = __umul64hi(a, b) ^ (u64)__mul64hi((long long)a, (long long)b);
  o[5] = a / (b >> 40 | 1) + a % (b >> 20 | 1);
  o[6] = (u64)((long long)a / ((long long)b >> 30 | 1));
  o[7] = __brevll(a) + __popcll(b) + __clzll(a) + __ffsll(b);
  o[8] = __brev(x) + __popc(y) + __clz(z) + __ffs(y);
  o[9] = __byte_perm(x, y, z & 0x7777);
  o[10] = __funnelshift_l(x, y, z) + (u64)__funnelshift_rc(x, y, z);
  o[11] = (u64)(long long)__dp4a((int)x, (int)y, (int)z);
  o[12] = (u64)(long long)__dp2a_lo((int)x, (int)y, (int)z) + __dp2a_hi(x, y, z);
  o[13] = __sad((int)x, (int)y, z);
  o[14] = (u64)(long long)__mul24((int)x, (int)y) + __umulhi(y, z);
  o[15] = (u64)(long long)__hadd((int)x, (int)y) + __urhadd(y, z);
  o[16] = __vminu2(x, y) ^ (u64)__vmaxs2(y, z);
  o[17] = __viaddmax_s32((int)x, (int)y, (int)z) ^ (u64)__vimin_s32_relu((int)x, (int)y);
  o[18] = __vadd2(x, y);
  o[19] = a << (b & 63) | a >> (64 - (b & 63) & 63);
  o[20] = (u64)((long long)a >> (b & 63));
  o[21] = a > b ? a - b : (u64)((long long)a < (long long)b);
  o[22] = __vimax_s16x2_relu(x, y);
  o[23] = (short)x * (short)y + (x >> 16) * (unsigned char)z;
}
#else
#include "test/emulator/cuda/driver.h"

typedef unsigned __int128 wide_t;

static uint64_t reversed(uint64_t a, int bits) {
  uint64_t result = 0;
  for (int i = 0; i < bits; ++i)
    result |= (a >> i & 1) << (bits - 1 - i);
  return result;
}
static int32_t low24(uint32_t a) { return (int32_t)(a << 8) >> 8; }
static uint32_t halves(uint32_t a, uint32_t b, int what) {
  uint32_t result = 0;
  for (int i = 0; i < 32; i += 16) {
    uint16_t x = (uint16_t)(a >> i), y = (uint16_t)(b >> i);
    int16_t p = (int16_t)x, q = (int16_t)y, most = p > q ? p : q;
    uint16_t r = what == 0 ? (x < y ? x : y) : what == 1 ? (uint16_t)most : what == 2 ? (uint16_t)(x + y) : most > 0 ? (uint16_t)most : 0;
    result |= (uint32_t)r << i;
  }
  return result;
}
static uint32_t dot(uint32_t a, uint32_t b, uint32_t c, int kind) {
  for (int i = 0; i < (kind == 4 ? 4 : 2); ++i) {
    if (kind == 4)
      c += (uint32_t)((int8_t)(a >> (8 * i)) * (int8_t)(b >> (8 * i)));
    else if (kind == 2)
      c += (uint32_t)((int16_t)(a >> (16 * i)) * (int8_t)(b >> (8 * i)));
    else
      c += (uint32_t)(uint16_t)(a >> (16 * i)) * (uint8_t)(b >> (8 * i + 16));
  }
  return c;
}

static void expected(uint64_t a, uint64_t b, uint64_t *o) {
  uint32_t x = (uint32_t)a, y = (uint32_t)(a >> 32), z = (uint32_t)b;
  int32_t sx = (int32_t)x, sy = (int32_t)y, sz = (int32_t)z;
  int64_t sa = (int64_t)a, sb = (int64_t)b;
  wide_t w = (wide_t)a * b + ((wide_t)b << 64 | a), q = w / (b | 1) - (a >> 3);
  uint64_t pair = (uint64_t)y << 32 | x, bytes = 0;
  for (int i = 0; i < 4; ++i)
    bytes |= (pair >> (8 * (z >> (4 * i) & 7)) & 0xff) << (8 * i);
  int32_t added = (int32_t)(x + y), least = sx < sy ? sx : sy;
  const uint64_t values[24] = {
      (uint64_t)w, (uint64_t)(w >> 64), (uint64_t)q, (uint64_t)(q >> 64),
      (uint64_t)((wide_t)a * b >> 64) ^ (uint64_t)(((__int128)sa * sb) >> 64), a / (b >> 40 | 1) + a % (b >> 20 | 1),
      (uint64_t)(sa / (sb >> 30 | 1)),
      reversed(a, 64) + (uint64_t)__builtin_popcountll(b) + (uint64_t)(a ? __builtin_clzll(a) : 64) +
          (uint64_t)__builtin_ffsll((long long)b),
      (uint32_t)(reversed(x, 32) + (uint32_t)__builtin_popcount(y) + (uint32_t)(z ? __builtin_clz(z) : 32) +
                 (uint32_t)__builtin_ffs(sy)),
      bytes, (uint32_t)(pair << (z & 31) >> 32) + (z >= 32 ? y : (uint64_t)(uint32_t)(pair >> z)),
      (uint64_t)(int64_t)(int32_t)dot(x, y, z, 4), (uint64_t)(int64_t)(int32_t)dot(x, y, z, 2) + dot(x, y, z, 3),
      z + (uint32_t)(sx < sy ? (int64_t)sy - sx : (int64_t)sx - sy),
      (uint64_t)(int64_t)(int32_t)((int64_t)low24(x) * low24(y)) + ((uint64_t)y * z >> 32),
      (uint64_t)(((int64_t)sx + sy) >> 1) + ((uint64_t)y + z + 1) / 2, halves(x, y, 0) ^ (uint64_t)halves(y, z, 1),
      (uint64_t)(int64_t)(added > sz ? added : sz) ^ (uint64_t)(int64_t)(least > 0 ? least : 0), halves(x, y, 2),
      b & 63 ? a << (b & 63) | a >> (64 - (b & 63)) : a, (uint64_t)(sa >> (b & 63)), a > b ? a - b : sa < sb,
      halves(x, y, 3), (uint64_t)(uint32_t)((int16_t)x * (int16_t)y + (int32_t)((x >> 16) * (uint8_t)z))};
  memcpy(o, values, sizeof values);
}

static void test(cuda_t *cuda) {
  static uint64_t in[64][2], out[64][24], o[24];
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k < 2; ++k)
      in[i][k] = i == 0 ? 0 : i == 1 ? UINT64_MAX : i == 2 ? UINT64_C(1) << 63 : cuda_random(cuda) >> (i % 4 * 9);
  uint64_t a = cuda_buffer(cuda, in, sizeof in), b = cuda_buffer(cuda, out, sizeof out);
  LAUNCH(cuda, "integers", DIM(1, 1, 1), DIM(64, 1, 1), 0, &a, &b);
  for (int i = 0; i < 64; ++i) {
    expected(in[i][0], in[i][1], o);
    for (int k = 0; k < 24; ++k)
      EXPECT(out[i][k] == o[k], "%d of %llx %llx: %llx, not %llx", k, (unsigned long long)in[i][0],
             (unsigned long long)in[i][1], (unsigned long long)out[i][k], (unsigned long long)o[k]);
  }
}
CUDA_MAIN
#endif
