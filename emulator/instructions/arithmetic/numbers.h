/* Floating-point helpers of the instruction families. f32 NaN results in PTX are 0x7fffffff; here f64 ones are
 * 0x7ff8000000000000. */
#ifndef NEREID_EMULATOR_NUMBERS_H
#define NEREID_EMULATOR_NUMBERS_H

#include "base/float.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline float emu_f32(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint32_t emu_f32_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline double emu_f64(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint64_t emu_f64_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* Flushes subnormals to zero, preserving the sign. */
static inline float emu_flush(float x) {
  return fabsf(x) < FLT_MIN ? copysignf(0, x) : x;
}

static inline float emu_canonical(float x) {
  return x == x ? x : __builtin_nanf("0x3fffff");
}

static inline double emu_canonical64(double x) {
  return x == x ? x : __builtin_nan("");
}

/* .sat: to [0, 1], NaN to +0. */
static inline float emu_saturate(float x) {
  return x > 0 ? (x < 1 ? x : 1) : 0;
}

/* a + b rounded to odd: rounding it again to a format at least two bits narrower rounds once. */
static inline double emu_add_odd(double a, double b) {
  double sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part); /* NaN for infinities */
  uint64_t bits = emu_f64_bits(sum);
  uint64_t odd = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  return emu_f64((error > 0 || error < 0) && !(bits & 1) ? odd : bits);
}

/* The exact value of f16 bits. */
static inline float emu_from_f16(uint32_t bits) {
  uint32_t magnitude = emu_f32_bits(emu_f32((bits & 0x7fff) << 13) * 0x1p112f);
  magnitude |= (bits & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
  return emu_f32(magnitude | (bits & 0x8000) << 16);
}

/* |value| rounded to nearest even at `mantissa` stored bits, no finer than at the exponent `emin`: adds and
 * subtracts a number whose last bit has the weight of the result's last bit. Undefined for infinity and NaN. */
static inline double emu_round_to(uint64_t magnitude, uint64_t mantissa, int64_t emin) {
  uint64_t exponent = magnitude >> 52, least = (uint64_t)(1023 + emin);
  exponent = exponent > least ? exponent : least;
  double magic = emu_f64((exponent - mantissa + 52) << 52 | UINT64_C(1) << 51);
  return (emu_f64(magnitude) + magic) - magic;
}

/* A double to f16 or bf16 bits as cvt.rn does: nearest, NaN is 0x7fff. */
static inline uint32_t emu_to_f16(double value) {
  uint64_t bits = emu_f64_bits(value), magnitude = bits & INT64_MAX;
  uint32_t result = emu_f32_bits((float)emu_round_to(magnitude, 10, -14) * 0x1p-112f) >> 13;
  result = magnitude >= UINT64_C(0x40effe0000000000) ? 0x7c00 : result; /* from 65520 on */
  result |= (uint32_t)(bits >> 63) << 15;
  return magnitude > UINT64_C(0x7ff0000000000000) ? 0x7fff : result;
}

static inline uint32_t emu_to_bf16(double value) {
  uint64_t bits = emu_f64_bits(value), magnitude = bits & INT64_MAX;
  uint32_t result = emu_f32_bits((float)emu_round_to(magnitude, 7, -126)) >> 16;
  result = magnitude >= UINT64_C(0x47eff00000000000) ? 0x7f80 : result; /* the largest finite value plus half an ulp */
  result |= (uint32_t)(bits >> 63) << 15;
  return magnitude > UINT64_C(0x7ff0000000000000) ? 0x7fff : result;
}

/* Minimum (or maximum); one NaN operand is ignored unless .NaN is present (nan_wins); -0 is less than +0. */
static inline double emu_extreme(bool nan_wins, bool xorsign, double a, double b, bool greater) {
  bool one = a != a || b != b;
  if ((a != a && b != b) || (one && nan_wins))
    return NAN;
  if (xorsign) { /* the sign of a NaN also counts */
    double sign = (signbit(a) != 0) != (signbit(b) != 0) ? -1 : 1;
    a = fabs(a);
    b = fabs(b);
    return copysign(b != b || (a == a && (a < b) != greater) ? a : b, sign);
  }
  if (one)
    return a != a ? b : a;
  if (a == b)
    return (signbit(a) != 0) != greater ? a : b;
  return (a < b) != greater ? a : b;
}

typedef struct emu_format {
  int mantissa, emin, emax; /* stored mantissa bits; exponents of the smallest and largest normal values */
  double largest;
} emu_format_t;

typedef enum emu_rounding { EMU_TO_NEAREST, EMU_TO_ZERO, EMU_DOWN, EMU_UP, EMU_AWAY } emu_rounding_t;

/* `value` rounded to the format, or to infinity, as a double. AWAY: nearest, ties away from zero. */
double nereid_emulator_round(double value, const emu_format_t *format, emu_rounding_t rounding);
/* Rounds to an integer. */
double nereid_emulator_round_integer(double value, emu_rounding_t rounding);

#endif
