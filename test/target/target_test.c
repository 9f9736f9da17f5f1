/* The table of targets: names, capabilities, PTX versions, diagnostics for unknown names. */
#include "target/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static char said[512];

static void keep(void *user_data, nereid_report_level_t level, const char *file, unsigned line, unsigned column,
                 const char *message) {
  (void)user_data, (void)level, (void)file, (void)line, (void)column;
  snprintf(said, sizeof said, "%s", message);
}

static const nereid_report_t report = {keep, NULL};

static nereid_target_t parse(const char *text) {
  nereid_target_t target = {0};
  assert_int_equal(nereid_target_parse(nereid_view(text), &report, &target), NEREID_OK);
  return target;
}

static void test_names(void **state) {
  (void)state;
  nereid_target_t target = parse("sm_90a");
  assert_string_equal(target.name, "sm_90a");
  assert_int_equal(target.capability, 90);
  assert_true(target.architecture_only);
  assert_int_equal(target.ptx_version, 87);
  target = parse("sm_86");
  assert_int_equal(target.capability, 86);
  assert_false(target.architecture_only);
  assert_int_equal(target.ptx_version, 84);
}

static void test_cuda_names(void **state) {
  (void)state;
  assert_string_equal(parse("cuda:90").name, "sm_90a");
  assert_string_equal(parse("cuda:80").name, "sm_80");
}

static void test_unknown(void **state) {
  (void)state;
  static const char *const names[] = {"sm_70", "sm_90b", "sm_9", "", "cuda:", "cuda:100", "hip:gfx90a", "SM_90"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    nereid_target_t target;
    said[0] = 0;
    assert_int_equal(nereid_target_parse(nereid_view(names[i]), &report, &target), NEREID_ERROR_ARGUMENT);
    assert_non_null(strstr(said, "sm_90a"));
  }
}

static void test_ptx_version(void **state) {
  (void)state;
  nereid_target_t target = parse("sm_90a");
  assert_int_equal(nereid_target_set_ptx_version(&target, nereid_view("8.3"), &report), NEREID_OK);
  assert_int_equal(target.ptx_version, 83);
  assert_int_equal(nereid_target_set_ptx_version(&target, nereid_view("86"), &report), NEREID_OK);
  assert_int_equal(target.ptx_version, 86);
  assert_int_equal(nereid_target_set_ptx_version(&target, nereid_view("7.8"), &report), NEREID_ERROR_ARGUMENT);
  assert_non_null(strstr(said, "8.0 or later"));
  assert_int_equal(nereid_target_set_ptx_version(&target, nereid_view("12.0"), &report), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_target_set_ptx_version(&target, nereid_view("x"), &report), NEREID_ERROR_ARGUMENT);
  assert_int_equal(target.ptx_version, 86);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_cuda_names),
      cmocka_unit_test(test_unknown),
      cmocka_unit_test(test_ptx_version),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
