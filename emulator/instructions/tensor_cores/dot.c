/* Matrix multiplication of the tensor-core instructions.
 *
 *   bytes of A's rows and B's columns  ->  blocks of 32 k as doubles, B transposed
 *                                      ->  sums of c and a[m][k] * b[k][n], vectorized over n
 *
 * Integers and bits: everything is exact in double. f64: a chain of fma in the order of k. Other floating-point
 * types: bit-exact to the tensor cores of sm_90 (measured on an H200). An instruction's products and c are aligned
 * to the greatest exponent among them, where a product's exponent is the sum of its factors' (a subnormal has that
 * of the smallest normal number). Each is truncated `fraction` bits below it; the rest is added exactly and
 * truncated after `mantissa` bits, or, for f16, rounded to nearest. A sum of zero is +0. */
#include "emulator/instructions/arithmetic/numbers.h"
#include "emulator/instructions/tensor_cores/fragment.h"

enum { DEPTH = 32, VECTOR = 4 };

typedef double vector_t __attribute__((vector_size(VECTOR * sizeof(double))));
typedef int64_t mask_t __attribute__((vector_size(VECTOR * sizeof(int64_t))));
typedef int32_t ints_t __attribute__((vector_size(VECTOR * sizeof(int32_t))));

static inline double widen_e4m3(uint32_t bits) {
  uint32_t magnitude = emu_f32_bits(emu_f32((bits & 0x7f) << 20) * 0x1p120f);
  magnitude |= (bits & 0x7f) == 0x7f ? 0x7fc00000 : 0;
  return (double)emu_f32(magnitude | (bits & 0x80) << 24);
}

#define WIDEN(T, expression)                                                                                           \
  for (unsigned i = 0; i < n; ++i) {                                                                                   \
    T x;                                                                                                               \
    memcpy(&x, bytes + i * sizeof x, sizeof x);                                                                        \
    out[i] = (double)(expression);                                                                                     \
  }                                                                                                                    \
  break

/* Elements from `first` on, a multiple of 8; b1 elements are xored with `flip`. */
EMU_SIMD static void widen(double *restrict out, const uint8_t *restrict bytes, unsigned first, unsigned n,
                           emu_type_t type, bool flip) {
  bytes += first * emu_element_bits(type) / 8;
  switch (type) {
  case EMU_F16:
    WIDEN(uint16_t, emu_from_f16(x));
  case EMU_BF16:
    WIDEN(uint16_t, emu_f32((uint32_t)x << 16));
  case EMU_TF32:
    WIDEN(uint32_t, emu_f32(x & 0xffffe000));
  case EMU_E4M3:
    WIDEN(uint8_t, widen_e4m3(x));
  case EMU_E5M2:
    WIDEN(uint8_t, emu_from_f16((uint32_t)x << 8));
  case EMU_S8:
    WIDEN(int8_t, x);
  case EMU_U8:
    WIDEN(uint8_t, x);
  case EMU_F64:
    WIDEN(double, x);
  case EMU_S4:
  case EMU_U4:
    for (unsigned i = 0; i < n; ++i) {
      int x = bytes[i / 2] >> (i % 2 * 4) & 15;
      out[i] = (double)(type == EMU_S4 ? (x ^ 8) - 8 : x);
    }
    break;
  default: /* b1 */
    for (unsigned i = 0; i < n; ++i)
      out[i] = (double)((bytes[i / 8] >> (i % 8) & 1) ^ (int)flip);
  }
}

typedef struct factors { /* a block of A, rows of `depth` values, and one of B transposed, rows of `columns` */
  unsigned rows, columns, depth;
  double left[EMU_MAX_ROWS * DEPTH], right[DEPTH * EMU_MAX_COLUMNS];
} factors_t;

/* The row and column counts are multiples of 8. */
EMU_SIMD static void accumulate(double *restrict sums, const factors_t *restrict x) {
  const size_t columns = x->columns, depth = x->depth;
  for (size_t n = 0; n < columns; n += VECTOR)
    for (size_t m = 0; m < x->rows; m += 4) {
      const double *a = x->left + m * depth;
      vector_t sum[4], values;
      for (size_t i = 0; i < 4; ++i)
        memcpy(&sum[i], sums + (m + i) * columns + n, sizeof sum[i]);
      for (size_t k = 0; k < depth; ++k) {
        memcpy(&values, x->right + k * columns + n, sizeof values);
        sum[0] += a[k] * values;
        sum[1] += a[depth + k] * values;
        sum[2] += a[2 * depth + k] * values;
        sum[3] += a[3 * depth + k] * values;
      }
      for (size_t i = 0; i < 4; ++i)
        memcpy(sums + (m + i) * columns + n, &sum[i], sizeof sum[i]);
    }
}

static void accumulate_fused(double *sums, const factors_t *x) {
  for (unsigned i = 0; i < x->rows * x->columns; ++i)
    for (unsigned k = 0; k < x->depth; ++k)
      sums[i] = fma(x->left[i / x->columns * x->depth + k], x->right[k * x->columns + i % x->columns], sums[i]);
}

/* The power of two of a value's exponent, at least 2^lowest; 0 for 0. */
static inline double power_of(double x, double lowest) {
  double power = emu_f64(emu_f64_bits(x) & UINT64_C(0x7ff0000000000000));
  return x == 0 ? 0 : power < lowest ? lowest : power;
}

static double lowest_of(emu_type_t type) {
  return type == EMU_E4M3 ? 0x1p-6 : type == EMU_F16 || type == EMU_E5M2 ? 0x1p-14 : 0x1p-126;
}

/* Truncates to `mantissa` bits after the leading one, at f32's exponents. 0: does not truncate, but values that f16
 * rounds to zero become +0. */
static inline double cut(double x, unsigned mantissa) {
  double unit = emu_f64((uint64_t)(1023 - 126 - mantissa) << 52);
  if (mantissa == 0)
    return fabs(x) <= 0x1p-25 ? 0 : x;
  if (fabs(x) < 0x1p-126)
    return (double)(int64_t)(x / unit) * unit;
  if (fabs(x) >= 0x1p128)
    return copysign(INFINITY, x);
  return emu_f64(emu_f64_bits(x) & UINT64_MAX << (52 - mantissa));
}

/* Vector operations: x where the mask is set, else y; truncation to an integer, for values below 2^31. */
#define PICK(mask, x, y) ((vector_t)(((mask_t)(x) & (mask)) | ((mask_t)(y) & ~(mask))))
#define TRUNCATE(x) __builtin_convertvector(__builtin_convertvector(x, ints_t), vector_t)
#define ROWS(X) X(0) X(1) X(2) X(3)

/* All values are finite; `powers` are their exponents. Four rows at a time, for instruction-level parallelism. */
EMU_SIMD static void align(double *restrict sums, const factors_t *restrict x, const factors_t *restrict powers,
                           double fraction) {
  const size_t columns = x->columns, depth = x->depth;
  const vector_t none = {0}, least = none + 0x1p-126;
  for (size_t i = 0; i < x->rows * columns; i += i % columns + VECTOR == columns ? 3 * columns + VECTOR : VECTOR) {
    const double *a = x->left + i / columns * depth, *a_powers = powers->left + i / columns * depth;
    const double *b = x->right + i % columns, *b_powers = powers->right + i % columns;
    vector_t c[4], top[4], unit[4], scale[4], power[4], values;
#define X(r)                                                                                                           \
  memcpy(&c[r], sums + i + (r) * columns, sizeof c[r]);                                                                \
  top[r] = (vector_t)((mask_t)c[r] & INT64_C(0x7ff0000000000000));                                                     \
  top[r] = PICK((c[r] != none) & (top[r] < least), least, top[r]);
    ROWS(X)
#undef X
    for (size_t k = 0; k < depth; ++k) {
      memcpy(&values, b_powers + k * columns, sizeof values);
#define X(r)                                                                                                           \
  power[r] = values * a_powers[(r) * depth + k];                                                                       \
  top[r] = PICK(power[r] > top[r], power[r], top[r]);
      ROWS(X)
#undef X
    }
#define X(r)                                                                                                           \
  unit[r] = PICK(top[r] == none, none + 1, top[r]) / fraction;                                                         \
  scale[r] = 1 / unit[r];                                                                                              \
  c[r] = TRUNCATE(c[r] * scale[r]);
    ROWS(X)
#undef X
    for (size_t k = 0; k < depth; ++k) {
      memcpy(&values, b + k * columns, sizeof values);
#define X(r) c[r] += TRUNCATE(values * a[(r) * depth + k] * scale[r]);
      ROWS(X)
#undef X
    }
#define X(r)                                                                                                           \
  c[r] *= unit[r];                                                                                                     \
  memcpy(sums + i + (r) * columns, &c[r], sizeof c[r]);
    ROWS(X)
#undef X
  }
}

EMU_SIMD static void add_aligned(double *sums, const factors_t *x, const emu_dot_t *dot) {
  factors_t powers;
  double least_a = lowest_of(dot->a.type), least_b = lowest_of(dot->b.type);
  for (unsigned i = 0; i < x->rows * x->depth; ++i)
    powers.left[i] = power_of(x->left[i], least_a);
  for (unsigned i = 0; i < x->depth * x->columns; ++i)
    powers.right[i] = power_of(x->right[i], least_b);
  align(sums, x, &powers, (double)(UINT32_C(1) << dot->fraction));
  for (unsigned i = 0; i < x->rows * x->columns; ++i)
    sums[i] = cut(sums[i], dot->mantissa);
}

EMU_SIMD static bool all_finite(const double *values, unsigned n) {
  double zero = 0;
  for (unsigned i = 0; i < n; ++i)
    zero += values[i] * 0;
  return zero == 0;
}

static void drop_infinite(double *values, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    if (!isfinite(values[i]))
      values[i] = 0;
}

/* If a sum contains NaN or infinity, the result is that value; other sums are unaffected. */
static void add_with_infinite(double *sums, factors_t *x, const emu_dot_t *dot) {
  double plain[EMU_MAX_ROWS * EMU_MAX_COLUMNS];
  unsigned n = x->rows * x->columns;
  memcpy(plain, sums, n * sizeof *sums);
  accumulate(plain, x);
  drop_infinite(sums, n);
  drop_infinite(x->left, x->rows * x->depth);
  drop_infinite(x->right, x->depth * x->columns);
  add_aligned(sums, x, dot);
  for (unsigned i = 0; i < n; ++i)
    if (!isfinite(plain[i]))
      sums[i] = plain[i];
}

static void block(double *sums, const emu_dot_t *dot, unsigned first, bool flip_a, bool flip_b) {
  const emu_rows_t *a = &dot->a, *b = &dot->b;
  unsigned depth = dot->k - first < DEPTH ? dot->k - first : DEPTH;
  factors_t x;
  double column[DEPTH];
  x.rows = a->count;
  x.columns = b->count;
  x.depth = depth;
  for (unsigned m = 0; m < a->count; ++m) {
    widen(x.left + (size_t)m * depth, a->bytes + m * a->pitch, first, depth, a->type, flip_a);
    for (unsigned k = 0; k < depth && dot->negates; ++k)
      x.left[m * depth + k] = -x.left[m * depth + k];
  }
  for (unsigned n = 0; n < b->count; ++n) {
    widen(column, b->bytes + n * b->pitch, first, depth, b->type, flip_b);
    for (unsigned k = 0; k < depth; ++k)
      x.right[(size_t)k * b->count + n] = column[k];
  }
  if (a->type == EMU_F64)
    accumulate_fused(sums, &x);
  else if (!dot->fraction)
    accumulate(sums, &x);
  else if (all_finite(x.left, a->count * depth) && all_finite(x.right, depth * b->count) &&
           all_finite(sums, a->count * b->count))
    add_aligned(sums, &x, dot);
  else
    add_with_infinite(sums, &x, dot);
}

void nereid_emulator_dot(double *sums, const emu_dot_t *dot) {
  for (unsigned first = 0; first < dot->k; first += DEPTH) {
    block(sums, dot, first, false, dot->exclusive);
    if (dot->exclusive) /* a xor b = (a and not b) + (not a and b) */
      block(sums, dot, first, true, false);
  }
}
