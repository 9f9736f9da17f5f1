// Arithmetic, comparison and conversion of half2 and bfloat162, fp8 pairs, against the library's rounding functions.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_halves %t.ptx
#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
extern "C" __global__ void halves(const float2 *in, __half2 *h, __nv_bfloat162 *b, unsigned *f8, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float2 f = in[i], g = in[(i + 1) % n];
  __half2 x = __float22half2_rn(f), y = __float22half2_rn(g);
  h[8 * i + 0] = __hadd2(x, y);
  h[8 * i + 1] = __hmul2(x, y);
  h[8 * i + 2] = __hfma2(x, y, x);
  h[8 * i + 3] = __hmax2(x, __hneg2(y));
  h[8 * i + 4] = __hlt2(x, y);
  h[8 * i + 5] = __hfma2_relu(x, y, y);
  h[8 * i + 6] = __hbgt2(x, y) ? x : __habs2(y);
  h[8 * i + 7] = __hsub2_sat(x, y);
  __nv_bfloat162 u = __float22bfloat162_rn(f), v = __float22bfloat162_rn(g);
  b[4 * i + 0] = __hadd2(u, v);
  b[4 * i + 1] = __hfma2(u, v, u);
  b[4 * i + 2] = __hmin2(u, v);
  b[4 * i + 3] = __hge2(u, v);
  f8[2 * i] = __nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, __NV_E4M3) |
              __nv_cvt_halfraw2_to_fp8x2(x, __NV_SATFINITE, __NV_E5M2) << 16;
  __half2_raw back = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)f8[2 * i], __NV_E4M3);
  f8[2 * i + 1] = back.x | (unsigned)back.y << 16;
}
#else
#include "test/emulator/cuda/driver.h"

static double get_half(uint16_t x) { return (double)nereid_float_from_f16(x); }
static double get_bf16(uint16_t x) { return (double)nereid_float_from_bf16(x); }
static uint16_t half(long double x) { return nereid_float_to_f16((double)x, NEREID_FLOAT_NEAREST); }
static uint16_t bf16(long double x) { return nereid_float_to_bf16((double)x, NEREID_FLOAT_NEAREST); }

static void check_halves(const uint16_t *h, const uint16_t *b, const float *f, const float *g, bool both_greater, int k) {
  double x = get_half(half((long double)f[k])), y = get_half(half((long double)g[k]));
  double u = get_bf16(bf16((long double)f[k])), v = get_bf16(bf16((long double)g[k]));
  /* Products and sums of f16 values of this magnitude are exact in long double. */
  EXPECT(h[k] == half((long double)x + y), "add");
  EXPECT(h[2 + k] == half((long double)x * y), "mul");
  EXPECT(h[4 + k] == half((long double)x * y + x), "fma %g %g", x, y);
  EXPECT(h[6 + k] == half(x > -y ? x : -y), "max");
  EXPECT(h[8 + k] == half(x < y), "lt");
  EXPECT(get_half(h[10 + k]) == get_half(half((long double)x * y + y > 0 ? (long double)x * y + y : 0)), "relu");
  EXPECT(h[12 + k] == half(both_greater ? x : fabs(y)), "all greater");
  EXPECT(h[14 + k] == half(x - y < 0 ? 0 : x - y > 1 ? 1 : (long double)x - y), "sat");
  EXPECT(b[k] == bf16((long double)u + v), "bf16 add");
  EXPECT(b[2 + k] == bf16((long double)u * v + u), "bf16 fma");
  EXPECT(b[4 + k] == bf16(u < v ? u : v), "bf16 min");
  EXPECT(b[6 + k] == bf16(u >= v), "bf16 ge");
}

static void test(cuda_t *cuda) {
  enum { N = 300 };
  static float in[N][2];
  static uint16_t h[N][16], b[N][8];
  static uint32_t f8[N][2];
  int n = N;
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < 2; ++k)
      in[i][k] = cuda_random_float(cuda) * (i % 3 ? 4.0f : 300.0f);
  uint64_t a = cuda_buffer(cuda, in, sizeof in), c = cuda_buffer(cuda, h, sizeof h), d = cuda_buffer(cuda, b, sizeof b),
           e = cuda_buffer(cuda, f8, sizeof f8);
  LAUNCH(cuda, "halves", DIM(3, 1, 1), DIM(128, 1, 1), 0, &a, &c, &d, &e, &n);
  for (int i = 0; i < N; ++i) {
    const float *f = in[i], *g = in[(i + 1) % N];
    bool greater = get_half(half((long double)f[0])) > get_half(half((long double)g[0])) &&
                   get_half(half((long double)f[1])) > get_half(half((long double)g[1]));
    for (int k = 0; k < 2; ++k) {
      check_halves(h[i], b[i], f, g, greater, k);
      uint8_t e4m3 = nereid_float_to_f8e4m3fn((double)f[k], NEREID_FLOAT_SATFINITE);
      uint8_t e5m2 = nereid_float_to_f8e5m2(get_half(half((long double)f[k])), NEREID_FLOAT_SATFINITE);
      EXPECT((uint8_t)(f8[i][0] >> (8 * k)) == e4m3 && (uint8_t)(f8[i][0] >> (16 + 8 * k)) == e5m2, "to fp8");
      EXPECT((uint16_t)(f8[i][1] >> (16 * k)) == half((long double)nereid_float_from_f8e4m3fn(e4m3)), "from fp8");
    }
  }
}
CUDA_MAIN
#endif
