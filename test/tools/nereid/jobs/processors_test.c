/* The number of processors, and limits of containers. */
#include "tools/nereid/jobs/processors.c"

#include "test/fixture.h"

static void limits_are_rounded_up(void **state) {
  static const struct {
    const char *text;
    int64_t n;
  } rows[] = {{"200000 100000\n", 2},
              {"150000 100000\n", 2},
              {"50000 100000\n", 1},
              {"max 100000\n", 0},
              {"", 0},
              {"100000\n", 0},
              {"-1 100000\n", 0},
              {"100000 0\n", 0},
              {"9999999999999999999999 1\n", INT64_MAX}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (tool_processors_of_limit(nereid_view(rows[i].text)) != rows[i].n)
      fail_msg("'%s': %lld", rows[i].text, (long long)tool_processors_of_limit(nereid_view(rows[i].text)));
}

static void there_is_a_processor(void **state) {
  (void)state;
  assert_true(tool_processors() >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(limits_are_rounded_up, set_up, tear_down),
      cmocka_unit_test_setup_teardown(there_is_a_processor, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
