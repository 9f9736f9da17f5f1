/* The timeline: the begin and end of each event of small kernels, in steps; the selection of CTAs, the limit, events of
 * failed launches; a launch with a timeline has the same results and counters as one without. */
#include "test/emulator/emulate.h"

#include <string.h>

enum { MOST = 4096 };

static nereid_emulator_event_t events[MOST];
static char texts[MOST][80]; /* the instructions: those of the events are valid during the call only */
static size_t n_events;
static nereid_emulator_report_t report;
static uint32_t data[256];

static void keep(void *user_data, const nereid_emulator_event_t *event) {
  (void)user_data;
  if (n_events == MOST)
    return; /* the test then misses an event */
  snprintf(texts[n_events], sizeof texts[n_events], "%.*s", (int)event->place.text.size, event->place.text.data);
  events[n_events++] = *event;
}

static nereid_emulator_launch_t launch_of(uint32_t threads, uint32_t ctas) {
  return (nereid_emulator_launch_t){.grid = {ctas, 1, 1},
                                    .block = {threads, 1, 1},
                                    .shared_bytes = 8192,
                                    .landing = NEREID_EMULATOR_LAND_AT_WAIT,
                                    .event = keep};
}

static nereid_status_t run(const char *body, nereid_emulator_launch_t launch) {
  n_events = 0;
  memset(data, 0, sizeof data);
  return emulate_launch(emulate_kernel(body), data, sizeof data, launch, &report);
}

/* The event of a warp whose instruction begins with `text`, counted from 0 in the order of time. */
static const nereid_emulator_event_t *find(nereid_emulator_event_kind_t kind, uint32_t warp, const char *text,
                                           unsigned number) {
  for (size_t i = 0; i < n_events; ++i)
    if (events[i].kind == kind && events[i].warp == warp && strncmp(texts[i], text, strlen(text)) == 0 && !number--)
      return &events[i];
  fail_msg("no event %u of kind %d, '%s' of warp %u", number, (int)kind, text, warp);
  return NULL;
}

#define WARP "mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5; setp.ne.u32 %p1, %r1, 0;\n" /* 3 steps */
#define TEN                                                                                                            \
  "add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1;\n"         \
  "add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1;\n"

/* Warp 0 arrives at step 5, as a kernel begins with one load of its parameter; warp 1 ten steps later. Both leave
 * together. */
static void barriers_wait_for_the_last_arrival(void **state) {
  (void)state;
  if (run(WARP "@!%p1 bra $L1;\n" TEN "$L1: bar.sync 3;\n" TEN, launch_of(64, 1)))
    fail_msg("%s", report.message.text);
  const nereid_emulator_event_t *first = find(NEREID_EMULATOR_EVENT_BARRIER, 0, "bar.sync", 0);
  const nereid_emulator_event_t *second = find(NEREID_EMULATOR_EVENT_BARRIER, 1, "bar.sync", 0);
  assert_int_equal(first->begin, 5);
  assert_int_equal(second->begin, 15);
  assert_int_equal(first->end, 16);
  assert_int_equal(second->end, 16);
  assert_int_equal(first->barrier, 3);
  const nereid_emulator_event_t *before = find(NEREID_EMULATOR_EVENT_RUN, 1, "ld.param", 0);
  assert_int_equal(before->begin, 0);
  assert_int_equal(before->end, 15);
  assert_int_equal(before->count, 15);
}

/* Thread 0 copies 16 bytes and then waits; meanwhile warp 1 waits for the same phase, and then for one that warp 0
 * completes by an arrival at a known step. */
static void operations_are_in_flight_until_their_wait(void **state) {
  static const char *body =
      "mov.u32 %r2, smem; mov.u32 %r4, %tid.x; setp.ne.u32 %p2, %r4, 0; @%p2 bra $L0;\n"
      "mbarrier.init.shared.b64 [%r2], 1; mbarrier.init.shared.b64 [%r2+8], 1;\n"
      "$L0: bar.sync 0;\n" WARP "@%p1 bra $L2;\n@%p2 bra $L1;\n"
      "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 16;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+16], [%d9], 16, [%r2];\n" TEN TEN
      "$L1: mbarrier.try_wait.parity.shared.b64 %p3, [%r2], 0; @!%p3 bra $L1;\n"
      "@%p2 bra $L3;\nmbarrier.arrive.shared.b64 _, [%r2+8];\nbra $L3;\n"
      "$L2: mbarrier.try_wait.parity.shared.b64 %p3, [%r2], 0; @!%p3 bra $L2;\n"
      "$L4: mbarrier.try_wait.parity.shared.b64 %p3, [%r2+8], 0; @!%p3 bra $L4;\n$L3:\n";
  (void)state;
  for (unsigned schedule = 0; schedule < 3; ++schedule) {
    nereid_emulator_launch_t launch = launch_of(64, 1);
    launch.schedule = (nereid_emulator_schedule_t)schedule;
    if (run(body, launch))
      fail_msg("%s", report.message.text);
    const nereid_emulator_event_t *issue = find(NEREID_EMULATOR_EVENT_ISSUE, 0, "cp.async.bulk", 0);
    const nereid_emulator_event_t *load = find(NEREID_EMULATOR_EVENT_LOAD, 0, "cp.async.bulk", 0);
    const nereid_emulator_event_t *wait = find(NEREID_EMULATOR_EVENT_MBARRIER, 1, "mbarrier.try_wait", 0);
    const nereid_emulator_event_t *other = find(NEREID_EMULATOR_EVENT_MBARRIER, 1, "mbarrier.try_wait", 1);
    const nereid_emulator_event_t *arrival = find(NEREID_EMULATOR_EVENT_ISSUE, 0, "mbarrier.arrive.shared", 0);
    assert_int_equal(issue->end - issue->begin, 1);
    assert_int_equal(load->begin, issue->begin);
    assert_int_equal(load->count, 16);
    assert_true(load->end > load->begin && load->end <= wait->end);
    assert_int_equal(load->barrier, wait->barrier);
    assert_int_equal(wait->phase, 0);
    assert_true(wait->complete);
    assert_int_equal(other->barrier, wait->barrier + 8);
    assert_int_equal(other->end, arrival->end); /* warp 1 has fewer instructions, so it waits */
    if (schedule == NEREID_EMULATOR_ROUND_ROBIN)
      assert_true(other->end - other->begin > 10);
    assert_true(issue->lanes == 1 && other->lanes == UINT32_MAX);
  }
}

/* Groups of cp.async: the first one is in flight for ten steps more than the wait for it lets the second one be. */
static void groups_end_at_their_wait(void **state) {
  static const char *body = "mov.u32 %r2, smem;\n"
                            "cp.async.ca.shared.global [%r2], [%d9], 16; cp.async.commit_group;\n"
                            "cp.async.ca.shared.global [%r2+16], [%d9], 16; cp.async.commit_group;\n" TEN
                            "cp.async.wait_group 1;\n" TEN "cp.async.wait_group 0;\n";
  (void)state;
  if (run(body, launch_of(1, 1)))
    fail_msg("%s", report.message.text);
  const nereid_emulator_event_t *a = find(NEREID_EMULATOR_EVENT_COPY, 0, "cp.async.ca", 0);
  const nereid_emulator_event_t *b = find(NEREID_EMULATOR_EVENT_COPY, 0, "cp.async.ca", 1);
  const nereid_emulator_event_t *wait = find(NEREID_EMULATOR_EVENT_WAIT, 0, "cp.async.wait_group 1", 0);
  assert_int_equal(a->begin, 2);
  assert_int_equal(a->end, 16);
  assert_int_equal(b->begin, 4);
  assert_int_equal(b->end, 27);
  assert_int_equal(wait->begin, 16);
  assert_int_equal(wait->end, 17);
}

static void ctas_and_numbers_are_limited(void **state) {
  nereid_emulator_launch_t launch = launch_of(32, 6);
  (void)state;
  assert_int_equal(run("bar.sync 0;", launch), NEREID_OK);
  const size_t each = n_events ? n_events : 1;
  for (size_t i = 0; i < n_events; ++i)
    assert_int_equal(events[i].cta[0], 0);
  launch.timeline = (nereid_emulator_timeline_t){.first = 2, .ctas = 3};
  assert_int_equal(run("bar.sync 0;", launch), NEREID_OK);
  assert_int_equal(n_events, 3 * each);
  for (size_t i = 0; i < n_events; ++i)
    assert_int_equal(events[i].cta[0], 2 + i / each);
  assert_int_equal(report.dropped, 0);
  launch.timeline.limit = each + 1;
  assert_int_equal(run("bar.sync 0;", launch), NEREID_OK);
  assert_int_equal(n_events, each + 1);
  assert_int_equal(report.dropped, 2 * each - 1);
}

/* Of a cluster, all CTAs are selected by default; the first one waits for the other. */
static void clusters_are_whole(void **state) {
  nereid_emulator_launch_t launch = launch_of(32, 4);
  (void)state;
  launch.cluster[0] = 2, launch.cluster[1] = launch.cluster[2] = 1;
  if (run("mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0; @%p1 bra $L1;\n" TEN
          "$L1: barrier.cluster.arrive; barrier.cluster.wait;\n",
          launch))
    fail_msg("%s", report.message.text);
  nereid_emulator_event_t waits[2] = {{0}, {0}};
  for (size_t i = 0; i < n_events; ++i) {
    assert_true(events[i].cta[0] < 2);
    if (events[i].kind == NEREID_EMULATOR_EVENT_BARRIER)
      waits[events[i].cta[0] % 2] = events[i];
  }
  assert_true(waits[0].end > 0);
  assert_int_equal(waits[1].begin, waits[0].begin + 10);
  assert_int_equal(waits[0].end, waits[1].begin); /* the end of the last arrival */
  assert_int_equal(waits[1].end, waits[1].begin + 1);
}

/* A deadlock: the wait is unfinished, and so is the copy that nothing waits for. */
static void failures_show_what_is_unfinished(void **state) {
  (void)state;
  assert_int_equal(run("mov.u32 %r2, smem; mbarrier.init.shared.b64 [%r2], 1;\n"
                       "$L0: mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0; @!%p1 bra $L0;\n",
                       launch_of(1, 1)),
                   NEREID_ERROR_PROGRAM);
  assert_non_null(strstr(report.message.text, "deadlock"));
  bool any = false;
  for (size_t i = 0; i < n_events; ++i)
    any |= events[i].kind == NEREID_EMULATOR_EVENT_MBARRIER && !events[i].complete;
  assert_true(any);
}

/* The same kernel with and without a timeline, under every schedule. */
static void results_are_the_same(void **state) {
  static const char *body =
      "mov.u32 %r2, smem; mov.u32 %r1, %tid.x; shl.b32 %r3, %r1, 4; add.u32 %r3, %r3, %r2; and.b32 %r5, %r1, 7;\n"
      "mul.wide.u32 %d1, %r5, 16; add.s64 %d2, %d9, %d1;\n"
      "cp.async.ca.shared.global [%r3], [%d2], 16; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;\n"
      "xor.b32 %r4, %r1, 33; shl.b32 %r4, %r4, 4; add.u32 %r4, %r4, %r2; ld.shared.b32 %r6, [%r4];\n"
      "add.u32 %r6, %r6, %r1; mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %d9, %d1; st.global.b32 [%d2+512], %r6;\n";
  uint32_t expected[256];
  (void)state;
  for (unsigned how = 0; how < 9; ++how) {
    nereid_emulator_launch_t launch = launch_of(64, 1);
    launch.schedule = (nereid_emulator_schedule_t)(how % 3);
    launch.landing = (nereid_emulator_landing_t)(how / 3);
    launch.seed = how;
    launch.event = NULL;
    if (run(body, launch))
      fail_msg("%s", report.message.text);
    assert_int_equal(n_events, 0);
    const nereid_emulator_counters_t counters = report.counters;
    memcpy(expected, data, sizeof data);
    launch.event = keep;
    assert_int_equal(run(body, launch), NEREID_OK);
    assert_memory_equal(expected, data, sizeof data);
    assert_memory_equal(&counters, &report.counters, sizeof counters);
    assert_true(n_events > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(barriers_wait_for_the_last_arrival),
      cmocka_unit_test(operations_are_in_flight_until_their_wait),
      cmocka_unit_test(groups_end_at_their_wait),
      cmocka_unit_test(ctas_and_numbers_are_limited),
      cmocka_unit_test(clusters_are_whole),
      cmocka_unit_test(failures_show_what_is_unfinished),
      cmocka_unit_test(results_are_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
