/* launch.watch: the thread, CTA and instruction that wrote bytes of a buffer last, for each kind of write. */
#include "test/emulator/emulate.h"

#include <string.h>

static nereid_emulator_write_t found;
static unsigned calls;

static void keep(void *user_data, const nereid_emulator_write_t *write) {
  (void)user_data;
  found = *write;
  found.place.text = (nereid_view_t){0}; /* points into the program, which is unloaded */
  found.place.source = NULL;
  ++calls;
}

/* Runs the body on `ctas` CTAs of 64 threads and watches word `word` of 256. */
static void watch(const char *body, uint32_t ctas, size_t word, uint32_t bytes) {
  static uint32_t data[256];
  nereid_emulator_report_t report;
  const nereid_emulator_launch_t launch = {.grid = {ctas, 1, 1},
                                           .block = {64, 1, 1},
                                           .shared_bytes = 1024,
                                           .watch = &data[word],
                                           .watch_bytes = bytes,
                                           .write = keep};
  calls = 0;
  memset(data, 0, sizeof data);
  if (emulate_launch(emulate_kernel(body), data, sizeof data, launch, &report))
    fail_msg("%s", report.message.text);
}

#define INDEX                                                                                                          \
  "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shl.b32 %r3, %r1, 2; mul.wide.u32 %d1, %r3, 1; add.s64 %d2, %d9, "      \
  "%d1;\n"

static void stores(void **state) {
  (void)state;
  watch(INDEX "st.global.b32 [%d2], %r1;", 1, 37, 4);
  assert_true(calls == 1 && found.count == 1 && found.thread[0] == 37 && found.place.line == 13);
  watch(INDEX "st.global.b32 [%d2], %r1;", 1, 64, 4);
  assert_int_equal(calls, 0);
}

static void vectors(void **state) {
  (void)state;
  watch(INDEX "shl.b32 %r3, %r1, 4; mul.wide.u32 %d1, %r3, 1; add.s64 %d2, %d9, %d1;\n"
              "st.global.v4.b32 [%d2], {%r1, %r1, %r1, %r1};",
        1, 4 * 21 + 3, 4);
  assert_true(calls == 1 && found.count == 1 && found.thread[0] == 21);
}

static void last_of_several(void **state) {
  (void)state;
  watch(INDEX "st.global.b32 [%d2], %r1;\nst.global.b32 [%d2], %r2;", 5, 2, 4);
  assert_true(calls == 1 && found.count == 10 && found.thread[0] == 2 && found.cta[0] == 4 && found.place.line == 14);
  watch(INDEX "st.global.b32 [%d2], %r1;", 1, 10, 8);
  assert_true(found.count == 2 && found.thread[0] == 11);
}

static void atomics(void **state) {
  (void)state;
  watch("mov.b32 %r1, 1; red.global.add.u32 [%d9], %r1;", 2, 0, 4);
  assert_true(calls == 1 && found.count == 128 && found.thread[0] == 63 && found.cta[0] == 1);
}

/* A bulk copy belongs to the thread that issues it. */
static void bulk_copies(void **state) {
  (void)state;
  watch("mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 5; mov.u32 %r2, smem;\n@%p1 bra END;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%d9], [%r2], 256;\n"
        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND:",
        1, 33, 4);
  assert_true(calls == 1 && found.count == 1 && found.thread[0] == 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stores),  cmocka_unit_test(vectors),     cmocka_unit_test(last_of_several),
      cmocka_unit_test(atomics), cmocka_unit_test(bulk_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
