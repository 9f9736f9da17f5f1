/* libdevice functions on bits: integers, conversions between values and their bits, classification.
 *
 *   "__nv_umulhi"   →   the high half of the product of two 32-bit words
 *
 * Results equal libdevice.10's for every operand: clz(0) is 32, ffs(0) is 0, hadd does not overflow. */
#include "interpreter/ops/extern.h"

#include <math.h>

static int32_t i32(uint64_t word) {
  return (int32_t)word;
}
static uint32_t u32(uint64_t word) {
  return (uint32_t)word;
}
static double f32(uint64_t word) {
  return nereid_bits_to_f32(word);
}
static double f64(uint64_t word) {
  double value;
  memcpy(&value, &word, sizeof value);
  return value;
}

static uint64_t reversed(uint64_t word, int bits) {
  uint64_t out = 0;
  for (int i = 0; i < bits; ++i)
    out |= (word >> i & 1) << (bits - 1 - i);
  return out;
}

/* The index of the first set bit, from 1; 0: none. */
static uint64_t first_set(uint64_t word) {
  return word ? (uint64_t)__builtin_ctzll(word) + 1 : 0;
}

static uint64_t leading_zeros(uint64_t word, int bits) {
  return word ? (uint64_t)(__builtin_clzll(word) - (64 - bits)) : (uint64_t)bits;
}

/* Selects four of the eight bytes of a and b; ignores the fourth bit of a selector. */
static uint64_t permuted(const uint64_t *x) {
  const uint64_t bytes = (uint64_t)u32(x[1]) << 32 | u32(x[0]);
  uint64_t out = 0;
  for (int i = 0; i < 4; ++i)
    out |= (bytes >> (x[2] >> 4 * i & 7) * 8 & 255) << 8 * i;
  return out;
}

static int32_t low_24(uint64_t word) {
  return (int32_t)(nereid_bits_signed(word, 24));
}

static uint64_t exponent(double value) {
  if (value == 0 || isnan(value))
    return UINT32_C(0x80000000);
  return isinf(value) ? INT32_MAX : (uint64_t)ilogb(value);
}

static const nereid_kind_t half = {.format = NEREID_FORMAT_F16, .bits = 16};

static uint64_t bits_of(double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  return word;
}

/* clang-format off */
#define WORDS(X)                                                                            \
  X(abs, 1, i32(x[0]) < 0 ? 0u - u32(x[0]) : u32(x[0]))                                     \
  X(llabs, 1, (int64_t)x[0] < 0 ? 0 - x[0] : x[0])                                          \
  X(min, 2, i32(x[0]) < i32(x[1]) ? x[0] : x[1])                                            \
  X(max, 2, i32(x[0]) > i32(x[1]) ? x[0] : x[1])                                            \
  X(umin, 2, u32(x[0]) < u32(x[1]) ? x[0] : x[1])                                           \
  X(umax, 2, u32(x[0]) > u32(x[1]) ? x[0] : x[1])                                           \
  X(llmin, 2, (int64_t)x[0] < (int64_t)x[1] ? x[0] : x[1])                                  \
  X(llmax, 2, (int64_t)x[0] > (int64_t)x[1] ? x[0] : x[1])                                  \
  X(ullmin, 2, x[0] < x[1] ? x[0] : x[1])                                                   \
  X(ullmax, 2, x[0] > x[1] ? x[0] : x[1])                                                   \
  X(mulhi, 2, (uint64_t)((int64_t)i32(x[0]) * i32(x[1])) >> 32)                             \
  X(umulhi, 2, (uint64_t)u32(x[0]) * u32(x[1]) >> 32)                                       \
  X(mul64hi, 2, (uint64_t)((__int128)(int64_t)x[0] * (int64_t)x[1] >> 64))                  \
  X(umul64hi, 2, (uint64_t)((unsigned __int128)x[0] * x[1] >> 64))                          \
  X(mul24, 2, (uint64_t)((int64_t)low_24(x[0]) * low_24(x[1])))                             \
  X(umul24, 2, (x[0] & 0xffffff) * (x[1] & 0xffffff))                                       \
  X(brev, 1, reversed(x[0], 32))                                                            \
  X(brevll, 1, reversed(x[0], 64))                                                          \
  X(clz, 1, leading_zeros(x[0], 32))                                                        \
  X(clzll, 1, leading_zeros(x[0], 64))                                                      \
  X(ffs, 1, first_set(x[0]))                                                                \
  X(ffsll, 1, first_set(x[0]))                                                              \
  X(popc, 1, (uint64_t)__builtin_popcountll(x[0]))                                          \
  X(popcll, 1, (uint64_t)__builtin_popcountll(x[0]))                                        \
  X(byte_perm, 3, permuted(x))                                                              \
  X(sad, 3, x[2] + (i32(x[0]) > i32(x[1]) ? x[0] - x[1] : x[1] - x[0]))                     \
  X(usad, 3, x[2] + (u32(x[0]) > u32(x[1]) ? x[0] - x[1] : x[1] - x[0]))                    \
  X(hadd, 2, (uint64_t)(((int64_t)i32(x[0]) + i32(x[1])) >> 1))                             \
  X(uhadd, 2, (x[0] + x[1]) >> 1)                                                           \
  X(rhadd, 2, (uint64_t)(((int64_t)i32(x[0]) + i32(x[1]) + 1) >> 1))                        \
  X(urhadd, 2, (x[0] + x[1] + 1) >> 1)                                                      \
  X(float_as_int, 1, x[0]) X(float_as_uint, 1, x[0])                                        \
  X(int_as_float, 1, x[0]) X(uint_as_float, 1, x[0])                                        \
  X(double_as_longlong, 1, x[0]) X(longlong_as_double, 1, x[0])                             \
  X(double2hiint, 1, x[0] >> 32) X(double2loint, 1, x[0])                                   \
  X(hiloint2double, 2, x[0] << 32 | u32(x[1]))                                              \
  X(isnanf, 1, (uint64_t)(isnan(f32(x[0])) != 0)) X(isnand, 1, (uint64_t)(isnan(f64(x[0])) != 0))       \
  X(isinff, 1, (uint64_t)(isinf(f32(x[0])) != 0)) X(isinfd, 1, (uint64_t)(isinf(f64(x[0])) != 0))       \
  X(finitef, 1, (uint64_t)(isfinite(f32(x[0])) != 0)) X(isfinited, 1, (uint64_t)(isfinite(f64(x[0])) != 0)) \
  X(signbitf, 1, x[0] >> 31) X(signbitd, 1, x[0] >> 63)                                     \
  X(ilogbf, 1, exponent(f32(x[0]))) X(ilogb, 1, exponent(f64(x[0])))                 \
  X(nextafterf, 2, nereid_bits_from_f32(nextafterf(nereid_bits_to_f32(x[0]), nereid_bits_to_f32(x[1]))))    \
  X(nextafter, 2, bits_of(nextafter(f64(x[0]), f64(x[1]))))                                 \
  X(float2half_rn, 1, nereid_bits_from_double(half, f32(x[0]), false))                      \
  X(half2float, 1, nereid_bits_from_f32((float)nereid_bits_to_double(half, x[0])))
/* clang-format on */

#define DEFINE(name, arity, value)                                                                                     \
  static uint64_t name##_(const uint64_t *x) {                                                                         \
    return value;                                                                                                      \
  }
WORDS(DEFINE)

#define ROW(name, arity, value) {#name, arity, name##_},
static const nereid_extern_word_t words[] = {WORDS(ROW)};

const nereid_extern_word_t *nereid_extern_find_word(nereid_view_t name) {
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (nereid_view_equal(name, nereid_view(words[i].name)))
      return &words[i];
  return NULL;
}
