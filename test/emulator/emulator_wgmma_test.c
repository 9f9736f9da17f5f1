/* wgmma of every type against sums over the layouts of the PTX ISA (Shared Memory Matrix Layout, Register Fragments),
 * on values with exact sums: swizzles, K-major and MN-major operands, A in registers, scales, landing times. */
#include "test/emulator/matrices.h"

#include <stdlib.h>

enum { SHARED = 98304, B_AT = 49152, THREADS = 128 };

typedef struct form {
  const char *d, *a, *b, *last;
  unsigned n, k, swizzle;                                        /* swizzle: the descriptor's code */
  bool a_registers, a_turned, b_turned, drops, minus_a, minus_b; /* drops: scale-d is 0 */
  unsigned ahead; /* offset of the operands in their swizzled rows, in K-major k steps */
} form_t;

static double left[64][256], right[256][256], plus[64][256]; /* column offset */
static uint8_t shared[SHARED];
static uint32_t words[THREADS][4 + 128];
static nereid_emulator_report_t report;

/* Writes A's rows or B's columns to the operand at `at`; returns its descriptor. An atom has 8 rows; rows in the same
 * 128 bytes have the same swizzle: chunk c of the i-th 128 bytes is stored at chunk c ^ i. */
static uint64_t put_operand(const form_t *form, const char *type, double (*rows)[256], unsigned count, bool turned,
                            unsigned at) {
  static const unsigned chunks_of[] = {1, 8, 4, 2};
  unsigned chunks = chunks_of[form->swizzle], bits = element_bits(type), per = 128 / bits, atom = 128 * chunks;
  unsigned leading = 16, stride = atom, ahead = 0;
  if (!turned && chunks == 1) /* strides between the two chunks of k, and between groups of 8 rows */
    leading = 128 * (count / 8) + 256, stride = 128;
  if (turned)
    leading = chunks == 1 ? 128 * (count / 8 + 1) : 2 * atom, stride = chunks == 1 ? 128 : atom;
  if (!turned && chunks > 2)
    ahead = form->ahead % (chunks / 2);
  for (unsigned row = 0; row < count; ++row)
    for (unsigned k = 0; k < form->k; ++k) {
      unsigned major = turned ? row : k + ahead * 2 * per, minor = turned ? k : row; /* along chunks, across them */
      unsigned place = major / per % chunks ^ (minor % 8 * chunks / 8), base;
      if (turned)
        base = chunks == 1 ? major / per * stride + minor / 8 * leading
                           : major / per / chunks * leading + minor / 8 * stride;
      else
        base = minor / 8 * stride + (chunks == 1 ? k / per * leading : 0);
      put_element(shared + at + base + minor % 8 * 16 * chunks + place * 16, major % per, bits,
                  element_of(type, rows[row][k]));
    }
  return (at + ahead * 32) >> 4 | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
         (uint64_t)form->swizzle << 62;
}

static unsigned d_registers(const form_t *form) {
  return form->n / 2 * element_bits(form->d) / 32;
}

/* The row and column of slot i of a thread's accumulators. */
static void place_d(unsigned thread, unsigned i, unsigned *row, unsigned *column) {
  unsigned lane = thread % 32;
  *row = thread / 32 * 16 + lane / 4 + 8 * (i / 2 % 2);
  *column = i / 4 * 8 + lane % 4 * 2 + i % 2;
}

static int instruction(const form_t *form, char *out, size_t size, uint64_t a, uint64_t b) {
  char d_list[2048], a_list[64];
  bool integer = strcmp(form->d, "s32") == 0;
  list_text(d_list, sizeof d_list, 'x', 4, d_registers(form));
  if (form->a_registers)
    list_text(a_list, sizeof a_list, 'x', 0, 4);
  else
    snprintf(a_list, sizeof a_list, "%%a");
  int n = snprintf(out, size,
                   "mov.b64 %%a, 0x%llx; mov.b64 %%b, 0x%llx; add.u64 %%a, %%a, %%d4; add.u64 %%b, %%b, %%d4;\n"
                   "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s%s %s, %s, %%b, %d",
                   (unsigned long long)a, (unsigned long long)b, form->n, form->k, form->d, form->a, form->b,
                   form->last, d_list, a_list, !form->drops);
  if (!integer)
    n += snprintf(out + n, size - (size_t)n, ", %d, %d", form->minus_a ? -1 : 1, form->minus_b ? -1 : 1);
  if (form->k == 16 && !form->a_registers)
    n += snprintf(out + n, size - (size_t)n, ", %d", form->a_turned);
  if (form->k == 16)
    n += snprintf(out + n, size - (size_t)n, ", %d", form->b_turned);
  return n + snprintf(out + n, size - (size_t)n, ";\n");
}

/* Fills shared memory and registers from memory, runs `middle` and stores the registers. */
static nereid_status_t run_text(const char *middle, unsigned registers, nereid_emulator_landing_t landing) {
  static char text[65536];
  nereid_emulator_program_t *program = NULL;
  nereid_emulator_memory_t *memory = NULL;
  uint64_t addresses[2];
  int n = snprintf(text, sizeof text,
                   ".version 8.7\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n"
                   ".visible .entry t(.param .u64 t_0, .param .u64 t_1)\n{\n.reg .pred %%p<4>;\n.reg .b32 %%x<140>;\n"
                   ".reg .b32 %%r<20>;\n.reg .b64 %%d<10>, %%a, %%b;\nld.param.b64 %%d1, [t_0];\n"
                   "ld.param.b64 %%d2, [t_1];\nmov.u32 %%r1, %%tid.x;\nshl.b32 %%r2, %%r1, 2;\n"
                   "$fill: cvt.u64.u32 %%d3, %%r2; add.u64 %%d3, %%d3, %%d1; ld.global.b32 %%r3, [%%d3];\n"
                   "mov.u32 %%r4, smem; add.u32 %%r4, %%r4, %%r2; st.shared.b32 [%%r4], %%r3;\n"
                   "add.u32 %%r2, %%r2, 512; setp.lt.u32 %%p1, %%r2, %d; @%%p1 bra $fill;\n"
                   "fence.proxy.async.shared::cta; bar.sync 0; mad.wide.u32 %%d3, %%r1, 528, %%d2;\n"
                   "mov.u32 %%r4, smem; shr.u32 %%r4, %%r4, 4; cvt.u64.u32 %%d4, %%r4;\n",
                   SHARED);
  for (unsigned i = 0; i < 4 + registers; ++i)
    n += snprintf(text + n, sizeof text - (size_t)n, "ld.global.b32 %%x%u, [%%d3+%u];\n", i, i * 4);
  n += snprintf(text + n, sizeof text - (size_t)n, "%s", middle);
  for (unsigned i = 4; i < 4 + registers; ++i)
    n += snprintf(text + n, sizeof text - (size_t)n, "st.global.b32 [%%d3+%u], %%x%u;\n", i * 4, i);
  snprintf(text + n, sizeof text - (size_t)n, "ret;\n}\n");
  report = (nereid_emulator_report_t){0};
  nereid_status_t status = nereid_emulator_load(nereid_view(text), "t.ptx", &program, &report.message);
  if (status)
    return status;
  assert_int_equal(nereid_emulator_memory_create(&memory), NEREID_OK);
  assert_int_equal(nereid_emulator_memory_add(memory, shared, sizeof shared, 16, "shared", &addresses[0]), NEREID_OK);
  assert_int_equal(nereid_emulator_memory_add(memory, words, sizeof words, 16, "words", &addresses[1]), NEREID_OK);
  nereid_emulator_launch_t launch = {.grid = {1, 1, 1},
                                     .block = {THREADS, 1, 1},
                                     .shared_bytes = SHARED,
                                     .parameters = addresses,
                                     .parameter_bytes = sizeof addresses,
                                     .memory = memory,
                                     .landing = landing,
                                     .seed = 3};
  status = nereid_emulator_run(nereid_emulator_kernel(program, "t"), &launch, &report);
  nereid_emulator_memory_destroy(memory);
  nereid_emulator_unload(program);
  return status;
}

static void fill(const form_t *form, unsigned seed) {
  for (unsigned m = 0; m < 64; ++m)
    for (unsigned k = 0; k < form->k; ++k)
      left[m][k] = small_number(form->a, &seed);
  for (unsigned n = 0; n < form->n; ++n)
    for (unsigned k = 0; k < form->k; ++k)
      right[n][k] = small_number(form->b, &seed);
  for (unsigned m = 0; m < 64; ++m)
    for (unsigned n = 0; n < form->n; ++n)
      plus[m][n] = small_number(form->d, &seed);
}

/* A as the registers of the four warps: of each word, the elements from column (t + 4 (r / 2)) * e on, e per word. */
static void put_registers(const form_t *form) {
  unsigned bits = element_bits(form->a), per = 32 / bits;
  for (unsigned thread = 0; thread < THREADS; ++thread) {
    for (unsigned i = 0; i < 4 * per; ++i) {
      unsigned r = i / per, row = thread / 32 * 16 + thread % 32 / 4 + 8 * (r % 2);
      unsigned column = (thread % 4 + r / 2 * 4) * per + i % per;
      put_element(words[thread], i, bits, element_of(form->a, left[row][column]));
    }
    for (unsigned i = 0; i < form->n / 2; ++i) {
      unsigned row, column;
      place_d(thread, i, &row, &column);
      put_element(words[thread] + 4, i, element_bits(form->d), element_of(form->d, plus[row][column]));
    }
  }
}

static double expected(const form_t *form, unsigned row, unsigned column, unsigned times) {
  double sum = 0, sign = form->minus_a != form->minus_b ? -1 : 1;
  for (unsigned k = 0; k < form->k; ++k)
    sum += left[row][k] * right[column][k];
  return (form->drops ? 0 : plus[row][column]) + sign * sum * (form->drops ? 1 : times);
}

static void check_d(const form_t *form, unsigned times) {
  unsigned bits = element_bits(form->d);
  for (unsigned thread = 0; thread < THREADS; ++thread)
    for (unsigned i = 0; i < form->n / 2; ++i) {
      unsigned row, column;
      place_d(thread, i, &row, &column);
      uint64_t have = get_element(words[thread] + 4, i, bits);
      uint64_t want = element_of(form->d, expected(form, row, column, times));
      if (have != want)
        fail_msg("m64n%uk%u.%s.%s.%s swizzle %u, registers %d, turned %d %d: (%u, %u): 0x%llx, not 0x%llx", form->n,
                 form->k, form->d, form->a, form->b, form->swizzle, form->a_registers, form->a_turned, form->b_turned,
                 row, column, (unsigned long long)have, (unsigned long long)want);
    }
}

static void check(const form_t *form) {
  static char middle[32768];
  int n = snprintf(middle, sizeof middle, "wgmma.fence.sync.aligned;\n");
  memset(shared, 0xff, sizeof shared); /* NaN in bytes without an operand */
  fill(form, form->n * 7 + form->k);
  put_registers(form);
  uint64_t a = put_operand(form, form->a, left, 64, form->a_turned, 0);
  uint64_t b = put_operand(form, form->b, right, form->n, form->b_turned, B_AT);
  n += instruction(form, middle + n, sizeof middle - (size_t)n, a, b);
  snprintf(middle + n, sizeof middle - (size_t)n,
           "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n");
  if (run_text(middle, d_registers(form), NEREID_EMULATOR_LAND_AT_WAIT))
    fail_msg("%s", report.message.text);
  check_d(form, 1);
}

static void types(void **state) {
  static const struct {
    const char *d, *a, *b, *last;
    unsigned k;
  } forms[] = {
      {"f32", "f16", "f16", "", 16},        {"f16", "f16", "f16", "", 16},   {"f32", "bf16", "bf16", "", 16},
      {"f32", "tf32", "tf32", "", 8},       {"f32", "e4m3", "e4m3", "", 32}, {"f32", "e4m3", "e5m2", "", 32},
      {"f32", "e5m2", "e4m3", "", 32},      {"f16", "e5m2", "e5m2", "", 32}, {"s32", "s8", "s8", "", 32},
      {"s32", "s8", "u8", "", 32},          {"s32", "u8", "s8", "", 32},     {"s32", "u8", "u8", ".satfinite", 32},
      {"s32", "b1", "b1", ".and.popc", 256}};
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i)
    for (unsigned swizzle = 0; swizzle < 4; ++swizzle)
      for (int registers = 0; registers < 2; ++registers)
        check(&(form_t){.d = forms[i].d,
                        .a = forms[i].a,
                        .b = forms[i].b,
                        .last = forms[i].last,
                        .n = swizzle ? 16 * swizzle : 256,
                        .k = forms[i].k,
                        .swizzle = swizzle,
                        .a_registers = registers,
                        .ahead = (unsigned)i});
}

static void widths(void **state) {
  (void)state;
  for (unsigned n = 8; n <= 256; n += 8)
    check(&(form_t){"f32", "f16", "f16", "", .n = n, .k = 16, .swizzle = 1, .ahead = n / 8});
}

static void turned_operands(void **state) {
  (void)state;
  for (unsigned i = 0; i < 32; ++i)
    check(&(form_t){.d = i & 16 ? "f16" : "f32",
                    .a = i & 16 ? "f16" : "bf16",
                    .b = i & 16 ? "f16" : "bf16",
                    .last = "",
                    .n = i & 8 ? 64 : 128,
                    .k = 16,
                    .swizzle = i & 3,
                    .a_registers = (i & 12) == 12,
                    .a_turned = (i & 12) != 12 && i & 4,
                    .b_turned = (i & 12) != 4});
}

static void scales(void **state) {
  (void)state;
  for (unsigned i = 0; i < 8; ++i)
    check(&(form_t){"f32", "f16", "f16", "", .n = 24, .k = 16, .swizzle = 2, .drops = i & 1, .minus_a = i & 2,
                    .minus_b = i & 4});
}

/* Inexact sums, as an H200 adds them: 8-bit floats keep fewer bits than the others. */
static void sums_are_cut(void **state) {
  static const char *const forms[][2] = {{"f32", "f16"},  {"f32", "bf16"}, {"f32", "tf32"}, {"f32", "e4m3"},
                                         {"f32", "e5m2"}, {"f16", "f16"},  {"f16", "e4m3"}};
  static char middle[32768];
  (void)state;
  for (unsigned i = 0; i < sizeof forms / sizeof *forms; ++i) {
    const char *d = forms[i][0], *a = forms[i][1];
    unsigned seed = i, n = 0, size = element_bits(a);
    const form_t form = {d, a, a, "", .n = 32, .k = 256 / size, .swizzle = 1};
    int least = size == 8 && a[1] == '4' ? -6 : size == 8 || strcmp(a, "f16") == 0 ? -14 : -126;
    int fraction = size == 8 ? 13 : 25, mantissa = strcmp(d, "f16") == 0 ? 0 : size == 8 ? 13 : 23;
    for (unsigned row = 0; row < 64; ++row)
      for (unsigned k = 0; k < form.k; ++k)
        left[row][k] = any_number(a, &seed), right[row][k] = any_number(a, &seed);
    for (unsigned row = 0; row < 64; ++row)
      for (unsigned column = 0; column < form.n; ++column)
        plus[row][column] = any_number(d, &seed);
    put_registers(&form);
    uint64_t to_a = put_operand(&form, a, left, 64, false, 0), to_b = put_operand(&form, a, right, form.n, false, B_AT);
    n += (unsigned)snprintf(middle, sizeof middle, "wgmma.fence.sync.aligned;\n");
    n += (unsigned)instruction(&form, middle + n, sizeof middle - n, to_a, to_b);
    snprintf(middle + n, sizeof middle - n, "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n");
    if (run_text(middle, d_registers(&form), NEREID_EMULATOR_LAND_AT_ISSUE))
      fail_msg("%s", report.message.text);
    for (unsigned thread = 0; thread < THREADS; ++thread)
      for (unsigned slot = 0; slot < form.n / 2; ++slot) {
        unsigned row, column;
        place_d(thread, slot, &row, &column);
        double sum = cut_sum(left[row], right[column], form.k, plus[row][column], fraction, mantissa, least);
        assert_int_equal(get_element(words[thread] + 4, slot, element_bits(d)), element_of(d, sum));
      }
  }
}

/* Two groups of two wgmma each; a wait with one pending group for the first, then for the second. The result does not
 * depend on the landing time. */
static void groups(void **state) {
  static char middle[32768];
  const form_t form = {"f32", "f16", "f16", "", .n = 32, .k = 16, .swizzle = 1};
  (void)state;
  for (int landing = 0; landing < 3; ++landing) {
    int n = snprintf(middle, sizeof middle, "wgmma.fence.sync.aligned;\n");
    fill(&form, 9);
    put_registers(&form);
    uint64_t a = put_operand(&form, form.a, left, 64, false, 0);
    uint64_t b = put_operand(&form, form.b, right, form.n, false, B_AT);
    for (int i = 0; i < 4; ++i) {
      n += instruction(&form, middle + n, sizeof middle - (size_t)n, a, b);
      if (i % 2)
        n += snprintf(middle + n, sizeof middle - (size_t)n, "wgmma.commit_group.sync.aligned;\n");
    }
    snprintf(middle + n, sizeof middle - (size_t)n,
             "wgmma.wait_group.sync.aligned 1; wgmma.wait_group.sync.aligned 0;\n");
    if (run_text(middle, d_registers(&form), (nereid_emulator_landing_t)landing))
      fail_msg("%s", report.message.text);
    check_d(&form, 4);
  }
}

/* Without a wait, effects that land at the wait are not visible. */
static void effects_land_late(void **state) {
  static char middle[32768];
  const form_t form = {"f32", "f16", "f16", "", .n = 8, .k = 16, .swizzle = 1};
  (void)state;
  for (int landing = 0; landing < 2; ++landing) {
    int n = snprintf(middle, sizeof middle, "wgmma.fence.sync.aligned;\n");
    fill(&form, 9);
    put_registers(&form);
    uint64_t a = put_operand(&form, form.a, left, 64, false, 0);
    n += instruction(&form, middle + n, sizeof middle - (size_t)n, a,
                     put_operand(&form, form.b, right, form.n, false, B_AT));
    snprintf(middle + n, sizeof middle - (size_t)n, "wgmma.commit_group.sync.aligned;\n");
    if (run_text(middle, d_registers(&form), (nereid_emulator_landing_t)landing))
      fail_msg("%s", report.message.text);
    check_d(&form, landing == NEREID_EMULATOR_LAND_AT_ISSUE);
  }
}

static void expect(const char *middle, const char *sentence) {
  assert_int_equal(run_text(middle, 4, NEREID_EMULATOR_LAND_AT_ISSUE), NEREID_ERROR_PROGRAM);
  if (!strstr(report.message.text, sentence))
    fail_msg("'%s' is not in '%s'", sentence, report.message.text);
}

#define MMA(shape) "wgmma.mma_async.sync.aligned." shape
static void wrong_ones_are_refused(void **state) {
  (void)state;
  expect(MMA("m64n8k16.f32.f16.f16 {%x4, %x5, %x6}, %a, %b, 1, 1, 1, 0, 0;"), "3 registers, expected 4");
  expect(MMA("m64n8k16.f32.f16.f16 {%x4, %x5, %x6, %x7}, %a, %b, 1, 1, 1, 0;"),
         "imm-trans-a is required with a descriptor");
  expect(MMA("m64n8k16.f32.f16.f16 {%x4, %x5, %x6, %x7}, %a, %b, 1, 1, 2, 0, 0;"), "imm-scale is 1 or -1");
  expect(MMA("m64n8k16.f32.f16.f16 {%x4, %x5, %x6, %x7}, %a, %b, 1, 1, 1, 0, 2;"), "imm-trans is 0 or 1");
  expect(MMA("m64n8k16.f32.f16.f16 {%x4, %x5, %x6, %x7}, %x1, %b, 1, 1, 1, 0, 0;"), "A is a descriptor of 64 bits");
  expect(MMA("m64n12k16.f32.f16.f16 {%x4, %x5, %x6, %x7, %x8, %x9}, %a, %b, 1, 1, 1, 0, 0;"), "no such shape");
  expect(MMA("m64n40k32.s32.s8.s8 {%x4, %x5, %x6, %x7}, %a, %b, 1;"), "40k32.s32.s8.s8");
  expect(MMA("m64n8k16.f16.bf16.bf16 {%x4, %x5}, %a, %b, 1, 1, 1, 0, 0;"), "is not emulated");
  expect(
      "mov.b64 %a, 0x2000; mov.b64 %b, 0;\n" MMA("m64n8k16.f32.f16.f16 {%x4, %x5, %x6, %x7}, %a, %b, 1, 1, 1, 0, 0;"),
      "the matrix at 0x20000 is out of bounds: row 48 is at 0x20000, shared memory has 98304 bytes");
  expect("cvt.u64.u32 %a, %r1;\n" MMA("m64n8k16.f32.f16.f16 {%x4, %x5, %x6, %x7}, %a, %a, 1, 1, 1, 0, 0;"),
         "a matrix descriptor must be the same in all lanes");
  expect("setp.lt.u32 %p1, %r1, 4;\n@%p1 wgmma.fence.sync.aligned;", "only part of the warp reaches it");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types),
      cmocka_unit_test(widths),
      cmocka_unit_test(turned_operands),
      cmocka_unit_test(scales),
      cmocka_unit_test(sums_are_cut),
      cmocka_unit_test(groups),
      cmocka_unit_test(effects_land_late),
      cmocka_unit_test(wrong_ones_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
