/* Grid maps: affine maps evaluated on host integers. */
#include "nereid/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static nereid_message_t message;

/* Evaluates `map` over the values; n of them are its operands. */
static nereid_status_t evaluate(const char *map, size_t n, const int64_t *values, uint32_t grid[3]) {
  int32_t positions[8];
  nereid_value_t arguments[8];
  nereid_metadata_t metadata;
  nereid_metadata_initialize(&metadata);
  for (size_t i = 0; i < n; ++i) {
    positions[i] = (int32_t)i;
    arguments[i] = nereid_value_i64(values[i]);
  }
  metadata.name = "k";
  metadata.grid_map = map;
  metadata.n_grid_arguments = n;
  metadata.grid_arguments = positions;
  return nereid_grid_evaluate(&metadata, 132, n, arguments, grid, &message);
}

static void results(void **state) {
  static const struct {
    const char *map;
    size_t n;
    int64_t values[3];
    uint32_t grid[3];
  } cases[] = {
      {"(d0) -> (d0 ceildiv 1024)", 1, {1025}, {2, 1, 1}},
      {"(d0) -> (d0 ceildiv 1024)", 1, {0}, {0, 1, 1}},
      {"affine_map<(d0, d1)[s0] -> (d0 ceildiv 128, d1 floordiv 64, s0)>", 3, {1000, 100, 2}, {8, 1, 2}},
      {"()[s0, s1] -> ((s0 ceildiv 128) * (s1 ceildiv 256))", 2, {1000, 1000}, {32, 1, 1}},
      {"(d0) -> (d0 + 2 * 3 - 1)", 1, {4}, {9, 1, 1}},
      {"(d0) -> (-d0 + 10)", 1, {4}, {6, 1, 1}},
      {"(d0) -> ((-d0) mod 7 + (-d0) floordiv 4 + 5)", 1, {10}, {6, 1, 1}}, /* 4 - 3 + 5 */
      {"(d0) -> ((-d0) ceildiv 4 + 5)", 1, {10}, {3, 1, 1}},                /* -2 + 5 */
      {"() -> (7, 8)", 0, {0}, {7, 8, 1}},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    uint32_t grid[3] = {0};
    if (evaluate(cases[i].map, cases[i].n, cases[i].values, grid))
      fail_msg("%s: %s", cases[i].map, message.text);
    for (int d = 0; d < 3; ++d)
      assert_int_equal(grid[d], cases[i].grid[d]);
  }
}

static void refusals(void **state) {
  static const struct {
    const char *map;
    size_t n;
    int64_t values[2];
    const char *mentions;
  } cases[] = {
      {"(d0) -> (d0 ceildiv 0)", 1, {5}, "zero"},
      {"(d0) -> (d0 - 6)", 1, {5}, "-1 along x"},
      {"(d0) -> (1, d0)", 1, {70000}, "along y"},
      {"(d0) -> (d0 * 4294967296)", 1, {1}, "along x"},
      {"(d0) -> (d0 * 9223372036854775807)", 1, {4}, "overflows"},
      {"(d0) -> (99999999999999999999)", 1, {4}, "overflows"},
      {"(d0) -> (d1)", 1, {4}, "undefined dimension"},
      {"(d0) -> (s0)", 1, {4}, "undefined dimension"},
      {"(d0, d1) -> (d1)", 1, {4}, "number of operands that differs"},
      {"(d0) -> (1, 2, 3, 4)", 1, {4}, "three"},
      {"(d0) -> (1, 2", 1, {4}, "malformed"},
      {"(d0) -> (1) 2", 1, {4}, "malformed"},
      {"(d0) -> ()", 1, {4}, "malformed"},
      {"(d1) -> (1)", 1, {4}, "malformed"},
      {"", 0, {0}, "malformed"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    uint32_t grid[3];
    assert_int_equal(evaluate(cases[i].map, cases[i].n, cases[i].values, grid), NEREID_ERROR_ARGUMENT);
    if (!strstr(message.text, cases[i].mentions))
      fail_msg("'%s' does not mention %s", message.text, cases[i].mentions);
  }
}

static void deep_nesting_is_refused(void **state) {
  char map[4096] = "(d0) -> (";
  uint32_t grid[3];
  int64_t value = 1;
  (void)state;
  memset(map + strlen(map), '(', 1000);
  assert_int_equal(evaluate(map, 1, &value, grid), NEREID_ERROR_ARGUMENT);
  assert_non_null(strstr(message.text, "deep"));
}

static void persistent_kernels_are_cut_to_the_device(void **state) {
  int32_t position = 1;
  uint32_t grid[3];
  nereid_metadata_t metadata;
  nereid_value_t arguments[] = {nereid_value_pointer(64), nereid_value_i32(100000)};
  (void)state;
  nereid_metadata_initialize(&metadata);
  metadata.name = "k";
  assert_int_equal(nereid_grid_evaluate(&metadata, 132, 2, arguments, grid, &message), NEREID_ERROR_NOT_FOUND);
  metadata.grid_map = "(d0) -> (d0)";
  metadata.n_grid_arguments = 1;
  metadata.grid_arguments = &position;
  metadata.grid_per_sm = 2;
  assert_int_equal(nereid_grid_evaluate(&metadata, 132, 2, arguments, grid, &message), NEREID_OK);
  assert_int_equal(grid[0], 264);
  position = 0; /* a pointer */
  assert_int_equal(nereid_grid_evaluate(&metadata, 132, 2, arguments, grid, &message), NEREID_ERROR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results),
      cmocka_unit_test(refusals),
      cmocka_unit_test(deep_nesting_is_refused),
      cmocka_unit_test(persistent_kernels_are_cut_to_the_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
