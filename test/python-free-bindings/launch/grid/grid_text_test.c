/* Grids in names of arguments: the map that each text becomes, its value, and the message of each error. */
#include "nereid/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static nereid_message_t message;
static nereid_arena_t arena;

/* A kernel of a pointer, integers m = 1000, n = 300, an unnamed one = 7, a float and a descriptor d of 90 x 65. */
static const nereid_parameter_t parameters[] = {
    {.name = "x", .kind = NEREID_PARAMETER_POINTER, .size = 8, .group = -1},
    {.name = "m", .kind = NEREID_PARAMETER_SCALAR, .element = NEREID_ELEMENT_I32, .size = 4, .group = -1},
    {.name = "n.0", .kind = NEREID_PARAMETER_SCALAR, .element = NEREID_ELEMENT_I64, .size = 8, .group = -1},
    {.kind = NEREID_PARAMETER_SCALAR, .element = NEREID_ELEMENT_I32, .size = 4, .group = -1},
    {.name = "f", .kind = NEREID_PARAMETER_SCALAR, .element = NEREID_ELEMENT_F32, .size = 4, .group = -1},
    {.name = "d", .kind = NEREID_PARAMETER_DESCRIPTOR, .size = 128, .role = NEREID_ROLE_DESCRIPTOR, .group = 0},
    {.name = "d",
     .kind = NEREID_PARAMETER_SCALAR,
     .element = NEREID_ELEMENT_I32,
     .size = 4,
     .role = NEREID_ROLE_SHAPE,
     .group = 0,
     .dimension = 0},
    {.name = "d",
     .kind = NEREID_PARAMETER_SCALAR,
     .element = NEREID_ELEMENT_I32,
     .size = 4,
     .role = NEREID_ROLE_SHAPE,
     .group = 0,
     .dimension = 1},
};
enum { COUNT = sizeof parameters / sizeof *parameters };

static nereid_metadata_t metadata_of_kernel(void) {
  nereid_metadata_t metadata;
  nereid_metadata_initialize(&metadata);
  metadata.name = "k";
  metadata.num_warps = 8;
  metadata.num_ctas = 2;
  metadata.signature = true;
  metadata.parameters = parameters;
  metadata.n_parameters = COUNT;
  return metadata;
}

static nereid_status_t evaluate(const nereid_metadata_t *metadata, uint32_t grid[3]) {
  const nereid_value_t values[COUNT] = {nereid_value_pointer(64), nereid_value_i32(1000), nereid_value_i64(300),
                                        nereid_value_i32(7),      nereid_value_f32(1),    nereid_value_descriptor(NULL),
                                        nereid_value_i32(90),     nereid_value_i32(65)};
  return nereid_grid_evaluate(metadata, 132, COUNT, values, grid, &message);
}

static void texts(void **state) {
  static const struct {
    const char *text, *map; /* null: not compared */
    uint32_t grid[3];
  } cases[] = {
      {"x = ceildiv(m, 128)", "()[s0] -> ((s0 ceildiv 128))", {8, 1, 1}},
      {"x=cdiv(m,128)", "()[s0] -> ((s0 ceildiv 128))", {8, 1, 1}},
      {" x = m ceildiv 128 , y = %n.0 ", "()[s0, s1] -> ((s0 ceildiv 128), s1)", {8, 300, 1}},
      {"x = ceildiv(m, 128) * ceildiv(n.0, 64), y = m",
       "()[s0, s1] -> (((s0 ceildiv 128) * (s1 ceildiv 64)), s0)",
       {40, 1000, 1}},
      {"z = 3", "() -> (1, 1, 3)", {1, 1, 3}},
      {"98", "() -> (98)", {98, 1, 1}},
      {"4, arg3, m mod 7", NULL, {4, 7, 6}},
      {"x = (m + 127) / 128 - 2 * 3", NULL, {2, 1, 1}},
      {"x = (m + 127) // 128", NULL, {8, 1, 1}},
      {"x = m - 1 - 1", NULL, {998, 1, 1}},
      {"x = -3 + mod(m, 7)", NULL, {3, 1, 1}},
      {"x = floordiv(m, arg3)", NULL, {142, 1, 1}},
      {"x = ceildiv(d[0], 64), y = ceildiv(d[1], 64)", NULL, {2, 2, 1}},
      {"x = ceildiv(m, 32 * num_warps), y = num_ctas", NULL, {4, 2, 1}},
      {"x = m, per_sm = 2", NULL, {264, 1, 1}},
      {"per_sm = 1", NULL, {132, 1, 1}},
      {"per_sm = 0, 5", NULL, {5, 1, 1}},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    nereid_metadata_t metadata = metadata_of_kernel();
    uint32_t grid[3] = {0};
    if (nereid_metadata_set_grid(&arena, nereid_view(cases[i].text), &metadata, &message) || evaluate(&metadata, grid))
      fail_msg("%s: %s", cases[i].text, message.text);
    if (cases[i].map)
      assert_string_equal(metadata.grid_map, cases[i].map);
    for (int d = 0; d < 3; ++d)
      if (grid[d] != cases[i].grid[d])
        fail_msg("%s: dimension %d is %u", cases[i].text, d, grid[d]);
  }
}

static void errors(void **state) {
  static const struct {
    const char *text, *mentions;
  } cases[] = {
      {"", "expected a number, a name or a parenthesis"},
      {"x", "argument 'x' is not an integer"},
      {"x = ", "expected a number"},
      {"x = q", "no argument 'q'; integer arguments: m, n.0; options: num_warps"},
      {"x = f", "'f' is not an integer"},
      {"x = d", "'d' is not an integer"},
      {"x = d[2]", "'d' is not a descriptor with this dimension"},
      {"x = m[0]", "'m' is not a descriptor"},
      {"x = d[0", "ends before ']'"},
      {"x = arg99", "no argument 'arg99'"},
      {"x = 1, x = 2", "x is specified twice"},
      {"y = 1, 1, 2", "y is specified twice"},
      {"per_sm = 1, per_sm = 2", "per_sm is specified twice"},
      {"per_sm = m", "expected a number"},
      {"per_sm = 2000", "exceeds 1024"},
      {"1, 2, 3, 4", "three dimensions"},
      {"w = 1", "'w' is not a key"},
      {"x = min(m, 2)", "'min' is not a function"},
      {"x = ceildiv(m)", "expected ','"},
      {"x = ceildiv(m, 2", "ends before ')'"},
      {"x = m m", "expected an operator or a comma"},
      {"x = 99999999999", "exceeds 2^31 - 1"},
      {"x = 1;", "expected an operator"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    nereid_metadata_t metadata = metadata_of_kernel();
    assert_int_equal(nereid_metadata_set_grid(&arena, nereid_view(cases[i].text), &metadata, &message),
                     NEREID_ERROR_ARGUMENT);
    if (!strstr(message.text, cases[i].mentions))
      fail_msg("'%s' does not mention %s", message.text, cases[i].mentions);
    assert_null(metadata.grid_map);
  }
}

static void deep_and_long_texts(void **state) {
  nereid_metadata_t metadata = metadata_of_kernel();
  char text[4096] = "x = ";
  (void)state;
  memset(text + 4, '(', 1000);
  assert_int_equal(nereid_metadata_set_grid(&arena, nereid_view(text), &metadata, &message), NEREID_ERROR_ARGUMENT);
  assert_non_null(strstr(message.text, "nested too deeply"));
  memset(text, 0, sizeof text);
  strcpy(text, "x = 1");
  for (int i = 0; i < 400; ++i)
    strcat(text, " + m");
  assert_int_equal(nereid_metadata_set_grid(&arena, nereid_view(text), &metadata, &message), NEREID_ERROR_ARGUMENT);
  assert_non_null(strstr(message.text, "too"));
}

static void divisions_at_launch(void **state) {
  nereid_metadata_t metadata = metadata_of_kernel();
  uint32_t grid[3];
  (void)state;
  assert_int_equal(nereid_metadata_set_grid(&arena, nereid_view("x = m / (arg3 - 7)"), &metadata, &message), NEREID_OK);
  assert_int_equal(evaluate(&metadata, grid), NEREID_ERROR_ARGUMENT);
  assert_non_null(strstr(message.text, "divides by zero"));
}

static int set_up(void **state) {
  (void)state;
  nereid_arena_initialize(&arena);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  nereid_arena_deinitialize(&arena);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts),
      cmocka_unit_test(errors),
      cmocka_unit_test(deep_and_long_texts),
      cmocka_unit_test(divisions_at_launch),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
