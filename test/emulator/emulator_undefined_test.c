/* --initcheck: propagation of uninitialized bits, and uses that are an error. */
#include "test/emulator/emulate.h"

static const char *check(const char *body, uint32_t threads) {
  static nereid_emulator_report_t report;
  uint64_t data[64] = {0};
  nereid_emulator_launch_t launch = {
      .grid = {1, 1, 1}, .block = {threads, 1, 1}, .shared_bytes = 256, .initcheck = true, .stop_on = UINT32_MAX};
  nereid_status_t status = emulate_launch(emulate_kernel(body), data, sizeof data, launch, &report);
  return status ? report.message.text : "";
}

#define CLEAN(body) assert_string_equal(check(body, 32), "")
#define FOUND(what, body)                                                                                              \
  do {                                                                                                                 \
    const char *said = check(body, 32);                                                                                \
    if (!strstr(said, what))                                                                                           \
      fail_msg("expected '%s', got '%s'", what, said);                                                                 \
  } while (0)

#define LOAD "ld.shared.b32 %r1, [0];\n"
#define OUT "st.global.b32 [%d9], %r2;\n"

static void what_reaches_global_memory(void **state) {
  (void)state;
  FOUND("what is stored has uninitialized bits; line 12 last read uninitialized memory: ld.shared.b32",
        LOAD "mov.b32 %r2, %r1;\n" OUT);
  FOUND("what is stored", "add.u32 %r2, %r1, 1;\n" OUT); /* an uninitialized register */
  CLEAN("st.shared.b32 [0], 7;\n" LOAD "mov.b32 %r2, %r1;\n" OUT);
  CLEAN(LOAD "st.shared.b32 [4], %r1;\n");
  FOUND("what is stored", LOAD "st.shared.b32 [4], %r1;\nld.shared.b32 %r2, [4];\n" OUT);
  FOUND("what is stored", "st.shared.b16 [0], 1;\n" LOAD "mov.b32 %r2, %r1;\n" OUT);
}

static void what_decides(void **state) {
  (void)state;
  FOUND("the guard", LOAD "setp.eq.u32 %p0, %r1, 0;\n@%p0 mov.b32 %r2, 1;\n");
  FOUND("the address",
        "mov.b32 %r2, 0;\n" LOAD "cvt.u64.u32 %d1, %r1;\nadd.u64 %d1, %d1, %d9;\nld.global.b32 %r3, [%d1];\n");
  CLEAN(LOAD "setp.eq.u32 %p0, %r1, 0;\nselp.b32 %r2, 1, 2, %p0;\n");
  FOUND("what is stored", LOAD "setp.eq.u32 %p0, %r1, 0;\nselp.b32 %r2, 1, 2, %p0;\n" OUT);
}

static void bits_go_where_they_go(void **state) {
  (void)state;
  const char *low = "st.shared.b16 [0], 1;\n" LOAD; /* the low half is written */
  char text[512];
  static const char *const clean[] = {"and.b32 %r2, %r1, 0xffff;\n",
                                      "shl.b32 %r2, %r1, 16;\n",
                                      "or.b32 %r2, %r1, 0xffff0000;\n",
                                      "mov.b32 {%h1, %h2}, %r1; mov.b32 %r2, {%h1, %h1};\n",
                                      "cvt.u32.u16 %r2, %h3;\n",
                                      "prmt.b32 %r2, %r1, 0, 0x1010;\n",
                                      "prmt.b32 %r2, %r1, 0x6464, 0x4141;\n",
                                      "mov.b32 %r3, 5; prmt.b32 %r2, %r3, %r1, 0x1054;\n",
                                      "prmt.b32 %r2, %r1, 0, 0x1099;\n",
                                      "setp.eq.u32 %p0, 0, 0; selp.b32 %r2, 5, %r1, %p0;\n"};
  for (size_t i = 0; i < sizeof clean / sizeof *clean; ++i) {
    snprintf(text, sizeof text, "mov.b16 %%h3, 3;\n%s%s%s", low, clean[i], OUT);
    CLEAN(text);
  }
  snprintf(text, sizeof text, "%sshr.u32 %%r2, %%r1, 8;\n%s", low, OUT);
  FOUND("what is stored", text);
  snprintf(text, sizeof text, "%sprmt.b32 %%r2, %%r1, 0x64, 0x4142;\n%s", low, OUT);
  FOUND("what is stored", text);
  snprintf(text, sizeof text, "%smov.b32 {%%h1, %%h2}, %%r1; mov.b32 %%r2, {%%h2, %%h1};\n%s", low, OUT);
  FOUND("what is stored", text);
}

static void lanes_are_apart(void **state) {
  (void)state;
  /* only lane 0 has a value, and only lane 0 stores; a shuffle gives the other lanes no value */
  const char *one = "mov.u32 %r3, %tid.x;\nsetp.eq.u32 %p0, %r3, 0;\n@%p0 mov.b32 %r1, 5;\n";
  char text[512];
  snprintf(text, sizeof text, "%smov.b32 %%r2, %%r1;\n@%%p0 st.global.b32 [%%d9], %%r2;\n", one);
  CLEAN(text);
  snprintf(text, sizeof text, "%sshfl.sync.idx.b32 %%r2, %%r1, 0, 31, -1;\n%s", one, OUT);
  CLEAN(text);
  snprintf(text, sizeof text, "%sshfl.sync.bfly.b32 %%r2, %%r1, 2, 31, -1;\n%s", one, OUT);
  FOUND("what is stored", text);
}

static void copies_write_and_locals_do_not(void **state) {
  (void)state;
  CLEAN("cp.async.ca.shared.global [0], [%d9], 4;\ncp.async.wait_all;\n" LOAD "mov.b32 %r2, %r1;\n" OUT);
  FOUND("what is stored", ".local .align 4 .b8 v[8];\nld.local.b32 %r2, [v+4];\n" OUT);
  CLEAN(".local .align 4 .b8 v[8];\nst.local.b32 [v+4], 9;\nld.local.b32 %r2, [v+4];\n" OUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_reaches_global_memory),     cmocka_unit_test(what_decides),
      cmocka_unit_test(bits_go_where_they_go),          cmocka_unit_test(lanes_are_apart),
      cmocka_unit_test(copies_write_and_locals_do_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
