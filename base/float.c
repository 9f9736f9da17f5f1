/* One rounding routine and one expansion routine, driven by one row per format.
 *
 * A double is sign, exponent e and a 53-bit significand s. The result keeps the top 1 + mantissa bits of s, fewer below
 * the format's normal range. Adding the rounded significand to the exponent field propagates a carry out of the
 * mantissa into the exponent, from subnormal to normal included. */
#include "base/float.h"

#include <math.h>
#include <string.h>

typedef struct format {
  int mantissa, bias; /* bits of the mantissa field; exponent bias */
  uint32_t largest;   /* magnitude bits of the largest finite value */
  uint32_t overflow;  /* magnitude bits for values above it */
  uint32_t nan;       /* magnitude bits of the NaN that conversion produces */
  uint32_t sign;      /* the sign bit */
} format_t;

static const format_t f16 = {10, 15, 0x7bff, 0x7c00, 0x7fff, 0x8000};
static const format_t bf16 = {7, 127, 0x7f7f, 0x7f80, 0x7fff, 0x8000};
static const format_t f8e4m3fn = {3, 7, 0x7e, 0x7f, 0x7f, 0x80};
static const format_t f8e5m2 = {2, 15, 0x7b, 0x7c, 0x7f, 0x80};

static uint64_t shift_to_nearest_even(uint64_t significand, int shift) {
  if (shift >= 54)
    return 0;
  uint64_t kept = significand >> shift;
  uint64_t rest = significand & ((UINT64_C(1) << shift) - 1);
  uint64_t half = UINT64_C(1) << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1)));
}

static uint32_t narrow(const format_t *format, double value, nereid_float_overflow_t overflow) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint32_t sign = bits >> 63 ? format->sign : 0;
  int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
  uint64_t significand = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
  if (isnan(value))
    return format->nan;
  if (exponent == -1023)
    return sign; /* zero, or a double far below every format's range */
  int lowest = 1 - format->bias;
  uint64_t magnitude;
  if (exponent < lowest)
    magnitude = shift_to_nearest_even(significand, 52 - format->mantissa + (lowest - exponent));
  else
    magnitude =
        ((uint64_t)(exponent - lowest) << format->mantissa) + shift_to_nearest_even(significand, 52 - format->mantissa);
  if (magnitude > format->largest)
    magnitude = overflow == NEREID_FLOAT_SATFINITE ? format->largest : format->overflow;
  return sign | (uint32_t)magnitude;
}

/* Magnitudes above the largest value are infinity (mantissa zero) or NaN. */
static float widen(const format_t *format, uint32_t bits) {
  uint32_t magnitude = bits & (format->sign - 1);
  float sign = bits & format->sign ? -1.0F : 1.0F;
  if (magnitude > format->largest)
    return copysignf(magnitude == format->overflow && format->overflow != format->nan ? INFINITY : NAN, sign);
  uint32_t field = magnitude >> format->mantissa;
  uint32_t fraction = magnitude & ((UINT32_C(1) << format->mantissa) - 1);
  uint32_t significand = field ? fraction | UINT32_C(1) << format->mantissa : fraction;
  int exponent = (field ? (int)field : 1) - format->bias - format->mantissa;
  return copysignf(ldexpf((float)significand, exponent), sign);
}

uint16_t nereid_float_to_f16(double value, nereid_float_overflow_t overflow) {
  return (uint16_t)narrow(&f16, value, overflow);
}

uint16_t nereid_float_to_bf16(double value, nereid_float_overflow_t overflow) {
  return (uint16_t)narrow(&bf16, value, overflow);
}

uint8_t nereid_float_to_f8e4m3fn(double value, nereid_float_overflow_t overflow) {
  return (uint8_t)narrow(&f8e4m3fn, value, overflow);
}

uint8_t nereid_float_to_f8e5m2(double value, nereid_float_overflow_t overflow) {
  return (uint8_t)narrow(&f8e5m2, value, overflow);
}

float nereid_float_from_f16(uint16_t bits) {
  return widen(&f16, bits);
}
float nereid_float_from_bf16(uint16_t bits) {
  return widen(&bf16, bits);
}
float nereid_float_from_f8e4m3fn(uint8_t bits) {
  return widen(&f8e4m3fn, bits);
}
float nereid_float_from_f8e5m2(uint8_t bits) {
  return widen(&f8e5m2, bits);
}
