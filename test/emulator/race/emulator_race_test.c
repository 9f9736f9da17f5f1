/* The race detector on generic accesses: each edge with a kernel that has it and one that lacks it. */
#include "test/emulator/race/races.h"

#define STORE_MINE "st.shared.b32 [" MINE "], %r70;\n"
#define LOAD_OTHER "ld.shared.b32 %r2, [" OTHER "];\n"
#define LOAD_NEXT "ld.shared.b32 %r2, [" NEXT "];\n"

static void barriers_order(void **state) {
  (void)state;
  RACES(64, STORE_MINE "bar.sync 0;\n" LOAD_OTHER, "");
  RACES(64, STORE_MINE LOAD_OTHER, "race 2 1");
  RACES(64, LOAD_OTHER "bar.sync 0;\n" STORE_MINE, "");
  RACES(64, LOAD_OTHER STORE_MINE, "race 2 1");
  RACES(64, STORE_MINE "bar.warp.sync -1;\n" LOAD_OTHER, "race 3 1");
  RACES(64, STORE_MINE "barrier.sync 1, 64;\n" LOAD_OTHER, "");
  /* different barriers, so the warps are not ordered */
  RACES(64, STORE_MINE "@%p1 bar.sync 1, 32; @!%p1 bar.sync 2, 32;\n" LOAD_OTHER, "race 3 1");
}

static void arrivals_release_and_do_not_acquire(void **state) {
  (void)state;
  RACES(64, "@%p1 st.shared.b32 [" MINE "], 7;\n@%p1 bar.arrive 1, 64; @!%p1 bar.sync 1, 64;\n@!%p1 " LOAD_OTHER, "");
  RACES(64, "@!%p1 st.shared.b32 [" MINE "], 7;\n@%p1 bar.arrive 1, 64; @!%p1 bar.sync 1, 64;\n@%p1 " LOAD_OTHER,
        "race 3 1");
}

static void lanes_are_threads(void **state) {
  (void)state;
  RACES(32, STORE_MINE LOAD_NEXT, "race 1 2");
  RACES(32, STORE_MINE "bar.warp.sync -1;\n" LOAD_NEXT, "");
  RACES(32, STORE_MINE "shfl.sync.bfly.b32 %r3, %r70, 1, 31, -1;\n" LOAD_NEXT, "race 1 3");
  RACES(32, STORE_MINE "ld.shared.b32 %r2, [" MINE "];\n" STORE_MINE, "");
}

static void stores_of_one_value_are_none(void **state) {
  (void)state;
  RACES(64, "st.shared.b32 [%r0], 7;\n", "");
  RACES(64, "st.shared.b32 [%r0], %r70;\n", "race 1 1");
  RACES(32, "st.shared.b32 [%r0], %r70;\n", "race 1 1");
  RACES(64, "st.shared.b32 [%r0], 7;\nst.shared.b32 [%r0], 7; bar.sync 0;\nld.shared.b32 %r2, [%r0];", "");
  RACES(64, "st.shared.b32 [%r0], 7;\n@%p1 " LOAD_NEXT "bar.sync 0;\n", "race 1 2");
}

static void bytes_are_apart(void **state) {
  (void)state;
  RACES(64, "add.u32 %r3, %r0, %r70; st.shared.b8 [%r3], %r70; bar.sync 0; ld.shared.b32 %r4, [" MINE "];", "");
  RACES(64, "add.u32 %r3, %r0, %r70; st.shared.b8 [%r3], %r70;\n@%p0 ld.shared.b32 %r4, [" MINE "];", "race 1 2");
  RACES(64, "@%p0 st.shared.b32 [%r0], 0; bar.sync 0;\nadd.u32 %r3, %r0, %r70; st.shared.b8 [%r3], %r70;", "");
  RACES(64, "@%p0 st.shared.b32 [%r0], 0;\nadd.u32 %r3, %r0, %r70; st.shared.b8 [%r3], %r70;", "race 1 2");
}

static void atomics_do_not_race_with_each_other(void **state) {
  (void)state;
  RACES(64, "atom.shared.add.u32 %r2, [%r0], 1;\nred.shared.add.u32 [%r0], 1;", "");
  RACES(64, "atom.shared.add.u32 %r2, [%r0], 1;\n@%p0 ld.shared.b32 %r2, [%r0];", "race 1 2");
  RACES(64, "atom.shared.add.u32 %r2, [%r0], 1;\n@%p0 ld.relaxed.cta.shared.b32 %r2, [%r0];", "");
  RACES(64, "atom.shared.add.u32 %r2, [%r0], 1;\n@%p0 ld.volatile.shared.b32 %r2, [%r0];", "");
  RACES(64, "atom.shared.add.u32 %r2, [%r0], 1;\n@%p0 ld.relaxed.cta.shared.b8 %h2, [%r0];", "race 1 2");
  RACES_OF_CTAS(2, 32, "red.relaxed.gpu.global.add.u32 [%d9], 1;", "");
  RACES_OF_CTAS(2, 32, "red.relaxed.cta.global.add.u32 [%d9], 1;", "race 1 1");
}

/* The second warp waits for a flag that the first sets. */
#define WAIT_WITH(load) "@%p1 bra $E; $L: " load " setp.eq.u32 %p2, %r3, 0; @%p2 bra $L;\n"

static void releases_and_acquires_order(void **state) {
  (void)state;
#define PASS "@%p1 st.shared.b32 [" MINE "], 7;\n@%p1 bar.warp.sync -1;\n"
#define TAKE "@!%p1 " LOAD_OTHER "$E:"
  RACES(64, PASS "@%p0 st.release.cta.global.b32 [%d9], 1;\n" WAIT_WITH("ld.acquire.cta.global.b32 %r3, [%d9];") TAKE,
        "");
  RACES(64, PASS "@%p0 st.relaxed.cta.global.b32 [%d9], 1;\n" WAIT_WITH("ld.acquire.cta.global.b32 %r3, [%d9];") TAKE,
        "race 1 5");
  RACES(64, PASS "@%p0 st.release.cta.global.b32 [%d9], 1;\n" WAIT_WITH("ld.relaxed.cta.global.b32 %r3, [%d9];") TAKE,
        "race 1 5");
  RACES(64,
        PASS "@%p0 fence.acq_rel.cta; @%p0 st.relaxed.cta.global.b32 [%d9], 1;\n" WAIT_WITH(
            "ld.relaxed.cta.global.b32 %r3, [%d9];") "fence.acq_rel.cta;" TAKE,
        "");
  RACES(64,
        PASS "@%p0 membar.gl; @%p0 st.volatile.global.b32 [%d9], 1;\n" WAIT_WITH(
            "ld.volatile.global.b32 %r3, [%d9];") "membar.gl;" TAKE,
        "");
  /* lane 0 releases only the writes that it observed */
  RACES(64,
        "@%p1 st.shared.b32 [" MINE
        "], 7;\n@%p0 st.release.cta.global.b32 [%d9], 1;\n" WAIT_WITH("ld.acquire.cta.global.b32 %r3, [%d9];") TAKE,
        "race 1 4");
  /* an atomic between them keeps the chain */
  RACES(64,
        PASS "@%p0 st.release.gpu.global.b32 [%d9], 1; @%p0 atom.relaxed.gpu.global.add.u32 %r4, [%d9], 1;\n" WAIT_WITH(
            "atom.acquire.gpu.global.or.b32 %r3, [%d9], 0;") TAKE,
        "");
}

static void scopes_count(void **state) {
#define FIRST "mov.u32 %r5, %ctaid.x; setp.eq.u32 %p3, %r5, 0; @%p3 st.global.b32 [%d9+64], 7;\n"
#define SECOND "@!%p3 ld.global.b32 %r6, [%d9+64];"
  (void)state;
  RACES_OF_CTAS(2, 1, FIRST SECOND, "race 1 2");
  RACES_OF_CTAS(2, 1, FIRST "atom.acq_rel.gpu.global.add.u32 %r4, [%d9], 1;\n" SECOND, "");
  RACES_OF_CTAS(2, 1, FIRST "atom.acq_rel.cta.global.add.u32 %r4, [%d9], 1;\n" SECOND, "race 2 2, race 1 3");
  RACES_OF_CTAS(
      2, 1, FIRST "fence.acq_rel.gpu; atom.relaxed.gpu.global.add.u32 %r4, [%d9], 1; fence.acq_rel.gpu;\n" SECOND, "");
  RACES_OF_CTAS(2, 1,
                FIRST "fence.acq_rel.cta; atom.relaxed.gpu.global.add.u32 %r4, [%d9], 1; fence.acq_rel.gpu;\n" SECOND,
                "race 1 3");
}

/* The last CTA to increment the counter reads the stores of all CTAs. */
static void sc_fences_are_ordered_by_what_follows_them(void **state) {
#define PART "mov.u32 %r5, %ctaid.x; mad.lo.u32 %r6, %r5, 64, %r70; mad.wide.u32 %d2, %r6, 4, %d9;\n"
#define STORE_PART PART "st.global.b32 [%d2+64], %r70;\n"
#define COUNT(atom) "bar.sync 0; @%p0 " atom "; @%p0 st.shared.b32 [%r0], %r4; bar.sync 0; ld.shared.b32 %r7, [%r0];\n"
#define LOAD_ALL "setp.ne.u32 %p3, %r7, 2; @%p3 bra $Z;\nld.global.b32 %r8, [%d9+64];$Z:"
#define ADD "atom.global.add.u32 %r4, [%d9], 1"
  (void)state;
  RACES_OF_CTAS(3, 64, STORE_PART "membar.gl;" COUNT(ADD) "membar.gl;" LOAD_ALL, "");
  RACES_OF_CTAS(3, 64, STORE_PART "fence.sc.gpu;" COUNT("atom.global.inc.u32 %r4, [%d9], 9") "membar.sys;" LOAD_ALL,
                "");
  RACES_OF_CTAS(3, 64, STORE_PART COUNT(ADD) "membar.gl;" LOAD_ALL, "race 2 5");
  RACES_OF_CTAS(3, 64, STORE_PART "membar.gl;" COUNT(ADD) LOAD_ALL, "race 2 5");
  /* scopes that do not include the other CTA; a fence that releases only its own thread's writes */
  RACES_OF_CTAS(3, 64, STORE_PART "membar.cta;" COUNT(ADD) "membar.gl;" LOAD_ALL, "race 2 5");
  RACES_OF_CTAS(3, 64, STORE_PART "fence.acq_rel.gpu;" COUNT(ADD) "fence.acq_rel.gpu;" LOAD_ALL, "race 2 5");
  RACES_OF_CTAS(3, 64, STORE_PART "membar.gl;" COUNT("atom.cta.global.add.u32 %r4, [%d9], 1") "membar.gl;" LOAD_ALL,
                "race 3 3, race 2 5");
  /* no memory access orders the two fences */
  RACES_OF_CTAS(3, 64, STORE_PART "membar.gl; mov.u32 %r7, %r5;\nmembar.gl;" LOAD_ALL, "race 2 5");
  /* a write after a read orders the fences, too */
  RACES_OF_CTAS(2, 1,
                FIRST
                "@%p3 membar.gl; @%p3 ld.relaxed.gpu.global.b32 %r4, [%d9];\n@!%p3 st.relaxed.gpu.global.b32 [%d9], "
                "1; @!%p3 membar.gl;\n" SECOND,
                "");
  RACES_OF_CTAS(2, 1,
                FIRST
                "@%p3 membar.gl; @%p3 ld.relaxed.gpu.global.b32 %r4, [%d9];\n@!%p3 ld.relaxed.gpu.global.b32 %r4, "
                "[%d9]; @!%p3 membar.gl;\n" SECOND,
                "race 1 4");
}

static void many_ctas_read(void **state) {
  (void)state;
  RACES_OF_CTAS(40, 32, "ld.global.b32 %r2, [%d9];", "");
  RACES_OF_CTAS(40, 32,
                "ld.global.b32 %r2, [%d9];\nmov.u32 %r5, %ctaid.x; setp.eq.u32 %p3, %r5, 39; and.pred %p3, %p3, %p0;\n"
                "@%p3 st.global.b32 [%d9], 7;",
                "race 1 3");
  RACES_OF_CTAS(40, 32, "st.global.b32 [%d9], 7;", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(barriers_order),
      cmocka_unit_test(arrivals_release_and_do_not_acquire),
      cmocka_unit_test(lanes_are_threads),
      cmocka_unit_test(stores_of_one_value_are_none),
      cmocka_unit_test(bytes_are_apart),
      cmocka_unit_test(atomics_do_not_race_with_each_other),
      cmocka_unit_test(releases_and_acquires_order),
      cmocka_unit_test(scopes_count),
      cmocka_unit_test(sc_fences_are_ordered_by_what_follows_them),
      cmocka_unit_test(many_ctas_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
