/* The race detector on accesses of the async proxy: wgmma, bulk copies, their fences and registers, tensor maps; and on
 * clusters. */
#include "test/emulator/race/races.h"

#define STORE_MINE "st.shared.b32 [" MINE "], 7;\n"
#define FENCE "fence.proxy.async.shared::cta;\n"
/* A at 0, rows of 32 bytes in atoms of 128 bytes; B after it. 128 threads' own words are in A. */
#define OPERANDS                                                                                                       \
  "mov.b64 %d1, 0x1000080000; mov.b64 %d2, 0x1000080080; setp.eq.u32 %p5, %r0, %r0; mov.u32 %r10, 0;"                  \
  "mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0;\n"
#define READY "wgmma.fence.sync.aligned;\n"
#define WGMMA "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r10,%r11,%r12,%r13}, %d1, %d2, %p5, 1, 1, 0, 0;\n"
#define DONE "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"

static void operands_are_fenced_by_who_wrote_them(void **state) {
  (void)state;
  RACES(128, OPERANDS STORE_MINE FENCE "bar.sync 0;\n" READY WGMMA DONE, "");
  RACES(128, OPERANDS STORE_MINE "bar.sync 0;\n" READY WGMMA DONE, "proxy 2 5");
  RACES(128, OPERANDS STORE_MINE "bar.sync 0;\n" FENCE READY WGMMA DONE, "proxy 2 6");
  RACES(128, OPERANDS FENCE STORE_MINE "bar.sync 0;\n" READY WGMMA DONE, "proxy 3 6");
  RACES(128, OPERANDS STORE_MINE FENCE READY WGMMA DONE, "race 5 2");
  RACES(128,
        OPERANDS "cp.async.ca.shared.global [" MINE "], [%d9], 4; cp.async.wait_all; bar.sync 0;\n" READY WGMMA DONE,
        "proxy 2 4");
  RACES(128,
        OPERANDS "cp.async.ca.shared.global [" MINE "], [%d9], 4; cp.async.wait_all;\n" FENCE
                 "bar.sync 0;\n" READY WGMMA DONE,
        "");
  RACES(128,
        OPERANDS "cp.async.ca.shared.global [" MINE "], [%d9], 4;\n" FENCE
                 "cp.async.wait_all; bar.sync 0;\n" READY WGMMA DONE,
        "proxy 2 6");
}

static void operands_stay_until_the_wait(void **state) {
  (void)state;
  RACES(128, OPERANDS READY WGMMA DONE "bar.sync 0;\n" STORE_MINE, "");
  RACES(128, OPERANDS READY WGMMA "bar.sync 0;\n" STORE_MINE DONE, "race 3 5");
  RACES(128, OPERANDS READY WGMMA DONE STORE_MINE, "race 3 5");
  /* the wait orders all lanes: each may overwrite bytes that the warp's wgmma has read, and release */
  RACES(128, OPERANDS READY WGMMA DONE "@%p1 " STORE_MINE, "");
  RACES(128,
        OPERANDS "@%p0 mbarrier.init.shared.b64 [%r0+4096], 1; bar.sync 0;\n" READY WGMMA DONE
                 "setp.eq.u32 %p3, %r70, 1; @%p3 mbarrier.arrive.shared.b64 %d5, [%r0+4096];\n"
                 "$W: mbarrier.try_wait.parity.shared.b64 %p2, [%r0+4096], 0; @!%p2 bra $W;\n"
                 "setp.eq.u32 %p3, %r70, 32; @%p3 st.shared.b32 [" OTHER "], 7;\n",
        "");
  RACES(128,
        OPERANDS READY WGMMA
        "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1; bar.sync 0;\n" STORE_MINE,
        "race 3 5");
}

static void registers_are_ruled(void **state) {
  (void)state;
  RACES(128, OPERANDS READY WGMMA DONE "add.u32 %r10, %r10, 1;", "");
  RACES(128, OPERANDS READY WGMMA "add.u32 %r9, %r10, 1;\n" DONE, "wgmma-reg 3 4");
  RACES(128, OPERANDS READY WGMMA "mov.u32 %r9, %r0;\n" DONE, "");
  RACES(128, OPERANDS READY WGMMA WGMMA DONE, "");
  RACES(128, OPERANDS WGMMA DONE, "wgmma-reg 2 2, wgmma-reg 1 2");
  RACES(128, OPERANDS READY WGMMA DONE "add.u32 %r10, %r10, 1;\n" WGMMA DONE, "wgmma-reg 5 6");
  RACES(128, OPERANDS READY WGMMA DONE "add.u32 %r10, %r10, 1;\n" READY WGMMA DONE, "");
}

#define INIT "@%p0 mbarrier.init.shared.b64 [%r0+4096], 1; bar.sync 0;\n"
#define LOAD                                                                                                           \
  "@%p0 mbarrier.arrive.expect_tx.shared.b64 %d5, [%r0+4096], 512;\n"                                                  \
  "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%d9], 512, [%r0+4096];\n"
#define WAIT "$W: mbarrier.try_wait.parity.shared.b64 %p2, [%r0+4096], 0; @!%p2 bra $W;\n"
#define LOAD_MINE "ld.shared.b32 %r2, [" MINE "];\n"

static void bulk_loads_end_with_their_phase(void **state) {
  (void)state;
  RACES(128, INIT LOAD WAIT LOAD_MINE, "");
  RACES(128, INIT LOAD LOAD_MINE, "race 4 3");
  RACES(128, INIT LOAD "bar.sync 0;\n" LOAD_MINE, "race 3 5");
  /* overwritten bytes must have been read, and fenced after their writes */
  RACES(128, INIT LOAD_MINE "bar.sync 0;\n" LOAD WAIT, "");
  RACES(128, INIT LOAD_MINE LOAD WAIT, "race 2 4");
  RACES(128, INIT STORE_MINE "bar.sync 0;\n" LOAD WAIT, "proxy 2 5");
  RACES(128, INIT STORE_MINE FENCE "bar.sync 0;\n" LOAD WAIT, "");
  RACES(128, INIT LOAD WAIT "st.global.b32 [%d9], 7;\n", "");
  RACES(128, INIT LOAD "@%p0 st.global.b32 [%d9], 7;\n" WAIT, "race 3 4");
  /* written by the async proxy: wgmma requires no fence */
  RACES(128, OPERANDS INIT LOAD WAIT READY WGMMA DONE, "");
}

#define STORE                                                                                                          \
  "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%d9], [%r0], 512;\n"                                              \
  "@%p0 cp.async.bulk.commit_group;\n"

static void bulk_stores_end_at_their_wait(void **state) {
  (void)state;
  RACES(128, STORE_MINE FENCE "bar.sync 0;\n" STORE "@%p0 cp.async.bulk.wait_group.read 0; bar.sync 0;\n" STORE_MINE,
        "");
  RACES(128, STORE_MINE "bar.sync 0;\n" STORE, "proxy 1 3");
  RACES(128, STORE_MINE FENCE STORE, "race 1 3");
  RACES(128, STORE_MINE FENCE "bar.sync 0;\n" STORE "bar.sync 0;\n" STORE_MINE, "race 4 7");
  RACES(128, STORE "@%p0 cp.async.bulk.wait_group.read 0;\n@%p0 ld.global.b32 %r2, [%d9];", "race 1 4");
  RACES(128, STORE "@%p0 cp.async.bulk.wait_group 0;\n@%p0 ld.global.b32 %r2, [%d9];", "");
  /* reductions do not race with each other */
  RACES_OF_CTAS(2, 32, "@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d9], [%r0], 512;", "");
  RACES_OF_CTAS(2, 32, "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%d9], [%r0], 512;", "race 1 1");
}

/* A fence of one state space is not one of the other. */
static void fences_have_state_spaces(void **state) {
#define STORE_SOURCE "@!%p0 st.global.b32 [%d9], 7;\n"
  (void)state;
  RACES(128, INIT STORE_SOURCE "bar.sync 0;\n" LOAD WAIT, "proxy 2 5");
  RACES(128, INIT STORE_SOURCE FENCE "bar.sync 0;\n" LOAD WAIT, "proxy 2 6");
  RACES(128, INIT STORE_SOURCE "fence.proxy.async.global; bar.sync 0;\n" LOAD WAIT, "");
  RACES(128, INIT STORE_SOURCE "fence.proxy.async; bar.sync 0;\n" LOAD WAIT, "");
  RACES(128, INIT STORE_SOURCE "bar.sync 0;\nfence.proxy.async.global;\n" LOAD WAIT, "proxy 2 6");
  RACES(128, INIT STORE_MINE "fence.proxy.async.global; bar.sync 0;\n" LOAD WAIT, "proxy 2 5");
  RACES(128, INIT STORE_MINE "fence.proxy.async; bar.sync 0;\n" LOAD WAIT, "");
}

static void clusters_meet(void **state) {
#define REMOTE "mov.u32 %r5, %cluster_ctarank; xor.b32 %r5, %r5, 1; mapa.shared::cluster.u32 %r6, " MINE ", %r5;\n"
#define SEND "st.shared::cluster.b32 [%r6], 7;\n"
  (void)state;
  assert_string_equal(races_of_cluster(REMOTE SEND "barrier.cluster.arrive; barrier.cluster.wait;\n" LOAD_MINE
                                                   "barrier.cluster.arrive; barrier.cluster.wait;",
                                       64, 2, 2),
                      "");
  assert_string_equal(races_of_cluster(REMOTE SEND "barrier.cluster.arrive.relaxed; barrier.cluster.wait;\n" LOAD_MINE
                                                   "barrier.cluster.arrive; barrier.cluster.wait;",
                                       64, 2, 2),
                      "race 2 4");
  assert_string_equal(
      races_of_cluster(REMOTE SEND "bar.sync 0;\n" LOAD_MINE "barrier.cluster.arrive; barrier.cluster.wait;", 64, 2, 2),
      "race 4 2");
}

/* A map of 512 bytes in boxes of 64, made in global memory by thread 0, on one line. */
#define SET(field, value) "@%p0 tensormap.replace.tile." field ".global.b1024" value ";"
#define MAKE                                                                                                           \
  "add.s64 %d6, %d9, 2048; add.s64 %d5, %d9, 4096; mov.u32 %r6, 64; mov.u32 %r7, 512; mov.u32 %r8, 1;" SET(            \
      "global_address", ".b64 [%d6], %d5") SET("rank", ".b32 [%d6], 0") SET("box_dim", ".b32 [%d6], 0, %r6")           \
      SET("global_dim", ".b32 [%d6], 0, %r7") SET("element_stride", ".b32 [%d6], 0, %r8")                              \
          SET("elemtype", ".b32 [%d6], 0") SET("interleave_layout", ".b32 [%d6], 0")                                   \
              SET("swizzle_mode", ".b32 [%d6], 0") SET("fill_mode", ".b32 [%d6], 0") "\n"
#define RELEASE "@%p0 fence.proxy.tensormap::generic.release.gpu;\n"
#define ACQUIRE "fence.proxy.tensormap::generic.acquire.gpu [%d6], 128;\n"
#define USE "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%d6, {0}], [%r0];\n"
#define THREAD_32 "setp.eq.u32 %p3, %r70, 32;\n"

static void maps_are_handed_over(void **state) {
  (void)state;
  RACES(64, MAKE RELEASE "bar.sync 0;\n" ACQUIRE "@%p0 " USE, "");
  RACES(64, MAKE "bar.sync 0;\n" ACQUIRE "@%p0 " USE, "tensor-map 1 4");
  RACES(64, MAKE RELEASE "bar.sync 0;\n@%p0 " USE, "tensor-map 1 4");
  RACES(64, MAKE RELEASE "bar.sync 0;\n" THREAD_32 "@%p3 " ACQUIRE "@%p3 " USE, "");
  /* the acquire must be ordered before the use, not only earlier in this run, and the release before the acquire */
  RACES(64, MAKE RELEASE "bar.sync 0;\n" THREAD_32 "@%p0 " ACQUIRE "@%p3 " USE, "tensor-map 1 6");
  RACES(64, MAKE RELEASE "bar.sync 0;\n" THREAD_32 "@%p0 " ACQUIRE "bar.sync 0;\n@%p3 " USE, "");
  RACES(64, MAKE "@%p0 " ACQUIRE RELEASE "bar.sync 0;\n" THREAD_32 "@%p3 " USE, "tensor-map 1 6");
  RACES_OF_CTAS(2, 32, MAKE RELEASE "@%p0 " ACQUIRE "@%p0 " USE, "race 1 1, race 4 1, race 4 4");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operands_are_fenced_by_who_wrote_them),
      cmocka_unit_test(operands_stay_until_the_wait),
      cmocka_unit_test(registers_are_ruled),
      cmocka_unit_test(bulk_loads_end_with_their_phase),
      cmocka_unit_test(bulk_stores_end_at_their_wait),
      cmocka_unit_test(fences_have_state_spaces),
      cmocka_unit_test(clusters_meet),
      cmocka_unit_test(maps_are_handed_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
