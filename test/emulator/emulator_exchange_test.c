/* What warp groups and CTAs of one kernel exchange: registers (setmaxnreg), named barriers, arrivals at mbarriers of
 * another CTA, arrivals of cp.async. Results are compared under every schedule, landing time and visibility to the
 * async proxy, with the race detector; a kernel without one of its synchronizations is reported. */
#include "test/emulator/emulate.h"

#include <string.h>

enum { WORDS = 1024 };

static nereid_emulator_report_t report;
static uint32_t data[WORDS];
static char text[16384];

/* The kernel around `body`, with a directive such as ".maxnreg 168" after its parameters. */
static const char *kernel(const char *directive, const char *body) {
  const char *whole = emulate_kernel(body), *brace = strstr(whole, ")\n{");
  snprintf(text, sizeof text, "%.*s\n%s\n%s", (int)(brace + 1 - whole), whole, directive, brace + 2);
  return text;
}

static nereid_status_t run(const char *directive, const char *body, uint32_t threads, uint32_t ctas, unsigned how) {
  const nereid_emulator_launch_t launch = {
      .grid = {ctas, 1, 1},
      .cluster = {ctas, 1, 1},
      .block = {threads, 1, 1},
      .shared_bytes = 8192,
      .seed = how,
      .racecheck = how % 2,
      .schedule = (nereid_emulator_schedule_t)(how % 3),
      .landing = (nereid_emulator_landing_t)(how / 3 % 3),
      .proxy = how / 9 ? NEREID_EMULATOR_PROXY_AT_FENCE : NEREID_EMULATOR_PROXY_AT_ONCE,
  };
  memset(data, 0, sizeof data);
  return emulate_launch(kernel(directive, body), data, sizeof data, launch, &report);
}

/* Runs the kernel in every way, without races, and calls `check`. */
static void everywhere(const char *directive, const char *body, uint32_t threads, uint32_t ctas, void (*check)(void)) {
  for (unsigned how = 0; how < 18; ++how) {
    if (run(directive, body, threads, ctas, how))
      fail_msg("way %u: %s", how, report.message.text);
    assert_int_equal(report.races, 0);
    check();
  }
}

static void expect(const char *directive, const char *body, uint32_t threads, uint32_t ctas, const char *sentence) {
  for (unsigned how = 0; how < 3; ++how) {
    assert_int_equal(run(directive, body, threads, ctas, how * 2), NEREID_ERROR_PROGRAM);
    if (!strstr(report.message.text, sentence))
      fail_msg("'%s' is not in '%s'", sentence, report.message.text);
  }
}

/* Whether some way of running it fails or finds a race. */
static bool is_noticed(const char *body, uint32_t threads, uint32_t ctas) {
  for (unsigned how = 0; how < 18; ++how)
    if (run("", body, threads, ctas, how) || report.races)
      return true;
  return false;
}

#define TID "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %d9, %d1; mov.u32 %r2, smem;\n"

/* --- registers --- */

#define GROUP TID "shr.u32 %r3, %r1, 7; setp.eq.u32 %p1, %r3, 0;\n"

static void check_numbers(void) {
  for (uint32_t i = 0; i < 384; ++i)
    assert_int_equal(data[i], i);
}

/* Two groups wait for the registers of the first; then all return to their share. Without the barrier the first group
 * may take its registers back before. */
static void registers_move_between_groups(void **state) {
  (void)state;
  everywhere(".maxnreg 168",
             GROUP "@%p1 bra $P;\nsetmaxnreg.inc.sync.aligned.u32 232; bar.sync 1;\n"
                   "setmaxnreg.dec.sync.aligned.u32 168; bra $E;\n"
                   "$P: setmaxnreg.dec.sync.aligned.u32 40; bar.sync 1; setmaxnreg.inc.sync.aligned.u32 168;\n"
                   "$E: bar.sync 0; st.global.b32 [%d2], %r1;",
             384, 1, check_numbers);
  expect(".maxnreg 168",
         GROUP "@%p1 bra $P;\nsetmaxnreg.inc.sync.aligned.u32 232; bar.sync 1, 256;\n"
               "setmaxnreg.dec.sync.aligned.u32 168; bra $E;\n"
               "$P: setmaxnreg.dec.sync.aligned.u32 40; bar.sync 2, 128; setmaxnreg.inc.sync.aligned.u32 168;\n"
               "$E: bar.sync 0;",
         384, 1, "registers each");
}

/* The assembler ignores setmaxnreg in a kernel without .maxnreg, and .maxnreg is a multiple of 8 in hardware. */
static void limits_of_kernels_count(void **state) {
  (void)state;
  everywhere("", GROUP "setmaxnreg.inc.sync.aligned.u32 232; st.global.b32 [%d2], %r1;", 384, 1, check_numbers);
  everywhere(".maxnreg 162",
             GROUP "@%p1 bra $P;\nsetmaxnreg.inc.sync.aligned.u32 232; bra $E;\n"
                   "$P: setmaxnreg.dec.sync.aligned.u32 40;\n$E: st.global.b32 [%d2], %r1;",
             384, 1, check_numbers);
}

static void misuse_of_registers_is_reported(void **state) {
  (void)state;
  expect(".maxnreg 168",
         GROUP "@%p1 bra $P;\nsetmaxnreg.inc.sync.aligned.u32 240; bra $E;\n"
               "$P: setmaxnreg.dec.sync.aligned.u32 40;\n$E: bar.sync 0;",
         384, 1, "for 240 registers each; they have 168, and 256 of the CTA are free");
  expect(".maxnreg 168", "setmaxnreg.inc.sync.aligned.u32 40;", 128, 1,
         "an increase to 40 registers: the warp has 168");
  expect(".maxnreg 64", "setmaxnreg.dec.sync.aligned.u32 72;", 128, 1, "a decrease to 72 registers: the warp has 64");
  expect("", "setmaxnreg.dec.sync.aligned.u32 20;", 128, 1, "24 to 256 registers, a multiple of 8, not 20");
  expect("", "setmaxnreg.dec.sync.aligned.u32 44;", 128, 1, "24 to 256 registers, a multiple of 8, not 44");
  expect("", TID "setp.lt.u32 %p1, %r1, 4; @%p1 setmaxnreg.dec.sync.aligned.u32 40;", 128, 1, "only part of the warp");
  expect(".maxnreg 168",
         TID "setp.lt.u32 %p1, %r1, 64; @%p1 bra $P;\nsetmaxnreg.dec.sync.aligned.u32 48; bra $E;\n"
             "$P: setmaxnreg.dec.sync.aligned.u32 40;\n$E:",
         128, 1, "of the warpgroup executed the setmaxnreg at line");
  expect(".maxnreg 168",
         TID "setp.lt.u32 %p1, %r1, 64; @%p1 bra $P;\nbar.sync 0; bra $E;\n$P: setmaxnreg.dec.sync.aligned.u32 40;\n"
             "setmaxnreg.dec.sync.aligned.u32 40; bar.sync 0;\n$E:",
         128, 1, "which not all of its warps have executed");
}

/* --- named barriers --- */

static void check_pairs(void) {
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t pair = i / 32, lane = i % 32;
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 10; ++k)
      sum += (k * 100 + pair * 1000 + (lane ^ 5)) * (k + 1);
    assert_int_equal(data[i], sum);
  }
}

/* Warps 0 and 1 produce for warps 2 and 3: each pair has a full and an empty barrier of 64 threads, at which one side
 * only arrives. Barrier numbers are in registers. */
#define PAIRS(before_store, after_store)                                                                               \
  TID "and.b32 %r3, %r1, 31; shr.u32 %r4, %r1, 5; and.b32 %r5, %r4, 1; add.u32 %r6, %r5, 2; add.u32 %r7, %r5, 8;\n"    \
      "shl.b32 %r8, %r5, 7; add.u32 %r8, %r8, %r2; mov.u32 %r9, 0; setp.ge.u32 %p1, %r4, 2; @%p1 bra $C;\n"            \
      "$P: " before_store " mul.lo.u32 %r10, %r9, 100; mad.lo.u32 %r10, %r5, 1000, %r10; add.u32 %r10, %r10, %r3;\n"   \
      "shl.b32 %r11, %r3, 2; add.u32 %r11, %r11, %r8; st.shared.b32 [%r11], %r10; " after_store "\n"                   \
      "add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 10; @%p2 bra $P; bra $E;\n"                                          \
      "$C: mov.u32 %r12, 0; bar.arrive %r7, 64;\n"                                                                     \
      "$L: bar.sync %r6, 64; xor.b32 %r11, %r3, 5; shl.b32 %r11, %r11, 2; add.u32 %r11, %r11, %r8;\n"                  \
      "ld.shared.b32 %r10, [%r11]; add.u32 %r9, %r9, 1; mad.lo.u32 %r12, %r10, %r9, %r12;\n"                           \
      "setp.lt.u32 %p2, %r9, 10; @%p2 bar.arrive %r7, 64; @%p2 bra $L;\n"                                              \
      "mad.lo.u32 %r13, %r5, 32, %r3; mul.wide.u32 %d1, %r13, 4; add.s64 %d2, %d9, %d1; st.global.b32 [%d2], %r12;\n"  \
      "$E:"

static void named_barriers_pair_warps(void **state) {
  (void)state;
  everywhere("", PAIRS("bar.sync %r7, 64;", "bar.arrive %r6, 64;"), 128, 1, check_pairs);
  assert_true(is_noticed(PAIRS("", "bar.arrive %r6, 64;"), 128, 1));
  assert_true(is_noticed(PAIRS("bar.sync %r7, 64;", ""), 128, 1));
}

static void misuse_of_barriers_is_reported(void **state) {
  (void)state;
  expect("", TID "setp.lt.u32 %p1, %r1, 32; @%p1 bra $A; bar.sync 2, 64; bra $E; $A: bar.sync 2, 96; $E:", 64, 1,
         "barrier 2 is used with counts");
  expect("", "bar.sync 2, 48;", 64, 1, "a multiple of 32, not 48");
  expect("", "bar.arrive 2, 32; bar.sync 16;", 64, 1, "there is no barrier 16");
  expect("", TID "setp.lt.u32 %p1, %r1, 32; @%p1 bra $A; bar.arrive 2, 96; bra $E; $A: bar.sync 2, 96; $E:", 64, 1,
         "at barrier 2 (64 of 96 threads arrived)");
  expect("", TID "setp.lt.u32 %p1, %r1, 32; @%p1 bra $A; bar.sync 2; bra $E; $A: bar.sync 3; $E:", 64, 1,
         "at barrier 2 (32 of 64 threads arrived)");
}

/* --- mbarriers of other CTAs --- */

static void check_mailbox(void) {
  for (uint32_t i = 0; i < 32; ++i)
    assert_int_equal(data[i], 10 * (1000 + i) + 45 * 7);
}

/* CTA 1 stores to the shared memory of CTA 0 and arrives at its full mbarrier; CTA 0 adds the words up and arrives at
 * the empty mbarrier of CTA 1. try_wait has a time limit. */
#define MAILBOX(arrive, wait)                                                                                          \
  TID "mov.u32 %r10, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared::cta.b64 [smem], 32;\n"      \
      "fence.mbarrier_init.release.cluster; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"           \
      "xor.b32 %r3, %r10, 1; mapa.shared::cluster.u32 %r4, %r2, %r3; shl.b32 %r5, %r1, 2; add.u32 %r6, %r4, %r5;\n"    \
      "add.u32 %r7, %r2, %r5; mov.u32 %r9, 0; setp.eq.u32 %p2, %r10, 0; @%p2 bra $R;\n"                                \
      "$S: setp.eq.u32 %p3, %r9, 0; @%p3 bra $N; add.u32 %r8, %r9, 1; and.b32 %r8, %r8, 1;\n"                          \
      "$V: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [%r2], %r8, 1000; @!%p4 bra $V;\n"            \
      "$N: mad.lo.u32 %r11, %r9, 7, 1000; add.u32 %r11, %r11, %r1; st.shared::cluster.b32 [%r6+64], %r11;\n" arrive    \
      "add.u32 %r9, %r9, 1; setp.lt.u32 %p5, %r9, 10; @%p5 bra $S; bra $E;\n"                                          \
      "$R: mov.u32 %r12, 0;\n$T: and.b32 %r8, %r9, 1;\n" wait                                                          \
      "ld.shared.b32 %r11, [%r7+64]; add.u32 %r12, %r12, %r11;\n"                                                      \
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];\n"                                                \
      "add.u32 %r9, %r9, 1; setp.lt.u32 %p5, %r9, 10; @%p5 bra $T; st.global.b32 [%d2], %r12;\n"                       \
      "$E: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
#define ARRIVE "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];\n"
#define WAIT "$W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [%r2], %r8, 1000; @!%p4 bra $W;\n"

static void ctas_arrive_at_each_other(void **state) {
  (void)state;
  everywhere("", MAILBOX(ARRIVE, WAIT), 32, 2, check_mailbox);
  /* a bulk transaction of four bytes per thread is part of the phase */
  everywhere("",
             MAILBOX("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r4], 4;\n"
                     "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r4], 4;\n",
                     WAIT),
             32, 2, check_mailbox);
  assert_true(is_noticed(MAILBOX("", WAIT), 32, 2));
  assert_true(is_noticed(MAILBOX(ARRIVE, ""), 32, 2));
}

/* --- cp.async --- */

static void check_copied(void) {
  for (uint32_t i = 0; i < 128; ++i)
    assert_int_equal(data[i + 512], 3 * i);
}

/* A warp copies 512 bytes; thread 0 also arrives itself. All threads wait for the phase of `count` arrivals. */
#define COPIES(count, arrive)                                                                                          \
  TID "mul.lo.u32 %r3, %r1, 3; st.global.b32 [%d2], %r3; bar.sync 0;\n"                                                \
      "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared::cta.b64 [smem], " count "; bar.sync 0;\n"                   \
      "setp.ge.u32 %p2, %r1, 32; @%p2 bra $W; shl.b32 %r4, %r1, 4; add.u32 %r4, %r4, %r2; mul.wide.u32 %d3, %r1, "     \
      "16;\n"                                                                                                          \
      "add.s64 %d3, %d9, %d3; cp.async.cg.shared.global [%r4+64], [%d3], 16; " arrive "\n"                             \
      "bar.warp.sync -1; @%p1 mbarrier.arrive.shared.b64 _, [smem];\n"                                                 \
      "$W: mbarrier.try_wait.parity.shared.b64 %p3, [smem], 0; @!%p3 bra $W;\n"                                        \
      "xor.b32 %r5, %r1, 127; shl.b32 %r6, %r5, 2; add.u32 %r6, %r6, %r2; ld.shared.b32 %r7, [%r6+64];\n"              \
      "mul.wide.u32 %d4, %r5, 4; add.s64 %d4, %d9, %d4; st.global.b32 [%d4+2048], %r7;"
#define INC "cp.async.mbarrier.arrive.shared.b64 [smem];"
#define NOINC "cp.async.mbarrier.arrive.noinc.shared.b64 [smem];"

/* Without .noinc, an arrival of the copies adds to the pending count itself: the expected count is thread 0's only. */
static void copies_add_their_arrivals(void **state) {
  (void)state;
  everywhere("", COPIES("1", INC), 128, 1, check_copied);
  everywhere("", COPIES("2", INC "@%p1 mbarrier.arrive.shared.b64 _, [smem];"), 128, 1, check_copied);
  assert_true(is_noticed(COPIES("1", ""), 128, 1));
  assert_true(is_noticed(COPIES("33", INC), 128, 1));
  expect("", COPIES("1048575", INC), 128, 1, "the mbarrier at shared address 0x0 awaits too many arrivals");
}

/* With .noinc, the expected count includes one arrival per thread that copies. */
static void copies_are_among_the_arrivals(void **state) {
  (void)state;
  everywhere("", COPIES("33", NOINC), 128, 1, check_copied);
  everywhere("", COPIES("65", NOINC NOINC), 128, 1, check_copied); /* the second one has no copies of its own */
  assert_true(is_noticed(COPIES("34", NOINC), 128, 1));
}

/* Two slots in flight, each with an mbarrier: a copy is complete with the first arrival after it. */
#define SLOTS(first, second)                                                                                           \
  TID "mul.lo.u32 %r3, %r1, 3; st.global.b32 [%d2], %r3; bar.sync 0;\n"                                                \
      "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [smem], 128;\n"                                          \
      "@%p1 mbarrier.init.shared.b64 [smem+8], 128; bar.sync 0; shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r2;\n"         \
      "cp.async.ca.shared.global [%r4+64], [%d2], 4; " first "\n"                                                      \
      "cp.async.ca.shared.global [%r4+1024], [%d2], 4; " second "\n"                                                   \
      "xor.b32 %r5, %r1, 127; shl.b32 %r6, %r5, 2; add.u32 %r6, %r6, %r2;\n"                                           \
      "$V: mbarrier.try_wait.parity.shared.b64 %p3, [smem], 0; @!%p3 bra $V; ld.shared.b32 %r7, [%r6+64];\n"           \
      "$W: mbarrier.try_wait.parity.shared.b64 %p3, [smem+8], 0; @!%p3 bra $W; ld.shared.b32 %r8, [%r6+1024];\n"       \
      "add.u32 %r7, %r7, %r8; shr.u32 %r7, %r7, 1;\n"                                                                  \
      "mul.wide.u32 %d4, %r5, 4; add.s64 %d4, %d9, %d4; st.global.b32 [%d4+2048], %r7;"
#define NOINC_8 "cp.async.mbarrier.arrive.noinc.shared.b64 [smem+8];"

static void arrivals_of_a_thread_are_in_order(void **state) {
  (void)state;
  everywhere("", SLOTS(NOINC, NOINC_8), 128, 1, check_copied);
  assert_true(is_noticed(SLOTS("mbarrier.arrive.shared.b64 _, [smem];", NOINC_8), 128, 1));
  assert_true(is_noticed(SLOTS(NOINC, "mbarrier.arrive.shared.b64 _, [smem+8];"), 128, 1));
}

/* TMA stores what cp.async of other threads has copied: no thread can fence its own copies before their arrival, so the
 * thread that waits for the phase does. */
#define STORES(fence)                                                                                                  \
  TID "mul.lo.u32 %r3, %r1, 3; st.global.b32 [%d2], %r3; bar.sync 0;\n"                                                \
      "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [smem], 128; bar.sync 0; shl.b32 %r4, %r1, 2;\n"         \
      "add.u32 %r4, %r4, %r2; cp.async.ca.shared.global [%r4+64], [%d2], 4; " NOINC "\n"                               \
      "setp.ne.u32 %p2, %r1, 127; @%p2 bra $E;\n"                                                                      \
      "$W: mbarrier.try_wait.parity.shared.b64 %p3, [smem], 0; @!%p3 bra $W; " fence "\n"                              \
      "add.s64 %d4, %d9, 2048; cp.async.bulk.global.shared::cta.bulk_group [%d4], [smem+64], 512;\n"                   \
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; $E:"

static void readers_fence_copies(void **state) {
  (void)state;
  everywhere("", STORES("fence.proxy.async.shared::cta;"), 128, 1, check_copied);
  assert_true(is_noticed(STORES(""), 128, 1));
  assert_int_equal(run("", STORES(""), 128, 1, 10), NEREID_OK); /* visible at the fence */
  assert_int_not_equal(data[600], 3 * 88);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registers_move_between_groups),     cmocka_unit_test(limits_of_kernels_count),
      cmocka_unit_test(misuse_of_registers_is_reported),   cmocka_unit_test(named_barriers_pair_warps),
      cmocka_unit_test(misuse_of_barriers_is_reported),    cmocka_unit_test(ctas_arrive_at_each_other),
      cmocka_unit_test(copies_add_their_arrivals),         cmocka_unit_test(copies_are_among_the_arrivals),
      cmocka_unit_test(arrivals_of_a_thread_are_in_order), cmocka_unit_test(readers_fence_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
