/* Virtual registers that share a slot: random programs with branches, loops, guarded writes and divergent lanes,
 * against the same programs executed here lane by lane without sharing. */
#include "test/emulator/emulate.h"

#include <string.h>

enum { LANES = 32, REGISTERS = 30, PREDICATES = 5, LENGTH = 60, PROGRAMS = 400, FUEL = 40 };

typedef struct step {
  enum { SET, ADD, XOR, GUARDED, COMPARE, BRANCH } kind;
  uint32_t d, a, b, p, target, negated;
} step_t;

static uint32_t state = 1;

static uint32_t below(uint32_t n) {
  state = state * 1664525 + 1013904223;
  return (state >> 8) % n;
}

/* Mostly nearby registers, so that live ranges are short. */
static uint32_t near(uint32_t i) {
  return (i / 2 + below(6)) % REGISTERS;
}

static void make(step_t *steps) {
  for (uint32_t i = 0; i < LENGTH; ++i) {
    steps[i] = (step_t){.kind = below(6),
                        .d = near(i),
                        .a = near(i),
                        .b = near(i),
                        .p = below(PREDICATES),
                        .target = below(LENGTH + 1),
                        .negated = below(2)};
  }
}

static size_t write_step(char *text, size_t room, const step_t *s, uint32_t i) {
  const char *no = s->negated ? "!" : "";
  int n = snprintf(text, room, "$S%u: ", i);
  text += n;
  room -= (size_t)n;
  switch (s->kind) {
  case SET:
    return (size_t)(n + snprintf(text, room, "add.u32 %%x%u, %%r1, %u;\n", s->d, s->b));
  case ADD:
    return (size_t)(n + snprintf(text, room, "add.u32 %%x%u, %%x%u, %%x%u;\n", s->d, s->a, s->b));
  case XOR:
    return (size_t)(n + snprintf(text, room, "xor.b32 %%x%u, %%x%u, %%x%u;\n", s->d, s->a, s->b));
  case GUARDED:
    return (size_t)(n +
                    snprintf(text, room, "@%s%%q%u mad.lo.u32 %%x%u, %%x%u, 3, %%x%u;\n", no, s->p, s->d, s->a, s->b));
  case COMPARE:
    return (size_t)(n + snprintf(text, room, "and.b32 %%x%u, %%x%u, 12; setp.gt.u32 %%q%u|%%q%u, %%x%u, %%x%u;\n", s->a,
                                 s->a, s->p, (s->p + 1) % PREDICATES, s->a, s->b));
  case BRANCH: /* while there is fuel */
    return (size_t)(n + snprintf(text, room,
                                 "sub.u32 %%r2, %%r2, 1; setp.ne.u32 %%p1, %%r2, 0; @%%p1 bra $T%u; bra $S%u;\n"
                                 "$T%u: @%s%%q%u bra $S%u;\n",
                                 i, (uint32_t)LENGTH, i, no, s->p, s->target));
  }
  return 0;
}

static const char *write(const step_t *steps) {
  static char body[12288];
  size_t at = (size_t)snprintf(body, sizeof body,
                               "mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d1, %%r1, 4; add.s64 %%d2, %%d9, %%d1;\n"
                               "{ .reg .b32 %%x<%d>; .reg .pred %%q<%d>; mov.u32 %%r2, %d;\n",
                               REGISTERS, PREDICATES, FUEL);
  for (uint32_t i = 0; i < LENGTH; ++i)
    at += write_step(body + at, sizeof body - at, &steps[i], i);
  snprintf(body + at, sizeof body - at,
           "$S%d: mad.lo.u32 %%x3, %%x3, 7, %%x17; mad.lo.u32 %%x3, %%x3, 7, %%x29; st.global.b32 [%%d2], %%x3; }\n",
           LENGTH);
  return body;
}

static uint32_t simulate(const step_t *steps, uint32_t lane) {
  uint32_t x[REGISTERS] = {0}, q[PREDICATES] = {0}, fuel = FUEL;
  for (uint32_t pc = 0; pc < LENGTH; ++pc) {
    const step_t *s = &steps[pc];
    switch (s->kind) {
    case SET:
      x[s->d] = lane + s->b;
      break;
    case ADD:
      x[s->d] = x[s->a] + x[s->b];
      break;
    case XOR:
      x[s->d] = x[s->a] ^ x[s->b];
      break;
    case GUARDED:
      x[s->d] = q[s->p] != s->negated ? x[s->a] * 3 + x[s->b] : x[s->d];
      break;
    case COMPARE:
      x[s->a] &= 12;
      q[s->p] = x[s->a] > x[s->b];
      q[(s->p + 1) % PREDICATES] = !q[s->p];
      break;
    case BRANCH:
      if (--fuel == 0)
        pc = LENGTH - 1;
      else if (q[s->p] != s->negated)
        pc = s->target - 1;
      break;
    }
  }
  return (x[3] * 7 + x[17]) * 7 + x[29];
}

static void registers_share_places(void **unused) {
  step_t steps[LENGTH];
  (void)unused;
  for (uint32_t i = 0; i < PROGRAMS; ++i) {
    uint32_t data[LANES];
    nereid_emulator_report_t report;
    make(steps);
    if (emulate_text(emulate_kernel(write(steps)), (uint64_t *)(void *)data, sizeof data, LANES,
                     (nereid_emulator_schedule_t)(i % 3), &report))
      fail_msg("program %u: %s", i, report.message.text);
    for (uint32_t lane = 0; lane < LANES; ++lane)
      if (data[lane] != simulate(steps, lane))
        fail_msg("program %u, lane %u: %u, not %u\n%s", i, lane, data[lane], simulate(steps, lane), write(steps));
  }
}

static void every_width_has_its_room(void **unused) {
  static const char body[] =
      "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %d9, %d1; setp.lt.u32 %p1, %r1, 7;\n"
      "{ .reg .b128 %q<2>; .reg .b8 %c; add.u64 %d3, %d1, 1; mov.b128 %q0, {%d3, %d1}; mov.b128 %q1, {%d1, %d3};\n"
      "setp.gt.u32 %p2, %r1, 20; cvt.u16.u32 %h1, %r1; mov.b128 {%d4, %d5}, %q0; mov.b128 {%d6, %d7}, %q1;\n"
      "sub.u64 %d4, %d4, %d5; sub.u64 %d6, %d7, %d6; cvt.u32.u16 %r2, %h1; }\n"
      "mad.lo.u64 %d4, %d4, 100, %d6; cvt.u32.u64 %r3, %d4; mad.lo.u32 %r2, %r2, 1000, %r3;\n"
      "@%p1 add.u32 %r2, %r2, 200; @%p2 add.u32 %r2, %r2, 300; st.global.b32 [%d2], %r2;";
  uint32_t data[LANES];
  nereid_emulator_report_t report;
  (void)unused;
  if (emulate_text(emulate_kernel(body), (uint64_t *)(void *)data, sizeof data, LANES, NEREID_EMULATOR_ROUND_ROBIN,
                   &report))
    fail_msg("%s", report.message.text);
  for (uint32_t i = 0; i < LANES; ++i)
    assert_int_equal(data[i], i * 1000 + 101 + (i < 7 ? 200 : i > 20 ? 300 : 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(registers_share_places),
                                     cmocka_unit_test(every_width_has_its_room)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
