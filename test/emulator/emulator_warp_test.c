/* Control flow, lanes, memory, barriers and schedules of the emulator, and its reports. */
#include "test/emulator/emulate.h"

#include <string.h>

static nereid_emulator_report_t report;

static nereid_status_t run(const char *body, uint32_t *data, size_t bytes, uint32_t threads,
                           nereid_emulator_schedule_t schedule) {
  return emulate_text(emulate_kernel(body), (uint64_t *)(void *)data, bytes, threads, schedule, &report);
}

#define TID "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %d9, %d1;\n"

static void lanes_diverge_and_meet(void **state) {
  static const char body[] = TID "mov.u32 %r2, 0; setp.lt.u32 %p1, %r1, 5; @%p1 bra $A; mov.u32 %r2, 7; bra $B;\n"
                                 "$A: mov.u32 %r2, 3; $L: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %r1;\n"
                                 "@%p2 bra $L; $B: activemask.b32 %r3; add.u32 %r2, %r2, %r3;\n"
                                 "st.global.b32 [%d2], %r2;";
  uint32_t data[32] = {0};
  (void)state;
  assert_int_equal(run(body, data, sizeof data, 32, NEREID_EMULATOR_ROUND_ROBIN), NEREID_OK);
  for (uint32_t i = 0; i < 32; ++i)
    assert_int_equal(data[i], i < 5 ? 3 : 6); /* 4 or 7, plus all lanes: -1 */
}

static void lanes_exchange(void **state) {
  static const char body[] = TID "shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; shfl.sync.up.b32 %r3|%p1, %r1, 2, 0, -1;\n"
                                 "vote.sync.ballot.b32 %r4, %p1, -1; redux.sync.add.s32 %r5, %r1, -1;\n"
                                 "mul.lo.u32 %r2, %r2, 1000; add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r5;\n"
                                 "add.u32 %r2, %r2, %r4; st.global.b32 [%d2], %r2;";
  uint32_t data[32] = {0};
  (void)state;
  assert_int_equal(run(body, data, sizeof data, 32, NEREID_EMULATOR_ROUND_ROBIN), NEREID_OK);
  for (uint32_t i = 0; i < 32; ++i)
    assert_int_equal(data[i], (i ^ 1) * 1000 + (i < 2 ? i : i - 2) + 496 + 0xfffffffc);
}

/* Warps exchange data through shared memory: the result is the same under every schedule. */
static void barriers_hold(void **state) {
  static const char body[] =
      TID "mov.u32 %r2, smem; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; st.shared.b32 [%r3], %r1;\n"
          "bar.sync 0; xor.b32 %r4, %r1, 127; shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r2;\n"
          "ld.shared.b32 %r5, [%r4]; st.global.b32 [%d2], %r5;";
  (void)state;
  for (int schedule = 0; schedule < 3; ++schedule) {
    uint32_t data[128] = {0};
    assert_int_equal(run(body, data, sizeof data, 128, (nereid_emulator_schedule_t)schedule), NEREID_OK);
    for (uint32_t i = 0; i < 128; ++i)
      assert_int_equal(data[i], i ^ 127);
    assert_int_equal(report.counters.barriers, 1);
    assert_int_equal(report.counters.shared_wavefronts[0], 4);
    assert_int_equal(report.counters.global_sectors[1], 16);
  }
}

static void atomics_return_what_was_there(void **state) {
  static const char body[] = TID "atom.global.add.u32 %r2, [%d9], 1; bar.sync 0; st.global.b32 [%d2+4], %r2;";
  uint32_t data[33] = {0};
  (void)state;
  assert_int_equal(run(body, data, sizeof data, 32, NEREID_EMULATOR_ROUND_ROBIN), NEREID_OK);
  assert_int_equal(data[0], 32);
  for (uint32_t i = 0; i < 32; ++i)
    assert_int_equal(data[1 + i], i);
}

static void blocks_have_their_own_names(void **state) {
  static const char body[] = TID "mov.u32 %r2, 1; { .reg .b32 %r<3>; mov.u32 %r2, 5; bra $X; $X: } { bra $X; $X: }\n"
                                 "st.global.b32 [%d2], %r2;";
  uint32_t data[32] = {0};
  (void)state;
  assert_int_equal(run(body, data, sizeof data, 32, NEREID_EMULATOR_ROUND_ROBIN), NEREID_OK);
  assert_int_equal(data[9], 1);
}

static void packing(void **state) {
  (void)state;
  assert_true(D("mov.b64 %d0, {%r1, %r2};", 1, 2, 0) == UINT64_C(0x200000001));
  assert_int_equal(R("mov.b64 {_, %r0}, %d1;", UINT64_C(0x500000001), 0, 0), 5);
  assert_int_equal(R("mov.b32 %r0, {%h1, %h2};", 0x1111, 0x2222, 0), 0x22221111);
}

/* A matrix through stmatrix.trans and ldmatrix is transposed: lane 4 r + c has (2 c, r) and (2 c + 1, r). */
static void matrices(void **state) {
  static const char body[] =
      TID "shl.b32 %r2, %r1, 1; or.b32 %r3, %r2, 1; shl.b32 %r3, %r3, 16; or.b32 %r2, %r2, %r3;\n"
          "mov.u32 %r4, smem; and.b32 %r5, %r1, 7; mad.lo.u32 %r4, %r5, 16, %r4;\n"
          "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r4], {%r2};\n"
          "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [%r4]; st.global.b32 [%d2], %r6;";
  uint32_t data[32] = {0};
  (void)state;
  assert_int_equal(run(body, data, sizeof data, 32, NEREID_EMULATOR_ROUND_ROBIN), NEREID_OK);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t r = lane / 4, c = lane % 4;
    assert_int_equal(data[lane], (2 * c * 8 + r) | ((2 * c + 1) * 8 + r) << 16);
  }
}

static void expect(const char *body, const char *sentence) {
  uint32_t data[32] = {0};
  assert_int_equal(run(body, data, sizeof data, 32, NEREID_EMULATOR_ROUND_ROBIN), NEREID_ERROR_PROGRAM);
  if (!strstr(report.message.text, sentence))
    fail_msg("'%s' is not in '%s'", sentence, report.message.text);
}

static void faults_are_located(void **state) {
  (void)state;
  expect(TID "ld.global.b32 %r2, [%d2+4];", "t.ptx:13: ld.global.b32: thread (31,0,0) of CTA (0,0,0): 4 bytes at");
  expect(TID "ld.global.b32 %r2, [%d2+4];", "byte 128 of data, which has 128 bytes");
  expect(TID "ld.global.b64 %d3, [%d2];", "thread (1,0,0) of CTA (0,0,0): the address");
  expect("ld.shared.b32 %r1, [smem+1024];", "shared memory has 1024 bytes");
  expect(TID "setp.lt.u32 %p1, %r1, 4; @%p1 bar.sync 0;", "only part of the warp reaches it: lanes 0x0000000f");
  expect(TID "setp.lt.u32 %p1, %r1, 4; @%p1 bra $A; bar.sync 0; bra $B; $A: bar.sync 1; $B:", "only part of the warp");
  expect("bar.sync 0, 64;", "deadlock");
  expect("trap;", "the kernel traps");
}

/* Lanes 0 to 7 shuffle among themselves while 8 to 15 wait for the others, which arrive later. No lane continues
 * twice. */
static void some_lanes_wait_for_others(void **state) {
  static const char body[] =
      TID "mov.u32 %r2, 0; mov.u32 %r6, 0xff; setp.gt.u32 %p1, %r1, 15; @%p1 bra $LATE;\n"
          "setp.gt.u32 %p2, %r1, 7; selp.b32 %r6, 0xffffff00, 0xff, %p2; bra $ALL;\n"
          "$BACK: add.u32 %r2, %r2, 100; mov.u32 %r6, 0xffffff00; bra $ALL;\n"
          "$ALL: shfl.sync.bfly.b32 %r3, %r1, 1, 31, %r6; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, %r3;\n"
          "st.global.b32 [%d2], %r2; bra $END; $LATE: add.u32 %r2, %r2, 1000; bra $BACK; $END:";
  uint32_t data[32] = {0};
  (void)state;
  for (int schedule = 0; schedule < 3; ++schedule) {
    assert_int_equal(run(body, data, sizeof data, 32, (nereid_emulator_schedule_t)schedule), NEREID_OK);
    for (uint32_t i = 0; i < 32; ++i)
      assert_int_equal(data[i], (i > 15 ? 1100 : 0) + 1 + (i ^ 1));
    assert_int_equal(report.counters.thread_instructions[NEREID_EMULATOR_CLASS_WARP], 32);
  }
}

/* One warp, with a limit of instructions. */
static nereid_status_t limited(const char *body, uint64_t steps) {
  uint32_t data[32] = {0};
  nereid_emulator_launch_t launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .steps = steps};
  return emulate_launch(emulate_kernel(body), data, sizeof data, launch, &report);
}

static void steps_are_limited(void **state) {
  static const char loop[] = "mov.u32 %r1, 0; $L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 100; @%p1 bra $L;";
  const uint64_t needs = 1 + 1 + 300 + 1; /* ld.param, mov, the loop, ret */
  (void)state;
  assert_int_equal(limited("$L: bra $L;", 1000), NEREID_ERROR_PROGRAM);
  assert_non_null(strstr(report.message.text,
                         "t.ptx:12: bra: thread (0,0,0) of CTA (0,0,0): the warp reached the limit of "
                         "1000 instructions"));
  assert_int_equal(limited(loop, needs), NEREID_OK);
  assert_int_equal(report.warp_instructions, needs);
  assert_int_equal(limited(loop, needs - 1), NEREID_ERROR_PROGRAM);
  assert_non_null(strstr(report.message.text, "t.ptx:13: ret"));
}

static void malformed_texts_are_located(void **state) {
  (void)state;
  expect("tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r1}, [%r2];",
         "t.ptx:12: tcgen05.ld.sync.aligned.16x64b.x1.b32 is not emulated");
  expect("tex.1d.v4.f32.s32 {%r1}, [x, {%r2}];", "t.ptx:12: tex.1d");
  expect("add.s32 %r1, %r2;", "t.ptx:12: expected ','");
  expect("add.s32 %r1, %r2, %r99;", "'%r99' is not declared");
  expect("add.s32 %d1, %r2, %r3;", "'%d1' has 64 bits, the operand 32");
  expect("bra $nowhere;", "no label '$nowhere'");
  expect("add.s32 %r1, %r2, 0f3F800000;", "another type");
  expect("add.full.s32 %r1, %r2, %r3;", "add.full.s32 is not emulated");
  expect("setp.lt.gt.s32 %p1, %r2, %r3;", "conflicting modifiers");
}

static void lines_behind_a_function_with_branches_are_right(void **state) {
  (void)state;
  assert_int_equal(
      run("bra $A;\n\n\n$A: ret;\n}\n.func f()\n{\nmov.b17 %r1, 0;", NULL, 0, 1, NEREID_EMULATOR_ROUND_ROBIN),
      NEREID_ERROR_PROGRAM);
  assert_non_null(strstr(report.message.text, "t.ptx:19:"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_diverge_and_meet),
      cmocka_unit_test(lanes_exchange),
      cmocka_unit_test(lines_behind_a_function_with_branches_are_right),
      cmocka_unit_test(barriers_hold),
      cmocka_unit_test(atomics_return_what_was_there),
      cmocka_unit_test(blocks_have_their_own_names),
      cmocka_unit_test(packing),
      cmocka_unit_test(matrices),
      cmocka_unit_test(faults_are_located),
      cmocka_unit_test(some_lanes_wait_for_others),
      cmocka_unit_test(steps_are_limited),
      cmocka_unit_test(malformed_texts_are_located),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
