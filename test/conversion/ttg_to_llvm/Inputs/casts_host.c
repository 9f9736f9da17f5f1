/* Calls the conversions lowered for sm_80, compiled for the host, and compares them with base/float.h, an independent
 * implementation on doubles: every fp8 and every 16-bit value, f32 and f64 around every tie of the narrower format, and
 * many others. The C library implements the GPU instructions (cvt.rz, cvt.rn.bf16) here. */
#include "base/float.h"

#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- callees of the lowered functions --- */

float host_d2f_rz(double value);
float host_i2f_rz(int32_t value);
float host_ui2f_rz(uint32_t value);
float host_ll2f_rz(int64_t value);
float host_ull2f_rz(uint64_t value);
uint16_t host_bfloat(float value), host_half(float value);

#pragma STDC FENV_ACCESS ON

static float towards_zero(volatile double value) {
  fesetround(FE_TOWARDZERO);
  volatile float result = (float)value;
  fesetround(FE_TONEAREST);
  return result;
}

float host_d2f_rz(double value) {
  return towards_zero(value);
}
float host_i2f_rz(int32_t value) {
  return towards_zero(value);
}
float host_ui2f_rz(uint32_t value) {
  return towards_zero(value);
}

float host_ll2f_rz(int64_t value) {
  volatile int64_t source = value;
  fesetround(FE_TOWARDZERO);
  volatile float result = (float)source;
  fesetround(FE_TONEAREST);
  return result;
}

float host_ull2f_rz(uint64_t value) {
  volatile uint64_t source = value;
  fesetround(FE_TOWARDZERO);
  volatile float result = (float)source;
  fesetround(FE_TONEAREST);
  return result;
}

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* cvt.rn.bf16.f32 and cvt.rn.f16.f32; their arguments are exact as doubles. */
uint16_t host_bfloat(float value) {
  return nereid_float_to_bf16(value, NEREID_FLOAT_NEAREST);
}
uint16_t host_half(float value) {
  return nereid_float_to_f16(value, NEREID_FLOAT_NEAREST);
}

/* --- comparison --- */

static unsigned long failures, cases;

static void expect(const char *what, double source, uint64_t found, uint64_t wanted) {
  ++cases;
  if (found != wanted && ++failures <= 20)
    printf("%s of %a: 0x%llx, expected 0x%llx\n", what, source, (unsigned long long)found, (unsigned long long)wanted);
}

#define ROUNDED(format)                                                                                                \
  uint8_t f16_to_##format(uint16_t), bf16_to_##format(uint16_t), f32_to_##format(float), f64_to_##format(double);

#define FP8(format)                                                                                                    \
  uint16_t format##_to_f16(uint8_t);                                                                                   \
  float format##_to_f32(uint8_t);                                                                                      \
  double format##_to_f64(uint8_t);                                                                                     \
  ROUNDED(format##_rtne)                                                                                               \
  ROUNDED(format##_rtz)

FP8(e4m3)
FP8(e5m2)
uint16_t f64_to_bf16(double);
uint16_t s32_to_bf16(int32_t), u32_to_bf16(uint32_t), s64_to_bf16(int64_t), u64_to_bf16(uint64_t);

typedef struct format {
  const char *name;
  uint8_t (*round)(double, nereid_float_overflow_t);
  float (*widen)(uint8_t);
  uint16_t (*to_f16)(uint8_t);
  float (*to_f32)(uint8_t);
  double (*to_f64)(uint8_t);
  uint8_t (*from_f16[2])(uint16_t), (*from_bf16[2])(uint16_t), (*from_f32[2])(float), (*from_f64[2])(double);
} format_t;

#define FORMAT(format, full)                                                                                           \
  {                                                                                                                    \
    #format, nereid_float_to_##full, nereid_float_from_##full, format##_to_f16, format##_to_f32, format##_to_f64,      \
        {f16_to_##format##_rtne, f16_to_##format##_rtz}, {bf16_to_##format##_rtne, bf16_to_##format##_rtz},            \
        {f32_to_##format##_rtne, f32_to_##format##_rtz}, {                                                             \
      f64_to_##format##_rtne, f64_to_##format##_rtz                                                                    \
    }                                                                                                                  \
  }

static const format_t formats[] = {FORMAT(e4m3, f8e4m3fn), FORMAT(e5m2, f8e5m2)};

/* Nearest, or toward zero: the nearest, or the value of the next smaller magnitude. Saturating. */
static uint8_t reference(const format_t *format, double value, int to_zero) {
  const uint8_t nearest = format->round(value, NEREID_FLOAT_SATFINITE);
  if (!to_zero || isnan(value) || fabs((double)format->widen(nearest)) <= fabs(value))
    return nearest;
  return (uint8_t)(nearest - 1);
}

static void check_widening(const format_t *format) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const float wanted = format->widen((uint8_t)bits);
    const float from_f16 = nereid_float_from_f16(format->to_f16((uint8_t)bits));
    const float f32 = format->to_f32((uint8_t)bits);
    const double f64 = format->to_f64((uint8_t)bits);
    if (isnan(wanted)) {
      expect("widening NaN", wanted, (uint64_t)(!isnan(from_f16) + !isnan(f32) + !isnan(f64)), 0);
      continue;
    }
    expect("to f16", wanted, bits_of(from_f16), bits_of(wanted));
    expect("to f32", wanted, bits_of(f32), bits_of(wanted));
    expect("to f64", wanted, bits_of((float)f64), bits_of(wanted));
  }
}

static void check_value(const format_t *format, float value) {
  for (int mode = 0; mode < 2; ++mode) {
    expect("f32 to fp8", value, format->from_f32[mode](value), reference(format, value, mode));
    /* Just above and just below a tie of f32, in f64. */
    const double above = nextafter((double)value, INFINITY), below = nextafter((double)value, -INFINITY);
    expect("f64 to fp8", value, format->from_f64[mode](value), reference(format, value, mode));
    expect("f64 to fp8", above, format->from_f64[mode](above), reference(format, above, mode));
    expect("f64 to fp8", below, format->from_f64[mode](below), reference(format, below, mode));
  }
}

static void check_narrowing(const format_t *format) {
  for (uint32_t bits = 0; bits < 65536; ++bits)
    for (int mode = 0; mode < 2; ++mode) {
      const double half = nereid_float_from_f16((uint16_t)bits), brain = nereid_float_from_bf16((uint16_t)bits);
      expect("f16 to fp8", half, format->from_f16[mode]((uint16_t)bits), reference(format, half, mode));
      expect("bf16 to fp8", brain, format->from_bf16[mode]((uint16_t)bits), reference(format, brain, mode));
    }
  /* Every exponent and 11 bits of mantissa, with the adjacent values. */
  static const uint32_t low[] = {0, 1, 0x7FF, 0x800, 0x801, 0xFFF};
  for (uint32_t high = 0; high < 1u << 20; ++high)
    for (unsigned i = 0; i < sizeof low / sizeof *low; ++i)
      if (i == 0 || high % 16 == 0)
        check_value(format, float_of(high << 12 | low[i]));
}

/* Ties of bf16, and the adjacent f64 values. */
static void check_f64_to_bf16(void) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const double brain = nereid_float_from_bf16((uint16_t)bits);
    const double next_brain = nereid_float_from_bf16((uint16_t)(bits + 1));
    const double ties[] = {brain, brain / 2 + next_brain / 2};
    for (int i = 0; i < 2; ++i)
      for (int side = -1; side <= 1; ++side) {
        const double value = side ? nextafter(ties[i], side * INFINITY) : ties[i];
        expect("f64 to bf16", value, f64_to_bf16(value), nereid_float_to_bf16(value, NEREID_FLOAT_NEAREST));
      }
  }
}

/* A double holds 53 bits; lower bits are ORed into the last one (sticky bit). */
static double odd_double(uint64_t magnitude) {
  if (magnitude >> 53)
    magnitude = (magnitude & ~UINT64_C(0xFFF)) | (magnitude & 0xFFF ? 0x800 : 0);
  return (double)magnitude;
}

static void check_integer(uint64_t value) {
  const int64_t as_signed = (int64_t)value;
  const double magnitude = odd_double(as_signed < 0 ? 0 - value : value);
  expect("u64 to bf16", (double)value, u64_to_bf16(value),
         nereid_float_to_bf16(odd_double(value), NEREID_FLOAT_NEAREST));
  expect("s64 to bf16", (double)as_signed, s64_to_bf16(as_signed),
         nereid_float_to_bf16(as_signed < 0 ? -magnitude : magnitude, NEREID_FLOAT_NEAREST));
  expect("u32 to bf16", (double)(uint32_t)value, u32_to_bf16((uint32_t)value),
         nereid_float_to_bf16((uint32_t)value, NEREID_FLOAT_NEAREST));
  expect("s32 to bf16", (double)(int32_t)value, s32_to_bf16((int32_t)value),
         nereid_float_to_bf16((int32_t)value, NEREID_FLOAT_NEAREST));
}

static void check_integers(void) {
  uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    check_integer(state >> (i % 64));
  }
  /* Ties: eight bits and a half, with and without one much lower bit. */
  for (int shift = 0; shift < 55; ++shift)
    for (uint64_t mantissa = 0x100; mantissa < 0x200; ++mantissa)
      for (int64_t d = -1; d <= 1; ++d) {
        check_integer((mantissa << shift) + (uint64_t)d);
        check_integer(0 - ((mantissa << shift) + (uint64_t)d));
      }
}

int main(void) {
  for (int i = 0; i < 2; ++i) {
    check_widening(&formats[i]);
    check_narrowing(&formats[i]);
  }
  check_f64_to_bf16();
  check_integers();
  printf("%lu conversions, %lu wrong\n", cases, failures);
  return failures != 0;
}
