/* The race detector on asynchronous copies, mbarriers and clusters: each edge with a kernel that has it and one that
 * lacks it. */
#include "test/emulator/race/races.h"

#define LOAD_MINE "ld.shared.b32 %r2, [" MINE "];\n"
#define LOAD_OTHER "ld.shared.b32 %r2, [" OTHER "];\n"
#define STORE_MINE "st.shared.b32 [" MINE "], 7;\n"
#define COPY "cp.async.ca.shared.global [" MINE "], [%d9], 4;\n"

static void copies_end_at_the_wait(void **state) {
  (void)state;
  RACES(64, COPY "cp.async.commit_group; cp.async.wait_group 0;\n" LOAD_MINE, "");
  RACES(64, COPY "cp.async.wait_all;\n" LOAD_MINE, "");
  RACES(64, COPY LOAD_MINE, "race 1 2");
  RACES(64, COPY "cp.async.commit_group; cp.async.wait_group 1;\n" LOAD_MINE, "race 1 3");
  RACES(64, COPY "cp.async.commit_group;\n" COPY "cp.async.commit_group; cp.async.wait_group 1;\n" LOAD_MINE,
        "race 1 3, race 3 5");
  RACES(64, COPY "bar.sync 0;\n" LOAD_MINE, "race 1 3");
  /* the wait orders its own thread only: other threads need a barrier after it */
  RACES(64, COPY "cp.async.wait_all; bar.sync 0;\n" LOAD_OTHER, "");
  RACES(64, COPY "cp.async.wait_all;\n" LOAD_OTHER, "race 3 1");
  RACES(64, COPY "bar.sync 0; cp.async.wait_all;\n" LOAD_OTHER, "race 1 3");
  RACES(64, LOAD_MINE COPY, "");
  RACES(64, LOAD_OTHER COPY, "race 2 1");
}

static void what_copies_leave_out_is_not_touched(void **state) {
  (void)state;
  /* the source is not read, or only partly */
  RACES(64, "st.global.b32 [%d9], %r70;\n@%p0 cp.async.ca.shared.global [%r0], [%d9], 4, 0; cp.async.wait_all;",
        "race 1 1");
  RACES(32,
        "@%p0 st.global.b32 [%d9+4], 7;\n@!%p0 cp.async.ca.shared.global [%r0+512], [%d9], 8, 4; cp.async.wait_all;",
        "race 2 2");
  RACES(32,
        "@%p0 st.global.b32 [%d9+4], 7;\nshl.b32 %r3, %r70, 3; add.u32 %r3, %r3, %r0;\n"
        "cp.async.ca.shared.global [%r3], [%d9], 8, 4; cp.async.wait_all;",
        "");
  RACES(32,
        "@%p0 st.global.b32 [%d9+4], 7;\nshl.b32 %r3, %r70, 3; add.u32 %r3, %r3, %r0;\n"
        "cp.async.ca.shared.global [%r3], [%d9], 8, 8; cp.async.wait_all;",
        "race 1 3");
}

#define INIT(n) "@%p0 mbarrier.init.shared.b64 [%r0+4096], " #n "; bar.sync 0;\n"
#define ARRIVE "mbarrier.arrive.shared.b64 %d1, [%r0+4096];\n"
#define WAIT "$W: mbarrier.try_wait.parity.shared.b64 %p2, [%r0+4096], 0; @!%p2 bra $W;\n"

static void phases_order(void **state) {
  (void)state;
  RACES(64, INIT(64) STORE_MINE ARRIVE WAIT LOAD_OTHER, "");
  RACES(64, INIT(32) STORE_MINE "@%p1 " ARRIVE WAIT LOAD_OTHER, "race 2 5");
  RACES(64, INIT(64) ARRIVE STORE_MINE WAIT LOAD_OTHER, "race 3 5");
  RACES(64, INIT(64) STORE_MINE "mbarrier.arrive.relaxed.cluster.shared.b64 %d1, [%r0+4096];\n" WAIT LOAD_OTHER,
        "race 2 5");
  RACES(64, INIT(64) STORE_MINE ARRIVE LOAD_OTHER, "race 4 2");
  /* its initialization is a write that must be ordered before other threads' accesses */
  RACES(32, "@%p0 mbarrier.init.shared.b64 [%r0+4096], 32;\n" ARRIVE, "race 1 2");
}

#define EXPECT "@%p0 mbarrier.arrive.expect_tx.shared.b64 %d1, [%r0+4096], 512;\n"
#define LOAD                                                                                                           \
  EXPECT "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%d9], 512, [%r0+4096];\n"
#define INVALIDATE "@%p0 mbarrier.inval.shared.b64 [%r0+4096];\n"

/* What a phase counts changes the mbarrier when it completes: after its initialization, before its invalidation. */
static void completions_access_the_mbarrier(void **state) {
  static const char multicast[] =
      EXPECT "mov.u16 %h1, 2; mov.u32 %r4, %cluster_ctarank; setp.eq.u32 %p3, %r4, 0; and.pred %p3, %p3, %p0;\n"
             "@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r0], [%d9], "
             "512, [%r0+4096], %h1;\n";
  static char text[1024];
  (void)state;
  RACES(32, INIT(1) LOAD WAIT "bar.sync 0;\n" INVALIDATE, "");
  RACES(32, INIT(1) LOAD WAIT INVALIDATE, "race 4 5");
  RACES(32, INIT(1) LOAD "bar.sync 0;\n" INVALIDATE, "race 3 5");
  RACES(64, INIT(64) "cp.async.mbarrier.arrive.noinc.shared.b64 [%r0+4096];\n" WAIT "bar.sync 0;\n" INVALIDATE, "");
  RACES(64, INIT(64) "cp.async.mbarrier.arrive.noinc.shared.b64 [%r0+4096];\nbar.sync 0;\n" INVALIDATE, "race 2 4");
  /* the mbarriers of two CTAs; the first CTA's copy completes at that of the second one */
  static const char *const meet[] = {"barrier.cluster.arrive; barrier.cluster.wait;\n",
                                     "barrier.cluster.arrive.relaxed; barrier.cluster.wait;\n"};
  for (int relaxed = 0; relaxed < 2; ++relaxed) {
    snprintf(text, sizeof text, "%s%s%sbarrier.cluster.arrive; barrier.cluster.wait;\n", INIT(1), meet[relaxed],
             multicast);
    assert_string_equal(races_of_cluster(text, 32, 2, 2), relaxed ? "race 1 5" : "");
  }
}

static void copies_end_with_a_phase(void **state) {
  (void)state;
  RACES(64, INIT(64) COPY "cp.async.mbarrier.arrive.noinc.shared.b64 [%r0+4096];\n" WAIT LOAD_OTHER, "");
  RACES(64, INIT(64) COPY "cp.async.mbarrier.arrive.noinc.shared.b64 [%r0+4096];\n" LOAD_MINE, "race 2 4");
  RACES(64, INIT(64) COPY ARRIVE WAIT LOAD_OTHER, "race 2 5");
}

#define ARRIVE_LATER "cp.async.mbarrier.arrive.noinc.shared.b64 [%r0+4096];\n"
#define COMMIT "cp.async.commit_group;\n"
#define WAIT_GROUP "cp.async.wait_group 0;\n"

/* A copy in a commit group that also arrives at an mbarrier: threads may use either. */
static void copies_may_have_two_ends(void **state) {
  (void)state;
  RACES(64, INIT(64) COPY ARRIVE_LATER COMMIT WAIT_GROUP "bar.sync 0;\n" LOAD_OTHER, "");
  RACES(64, INIT(64) COPY ARRIVE_LATER COMMIT WAIT_GROUP LOAD_MINE, "");
  RACES(64, INIT(64) COPY COMMIT ARRIVE_LATER WAIT LOAD_OTHER WAIT_GROUP, "");
  RACES(64, INIT(64) COPY COMMIT ARRIVE_LATER WAIT_GROUP WAIT LOAD_OTHER, "");
  RACES(64, INIT(64) COPY COMMIT WAIT_GROUP ARRIVE_LATER WAIT LOAD_OTHER, "");
  /* neither */
  RACES(64, INIT(64) COPY COMMIT ARRIVE_LATER LOAD_OTHER WAIT_GROUP, "race 5 2");
  RACES(64, INIT(64) COPY COMMIT ARRIVE_LATER WAIT_GROUP LOAD_OTHER, "race 6 2");
  /* the wait leaves the copy in flight */
  RACES(64, INIT(64) COPY ARRIVE_LATER COMMIT COPY COMMIT "cp.async.wait_group 1;\n" LOAD_MINE, "race 2 5, race 5 8");
}

#define INIT_2 "@%p0 mbarrier.init.shared.b64 [%r0+4104], 64;\n" INIT(64)

/* A copy that arrives at two mbarriers. */
static void copies_may_have_two_phases(void **state) {
  (void)state;
  RACES(64,
        INIT_2 COPY COMMIT ARRIVE_LATER
        "cp.async.mbarrier.arrive.noinc.shared.b64 [%r0+4104];\n"
        "$V: mbarrier.try_wait.parity.shared.b64 %p2, [%r0+4104], 0; @!%p2 bra $V;\n" LOAD_OTHER WAIT_GROUP,
        "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_end_at_the_wait),
      cmocka_unit_test(what_copies_leave_out_is_not_touched),
      cmocka_unit_test(phases_order),
      cmocka_unit_test(completions_access_the_mbarrier),
      cmocka_unit_test(copies_end_with_a_phase),
      cmocka_unit_test(copies_may_have_two_ends),
      cmocka_unit_test(copies_may_have_two_phases),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
