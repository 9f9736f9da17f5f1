/* Floating-point pieces that the families share. PTX f32 results that are NaN are 0x7fffffff; f64 ones are
 * 0x7ff8000000000000 here. */
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

/* Subnormals become zero, the sign stays. */
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
  double sum = a + b;
  if (!isfinite(sum) || !isfinite(a) || !isfinite(b))
    return sum;
  double part = sum - a, error = (a - (sum - part)) + (b - part);
  uint64_t bits = emu_f64_bits(sum);
  if (error == 0 || bits & 1)
    return sum;
  return emu_f64((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

typedef struct emu_format {
  int mantissa, emin, emax; /* stored bits of the mantissa; exponents of the smallest and largest normal number */
  double largest;
} emu_format_t;

typedef enum emu_rounding { EMU_TO_NEAREST, EMU_TO_ZERO, EMU_DOWN, EMU_UP, EMU_AWAY } emu_rounding_t;

/* `value` rounded to a number of the format, or to infinity, as a double. AWAY: nearest, ties away from zero. */
double nereid_emulator_round(double value, const emu_format_t *format, emu_rounding_t rounding);
/* To an integer. */
double nereid_emulator_round_integer(double value, emu_rounding_t rounding);

#endif
