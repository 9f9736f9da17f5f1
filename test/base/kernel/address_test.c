/* Buffers get addresses that are far apart, have exactly the required alignment, are the same on each run, and are
 * outside of the windows of the other state spaces. */
#include "base/kernel/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka requires the three above. */
#include <cmocka.h>

#define GIB (UINT64_C(1) << 30)

static uint64_t assign(uint64_t *position, uint64_t bytes, uint64_t alignment) {
  uint64_t address = 0;
  assert_true(nereid_address_assign(position, bytes, alignment, &address));
  assert_int_equal(address % alignment, 0);
  assert_true(address % (2 * (alignment > 256 ? alignment : 256)) != 0);
  return address;
}

static void number_in_upper_bits(void **state) {
  (void)state;
  uint64_t position = NEREID_ADDRESS_START;
  assert_int_equal(assign(&position, 100, 16), 0x10000000100);
  assert_int_equal(assign(&position, 0, 1), 0x20000000100);
  assert_int_equal(assign(&position, GIB, 4096), 0x30000001000);
  assert_int_equal(assign(&position, 1, 16), 0x40000000100);
}

/* A 32-bit offset times 8 bytes, of either signedness, from any byte of a buffer reaches no other buffer. */
static void far_apart(void **state) {
  (void)state;
  static const uint64_t sizes[] = {1, 4096, GIB + 3, 2000 * GIB, 1023 * GIB, 960 * GIB, 961 * GIB, 17, 0, 5};
  uint64_t position = NEREID_ADDRESS_START, end = 0;
  for (int i = 0; i < 3000; ++i) {
    const uint64_t bytes = sizes[i % 10], address = assign(&position, bytes, UINT64_C(1) << i % 24);
    assert_true(address - end >= 64 * GIB);
    assert_true(address + bytes + 64 * GIB <= NEREID_ADDRESS_WINDOWS ||
                address - 64 * GIB >= NEREID_ADDRESS_WINDOWS_END);
    end = address + bytes;
  }
}

static void refusals(void **state) {
  (void)state;
  uint64_t position = NEREID_ADDRESS_START, address;
  assert_false(nereid_address_assign(&position, 1, 0, &address));
  assert_false(nereid_address_assign(&position, 1, 48, &address));
  assert_false(nereid_address_assign(&position, UINT64_MAX, 1, &address));
  assert_int_equal(position, NEREID_ADDRESS_START);
  assert_true(nereid_address_assign(&position, UINT64_C(1) << 60, UINT64_C(1) << 59, &address));
  /* There is no room for two buffers of 2^62 bytes. */
  assert_false(nereid_address_assign(&position, UINT64_C(1) << 60, UINT64_C(1) << 59, &address));
}

static void distances(void **state) {
  (void)state;
  assert_int_equal(nereid_address_distance(1000, 24, 990), 10);
  assert_int_equal(nereid_address_distance(1000, 24, 1000), 0);
  assert_int_equal(nereid_address_distance(1000, 24, 1024), 0);
  assert_int_equal(nereid_address_distance(1000, 24, 1030), 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(number_in_upper_bits),
      cmocka_unit_test(far_apart),
      cmocka_unit_test(refusals),
      cmocka_unit_test(distances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
