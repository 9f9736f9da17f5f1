/* The frame check: a kernel with a value in shared memory that is live across calls, and callees that overwrite it. */
#include "test/emulator/emulate.h"

typedef struct found {
  char text[512];
} found_t;

/* "stored call overwritten read xcount" as line numbers, in order. */
static void note(void *user_data, const nereid_emulator_overwrite_t *overwrite) {
  found_t *found = user_data;
  size_t used = strlen(found->text);
  snprintf(found->text + used, sizeof found->text - used, "%s%u %u %u %u x%u", used ? "; " : "", overwrite->stored.line,
           overwrite->call.line, overwrite->overwritten.line, overwrite->read.line, (unsigned)overwrite->count);
}

/* f is at line 6, g calls it, h is at line 12 or 13; the kernel begins at line 16, or 17 when h has one more line. */
static const char *find(const char *f, const char *h, const char *body, nereid_emulator_schedule_t schedule) {
  static char text[8192];
  static found_t found;
  uint64_t data[64] = {0};
  nereid_emulator_report_t report;
  nereid_emulator_launch_t launch = {.grid = {2, 1, 1},
                                     .block = {64, 1, 1},
                                     .shared_bytes = 256,
                                     .schedule = schedule,
                                     .seed = 3,
                                     .overwrite = note,
                                     .user_data = &found};
  snprintf(text, sizeof text,
           ".version 8.7\n.target sm_90a\n.address_size 64\n.extern .shared .align 16 .b8 smem[];\n"
           ".func f() { .reg .b32 %%r<9>;\n%s\nret; }\n"
           ".func g() { \ncall f;\nret; }\n.func h() { .reg .b32 %%r<9>;\n%s\nret; }\n"
           ".visible .entry t(.param .u64 t_0) { .reg .b32 %%r<9>; .reg .b64 %%d<9>;\n%s\nret; }\n",
           f, h, body);
  found.text[0] = 0;
  if (emulate_launch(text, data, sizeof data, launch, &report))
    fail_msg("%s", report.message.text);
  assert_int_equal(report.overwrites == 0, found.text[0] == 0);
  return found.text;
}

#define STORE "st.shared.b32 [0], 1;\n"
#define LOAD "ld.shared.b32 %r1, [0];\n"
#define EACH(expected, f, h, body)                                                                                     \
  do {                                                                                                                 \
    for (int schedule = NEREID_EMULATOR_ROUND_ROBIN; schedule <= NEREID_EMULATOR_ADVERSARIAL; ++schedule)              \
      assert_string_equal(find(f, h, body, (nereid_emulator_schedule_t)schedule), expected);                           \
  } while (0)

static void overwritten_before_it_was_read(void **state) {
  (void)state;
  EACH("16 17 6 18 x512", STORE, "", STORE "call f;\n" LOAD);
  EACH("", "st.shared.b32 [4], 1;\n", "", STORE "call f;\n" LOAD);
  EACH("16 17 6 18 x128", "st.shared.b8 [3], 1;\n", "", STORE "call f;\n" LOAD);
}

static void read_in_time_or_stored_anew(void **state) {
  (void)state;
  EACH("", STORE, "", STORE LOAD "bar.sync 0;\ncall f;\n");
  EACH("", STORE, "", STORE "call f;\n" STORE LOAD);
  EACH("", STORE LOAD, "", STORE "call f;\n");
  EACH("", STORE LOAD, "", "call f;\ncall f;\n");
}

static void what_a_function_gives_back_is_no_overwriting(void **state) {
  (void)state;
  EACH("", STORE, "", "call f;\n" LOAD);
  EACH("", STORE, "", STORE LOAD "bar.sync 0;\ncall f;\nbar.sync 0;\n" LOAD);
}

static void through_two_functions(void **state) {
  (void)state;
  EACH("16 17 6 18 x512", STORE, "", STORE "call g;\n" LOAD);
  EACH("17 18 6 13 x512", STORE, LOAD, STORE "call f;\ncall h;\n");
  EACH("17 18 6 19 x512; 17 20 13 21 x512", STORE, STORE, STORE "call f;\n" LOAD "call h;\n" LOAD);
}

static void an_asynchronous_copy_is_its_issuers(void **state) {
  (void)state;
  const char *copy = "ld.param.b64 %d1, [t_0];\ncp.async.ca.shared.global [16], [%d1], 16;\n"
                     "cp.async.wait_all;\nbar.sync 0;\ncall f;\nld.shared.b32 %r1, [16];\n";
  EACH("17 20 6 21 x512", "st.shared.b32 [16], 1;\n", "", copy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(overwritten_before_it_was_read),
      cmocka_unit_test(read_in_time_or_stored_anew),
      cmocka_unit_test(what_a_function_gives_back_is_no_overwriting),
      cmocka_unit_test(through_two_functions),
      cmocka_unit_test(an_asynchronous_copy_is_its_issuers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
