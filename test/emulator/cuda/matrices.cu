// wmma of f16, bf16, tf32, int8 and f64 against sums in double and int.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_matrices %t.ptx
#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda::wmma;
template <class T, class S, int M, int N, int K, class LA, class LB, class P = T>
__device__ void one(const S *a, const S *b, void *out, float scale) {
  fragment<matrix_a, M, N, K, P, LA> fa;
  fragment<matrix_b, M, N, K, P, LB> fb;
  using C = typename std::conditional<std::is_same<S, signed char>::value, int,
                                      typename std::conditional<std::is_same<S, double>::value, double, float>::type>::type;
  fragment<accumulator, M, N, K, C> fc;
  fill_fragment(fc, (C)scale);
  load_matrix_sync(fa, a, std::is_same<LA, row_major>::value ? K : M);
  load_matrix_sync(fb, b, std::is_same<LB, row_major>::value ? N : K);
  mma_sync(fc, fa, fb, fc);
  store_matrix_sync((C *)out, fc, N, mem_row_major);
}
extern "C" __global__ void half_16(const __half *a, const __half *b, float *c) {
  one<__half, __half, 16, 16, 16, row_major, col_major>(a, b, c, 2);
}
extern "C" __global__ void half_8(const __half *a, const __half *b, float *c) {
  one<__half, __half, 8, 32, 16, col_major, row_major>(a, b, c, 1);
}
extern "C" __global__ void bf16_32(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c) {
  one<__nv_bfloat16, __nv_bfloat16, 32, 8, 16, row_major, row_major>(a, b, c, 0);
}
extern "C" __global__ void tf32_8(const float *a, const float *b, float *c) {
  one<float, float, 16, 16, 8, row_major, col_major, precision::tf32>(a, b, c, 3);
}
extern "C" __global__ void int_16(const signed char *a, const signed char *b, int *c) {
  one<signed char, signed char, 16, 16, 16, row_major, col_major>(a, b, c, 5);
}
extern "C" __global__ void double_8(const double *a, const double *b, double *c) {
  one<double, double, 8, 8, 4, row_major, col_major>(a, b, c, 0.5f);
}
#else
#include "test/emulator/cuda/driver.h"

typedef struct shape {
  const char *name;
  int m, n, k;
  bool a_rows, b_rows;
  char type;
  double first;
} shape_t;

static double put(cuda_t *cuda, void *at, int i, char type) {
  double x = (double)((int)(cuda_random(cuda) % 17) - 8) / (type == 'i' ? 1 : 4);
  if (type == 'h' || type == 'b')
    ((uint16_t *)at)[i] = type == 'h' ? nereid_float_to_f16(x, NEREID_FLOAT_NEAREST)
                                      : nereid_float_to_bf16(x, NEREID_FLOAT_NEAREST);
  else if (type == 't')
    ((float *)at)[i] = (float)x;
  else if (type == 'i')
    ((int8_t *)at)[i] = (int8_t)x;
  else
    ((double *)at)[i] = x;
  return x;
}

/* The values are small enough for every sum to be exact. */
static void one(cuda_t *cuda, const shape_t *s) {
  static double a[512], b[512], c[512], x[512], y[512];
  for (int i = 0; i < s->m * s->k; ++i)
    x[i] = put(cuda, a, i, s->type);
  for (int i = 0; i < s->n * s->k; ++i)
    y[i] = put(cuda, b, i, s->type);
  uint64_t pa = cuda_buffer(cuda, a, sizeof a), pb = cuda_buffer(cuda, b, sizeof b), pc = cuda_buffer(cuda, c, sizeof c);
  LAUNCH(cuda, s->name, DIM(1, 1, 1), DIM(32, 1, 1), 0, &pa, &pb, &pc);
  for (int i = 0; i < s->m; ++i)
    for (int j = 0; j < s->n; ++j) {
      double sum = s->first;
      for (int l = 0; l < s->k; ++l)
        sum += x[s->a_rows ? i * s->k + l : l * s->m + i] * y[s->b_rows ? l * s->n + j : j * s->k + l];
      int at = i * s->n + j;
      double got = s->type == 'd' ? c[at] : s->type == 'i' ? ((int *)(void *)c)[at] : (double)((float *)(void *)c)[at];
      EXPECT(got == sum, "%s: %d, %d: %g, not %g", s->name, i, j, got, sum);
    }
}

static void test(cuda_t *cuda) {
  static const shape_t shapes[] = {{"half_16", 16, 16, 16, true, false, 'h', 2}, {"half_8", 8, 32, 16, false, true, 'h', 1},
                                   {"bf16_32", 32, 8, 16, true, true, 'b', 0},   {"tf32_8", 16, 16, 8, true, false, 't', 3},
                                   {"int_16", 16, 16, 16, true, false, 'i', 5},  {"double_8", 8, 8, 4, true, false, 'd', 0.5}};
  for (size_t i = 0; i < COUNT(shapes); ++i)
    one(cuda, &shapes[i]);
}
CUDA_MAIN
#endif
