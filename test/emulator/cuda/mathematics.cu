// libdevice's math functions against the host's libm; division and square root in all rounding modes.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_mathematics %t.ptx
#ifdef __CUDACC__
extern "C" __global__ void singles(const float *in, float *out) {
  float x = in[threadIdx.x], p = fabsf(x) + 0.01f, *o = out + 20 * threadIdx.x;
  o[0] = expf(x);
  o[1] = logf(p);
  o[2] = sinf(x * 1000.0f);
  o[3] = cosf(x * 1e6f);
  o[4] = tanf(x);
  o[5] = powf(p, x);
  o[6] = erff(x);
  o[7] = atan2f(x, p);
  o[8] = tanhf(x);
  o[9] = cbrtf(x);
  o[10] = lgammaf(p + 1);
  o[11] = fmodf(x * 100, p);
  o[12] = hypotf(x, 3 * p);
  o[13] = log1pf(p);
  o[14] = x / p;
  o[15] = sqrtf(p);
  o[16] = exp2f(x);
  o[17] = asinf(x / (1 + p));
  o[18] = rintf(x * 10);
  o[19] = ldexpf(x, (int)(x * 8));
}
extern "C" __global__ void doubles(const float *in, double *out) {
  double x = in[threadIdx.x], p = fabs(x) + 0.01, *o = out + 10 * threadIdx.x;
  o[0] = exp(x);
  o[1] = log(p);
  o[2] = sin(x * 1e5);
  o[3] = pow(p, x);
  o[4] = erf(x);
  o[5] = x / p;
  o[6] = sqrt(p);
  o[7] = cbrt(x);
  o[8] = fma(x, p, x);
  o[9] = floor(x * 100) + trunc(x * 9);
}
extern "C" __global__ void rounded(const float *in, float *out) {
  float x = in[threadIdx.x], p = fabsf(x) + 0.01f, *o = out + 8 * threadIdx.x;
  o[0] = __fdiv_rd(x, p);
  o[1] = __fdiv_ru(x, p);
  o[2] = __fsqrt_rz(p);
  o[3] = __fmaf_ru(x, p, 1.0f);
  o[4] = __fadd_rd(x, p);
  o[5] = __frcp_ru(p);
  o[6] = __double2float_rd((double)x / 3);
  o[7] = __int2float_rz((int)(x * 1e9f));
}
#else
#include "test/emulator/cuda/driver.h"

#include <fenv.h>

static void check(const char *what, int k, double got, double expected, double tolerance) {
  double worst = tolerance * fabs(expected) + tolerance * 1e-2;
  EXPECT(fabs(got - expected) <= worst, "%s %d: %.17g, not %.17g", what, k, got, expected);
}

static float directed(int mode, float (*of)(float, float), float a, float b) {
  volatile float x = a, y = b;
  fesetround(mode);
  volatile float result = of(x, y);
  fesetround(FE_TONEAREST);
  return result;
}
static float quotient(float a, float b) { volatile float x = a; return x / b; }
static float root(float a, float b) { (void)b; return sqrtf(a); }
static float product_sum(float a, float b) { return fmaf(a, b, 1.0f); }
static float sum(float a, float b) { volatile float x = a; return x + b; }
static float third(float a, float b) { (void)b; volatile double x = (double)a / 3; return (float)x; }

static void test(cuda_t *cuda) {
  static float in[32], f[32][20], r[32][8];
  static double d[32][10];
  for (int i = 0; i < 32; ++i)
    in[i] = cuda_random_float(cuda) * (i & 1 ? 1.0f : 6.0f);
  uint64_t a = cuda_buffer(cuda, in, sizeof in), b = cuda_buffer(cuda, f, sizeof f), c = cuda_buffer(cuda, d, sizeof d),
           e = cuda_buffer(cuda, r, sizeof r);
  LAUNCH(cuda, "singles", DIM(1, 1, 1), DIM(32, 1, 1), 0, &a, &b);
  LAUNCH(cuda, "doubles", DIM(1, 1, 1), DIM(32, 1, 1), 0, &a, &c);
  LAUNCH(cuda, "rounded", DIM(1, 1, 1), DIM(32, 1, 1), 0, &a, &e);
  for (int i = 0; i < 32; ++i) {
    float x = in[i], p = fabsf(x) + 0.01f;
    const double singles[20] = {exp((double)x), log((double)p), sin((double)(x * 1000.0f)), cos((double)(x * 1e6f)),
                                tan((double)x), pow((double)p, (double)x), erf((double)x), atan2((double)x, (double)p),
                                tanh((double)x), cbrt((double)x), lgamma((double)(p + 1)),
                                fmod((double)(x * 100), (double)p), hypot((double)x, (double)(3 * p)), log1p((double)p),
                                (double)x / (double)p, sqrt((double)p), exp2((double)x), asin((double)(x / (1 + p))),
                                rint((double)(x * 10)), ldexp((double)x, (int)(x * 8))};
    for (int k = 0; k < 20; ++k)
      check("single", k, (double)f[i][k], singles[k], 1e-6);
    EXPECT(f[i][14] == x / p && f[i][15] == sqrtf(p), "division or root of %a", (double)x);
    double y = (double)x, q = fabs(y) + 0.01;
    const double doubles[10] = {exp(y), log(q), sin(y * 1e5), pow(q, y), erf(y), y / q, sqrt(q), cbrt(y), fma(y, q, y),
                                floor(y * 100) + trunc(y * 9)};
    for (int k = 0; k < 10; ++k)
      check("double", k, d[i][k], doubles[k], 1e-14);
    EXPECT(d[i][5] == y / q && d[i][6] == sqrt(q) && d[i][8] == fma(y, q, y), "doubles of %a", y);
    const float roundings[7] = {directed(FE_DOWNWARD, quotient, x, p), directed(FE_UPWARD, quotient, x, p),
                                directed(FE_TOWARDZERO, root, p, 0), directed(FE_UPWARD, product_sum, x, p),
                                directed(FE_DOWNWARD, sum, x, p), directed(FE_UPWARD, quotient, 1, p),
                                directed(FE_DOWNWARD, third, x, 0)};
    for (int k = 0; k < 7; ++k)
      EXPECT(r[i][k] == roundings[k], "rounding %d: %a, not %a", k, (double)r[i][k], (double)roundings[k]);
  }
}
CUDA_MAIN
#endif
