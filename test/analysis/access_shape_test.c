/* Relations between access shapes, including shapes that no current encoding produces. */
#include "analysis/access/access_shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
/* cmocka requires the four above. */
#include <cmocka.h>

enum { WARP = 1 << NEREID_ACCESS_LANE_BITS };

static const nereid_access_bases_t plain = {true, 3, {{1, 0}, {2, 1}, {4, WARP}}};
/* Bit 8 selects another warp. */
static const nereid_access_bases_t crossed = {true, 4, {{1, 0}, {2, 1}, {4, WARP}, {8, WARP}}};
static const nereid_access_bases_t copied = {true, 4, {{1, 0}, {2, 1}, {4, 0}, {0, WARP}}};
static const nereid_access_bases_t unknown = {false, 3, {{1, 0}, {2, 0}, {4, 0}}};

static nereid_shapes_relation_t relate(const nereid_access_bases_t *a, uint32_t a_offset,
                                       const nereid_access_bases_t *b, uint32_t b_offset) {
  const nereid_access_shape_t x = {.offset = a_offset, .bases = a}, y = {.offset = b_offset, .bases = b};
  assert_int_equal(nereid_access_shape_relation(&x, &y), nereid_access_shape_relation(&y, &x));
  return nereid_access_shape_relation(&x, &y);
}

static void threads(void **state) {
  (void)state;
  assert_int_equal(relate(&plain, 0, &plain, 0), NEREID_SHAPES_SAME_WARP);
  assert_int_equal(relate(&plain, 0, &plain, 8), NEREID_SHAPES_DISJOINT);
  assert_int_equal(relate(&plain, 0, &crossed, 0), NEREID_SHAPES_SAME_WARP);
  assert_int_equal(relate(&plain, 8, &crossed, 0), NEREID_SHAPES_ANY);
  assert_int_equal(relate(&plain, 0, &copied, 0), NEREID_SHAPES_ANY);
  assert_int_equal(relate(&plain, 0, &unknown, 0), NEREID_SHAPES_ANY);
  assert_int_equal(relate(&plain, 0, &unknown, 16), NEREID_SHAPES_DISJOINT);
}

static nereid_ring_t any = {.stride = 8, .slots = 3, .any_slot = true};
static nereid_ring_t ring = {.stride = 8, .slots = 3, .step = 1};

static void slots(void **state) {
  (void)state;
  const nereid_access_shape_t first = {.bases = &plain, .ring = &ring},
                              second = {.bases = &plain, .ring = &ring, .phase = 1};
  const nereid_access_shape_t again = {.bases = &copied, .ring = &ring, .phase = 3};
  const nereid_access_shape_t some = {.bases = &plain, .ring = &any, .phase = 1},
                              last = {.offset = 16, .bases = &plain};
  assert_int_equal(nereid_access_shape_relation(&first, &second), NEREID_SHAPES_DISJOINT);
  assert_int_equal(nereid_access_shape_relation(&first, &first), NEREID_SHAPES_SAME_WARP);
  assert_int_equal(nereid_access_shape_relation(&first, &again), NEREID_SHAPES_ANY);
  assert_int_equal(nereid_access_shape_relation(&first, &some), NEREID_SHAPES_SAME_WARP);
  assert_int_equal(nereid_access_shape_relation(&second, &last), NEREID_SHAPES_SAME_WARP);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads), cmocka_unit_test(slots)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
