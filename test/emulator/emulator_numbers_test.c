/* The SIMD conversions to and from f16 and bf16, against those of base/float.h. */
#include "emulator/instructions/arithmetic/numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void check(double x) {
  assert_int_equal(emu_to_f16(x), nereid_float_to_f16(x, NEREID_FLOAT_NEAREST));
  assert_int_equal(emu_to_bf16(x), nereid_float_to_bf16(x, NEREID_FLOAT_NEAREST));
}

static void floats_are_narrowed(void **state) {
  (void)state;
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 997)
    check((double)emu_f32((uint32_t)bits));
}

/* Every value of the formats, the midpoint to the next, and the nearest doubles on both sides of the midpoint. */
static void ties_are_exact(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 0x7fff; ++i) {
    const double pairs[2][2] = {
        {(double)nereid_float_from_f16((uint16_t)i), (double)nereid_float_from_f16((uint16_t)(i + 1))},
        {(double)nereid_float_from_bf16((uint16_t)i), (double)nereid_float_from_bf16((uint16_t)(i + 1))}};
    for (int k = 0; k < 2; ++k) {
      double half = (pairs[k][0] + pairs[k][1]) / 2;
      check(pairs[k][0]);
      check(-half);
      check(nextafter(half, 0));
      check(nextafter(half, INFINITY));
    }
  }
  check(65519.999);
  check(65520);
  check(0x1.fefp127);
  check(0x1.ffp127);
  check(DBL_MAX);
  check(DBL_TRUE_MIN);
}

static void f16_is_widened(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 0x10000; ++i) {
    float here = emu_from_f16(i), there = nereid_float_from_f16((uint16_t)i);
    assert_true(here == there ? emu_f32_bits(here) == emu_f32_bits(there) : here != here && there != there);
  }
}

/* The error of the sum determines the last bit; infinities are kept. */
static void sums_are_rounded_to_odd(void **state) {
  (void)state;
  assert_true(emu_add_odd(1, 0x1p-60) == 1 + 0x1p-52);
  assert_true(emu_add_odd(1, -0x1p-60) == 1 - 0x1p-53);
  assert_true(emu_add_odd(-1, -0x1p-60) == -1 - 0x1p-52);
  assert_true(emu_add_odd(1 + 0x1p-52, 0x1p-60) == 1 + 0x1p-52);
  assert_true(emu_add_odd(3, 4) == 7);
  assert_true(emu_add_odd(INFINITY, 1) == (double)INFINITY);
  assert_true(isnan(emu_add_odd(INFINITY, -INFINITY)));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(floats_are_narrowed), cmocka_unit_test(ties_are_exact),
                                     cmocka_unit_test(f16_is_widened), cmocka_unit_test(sums_are_rounded_to_odd)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
