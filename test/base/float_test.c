/* Conversions of narrow floats against an independent reference: a table of every finite value of the format, built
 * from its definition, and the rule "nearest entry, the even one at a tie".
 *
 * Exhaustive over bit patterns: each is widened and narrowed back; each adjacent pair is tested at its midpoint and one
 * double to either side of it, where rounding errors would appear. */
#include "base/float.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct format {
  const char *name;
  int exponent_bits, mantissa_bits;
  uint32_t largest; /* magnitude of the largest finite number */
  int has_infinity;
  uint32_t (*narrow)(double value, nereid_float_overflow_t overflow);
  float (*widen)(uint32_t bits);
} format_t;

static uint32_t narrow_f16(double v, nereid_float_overflow_t o) {
  return nereid_float_to_f16(v, o);
}
static uint32_t narrow_bf16(double v, nereid_float_overflow_t o) {
  return nereid_float_to_bf16(v, o);
}
static uint32_t narrow_e4m3(double v, nereid_float_overflow_t o) {
  return nereid_float_to_f8e4m3fn(v, o);
}
static uint32_t narrow_e5m2(double v, nereid_float_overflow_t o) {
  return nereid_float_to_f8e5m2(v, o);
}
static float widen_f16(uint32_t bits) {
  return nereid_float_from_f16((uint16_t)bits);
}
static float widen_bf16(uint32_t bits) {
  return nereid_float_from_bf16((uint16_t)bits);
}
static float widen_e4m3(uint32_t bits) {
  return nereid_float_from_f8e4m3fn((uint8_t)bits);
}
static float widen_e5m2(uint32_t bits) {
  return nereid_float_from_f8e5m2((uint8_t)bits);
}

static const format_t formats[] = {
    {"f16", 5, 10, 0x7bff, 1, narrow_f16, widen_f16},
    {"bf16", 8, 7, 0x7f7f, 1, narrow_bf16, widen_bf16},
    {"f8E4M3FN", 4, 3, 0x7e, 0, narrow_e4m3, widen_e4m3},
    {"f8E5M2", 5, 2, 0x7b, 1, narrow_e5m2, widen_e5m2},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static uint32_t sign_of(const format_t *f) {
  return UINT32_C(1) << (f->exponent_bits + f->mantissa_bits);
}

/* The value of a bit pattern by the definition of the format. */
static double value_of(const format_t *f, uint32_t magnitude) {
  int bias = (1 << (f->exponent_bits - 1)) - 1;
  uint32_t exponent = magnitude >> f->mantissa_bits;
  double fraction = (double)(magnitude - (exponent << f->mantissa_bits)) / (double)(1 << f->mantissa_bits);
  if (exponent == 0)
    return fraction * pow(2.0, 1 - bias);
  return (1.0 + fraction) * pow(2.0, (int)exponent - bias);
}

static void every_pattern_widens_to_its_value(void **state) {
  (void)state;
  for (int i = 0; i < FORMATS; ++i) {
    const format_t *f = &formats[i];
    for (uint32_t magnitude = 0; magnitude <= f->largest; ++magnitude) {
      assert_true((double)f->widen(magnitude) == value_of(f, magnitude));
      float negative = f->widen(magnitude | sign_of(f));
      assert_true((double)negative == -value_of(f, magnitude));
      assert_int_equal(signbit(negative) != 0, 1);
    }
    for (uint32_t magnitude = f->largest + 1; magnitude < sign_of(f); ++magnitude) {
      int infinite = f->has_infinity && magnitude == f->largest + 1;
      assert_int_equal(isinf(f->widen(magnitude)) != 0, infinite);
      assert_int_equal(isnan(f->widen(magnitude)) != 0, !infinite);
      assert_int_equal(isinf(f->widen(magnitude | sign_of(f))) != 0, infinite);
    }
  }
}

static void every_value_narrows_to_its_pattern(void **state) {
  (void)state;
  for (int i = 0; i < FORMATS; ++i) {
    const format_t *f = &formats[i];
    for (uint32_t magnitude = 0; magnitude <= f->largest; ++magnitude)
      for (int mode = 0; mode < 2; ++mode) {
        assert_int_equal(f->narrow(value_of(f, magnitude), (nereid_float_overflow_t)mode), magnitude);
        assert_int_equal(f->narrow(-value_of(f, magnitude), (nereid_float_overflow_t)mode), magnitude | sign_of(f));
      }
  }
}

static void between_neighbours_the_nearest_wins_and_ties_are_even(void **state) {
  (void)state;
  for (int i = 0; i < FORMATS; ++i) {
    const format_t *f = &formats[i];
    for (uint32_t low = 0; low < f->largest; ++low) {
      double middle = (value_of(f, low) + value_of(f, low + 1)) / 2; /* exact: one more bit than the format has */
      uint32_t even = low + (low & 1);
      assert_int_equal(f->narrow(middle, NEREID_FLOAT_NEAREST), even);
      assert_int_equal(f->narrow(nextafter(middle, 0), NEREID_FLOAT_NEAREST), low);
      assert_int_equal(f->narrow(nextafter(middle, INFINITY), NEREID_FLOAT_NEAREST), low + 1);
      assert_int_equal(f->narrow(-middle, NEREID_FLOAT_SATFINITE), even | sign_of(f));
    }
  }
}

/* The overflow limit is halfway between the largest value and the next one of an unbounded format. */
static void past_the_largest(void **state) {
  (void)state;
  for (int i = 0; i < FORMATS; ++i) {
    const format_t *f = &formats[i];
    uint32_t beyond = f->has_infinity ? f->largest + 1 : sign_of(f) - 1, largest = f->largest;
    double limit = (value_of(f, largest) + value_of(f, largest + 1)) / 2;
    assert_int_equal(f->narrow(nextafter(limit, 0), NEREID_FLOAT_NEAREST), largest);
    assert_int_equal(f->narrow(limit, NEREID_FLOAT_NEAREST), largest & 1 ? beyond : largest);
    assert_int_equal(f->narrow(nextafter(limit, INFINITY), NEREID_FLOAT_NEAREST), beyond);
    assert_int_equal(f->narrow(-1e300, NEREID_FLOAT_NEAREST), beyond | sign_of(f));
    assert_int_equal(f->narrow(INFINITY, NEREID_FLOAT_NEAREST), beyond);
    assert_int_equal(f->narrow(1e300, NEREID_FLOAT_SATFINITE), largest);
    assert_int_equal(f->narrow(-INFINITY, NEREID_FLOAT_SATFINITE), largest | sign_of(f));
  }
}

static void nan_is_the_canonical_one(void **state) {
  static const uint32_t canonical[FORMATS] = {0x7fff, 0x7fff, 0x7f, 0x7f};
  (void)state;
  for (int i = 0; i < FORMATS; ++i)
    for (int mode = 0; mode < 2; ++mode) {
      assert_int_equal(formats[i].narrow(NAN, (nereid_float_overflow_t)mode), canonical[i]);
      assert_int_equal(formats[i].narrow(-NAN, (nereid_float_overflow_t)mode), canonical[i]);
    }
}

static void tiny_values_keep_their_sign(void **state) {
  (void)state;
  for (int i = 0; i < FORMATS; ++i) {
    const format_t *f = &formats[i];
    assert_int_equal(f->narrow(0x1p-1074, NEREID_FLOAT_NEAREST), 0);
    assert_int_equal(f->narrow(-0x1p-1074, NEREID_FLOAT_NEAREST), sign_of(f));
    assert_int_equal(f->narrow(-0.0, NEREID_FLOAT_NEAREST), sign_of(f));
    assert_int_equal(f->narrow(value_of(f, 1) / 2, NEREID_FLOAT_NEAREST), 0);
    assert_int_equal(f->narrow(nextafter(value_of(f, 1) / 2, 1), NEREID_FLOAT_NEAREST), 1);
  }
}

/* A double just above a tie: rounding to float first would give the lower value. */
static void rounds_once(void **state) {
  (void)state;
  double above_tie = 1.0 + 0x1p-11 + 0x1p-40;
  assert_int_equal(nereid_float_to_f16(above_tie, NEREID_FLOAT_NEAREST), 0x3c01);
  assert_int_equal(nereid_float_to_f16((double)(float)above_tie, NEREID_FLOAT_NEAREST), 0x3c00);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_pattern_widens_to_its_value),
      cmocka_unit_test(every_value_narrows_to_its_pattern),
      cmocka_unit_test(between_neighbours_the_nearest_wins_and_ties_are_even),
      cmocka_unit_test(past_the_largest),
      cmocka_unit_test(nan_is_the_canonical_one),
      cmocka_unit_test(tiny_values_keep_their_sign),
      cmocka_unit_test(rounds_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
