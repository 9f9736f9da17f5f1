/* Conversions between bits and doubles; base/float.h has the formats without a C type. */
#include "interpreter/number.h"

#include "base/float.h"

#include <math.h>
#include <string.h>

float nereid_bits_to_f32(uint64_t word) {
  uint32_t low = (uint32_t)word;
  float value;
  memcpy(&value, &low, sizeof value);
  return value;
}

uint64_t nereid_bits_from_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return isnan(value) ? UINT32_C(0x7fffffff) : bits;
}

/* --- scales and 4-bit floats (OCP Microscaling Formats 1.0) --- */

enum { SCALE_BIAS = 127, SCALE_NAN = 255 };

static double scale_to_double(uint64_t word) {
  return word == SCALE_NAN ? NAN : ldexp(1, (int)word - SCALE_BIAS);
}

/* Rounds to the power of two at or below the magnitude. */
static uint64_t scale_from_double(double value) {
  int exponent;
  if (!isfinite(value))
    return SCALE_NAN;
  frexp(value, &exponent);
  const int word = value == 0 ? 0 : exponent - 1 + SCALE_BIAS;
  return word < 0 ? 0 : word >= SCALE_NAN ? SCALE_NAN - 1 : (uint64_t)word;
}

static const double fp4_numbers[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

static double fp4_to_double(uint64_t word) {
  return word & 8 ? -fp4_numbers[word & 7] : fp4_numbers[word & 7];
}

/* Rounds to nearest, ties to the even code; saturates. */
static uint64_t fp4_from_double(double value) {
  const double magnitude = fabs(value);
  uint64_t word = 7;
  for (uint64_t i = 0; i < 7; ++i) {
    const double middle = (fp4_numbers[i] + fp4_numbers[i + 1]) / 2;
    if (magnitude < middle || (magnitude == middle && i % 2 == 0)) {
      word = i;
      break;
    }
  }
  return word | (signbit(value) ? 8 : 0);
}

double nereid_bits_to_double(nereid_kind_t kind, uint64_t word) {
  double full;
  switch (kind.format) {
  case NEREID_FORMAT_F16:
    return nereid_float_from_f16((uint16_t)word);
  case NEREID_FORMAT_BF16:
    return nereid_float_from_bf16((uint16_t)word);
  case NEREID_FORMAT_F32:
    return nereid_bits_to_f32(word);
  case NEREID_FORMAT_F8E4M3FN:
    return nereid_float_from_f8e4m3fn((uint8_t)word);
  case NEREID_FORMAT_F8E5M2:
    return nereid_float_from_f8e5m2((uint8_t)word);
  case NEREID_FORMAT_F8E8M0FNU:
    return scale_to_double(word);
  case NEREID_FORMAT_F4E2M1FN:
    return fp4_to_double(word);
  default:
    memcpy(&full, &word, sizeof full);
    return full;
  }
}

uint64_t nereid_bits_nan(nereid_kind_t kind) {
  switch (kind.format) {
  case NEREID_FORMAT_F16:
  case NEREID_FORMAT_BF16:
    return 0x7fff;
  case NEREID_FORMAT_F32:
    return UINT32_C(0x7fffffff);
  case NEREID_FORMAT_F64:
    return UINT64_C(0x7ff8000000000000);
  case NEREID_FORMAT_F8E4M3FN:
  case NEREID_FORMAT_F8E5M2:
    return 0x7f;
  case NEREID_FORMAT_F8E8M0FNU:
    return SCALE_NAN;
  case NEREID_FORMAT_F4E2M1FN:
    return 7;
  default:
    return 0;
  }
}

uint64_t nereid_bits_from_double(nereid_kind_t kind, double value, bool saturate) {
  const nereid_float_overflow_t overflow = saturate ? NEREID_FLOAT_SATFINITE : NEREID_FLOAT_NEAREST;
  uint64_t word;
  if (isnan(value))
    return nereid_bits_nan(kind);
  switch (kind.format) {
  case NEREID_FORMAT_F16:
    return nereid_float_to_f16(value, NEREID_FLOAT_NEAREST);
  case NEREID_FORMAT_BF16:
    return nereid_float_to_bf16(value, NEREID_FLOAT_NEAREST);
  case NEREID_FORMAT_F32:
    return nereid_bits_from_f32((float)value);
  case NEREID_FORMAT_F8E4M3FN:
    return nereid_float_to_f8e4m3fn(value, overflow);
  case NEREID_FORMAT_F8E5M2:
    return nereid_float_to_f8e5m2(value, overflow);
  case NEREID_FORMAT_F8E8M0FNU:
    return scale_from_double(value);
  case NEREID_FORMAT_F4E2M1FN:
    return fp4_from_double(value);
  default:
    memcpy(&word, &value, sizeof word);
    return word;
  }
}

/* Steps back one code if rounding to nearest exceeded the value: formats are ordered by their bits below the sign. */
uint64_t nereid_bits_toward_zero(nereid_kind_t kind, double value, bool saturate) {
  const bool finite_only = kind.format == NEREID_FORMAT_F8E4M3FN && !isinf(value);
  const uint64_t word = nereid_bits_from_double(kind, value, saturate || finite_only);
  if (isnan(value) || kind.format == NEREID_FORMAT_F64)
    return word;
  return fabs(nereid_bits_to_double(kind, word)) > fabs(value) ? word - 1 : word;
}

/* Rounds `value`, whose error is `error`, to odd: the last bit records inexactness, so that a second rounding to
 * fewer bits resolves ties correctly. */
static double to_odd(double value, double error) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (error == 0 || !isfinite(value) || (bits & 1))
    return value;
  return nextafter(value, error > 0 ? INFINITY : -INFINITY);
}

/* The product of two narrow operands is exact in double; the sum's error is Knuth's two-sum. */
uint64_t nereid_bits_fma(nereid_kind_t kind, uint64_t a, uint64_t b, uint64_t c) {
  const double x = nereid_bits_to_double(kind, a), y = nereid_bits_to_double(kind, b);
  const double z = nereid_bits_to_double(kind, c);
  if (kind.format == NEREID_FORMAT_F64)
    return nereid_bits_from_double(kind, fma(x, y, z), false);
  if (kind.format == NEREID_FORMAT_F32)
    return nereid_bits_from_f32(fmaf((float)x, (float)y, (float)z));
  const double product = x * y, sum = product + z;
  if (!isfinite(sum))
    return nereid_bits_from_double(kind, sum, false);
  const double virtual_z = sum - product, virtual_product = sum - virtual_z;
  return nereid_bits_from_double(kind, to_odd(sum, (product - virtual_product) + (z - virtual_z)), false);
}

/* Truncates more than 53 bits to 53 with a sticky last bit. */
uint64_t nereid_bits_from_integer(nereid_kind_t kind, uint64_t magnitude, bool negative) {
  int shift = 0;
  double value;
  if (kind.format == NEREID_FORMAT_F64) {
    value = (double)magnitude;
  } else {
    for (; magnitude >> 53; ++shift)
      magnitude = (magnitude >> 1) | (magnitude & 1);
    value = ldexp((double)magnitude, shift);
  }
  return nereid_bits_from_double(kind, negative ? -value : value, false);
}
