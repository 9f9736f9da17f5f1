/* Counters of small kernels, computed by hand from the model of docs/emulator.md. */
#include "test/emulator/emulate.h"

#include <string.h>

static nereid_emulator_report_t report;

/* %r1: the thread; %r4: 0; %d9: the data; %r9: shared memory. */
static const nereid_emulator_counters_t *count(const char *body, uint32_t threads) {
  static uint64_t data[1024];
  char text[4096];
  snprintf(text, sizeof text, "mov.u32 %%r1, %%tid.x; mov.u32 %%r9, smem; mov.u32 %%r4, 0;\n%s", body);
  nereid_emulator_launch_t launch = {.grid = {1, 1, 1}, .block = {threads, 1, 1}, .shared_bytes = 8192};
  if (emulate_launch(emulate_kernel(text), data, sizeof data, launch, &report))
    fail_msg("%s", report.message.text);
  return &report.counters;
}

static void instructions_by_class(void **state) {
  const nereid_emulator_counters_t *c =
      count("setp.lt.u32 %p1, %r1, 4; @%p1 add.u32 %r2, %r1, 1; setp.lt.u32 %p2, %r1, 0; @%p2 add.u32 %r2, %r1, 1;\n"
            "cvt.rn.f32.u32 %r3, %r1; add.f32 %r3, %r3, %r3; ex2.approx.f32 %r5, %r3; @%p1 st.shared.b32 [%r9], %r2;\n"
            "shfl.sync.idx.b32 %r6, %r1, 0, 31, -1; @%p1 red.shared.add.u32 [%r9], 1; bar.sync 0; @%p2 bra $X; $X:",
            40);
  enum { WARPS = 2, THREADS = 40 }; /* threads below 4 of the first warp; %p1 is false in the second */
  static const uint64_t warps[NEREID_EMULATOR_CLASS_COUNT] = {
      [NEREID_EMULATOR_CLASS_INTEGER] = 2 * WARPS, [NEREID_EMULATOR_CLASS_FLOAT] = WARPS,
      [NEREID_EMULATOR_CLASS_SPECIAL] = WARPS,     [NEREID_EMULATOR_CLASS_CONVERT] = WARPS,
      [NEREID_EMULATOR_CLASS_MOVE] = 5 * WARPS,    [NEREID_EMULATOR_CLASS_MEMORY] = 2 * WARPS,
      [NEREID_EMULATOR_CLASS_ATOMIC] = WARPS,      [NEREID_EMULATOR_CLASS_WARP] = WARPS,
      [NEREID_EMULATOR_CLASS_BARRIER] = WARPS,     [NEREID_EMULATOR_CLASS_CONTROL] = 2 * WARPS};
  static const uint64_t threads[NEREID_EMULATOR_CLASS_COUNT] = {
      [NEREID_EMULATOR_CLASS_INTEGER] = 4,        [NEREID_EMULATOR_CLASS_FLOAT] = THREADS,
      [NEREID_EMULATOR_CLASS_SPECIAL] = THREADS,  [NEREID_EMULATOR_CLASS_CONVERT] = THREADS,
      [NEREID_EMULATOR_CLASS_MOVE] = 5 * THREADS, [NEREID_EMULATOR_CLASS_MEMORY] = THREADS + 4,
      [NEREID_EMULATOR_CLASS_ATOMIC] = 4,         [NEREID_EMULATOR_CLASS_WARP] = THREADS,
      [NEREID_EMULATOR_CLASS_BARRIER] = THREADS,  [NEREID_EMULATOR_CLASS_CONTROL] = THREADS};
  (void)state;
  for (int i = 0; i < NEREID_EMULATOR_CLASS_COUNT; ++i) {
    assert_int_equal(c->warp_instructions[i], warps[i]);
    assert_int_equal(c->thread_instructions[i], threads[i]);
  }
  assert_int_equal(c->barriers, 1);
  assert_int_equal(c->shared_requests[1], 2); /* the store and the atomic, each with four lanes of one warp */
  assert_int_equal(c->shared_bytes[1], 2 * 4 * 4);
  assert_int_equal(c->global_requests[0] + c->global_requests[1], 0); /* accesses of parameters are not counted */
}

static void expect_sectors(const char *address, const char *load, uint64_t sectors, uint64_t bytes) {
  char body[1024];
  snprintf(body, sizeof body, "%s; add.u64 %%d1, %%d9, %%d1; %s", address, load);
  const nereid_emulator_counters_t *c = count(body, 32);
  assert_int_equal(c->global_requests[0], 1);
  assert_int_equal(c->global_sectors[0], sectors);
  assert_int_equal(c->global_bytes[0], bytes);
}

static void sectors_of_global_memory(void **state) {
  static const char word[] = "ld.global.b32 %r2, [%d1];";
  (void)state;
  expect_sectors("mul.wide.u32 %d1, %r1, 4", word, 4, 128);
  expect_sectors("mul.wide.u32 %d1, %r1, 1", "ld.global.u8 %r2, [%d1];", 1, 32);
  expect_sectors("mul.wide.u32 %d1, %r1, 8", "ld.global.b64 %d2, [%d1];", 8, 256);
  expect_sectors("mul.wide.u32 %d1, %r1, 16", "ld.global.v4.b32 {%r2, %r3, %r5, %r6}, [%d1];", 16, 512);
  expect_sectors("mul.wide.u32 %d1, %r1, 4", "ld.global.b32 %r2, [%d1+16];", 5, 128); /* misaligned by half a sector */
  expect_sectors("mul.wide.u32 %d1, %r1, 0", word, 1, 128);                           /* all addresses equal */
  expect_sectors("mul.wide.u32 %d1, %r1, 32", word, 32, 128);                         /* one sector each */
  expect_sectors("xor.b32 %r2, %r1, 31; mul.wide.u32 %d1, %r2, 4", word, 4, 128);     /* descending */
  expect_sectors("and.b32 %r2, %r1, 1; mul.wide.u32 %d1, %r2, 1024", word, 2, 128);   /* two, alternating */
  expect_sectors("mul.wide.u32 %d1, %r1, 4; setp.gt.u32 %p1, %r1, 8", "@%p1 ld.global.b32 %r2, [%d1];", 3, 92);
}

static void expect_wavefronts(const char *address, const char *load, uint64_t wavefronts) {
  char body[1024];
  snprintf(body, sizeof body, "%s; add.u32 %%r2, %%r9, %%r2; %s", address, load);
  assert_int_equal(count(body, 32)->shared_wavefronts[0], wavefronts);
  assert_int_equal(report.counters.shared_requests[0], 1);
}

static void wavefronts_of_shared_memory(void **state) {
  static const char word[] = "ld.shared.b32 %r3, [%r2];", pair[] = "ld.shared.b64 %d1, [%r2];",
                    row[] = "ld.shared.v4.b32 {%r3, %r5, %r6, %r7}, [%r2];";
  (void)state;
  expect_wavefronts("shl.b32 %r2, %r1, 2", word, 1);
  expect_wavefronts("mov.u32 %r2, %r4", word, 1);                         /* all the same word */
  expect_wavefronts("shl.b32 %r2, %r1, 3", word, 2);                      /* every second bank */
  expect_wavefronts("shl.b32 %r2, %r1, 7", word, 32);                     /* one bank */
  expect_wavefronts("mul.lo.u32 %r2, %r1, 132", word, 1);                 /* padded rows */
  expect_wavefronts("shr.u32 %r2, %r1, 2; shl.b32 %r2, %r2, 7", word, 8); /* eight words of one bank */
  expect_wavefronts("mov.u32 %r2, %r1", "ld.shared.u8 %r3, [%r2];", 1);
  expect_wavefronts("shl.b32 %r2, %r1, 3", pair, 2); /* one half warp each */
  expect_wavefronts("shl.b32 %r2, %r1, 4", pair, 4);
  expect_wavefronts("mov.u32 %r2, %r4", pair, 2);
  expect_wavefronts("shl.b32 %r2, %r1, 4", row, 4); /* one quarter warp each */
  expect_wavefronts("shl.b32 %r2, %r1, 5", row, 8);
  expect_wavefronts("shl.b32 %r2, %r1, 7", row, 32);
}

static void other_spaces(void **state) {
  const nereid_emulator_counters_t *c =
      count("{ .local .align 8 .b8 stack[16]; st.local.b64 [stack], %d9; ld.local.b32 %r2, [stack+4];\n"
            "atom.global.add.u32 %r2, [%d9], 1; }",
            32);
  (void)state;
  assert_int_equal(c->local_bytes[1], 32 * 8);
  assert_int_equal(c->local_bytes[0], 32 * 4);
  assert_int_equal(c->global_requests[1], 1); /* atomics are stores */
  assert_int_equal(c->global_sectors[1], 1);
  assert_int_equal(c->global_bytes[1], 128);
  assert_int_equal(c->global_requests[0], 0);
}

static void threads_of_the_host_count_the_same(void **state) {
  static const char body[] = "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1;\n"
                             "$L: sub.u32 %r2, %r2, 1; setp.gt.s32 %p1, %r2, %r1; @%p1 bra $L; bar.sync 0;\n"
                             "mul.wide.u32 %d1, %r3, 4; add.u64 %d1, %d1, %d9; st.global.b32 [%d1], %r2;";
  static uint32_t data[64 * 50];
  nereid_emulator_counters_t first;
  (void)state;
  for (uint32_t threads = 1; threads <= 4; ++threads) {
    nereid_emulator_launch_t launch = {.grid = {50, 1, 1}, .block = {64, 1, 1}, .threads = threads};
    assert_int_equal(emulate_launch(emulate_kernel(body), data, sizeof data, launch, &report), NEREID_OK);
    if (threads == 1)
      first = report.counters;
    assert_memory_equal(&report.counters, &first, sizeof first);
  }
  assert_int_equal(first.barriers, 50);
  assert_int_equal(first.global_sectors[1], 50 * 8);
}

/* The costs of the instructions whose text begins with `text`. */
typedef struct cost_of {
  const char *text;
  nereid_emulator_cost_t sum;
  uint64_t warps; /* warp instructions */
} cost_of_t;

static void keep_cost(void *user_data, const nereid_emulator_cost_t *cost) {
  cost_of_t *wanted = user_data;
  wanted->warps += cost->warps;
  if (nereid_view_starts_with(cost->place.text, nereid_view(wanted->text)))
    wanted->sum = *cost;
}

static nereid_emulator_cost_t cost_of(const char *body, const char *text, uint32_t threads) {
  static uint64_t data[1024];
  cost_of_t wanted = {.text = text};
  nereid_emulator_launch_t launch = {.grid = {2, 1, 1},
                                     .block = {threads, 1, 1},
                                     .shared_bytes = 8192,
                                     .count = true,
                                     .cost = keep_cost,
                                     .user_data = &wanted};
  if (emulate_launch(emulate_kernel(body), data, sizeof data, launch, &report))
    fail_msg("%s", report.message.text);
  assert_int_equal(wanted.warps, report.warp_instructions);
  return wanted.sum;
}

/* Two CTAs of two warps; lanes of a warp store with a stride of two words, so that pairs of lanes share a bank. */
static void costs_of_instructions(void **state) {
  static const char body[] = "mov.u32 %r1, %tid.x; mov.u32 %r9, smem; shl.b32 %r2, %r1, 3; add.u32 %r2, %r2, %r9;\n"
                             "st.shared.b32 [%r2], %r1; bar.sync 0; setp.lt.u32 %p1, %r1, 4;\n"
                             "@%p1 ld.shared.b32 %r3, [%r9];";
  const nereid_emulator_cost_t store = cost_of(body, "st.shared", 64), load = cost_of(body, "ld.shared", 64);
  const nereid_emulator_cost_t barrier = cost_of(body, "bar.sync", 64);
  (void)state;
  assert_int_equal(store.kind, NEREID_EMULATOR_CLASS_MEMORY);
  assert_int_equal(store.warps, 4);
  assert_int_equal(store.threads, 128);
  assert_int_equal(store.shared_requests[1], 4);
  assert_int_equal(store.shared_wavefronts[1], 8);
  assert_int_equal(store.bank_conflicts, 4);
  assert_int_equal(store.shared_bytes[1], 512);
  assert_int_equal(load.warps, 4); /* the guard is false in all lanes of the second warp */
  assert_int_equal(load.threads, 8);
  assert_int_equal(load.shared_requests[0], 2);
  assert_int_equal(load.shared_bytes[0], 32);
  assert_int_equal(barrier.barriers, 2);
  assert_int_equal(barrier.warps, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(instructions_by_class),
      cmocka_unit_test(sectors_of_global_memory),
      cmocka_unit_test(wavefronts_of_shared_memory),
      cmocka_unit_test(other_spaces),
      cmocka_unit_test(threads_of_the_host_count_the_same),
      cmocka_unit_test(costs_of_instructions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
