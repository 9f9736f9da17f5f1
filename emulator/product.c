/* The matrix product of the tensor-core instructions.
 *
 *   bytes of A's rows and B's columns  ->  blocks of 32 k as doubles, B turned  ->  sums += a[m][k] * b[k][n], n by
 * SIMD
 *
 * A product of two 8- or 16-bit floating-point numbers, of two tf32 ones or of two integers is exact in double, so that
 * multiplying and adding gives the same with or without fma on every host. */
#include "emulator/fragment.h"
#include "emulator/numbers.h"

enum { DEPTH = 32, VECTOR = 8 };

typedef double vector_t __attribute__((vector_size(VECTOR * sizeof(double))));

static inline double widen_f16(uint32_t bits) {
  uint32_t magnitude = emu_f32_bits(emu_f32((bits & 0x7fff) << 13) * 0x1p112f);
  magnitude |= (bits & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
  return (double)emu_f32(magnitude | (bits & 0x8000) << 16);
}

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

/* Elements from `first` on, a multiple of 8; those of b1 complemented by `flip`. */
EMU_SIMD static void widen(double *restrict out, const uint8_t *restrict bytes, unsigned first, unsigned n,
                           emu_type_t type, bool flip) {
  bytes += first * emu_element_bits(type) / 8;
  switch (type) {
  case EMU_F16:
    WIDEN(uint16_t, widen_f16(x));
  case EMU_BF16:
    WIDEN(uint16_t, emu_f32((uint32_t)x << 16));
  case EMU_TF32:
    WIDEN(uint32_t, emu_f32(x & 0xffffe000));
  case EMU_E4M3:
    WIDEN(uint8_t, widen_e4m3(x));
  case EMU_E5M2:
    WIDEN(uint8_t, widen_f16((uint32_t)x << 8));
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

/* `rows` is a multiple of 8, as is `columns`, which is also how many numbers a row of `sums` and of `b` has. */
EMU_SIMD static void accumulate(double *restrict sums, const double (*restrict a)[DEPTH], const double *restrict b,
                                unsigned rows, unsigned columns, unsigned depth) {
  for (unsigned n = 0; n < columns; n += VECTOR)
    for (unsigned m = 0; m < rows; m += 4) {
      vector_t sum[4], values;
      for (unsigned i = 0; i < 4; ++i)
        memcpy(&sum[i], sums + (size_t)(m + i) * columns + n, sizeof sum[i]);
      for (unsigned k = 0; k < depth; ++k) {
        memcpy(&values, b + (size_t)k * columns + n, sizeof values);
        sum[0] += a[m][k] * values;
        sum[1] += a[m + 1][k] * values;
        sum[2] += a[m + 2][k] * values;
        sum[3] += a[m + 3][k] * values;
      }
      for (unsigned i = 0; i < 4; ++i)
        memcpy(sums + (size_t)(m + i) * columns + n, &sum[i], sizeof sum[i]);
    }
}

static void accumulate_fused(double *sums, const double (*a)[DEPTH], const double *b, unsigned rows, unsigned columns,
                             unsigned depth) {
  for (unsigned m = 0; m < rows; ++m)
    for (unsigned n = 0; n < columns; ++n)
      for (unsigned k = 0; k < depth; ++k)
        sums[m * columns + n] = fma(a[m][k], b[k * columns + n], sums[m * columns + n]);
}

static void block(double *sums, const emu_rows_t *a, const emu_rows_t *b, unsigned first, unsigned depth, bool negate,
                  bool flip_a, bool flip_b) {
  double left[EMU_MAX_ROWS][DEPTH], right[DEPTH * EMU_MAX_COLUMNS], column[DEPTH];
  for (unsigned m = 0; m < a->count; ++m) {
    widen(left[m], a->bytes + m * a->pitch, first, depth, a->type, flip_a);
    for (unsigned k = 0; k < depth && negate; ++k)
      left[m][k] = -left[m][k];
  }
  for (unsigned n = 0; n < b->count; ++n) {
    widen(column, b->bytes + n * b->pitch, first, depth, b->type, flip_b);
    for (unsigned k = 0; k < depth; ++k)
      right[(size_t)k * b->count + n] = column[k];
  }
  (a->type == EMU_F64 ? accumulate_fused : accumulate)(sums, left, right, a->count, b->count, depth);
}

void nereid_emulator_product(double *sums, const emu_rows_t *a, const emu_rows_t *b, unsigned k, bool negate,
                             bool exclusive) {
  for (unsigned first = 0; first < k; first += DEPTH) {
    unsigned depth = k - first < DEPTH ? k - first : DEPTH;
    block(sums, a, b, first, depth, negate, false, exclusive);
    if (exclusive) /* a xor b = (a and not b) + (not a and b) */
      block(sums, a, b, first, depth, negate, true, false);
  }
}
