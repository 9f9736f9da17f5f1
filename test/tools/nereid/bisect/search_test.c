/* Bisection with unknown verdicts, and the properties of --what. The test includes the tool's sources, because a tool
 * is not a library. */
#include "tools/nereid/bisect/property.c"
#include "tools/nereid/bisect/search.c"

#include "test/fixture.h"

/* The verdict of each position: 'c'lean, 's'hown, 'u'nknown. */
static tool_verdict_t ask(void *user_data, size_t k) {
  const char *verdicts = user_data;
  return verdicts[k] == 'c' ? TOOL_VERDICT_CLEAN : verdicts[k] == 's' ? TOOL_VERDICT_SHOWN : TOOL_VERDICT_UNKNOWN;
}

static tool_search_t find(const char *verdicts) {
  return tool_search_run(0, strlen(verdicts) - 1, ask, (void *)(uintptr_t)verdicts);
}

static void monotonic(void **state) {
  (void)state;
  for (size_t n = 2; n < 40; ++n)
    for (size_t first = 1; first < n; ++first) {
      char verdicts[40] = {0};
      memset(verdicts, 'c', first);
      memset(verdicts + first, 's', n - first);
      const tool_search_t found = find(verdicts);
      assert_true(found.clean == first - 1 && found.shown == first && found.asked <= 6);
    }
}

static void unknown(void **state) {
  (void)state;
  tool_search_t found = find("cuuus");
  assert_true(found.clean == 0 && found.shown == 4);
  found = find("cucusus");
  assert_true(found.clean == 2 && found.shown == 4);
  found = find("cuscs");
  assert_true((found.clean == 0 && found.shown == 2) || (found.clean == 3 && found.shown == 4));
}

static void properties(void **state) {
  (void)state;
  tool_property_t property;
  assert_int_equal(tool_property_parse("race", &property, &message), NEREID_OK);
  assert_int_equal(property.kind, TOOL_PROPERTY_RACE);
  assert_int_equal(tool_property_parse("counter=global_sectors.load>12.5", &property, &message), NEREID_OK);
  assert_true(property.kind == TOOL_PROPERTY_COUNTER && property.relation == '>');
  assert_true(property.limit == 12.5 && strcmp(property.counter, "global_sectors.load") == 0);
  assert_int_equal(tool_property_parse("counter=", &property, &message), NEREID_ERROR_ARGUMENT);
  assert_int_equal(tool_property_parse("counter=x<y", &property, &message), NEREID_ERROR_ARGUMENT);
  assert_int_equal(tool_property_parse("number", &property, &message), NEREID_ERROR_ARGUMENT);
}

static void counters(void **state) {
  (void)state;
  static const char json[] = "text before {\"barriers\": 3, \"global_sectors\": {\"load\": 5, \"store\": 7},"
                             "\"loops\": [{\"iterations\": 4, \"bank_conflicts\": 0.5}, {\"iterations\": 2, "
                             "\"bank_conflicts\": 1}]}";
  double value;
  assert_true(tool_property_counter(json, "barriers", &value) && value == 3);
  assert_true(tool_property_counter(json, "global_sectors.store", &value) && value == 7);
  assert_true(tool_property_counter(json, "global_sectors", &value) && value == 12);
  assert_true(tool_property_counter(json, "bank_conflicts", &value) && value == 4);
  assert_true(tool_property_counter(json, "iterations", &value) && value == 6);
  assert_false(tool_property_counter(json, "sectors", &value));
  assert_false(tool_property_counter("nothing", "barriers", &value));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(monotonic, set_up, tear_down),
      cmocka_unit_test_setup_teardown(unknown, set_up, tear_down),
      cmocka_unit_test_setup_teardown(properties, set_up, tear_down),
      cmocka_unit_test_setup_teardown(counters, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
