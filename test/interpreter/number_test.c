/* Scalars of the interpreter: round trips of every bit pattern, ties, and cases of double rounding. */
#include "interpreter/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const nereid_kind_t f16 = {.format = NEREID_FORMAT_F16, .bits = 16};
static const nereid_kind_t bf16 = {.format = NEREID_FORMAT_BF16, .bits = 16};
static const nereid_kind_t f32 = {.format = NEREID_FORMAT_F32, .bits = 32};
static const nereid_kind_t e4m3 = {.format = NEREID_FORMAT_F8E4M3FN, .bits = 8};
static const nereid_kind_t e5m2 = {.format = NEREID_FORMAT_F8E5M2, .bits = 8};

static void test_round_trips(void **state) {
  (void)state;
  const nereid_kind_t kinds[] = {f16, bf16, e4m3, e5m2};
  for (size_t k = 0; k < 4; ++k)
    for (uint64_t word = 0; word < UINT64_C(1) << kinds[k].bits; ++word) {
      const double value = nereid_bits_to_double(kinds[k], word);
      const uint64_t expected = isnan(value) ? nereid_bits_nan(kinds[k]) : word;
      assert_int_equal(nereid_bits_from_double(kinds[k], value, false), expected);
      assert_int_equal(nereid_bits_toward_zero(kinds[k], value, false), expected);
    }
}

/* Between two adjacent values: a tie rounds to even; rounding toward zero gives the one of smaller magnitude. */
static void test_between_neighbours(void **state) {
  (void)state;
  const nereid_kind_t kinds[] = {f16, bf16, e4m3, e5m2};
  const uint64_t last[] = {0x7bff, 0x7f7f, 0x7e, 0x7b};
  for (size_t k = 0; k < 4; ++k)
    for (uint64_t word = 0; word < last[k]; ++word) {
      const double low = nereid_bits_to_double(kinds[k], word), high = nereid_bits_to_double(kinds[k], word + 1);
      const double middle = low + (high - low) / 2;
      assert_int_equal(nereid_bits_from_double(kinds[k], middle, false), word + (word & 1));
      assert_int_equal(nereid_bits_from_double(kinds[k], nextafter(middle, high), false), word + 1);
      assert_int_equal(nereid_bits_from_double(kinds[k], nextafter(middle, low), false), word);
      assert_int_equal(nereid_bits_toward_zero(kinds[k], nextafter(high, low), false), word);
    }
}

static void test_out_of_range(void **state) {
  (void)state;
  assert_int_equal(nereid_bits_from_double(e4m3, 1e9, true), 0x7e);
  assert_int_equal(nereid_bits_from_double(e4m3, 1e9, false), 0x7f);
  assert_int_equal(nereid_bits_from_double(e5m2, -INFINITY, true), 0xfb);
  assert_int_equal(nereid_bits_from_double(e5m2, -INFINITY, false), 0xfc);
  assert_int_equal(nereid_bits_toward_zero(f16, 1e9, false), 0x7bff);
  assert_int_equal(nereid_bits_toward_zero(f16, INFINITY, false), 0x7c00);
  assert_int_equal(nereid_bits_toward_zero(e4m3, 1e9, false), 0x7e);
}

static uint64_t fma_bf16(double a, double b, double c) {
  return nereid_bits_fma(bf16, nereid_bits_from_double(bf16, a, false), nereid_bits_from_double(bf16, b, false),
                         nereid_bits_from_double(bf16, c, false));
}

/* 3 * 87 = 261 is halfway between 260 and 262, 7 * 37 = 259 between 258 and 260: the addend is below the precision of a
 * double and still determines the rounding. */
static void test_fma_rounds_once(void **state) {
  (void)state;
  assert_int_equal(fma_bf16(3, 87, 0), nereid_bits_from_double(bf16, 260, false));
  assert_int_equal(fma_bf16(3, 87, 0x1p-100), nereid_bits_from_double(bf16, 262, false));
  assert_int_equal(fma_bf16(7, 37, 0), nereid_bits_from_double(bf16, 260, false));
  assert_int_equal(fma_bf16(7, 37, -0x1p-100), nereid_bits_from_double(bf16, 258, false));
  assert_int_equal(fma_bf16(-3, 87, -0x1p-100), nereid_bits_from_double(bf16, -262, false));
  assert_int_equal(fma_bf16(INFINITY, 1, -INFINITY), 0x7fff);
}

/* 2^63 + 2^55 is a tie of bf16; one more is not. */
static void test_integers_round_once(void **state) {
  (void)state;
  const uint64_t tie = (UINT64_C(1) << 63) + (UINT64_C(1) << 55);
  assert_int_equal(nereid_bits_from_integer(bf16, tie, false), 0x5f00);
  assert_int_equal(nereid_bits_from_integer(bf16, tie + 1, false), 0x5f01);
  assert_int_equal(nereid_bits_from_integer(bf16, tie + 1, true), 0xdf01);
  assert_int_equal(nereid_bits_from_integer(f32, UINT64_MAX, false), 0x5f800000);
  assert_int_equal(nereid_bits_from_integer(f32, (UINT64_C(1) << 62) + (UINT64_C(1) << 38), false), 0x5e800000);
  assert_int_equal(nereid_bits_from_integer(f32, (UINT64_C(1) << 62) + (UINT64_C(1) << 38) + 1, false), 0x5e800001);
  assert_int_equal(nereid_bits_from_integer(f16, 65520, false), 0x7c00);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trips),         cmocka_unit_test(test_between_neighbours),
      cmocka_unit_test(test_out_of_range),        cmocka_unit_test(test_fma_rounds_once),
      cmocka_unit_test(test_integers_round_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
