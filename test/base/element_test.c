/* Scalar types: names, sizes, and elements through memory. */
#include "base/element.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void names_go_both_ways(void **state) {
  (void)state;
  for (int i = 1; i < NEREID_ELEMENT_COUNT; ++i)
    assert_int_equal(nereid_element_parse(nereid_view(nereid_element_name((nereid_element_t)i))), i);
  assert_int_equal(nereid_element_parse(nereid_view("fp8e4nv")), NEREID_ELEMENT_F8E4M3FN);
  assert_int_equal(nereid_element_parse(nereid_view("fp8e5")), NEREID_ELEMENT_F8E5M2);
  assert_int_equal(nereid_element_parse(nereid_view("i32x")), NEREID_ELEMENT_NONE);
  assert_int_equal(nereid_element_parse(nereid_view("none")), NEREID_ELEMENT_NONE);
  assert_int_equal(nereid_element_parse(nereid_view_of(NULL, 0)), NEREID_ELEMENT_NONE);
  assert_string_equal(nereid_element_name((nereid_element_t)77), "none");
  assert_int_equal(nereid_element_size((nereid_element_t)-1), 0);
}

static void integers_wrap_and_sign_extend(void **state) {
  unsigned char memory[9] = {0};
  (void)state;
  nereid_element_write_integer(NEREID_ELEMENT_I8, memory + 1, 200);
  assert_int_equal(nereid_element_read_integer(NEREID_ELEMENT_I8, memory + 1), -56);
  nereid_element_write_integer(NEREID_ELEMENT_I32, memory + 1, INT64_C(0xdeadbeef12345678));
  assert_int_equal(nereid_element_read_integer(NEREID_ELEMENT_I32, memory + 1), 0x12345678);
  nereid_element_write_integer(NEREID_ELEMENT_I64, memory + 1, INT64_MIN);
  assert_true(nereid_element_read_integer(NEREID_ELEMENT_I64, memory + 1) == INT64_MIN);
  nereid_element_write_integer(NEREID_ELEMENT_I1, memory, 256);
  assert_int_equal(memory[0], 1);
  nereid_element_write(NEREID_ELEMENT_I16, memory, -3.9);
  assert_int_equal(nereid_element_read_integer(NEREID_ELEMENT_I16, memory), -3);
  nereid_element_write(NEREID_ELEMENT_I64, memory, NAN);
  assert_int_equal(nereid_element_read_integer(NEREID_ELEMENT_I64, memory), 0);
  nereid_element_write(NEREID_ELEMENT_I64, memory, 1e300);
  assert_true(nereid_element_read_integer(NEREID_ELEMENT_I64, memory) == INT64_MAX);
}

static void floats_round_trip(void **state) {
  unsigned char memory[8];
  (void)state;
  for (int i = NEREID_ELEMENT_F16; i < NEREID_ELEMENT_COUNT; ++i) {
    assert_true(nereid_element_is_float((nereid_element_t)i));
    nereid_element_write((nereid_element_t)i, memory, -1.5);
    assert_true(nereid_element_read((nereid_element_t)i, memory) == -1.5);
    assert_int_equal(nereid_element_read_integer((nereid_element_t)i, memory), -1);
  }
}

/* 2^53 + 2^45 + 1 exceeds the midpoint of two bf16 numbers by less than the precision of a double. */
static void integers_become_floats_with_one_rounding(void **state) {
  unsigned char memory[8];
  int64_t above = (INT64_C(1) << 53) + (INT64_C(1) << 45) + 1;
  (void)state;
  nereid_element_write_integer(NEREID_ELEMENT_BF16, memory, above);
  assert_true(nereid_element_read(NEREID_ELEMENT_BF16, memory) == 0x1p53 + 0x1p46);
  nereid_element_write_integer(NEREID_ELEMENT_BF16, memory, -above);
  assert_true(nereid_element_read(NEREID_ELEMENT_BF16, memory) == -0x1p53 - 0x1p46);
  nereid_element_write_integer(NEREID_ELEMENT_BF16, memory, above - 1);
  assert_true(nereid_element_read(NEREID_ELEMENT_BF16, memory) == 0x1p53);
  nereid_element_write_integer(NEREID_ELEMENT_F32, memory, INT64_MAX);
  assert_true(nereid_element_read(NEREID_ELEMENT_F32, memory) == 0x1p63);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_go_both_ways),
      cmocka_unit_test(integers_wrap_and_sign_extend),
      cmocka_unit_test(floats_round_trip),
      cmocka_unit_test(integers_become_floats_with_one_rounding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
