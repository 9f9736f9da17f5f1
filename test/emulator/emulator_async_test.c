/* cp.async, mbarriers and clusters: the bytes equal those of a plain loop under every schedule, landing time and
 * visibility to the async proxy, and misuse is reported at its instruction. */
#include "test/emulator/emulate.h"

#include <string.h>

static nereid_emulator_report_t report;

static nereid_emulator_launch_t launch_of(uint32_t threads, uint32_t ctas) {
  return (nereid_emulator_launch_t){
      .grid = {ctas, 1, 1}, .block = {threads, 1, 1}, .cluster = {ctas, 1, 1}, .shared_bytes = 8192};
}

/* Calls `check` on the body's results, for every configuration; data starts as 0, 1, 2, ... */
static void everywhere(const char *body, uint32_t threads, uint32_t ctas, size_t words,
                       void (*check)(const uint32_t *data)) {
  static uint32_t data[4096];
  for (unsigned how = 0; how < 27; ++how) {
    nereid_emulator_launch_t launch = launch_of(threads, ctas);
    launch.schedule = (nereid_emulator_schedule_t)(how % 3);
    launch.landing = (nereid_emulator_landing_t)(how / 3 % 3);
    launch.proxy = how / 9 ? NEREID_EMULATOR_PROXY_AT_FENCE : NEREID_EMULATOR_PROXY_AT_ONCE;
    launch.seed = how;
    for (uint32_t i = 0; i < words; ++i)
      data[i] = i;
    if (emulate_launch(emulate_kernel(body), data, words * 4, launch, &report))
      fail_msg("schedule %u, landing %u: %s", how % 3, how / 3 % 3, report.message.text);
    check(data);
  }
}

static void expect(const char *body, uint32_t threads, uint32_t ctas, const char *sentence) {
  uint32_t data[64] = {0};
  nereid_emulator_launch_t launch = launch_of(threads, ctas);
  launch.stop_on = UINT32_MAX;
  assert_int_equal(emulate_launch(emulate_kernel(body), data, sizeof data, launch, &report), NEREID_ERROR_PROGRAM);
  if (!strstr(report.message.text, sentence))
    fail_msg("'%s' is not in '%s'", sentence, report.message.text);
}

#define TID "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %d9, %d1; mov.u32 %r2, smem;\n"

/* Copies words 0..127 to shared memory, 16 bytes per thread, and reads them in reverse order. */
static void check_turned(const uint32_t *data) {
  for (uint32_t i = 0; i < 128; ++i)
    assert_int_equal(data[i], 127 - i);
}

static void copies_land_by_their_wait(void **state) {
  static const char body[] =
      TID "shl.b32 %r3, %r1, 4; add.u32 %r3, %r3, %r2; mul.wide.u32 %d3, %r1, 16; add.s64 %d3, %d9, %d3;\n"
          "cp.async.cg.shared.global.L2::128B [%r3], [%d3], 16; cp.async.commit_group; cp.async.wait_group 0;\n"
          "bar.sync 0; sub.u32 %r4, 31, %r1; shl.b32 %r4, %r4, 4; add.u32 %r4, %r4, %r2;\n"
          "ld.shared.v4.b32 {%r5, %r6, %r7, %r8}, [%r4]; st.global.v4.b32 [%d3], {%r8, %r7, %r6, %r5};";
  (void)state;
  everywhere(body, 32, 1, 128, check_turned);
}

static void check_filled(const uint32_t *data) {
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t whole = 32 + i, kept = i % 5;
    assert_int_equal(data[i], kept == 4 ? whole : whole & ((1u << 8 * kept) - 1));
    assert_int_equal(data[64 + i], i & 1 ? 0 : whole);
  }
}

/* Sources of 0..4 bytes, and ignored ones; the source of a copy of 0 bytes is unmapped. */
static void sources_are_filled_up(void **state) {
  static const char body[] =
      TID "shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; rem.u32 %r4, %r1, 5; setp.eq.u32 %p1, %r4, 0;\n"
          "mov.b32 %r7, -1; st.shared.b32 [%r3], %r7; st.shared.b32 [%r3+256], %r7; add.s64 %d3, %d2, 128;\n"
          "selp.b64 %d4, 0, %d3, %p1; cp.async.ca.shared::cta.global [%r3], [%d4], 4, %r4;\n"
          "and.b32 %r5, %r1, 1; setp.ne.u32 %p2, %r5, 0; selp.b64 %d5, 64, %d3, %p2;\n"
          "cp.async.ca.shared.global.L2::cache_hint [%r3+256], [%d5], 4, %p2, %d1; cp.async.wait_all;\n"
          "ld.shared.b32 %r6, [%r3]; st.global.b32 [%d2], %r6; ld.shared.b32 %r6, [%r3+256];\n"
          "st.global.b32 [%d2+256], %r6;";
  (void)state;
  everywhere(body, 32, 1, 128, check_filled);
}

static void check_pipeline(const uint32_t *data) {
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 8; ++k)
      sum += 32 + k * 32 + i;
    assert_int_equal(data[i], sum);
  }
}

/* Two stages in flight: a wait that leaves one group pending completes the older one. */
static void older_groups_land_first(void **state) {
  static const char body[] =
      TID "shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; mov.u32 %r4, 0; mov.u32 %r5, 0; add.s64 %d3, %d2, 128;\n"
          "cp.async.ca.shared.global [%r3], [%d3], 4; cp.async.commit_group;\n"
          "$L: and.b32 %r6, %r4, 1; shl.b32 %r6, %r6, 7; add.u32 %r6, %r6, %r3; xor.b32 %r7, %r6, 128;\n"
          "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 8; add.s64 %d3, %d3, 128;\n"
          "@%p1 cp.async.ca.shared.global [%r7], [%d3], 4; cp.async.commit_group; cp.async.wait_group 1;\n"
          "ld.shared.b32 %r8, [%r6]; add.u32 %r5, %r5, %r8; @%p1 bra $L; st.global.b32 [%d2], %r5;";
  (void)state;
  everywhere(body, 32, 1, 320, check_pipeline);
}

/* Thread 0 waits at the mbarrier for the copies of all threads. */
static void copies_arrive_at_mbarriers(void **state) {
  static const char body[] =
      TID "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared::cta.b64 [smem], 32; bar.sync 0;\n"
          "shl.b32 %r3, %r1, 4; add.u32 %r3, %r3, %r2; mul.wide.u32 %d3, %r1, 16; add.s64 %d3, %d9, %d3;\n"
          "cp.async.cg.shared.global [%r3+64], [%d3], 16; cp.async.mbarrier.arrive.noinc.shared.b64 [smem];\n"
          "$L: mbarrier.try_wait.parity.shared.b64 %p2, [smem], 0; @!%p2 bra $L;\n"
          "sub.u32 %r4, 31, %r1; shl.b32 %r4, %r4, 4; add.u32 %r4, %r4, %r2; bar.sync 0;\n"
          "ld.shared.v4.b32 {%r5, %r6, %r7, %r8}, [%r4+64]; st.global.v4.b32 [%d3], {%r8, %r7, %r6, %r5};";
  (void)state;
  everywhere(body, 32, 1, 128, check_turned);
}

static void check_phases(const uint32_t *data) {
  for (uint32_t i = 0; i < 64; ++i)
    assert_int_equal(data[i], i < 32 ? 10 : 0); /* counts of producers and consumers */
}

/* A warp fills a slot ten times, another one reads it: full and empty mbarriers. */
static void phases_alternate(void **state) {
  static const char body[] =
      TID "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [smem], 32;\n"
          "@%p1 mbarrier.init.shared.b64 [smem+8], 32; bar.sync 0; mov.u32 %r4, 0; mov.u32 %r5, 0;\n"
          "and.b32 %r6, %r1, 31; shl.b32 %r6, %r6, 2; add.u32 %r6, %r6, %r2; setp.ge.u32 %p2, %r1, 32; @%p2 bra $C;\n"
          "$P: and.b32 %r7, %r4, 1; xor.b32 %r8, %r7, 1;\n" /* the slot is empty at first */
          "$W: mbarrier.try_wait.parity.shared.b64 %p3, [smem+8], %r8; @!%p3 bra $W;\n"
          "st.shared.b32 [%r6+64], %r4; mbarrier.arrive.release.cta.shared::cta.b64 _, [smem];\n"
          "add.u32 %r4, %r4, 1; setp.lt.u32 %p4, %r4, 10; @%p4 bra $P; st.global.b32 [%d2], %r4; bra $E;\n"
          "$C: and.b32 %r7, %r4, 1;\n"
          "$V: mbarrier.test_wait.parity.acquire.cta.shared.b64 %p3, [smem], %r7; @!%p3 bra $V;\n"
          "ld.shared.b32 %r9, [%r6+64]; sub.u32 %r9, %r9, %r4; add.u32 %r5, %r5, %r9;\n"
          "mbarrier.arrive.shared.b64 %d3, [smem+8]; add.u32 %r4, %r4, 1; setp.lt.u32 %p4, %r4, 10; @%p4 bra $C;\n"
          "st.global.b32 [%d2], %r5; $E:";
  (void)state;
  everywhere(body, 64, 1, 64, check_phases);
}

/* Instructions and the resulting value of %d3 (a state, whose pending count is stored) or %p1. */
static const struct step {
  const char *text;
  char kind; /* c, p, or 0: nothing is stored */
  uint32_t expected;
} steps[] = {
    {"mbarrier.init.shared.b64 [%r2], 3;", 0, 0},
    {"mbarrier.arrive.expect_tx.shared.b64 %d3, [%r2], 48;", 'c', 3},
    {"mbarrier.arrive.shared.b64 %d3, [%r2];", 'c', 2},
    {"mbarrier.arrive_drop.shared.b64 %d4, [%r2];", 0, 0},
    {"mbarrier.test_wait.shared.b64 %p1, [%r2], %d4;", 'p', 0},
    {"mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r2], 48;", 0, 0},
    {"mbarrier.test_wait.shared.b64 %p1, [%r2], %d4;", 'p', 1},
    {"mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 0;", 'p', 1},
    {"mbarrier.arrive.noComplete.shared.b64 %d3, [%r2], 1;", 'c', 2},
    {"mbarrier.arrive.release.cluster.shared.b64 %d3, [%r2], 1;", 'c', 1},
    {"mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 0;", 'p', 0},
    {"mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 1, 100;", 'p', 1},
    {"mbarrier.inval.shared.b64 [%r2]; mbarrier.init.b64 [%d5], 2;", 0, 0},
    {"mbarrier.expect_tx.b64 [%d5], 5; mbarrier.complete_tx.b64 [%d5], 5;", 0, 0},
    {"mbarrier.try_wait.parity.b64 %p1, [%d5], 1;", 'p', 1},
};
enum { STEPS = sizeof steps / sizeof *steps };

static void check_states(const uint32_t *data) {
  for (uint32_t i = 0; i < STEPS; ++i)
    if (steps[i].kind && data[i] != steps[i].expected)
      fail_msg("%s: %u, not %u", steps[i].text, data[i], steps[i].expected);
}

/* The state holds the pending count; a phase completes with its arrivals and transactions; arrive_drop lowers the
 * expected count of later phases. */
static void states_tell_their_phase(void **state) {
  static char text[4096];
  size_t n = (size_t)snprintf(text, sizeof text, "mov.u64 %%d5, smem; cvta.shared.u64 %%d5, %%d5; %s", TID);
  (void)state;
  for (uint32_t i = 0; i < STEPS; ++i) {
    n += (size_t)snprintf(text + n, sizeof text - n, "%s\n", steps[i].text);
    if (steps[i].kind)
      n += (size_t)snprintf(text + n, sizeof text - n, "%s st.global.b32 [%%d9+%u], %%r4;\n",
                            steps[i].kind == 'c' ? "mbarrier.pending_count.b64 %r4, %d3;" : "selp.u32 %r4, 1, 0, %p1;",
                            i * 4);
  }
  everywhere(text, 1, 1, 16, check_states);
}

/* A wait loop is one try_wait and one branch, however long it waits. */
static void waits_count_once(void **state) {
  static const char body[] =
      TID "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [smem], 1; bar.sync 0; mov.u32 %r4, 0;\n"
          "setp.ge.u32 %p2, %r1, 32; @%p2 bra $C; $S: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 2000; @%p3 bra $S;\n"
          "@%p1 mbarrier.arrive.shared.b64 _, [smem]; bra $E;\n"
          "$C: mbarrier.try_wait.parity.shared.b64 %p3, [smem], 0; @!%p3 bra $C; $E:";
  uint32_t data[64] = {0};
  (void)state;
  for (int schedule = 0; schedule < 3; ++schedule) {
    nereid_emulator_launch_t launch = launch_of(64, 1);
    launch.schedule = (nereid_emulator_schedule_t)schedule;
    assert_int_equal(emulate_launch(emulate_kernel(body), data, sizeof data, launch, &report), NEREID_OK);
    assert_int_equal(report.warp_instructions, 2 * 11 + 3 * 2000 + 2 + 2 + 2);
  }
}

static void misuse_of_mbarriers_is_reported(void **state) {
  (void)state;
  expect("mbarrier.arrive.shared.b64 %d1, [smem];", 1, 1, "no mbarrier is at shared address 0x0: not initialized");
  expect("mbarrier.init.shared.b64 [smem], 1; mbarrier.inval.shared.b64 [smem]; mbarrier.arrive.shared.b64 _, [smem];",
         1, 1, "or invalidated");
  expect("mbarrier.init.shared.b64 [smem], 1; mbarrier.init.shared.b64 [smem], 1;", 1, 1, "and was not invalidated");
  expect("mbarrier.init.shared.b64 [smem], 0;", 1, 1, "1 to 1048575 arrivals, not 0");
  expect("mbarrier.init.shared.b64 [smem+4], 1;", 1, 1, "misaligned");
  expect("mbarrier.init.shared.b64 [smem], 2; mbarrier.arrive.shared.b64 _, [smem], 3;", 1, 1,
         "3 arrivals at the mbarrier at shared address 0x0, which awaits 2");
  expect("mbarrier.init.shared.b64 [smem], 2; st.shared.b32 [smem], 7; mbarrier.arrive.shared.b64 _, [smem];", 1, 1,
         "was overwritten by a store that is not an mbarrier operation");
  expect("mbarrier.init.shared.b64 [smem], 1; mbarrier.arrive.noComplete.shared.b64 %d1, [smem], 1;", 1, 1,
         "arrival completes the phase");
  expect("mbarrier.init.shared.b64 [smem], 1; mbarrier.expect_tx.shared.b64 [smem], 1048576;", 1, 1,
         "transaction count");
  expect("mbarrier.init.b64 [%d9], 1;", 1, 1, "is not an address in shared memory");
  expect("mbarrier.init.shared.b64 [smem], 1;\n$L: mbarrier.try_wait.parity.shared.b64 %p1, [smem], 0; @!%p1 bra $L;",
         1, 1, "t.ptx:13: mbarrier.try_wait.parity.shared.b64: thread (0,0,0) of CTA (0,0,0): deadlock");
  expect("mbarrier.try_wait.parity.shared.b64 %p1, [smem], 2;", 1, 1, "no mbarrier");
  expect("cp.async.ca.shared.global [smem], [%d9], 4, 5;", 1, 1, "a source of 5 bytes");
  expect("cp.async.ca.shared.global [smem+2], [%d9], 4; cp.async.wait_all;", 1, 1, "misaligned");
  expect("cp.async.ca.shared.global [smem], [%d9+256], 4; cp.async.wait_all;", 1, 1, "byte 256 of data");
}

static void check_ring(const uint32_t *data) {
  for (uint32_t cta = 0; cta < 4; ++cta)
    for (uint32_t i = 0; i < 32; ++i) {
      assert_int_equal(data[cta * 32 + i], (cta + 1) % 4 * 100 + i);
      assert_int_equal(data[128 + cta * 32 + i], cta * 1000 + (cta + 3) % 4);
    }
}

#define RANK "mov.u32 %r10, %cluster_ctarank; mov.u32 %r11, %cluster_nctarank;\n"
/* Each CTA reads the shared memory of the next CTA, and adds to it atomically. */
static void clusters_share_memory(void **state) {
  static const char body[] = TID RANK
      "shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; mad.lo.u32 %r4, %r10, 100, %r1; st.shared.b32 [%r3], %r4;\n"
      "mul.lo.u32 %r4, %r10, 1000; st.shared.b32 [%r3+128], %r4;\n"
      "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; add.u32 %r5, %r10, 1; rem.u32 %r5, %r5, %r11;\n"
      "mapa.shared::cluster.u32 %r6, %r3, %r5; ld.shared::cluster.b32 %r7, [%r6];\n"
      "cvt.u64.u32 %d3, %r3; cvta.shared.u64 %d3, %d3; mapa.u64 %d3, %d3, %r5; atom.add.u32 %r8, [%d3+128], %r10;\n"
      "barrier.cluster.arrive.release; barrier.cluster.wait.acquire; ld.shared::cluster.b32 %r8, [%r3+128];\n"
      "mad.lo.u32 %r9, %r10, 128, 0; cvt.u64.u32 %d4, %r9; add.s64 %d4, %d4, %d2; st.global.b32 [%d4], %r7;\n"
      "st.global.b32 [%d4+512], %r8;";
  (void)state;
  everywhere(body, 32, 4, 256, check_ring);
}

static void check_numbers(const uint32_t *data) {
  for (uint32_t z = 0; z < 8; ++z)
    assert_int_equal(data[z], z);
}

/* Rank and id registers of a cluster of (2, 2, 2), and the CTA rank that an address encodes. */
static void clusters_have_numbers(void **state) {
  static const char body[] = TID
      "mov.u32 %r3, %cluster_ctaid.x; mov.u32 %r4, %cluster_ctaid.y; mov.u32 %r5, %cluster_ctaid.z;\n"
      "shl.b32 %r4, %r4, 1; shl.b32 %r5, %r5, 2; add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5;\n"
      "mapa.shared::cluster.u32 %r6, %r2, %r3; getctarank.shared::cluster.u32 %r7, %r6;\n"
      "mov.u32 %r8, %cluster_nctaid.z; mov.u32 %r9, %nclusterid.x; add.u32 %r8, %r8, %r9; mul.lo.u32 %r7, %r7, %r8;\n"
      "mov.pred %p1, %is_explicit_cluster; @!%p1 mov.u32 %r7, 99; div.u32 %r7, %r7, 3;\n"
      "mul.wide.u32 %d3, %r3, 4; add.s64 %d3, %d3, %d9; st.global.b32 [%d3], %r7;\n"
      "barrier.cluster.arrive; barrier.cluster.wait;";
  uint32_t data[8] = {0};
  nereid_emulator_launch_t launch = launch_of(1, 2);
  (void)state;
  for (int i = 0; i < 3; ++i)
    launch.grid[i] = launch.cluster[i] = 2;
  if (emulate_launch(emulate_kernel(body), data, sizeof data, launch, &report))
    fail_msg("%s", report.message.text);
  check_numbers(data);
  launch.grid[0] = 3;
  assert_int_equal(emulate_launch(emulate_kernel(body), data, sizeof data, launch, &report), NEREID_ERROR_ARGUMENT);
  launch.grid[0] = launch.cluster[0] = 8;
  assert_int_equal(emulate_launch(emulate_kernel(body), data, sizeof data, launch, &report), NEREID_ERROR_ARGUMENT);
}

/* The address of a variable has the rank of its CTA in the upper byte, as on hardware. */
static void addresses_have_ranks(void **state) {
  static const char body[] = TID RANK
      "mov.u32 %r3, smem; add.u32 %r3, %r3, 16; mapa.shared::cluster.u32 %r4, %r3, %r10; setp.eq.u32 %p1, %r3, %r4;\n"
      "mov.u64 %d3, smem; cvta.shared.u64 %d4, smem; cvta.shared.u64 %d3, %d3; setp.eq.and.u64 %p1, %d3, %d4, %p1;\n"
      "st.shared.b32 [%r3], %r10; ld.shared.b32 %r5, [smem+16]; ld.b32 %r6, [%d4+16]; xor.b32 %r5, %r5, %r6;\n"
      "shr.u32 %r4, %r4, 24; add.u32 %r5, %r5, %r4; selp.b32 %r5, %r5, 99, %p1;\n"
      "mul.wide.u32 %d3, %r10, 4; add.s64 %d3, %d3, %d9; st.global.b32 [%d3], %r5;";
  uint32_t data[2] = {0};
  nereid_emulator_launch_t launch = launch_of(1, 32);
  (void)state;
  launch.grid[0] = launch.cluster[0] = 2;
  if (emulate_launch(emulate_kernel(body), data, sizeof data, launch, &report))
    fail_msg("%s", report.message.text);
  assert_int_equal(data[0], 1);
  assert_int_equal(data[1], 2);
}

static void misuse_of_clusters_is_reported(void **state) {
  (void)state;
  expect("barrier.cluster.wait;", 32, 2, "a wait without an arrival");
  expect("barrier.cluster.arrive; barrier.cluster.arrive;", 32, 2, "a second arrival without a wait");
  expect("mov.u32 %r1, smem; mapa.shared::cluster.u32 %r1, %r1, 2;", 32, 2, "no CTA 2 in a cluster of 2");
  expect("mov.u32 %r1, smem; mapa.shared::cluster.u32 %r2, %r1, 1; mov.u32 %r3, %cluster_ctarank;\n"
         "setp.eq.u32 %p1, %r3, 1; @%p1 exit; nanosleep.u32 100; ld.shared::cluster.b32 %r4, [%r2];",
         32, 2, "has exited");
  expect(TID RANK
         "setp.eq.u32 %p1, %r10, 0; @%p1 barrier.cluster.arrive; @%p1 barrier.cluster.wait;\n@!%p1 bar.sync 0, 64;",
         32, 2, "deadlock: no thread can make progress; ");
  expect(TID "setp.lt.u32 %p1, %r1, 4; @%p1 barrier.cluster.arrive.aligned;", 32, 2,
         "only part of the warp reaches it");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_land_by_their_wait), cmocka_unit_test(sources_are_filled_up),
      cmocka_unit_test(older_groups_land_first),   cmocka_unit_test(copies_arrive_at_mbarriers),
      cmocka_unit_test(phases_alternate),          cmocka_unit_test(states_tell_their_phase),
      cmocka_unit_test(waits_count_once),          cmocka_unit_test(misuse_of_mbarriers_is_reported),
      cmocka_unit_test(clusters_share_memory),     cmocka_unit_test(clusters_have_numbers),
      cmocka_unit_test(addresses_have_ranks),      cmocka_unit_test(misuse_of_clusters_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
