/* Module-level directives and calls in the emulator: initial values, constant expressions, addresses of functions,
 * calls with registers and constants, 128-bit registers, diagnostics for unsupported input. */
#include "test/emulator/emulate.h"

#include <string.h>

static const char head[] = ".version 8.7\n.target sm_90a\n.address_size 64\n";

/* Runs `t` of a module on a thread; its parameter is the address of the data. */
static void run(const char *module, uint64_t *data, size_t bytes) {
  static char text[1 << 15];
  nereid_emulator_report_t report;
  snprintf(text, sizeof text, "%s%s", head, module);
  if (emulate_text(text, data, bytes, 1, NEREID_EMULATOR_ROUND_ROBIN, &report))
    fail_msg("%s", report.message.text);
}

static void refused(const char *module, const char *expected) {
  char text[4096];
  nereid_emulator_report_t report;
  uint64_t data[2] = {0};
  snprintf(text, sizeof text, "%s%s", head, module);
  assert_int_equal(emulate_text(text, data, sizeof data, 1, NEREID_EMULATOR_ROUND_ROBIN, &report),
                   NEREID_ERROR_PROGRAM);
  if (!strstr(report.message.text, expected))
    fail_msg("'%s' does not say '%s'", report.message.text, expected);
}

#define KERNEL(body)                                                                                                   \
  ".visible .entry t(.param .u64 p) { .reg .b64 %d<9>; .reg .b32 %r<9>; .reg .b128 %q<4>; .reg .pred %p<3>;\n"         \
  "ld.param.u64 %d8, [p];\n" body "\nret; }\n"

static void initial_values(void **state) {
  uint64_t data[8] = {0};
  uint32_t words[16];
  (void)state;
  run(".global .align 8 .u32 rows[3][2] = {{1}, {2, 3}};\n"
      ".global .u16 open[] = {7, 8, 9};\n"
      ".global .u64 to = generic(open)+4;\n"
      ".global .align 2 .u8 bytes[2] = {0xff(rows), 0xff00(rows)};\n"
      ".const .f32 numbers[1 << 1] = {1.5, 0f40000000};\n" KERNEL(
          "ld.global.u32 %r1, [rows+8]; ld.global.u32 %r2, [rows+4]; ld.global.u32 %r3, [rows+12];\n"
          "st.global.v4.u32 [%d8], {%r1, %r2, %r3, 17};\n"
          "ld.global.u64 %d1, [to]; ld.u16 %r4, [%d1]; ld.const.f32 %r5, [numbers+4];\n"
          "st.global.v2.u32 [%d8+16], {%r4, %r5};\n"
          "mov.u64 %d2, rows; ld.global.u16 %r6, [bytes]; cvt.u32.u64 %r7, %d2; and.b32 %r7, %r7, 0xffff;\n"
          "sub.u32 %r6, %r6, %r7; st.global.u32 [%d8+24], %r6;\n"
          "mov.u32 %r1, (1 << 4 | 3) * 2 - 0x10 / 3 + (5 > 4 ? 100 : 200); st.global.u32 [%d8+28], %r1;\n"
          "mov.u64 %d3, rows+8; ld.global.u32 %r2, [%d3]; st.global.u32 [%d8+32], %r2;\n"
          "mov.u32 %r3, WARP_SZ; st.global.u32 [%d8+36], %r3;"),
      data, sizeof data);
  static const uint32_t expected[] = {2, 0, 3, 17, 9, 0x40000000, 0, 38 - 5 + 100, 2, 32};
  memcpy(words, data, sizeof words);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
    assert_int_equal(words[i], expected[i]);
}

static void calls(void **state) {
  uint64_t data[4] = {0};
  (void)state;
  run(".func (.param .b32 r) plus(.param .b32 a, .param .b32 b) { .reg .b32 %x<3>; ld.param.b32 %x1, [a];\n"
      "ld.param.b32 %x2, [b]; add.u32 %x1, %x1, %x2; st.param.b32 [r], %x1; ret; }\n"
      ".func (.param .b32 r) times(.param .b32 a, .param .b32 b) { .reg .b32 %x<3>; ld.param.b32 %x1, [a];\n"
      "ld.param.b32 %x2, [b]; mul.lo.u32 %x1, %x1, %x2; st.param.b32 [r], %x1; ret; }\n"
      ".global .u64 table[2] = {plus, times};\n" KERNEL(
          "mov.u32 %r1, 6; call (%r2), plus, (%r1, 7); st.global.u32 [%d8], %r2;\n"
          "both: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n"
          "named: .calltargets plus, times;\n"
          "mov.u64 %d1, times; call (%r3), %d1, (%r1, %r2), both; st.global.u32 [%d8+4], %r3;\n"
          "ld.global.u64 %d2, [table]; call (%r3), %d2, (%r1, %r2), named; st.global.u32 [%d8+8], %r3;\n"
          "setp.eq.u32 %p1, %r1, 0; @%p1 call (%r3), plus, (%r1, %r1); st.global.u32 [%d8+12], %r3;"),
      data, sizeof data);
  assert_true(data[0] == (UINT64_C(78) << 32 | 13) && data[1] == (UINT64_C(19) << 32 | 19));
}

/* f0 adds 1; f(i)(x) is f(i-1)(x + 1): a direct call, or a call through a table of addresses. */
static void deep_calls(void **state) {
  enum { DEPTH = 100 };
  static char module[DEPTH * 320];
  (void)state;
  for (int through = 0; through < 2; ++through) {
    uint64_t data[1] = {0};
    size_t n = 0;
#define ADD(...) n += (size_t)snprintf(module + n, sizeof module - n, __VA_ARGS__)
    for (int i = 0; i < DEPTH; ++i) {
      ADD(".func (.param .b32 r) f%d(.param .b32 a) { .reg .b32 %%x; .reg .b64 %%d; ld.param.b32 %%x, [a];\n", i);
      ADD("add.u32 %%x, %%x, 1;\n");
      if (i && through)
        ADD("p: .callprototype (.param .b32 _) _ (.param .b32 _); mov.u64 %%d, f%d; call (%%x), %%d, (%%x), p;\n",
            i - 1);
      else if (i)
        ADD("call (%%x), f%d, (%%x);\n", i - 1);
      ADD("st.param.b32 [r], %%x; ret; }\n");
    }
    ADD("%s", KERNEL("mov.u32 %r1, 6; call (%r1), f99, (%r1); st.global.u32 [%d8], %r1;"));
#undef ADD
    run(module, data, sizeof data);
    assert_int_equal(data[0], 6 + DEPTH);
  }
}

static void register_parameters(void **state) {
  uint64_t data[2] = {0};
  (void)state;
  run(".func (.reg .b32 r, .reg .b64 s) both(.reg .b32 a, .param .b32 b) { .reg .b32 %x<3>; .reg .pred %p<2>;\n"
      "ld.param.b32 %x1, [b]; add.u32 r, a, %x1; cvt.u64.u32 s, a; setp.gt.u32 %p1, a, 5; @%p1 ret;\n"
      "mov.u32 r, 0; ret; }\n" KERNEL("mov.u32 %r1, 6; call (%r2, %d1), both, (%r1, 7); st.global.u32 [%d8], %r2;\n"
                                      "call (%r3, %d2), both, (5, %r1); st.global.u32 [%d8+4], %r3;\n"
                                      "add.u64 %d1, %d1, %d2; st.global.u64 [%d8+8], %d1;"),
      data, sizeof data);
  assert_true(data[0] == 13 && data[1] == 11);
}

static void directives(void **state) {
  uint64_t data[2] = {0};
  (void)state;
  run(".common .global .align 4 .b32 common_one;\n.weak .global .align 4 .b32 weak_one = 7;\n"
      ".extern .global .align 4 .b32 elsewhere;\n.pragma \"nounroll\";\n.file 1 \"a.cu\"\n"
      ".weak .func (.param .b32 r) f(.param .b32 a) .noreturn { ret; }\n"
      ".visible .entry t(.param .u64 .ptr .global .align 8 p) .maxntid 128, 1, 1 .minnctapersm 2 .maxnreg 64 {\n"
      ".reg .b32 %r<3>; .reg .b64 %d<3>; .pragma \"used_bytes_mask 0xf\";\n.loc 1 3 4\n"
      "ld.param.b64 %d1, [p]; .loc 1 4 1, function_name $L, inlined_at 1 3 4\n"
      "$L: ld.global.b32 %r1, [weak_one]; st.global.b32 [common_one], %r1; ld.global.b32 %r2, [common_one];\n"
      "st.global.v2.b32 [%d1], {%r1, %r2}; ret; }\n"
      ".section .debug_str { info_string0: .b8 1, 2\n.b32 $L }\n",
      data, sizeof data);
  assert_true(data[0] == (UINT64_C(7) << 32 | 7));
  run(".func (.param .b32 r) g(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; add.u32 %x, %x, 1;\n"
      "st.param.b32 [r], %x; ret; }\n.func (.param .b32 r) f(.param .b32 a);\n.alias f, g;\n" KERNEL(
          "call (%r1), f, (4); st.global.u32 [%d8], %r1;"),
      data, sizeof data);
  assert_int_equal((uint32_t)data[0], 5);
  refused(KERNEL(".loc 1 2 3, inlined_at 1 2 3"), "expected function_name");
  refused(KERNEL(".loc 1 2 3, function_name $L + 4, at 1 2 3"), "expected inlined_at");
  refused(".func g() { ret; }\n.func f(.param .b32 a);\n.alias f, g;\n" KERNEL(""),
          "'f' cannot be another name of 'g'");
  refused(".func f();\n.func g() { call f, (); ret; }\n.alias f, g;\n" KERNEL("call g, ();"), "recursive calls");
}

static void wide_registers(void **state) {
  uint64_t data[6] = {1, 2, 3, 4, 0, 0};
  (void)state;
  run(KERNEL("ld.global.b128 %q1, [%d8]; ld.global.b128 %q2, [%d8+16];\n"
             "atom.global.exch.b128 %q3, [%d8+32], %q1; atom.global.cas.b128 %q0, [%d8+32], %q2, %q2;\n"
             "atom.global.cas.b128 %q0, [%d8+32], %q1, %q2; mov.b128 {_, %d1}, %q0; mov.b64 %d2, 9;\n"
             "mov.b128 %q3, {%d1, %d2}; st.global.b128 [%d8], %q3;"),
      data, sizeof data);
  assert_true(data[0] == 2 && data[1] == 9 && data[4] == 3 && data[5] == 4);
}

static void nth_set_bits(void **state) {
  (void)state;
  assert_int_equal(R("fns.b32 %r0, %r1, %r2, %r3;", 0xaaaaaaaa, 3, 1), 3);
  assert_int_equal(R("fns.b32 %r0, %r1, %r2, %r3;", 0xaaaaaaaa, 3, (uint64_t)-1), 3);
  assert_int_equal(R("fns.b32 %r0, %r1, %r2, %r3;", 0xaaaaaaaa, 0, 3), 5);
  assert_int_equal(R("fns.b32 %r0, %r1, %r2, %r3;", 0xaaaaaaaa, 10, (uint64_t)-2), 7);
  assert_int_equal(R("fns.b32 %r0, %r1, %r2, %r3;", 0xaaaaaaaa, 4, 0), 0xffffffff);
  assert_int_equal(R("fns.b32 %r0, %r1, %r2, %r3;", 0xaaaaaaaa, 5, 0), 5);
  assert_int_equal(R("fns.b32 %r0, %r1, %r2, %r3;", 1, 0, 2), 0xffffffff);
}

static void what_is_refused(void **state) {
  (void)state;
  refused(KERNEL("tex.1d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [%d1, {%r1}];"),
          "t.ptx:6: tex.1d.v4.f32.s32 is not emulated (PTX ISA, Texture Instructions: tex)");
  refused(KERNEL("suld.b.1d.b32.trap %r1, [%d1, {%r2}];"), "(PTX ISA, Surface Instructions: suld)");
  refused(KERNEL("vadd.s32.s32.s32 %r1, %r2, %r3;"), "(PTX ISA, Video Instructions: vadd)");
  refused(KERNEL("multimem.ld_reduce.weak.global.add.f32 %r1, [%d1];"), "multimem)");
  refused(KERNEL("tcgen05.wait::ld.sync.aligned;"),
          "(PTX ISA, TensorCore 5th Generation Family Instructions: tcgen05)");
  refused(KERNEL("alloca.u64 %d1, 16;"), "(PTX ISA, Stack Manipulation Instructions: alloca)");
  refused(KERNEL("frobnicate.b32 %r1;"), "'frobnicate' is not an instruction of the PTX ISA");
  refused(KERNEL("mov.u32 %r1, %pm0;"), "the special register '%pm0' is not emulated");
  refused(KERNEL("mov.u32 %r1, 1 / 0;"), "a division by zero in a constant expression");
  refused(".func f() { call f, (); ret; }\n" KERNEL("call f, ();"), "recursive calls are not emulated: 'f'");
  refused(".global .u32 rows[2][2] = {{1, 2, 3}};\n" KERNEL(""), "more values than a row of 'rows' holds");
  refused(".func g(.param .b64 a) { ret; }\n" KERNEL(
              "p1: .callprototype _ (.param .b32 _); mov.u64 %d1, g; call %d1, (%r1), p1;"),
          "'g' has other parameters than the prototype");
  refused(KERNEL("p1: .callprototype _ (.param .b32 _); mov.u64 %d1, 64; call %d1, (%r1), p1;"),
          "0x40 is not the address of a function");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(initial_values),      cmocka_unit_test(calls),
                                     cmocka_unit_test(deep_calls),          cmocka_unit_test(directives),
                                     cmocka_unit_test(register_parameters), cmocka_unit_test(wide_registers),
                                     cmocka_unit_test(nth_set_bits),        cmocka_unit_test(what_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
