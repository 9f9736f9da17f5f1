/* wmma.load, wmma.mma and wmma.store of every shape, type and layout, with global, generic and shared addresses,
 * against sums over the matrices in memory; ldmatrix, stmatrix and movmatrix. */
#include "test/emulator/matrices.h"

enum { A_AT = 0, B_AT = 4096, C_AT = 8192, D_AT = 12288, BYTES = 16384 };
typedef enum space { GLOBAL, GENERIC, SHARED } space_t;

typedef struct form {
  const char *d, *a, *c;          /* types; B's is A's */
  unsigned m, n, k, registers[4]; /* of A, B, C, D */
  bool a_row, b_row, c_row, d_row;
  unsigned pad; /* excess of the stride of A, B, C or D over its minimum, in elements; 0: no stride operand */
  space_t space;
  const char *operation; /* ".xor.popc" or "" */
  unsigned steps;        /* inexact sums: added as an H200 does, in this number of steps */
} form_t;

static double left[32][128], right[128][32], plus[32][32];
static uint8_t data[BYTES];
static nereid_emulator_report_t report;

static size_t element(bool row, unsigned i, unsigned k, unsigned rows, unsigned columns, unsigned pad) {
  return row ? (size_t)i * (columns + pad) + k : (size_t)k * (rows + pad) + i;
}

static void fill(const form_t *form) {
  double (*number)(const char *, unsigned *) = form->steps ? any_number : small_number;
  unsigned seed = form->m + form->k, bits = element_bits(form->a);
  memset(data, 0xff, sizeof data);
  for (unsigned m = 0; m < form->m; ++m)
    for (unsigned k = 0; k < form->k; ++k) {
      left[m][k] = number(form->a, &seed);
      put_element(data + A_AT, element(form->a_row, m, k, form->m, form->k, form->pad), bits,
                  element_of(form->a, left[m][k]));
    }
  for (unsigned k = 0; k < form->k; ++k)
    for (unsigned n = 0; n < form->n; ++n) {
      right[k][n] = number(form->a, &seed);
      put_element(data + B_AT, element(form->b_row, k, n, form->k, form->n, form->pad), bits,
                  element_of(form->a, right[k][n]));
    }
  for (unsigned m = 0; m < form->m; ++m)
    for (unsigned n = 0; n < form->n; ++n) {
      plus[m][n] = number(form->c, &seed);
      put_element(data + C_AT, element(form->c_row, m, n, form->m, form->n, form->pad), element_bits(form->c),
                  element_of(form->c, plus[m][n]));
    }
}

/* wmma.load.a ..., or wmma.store.d. */
static int transfer(const form_t *form, char *out, size_t size, unsigned which) {
  static const unsigned offsets[] = {A_AT, B_AT, C_AT, D_AT};
  const bool rows[] = {form->a_row, form->b_row, form->c_row, form->d_row};
  const unsigned sizes[4][2] = {{form->m, form->k}, {form->k, form->n}, {form->m, form->n}, {form->m, form->n}};
  const char *type = which < 2 ? form->a : which == 2 ? form->c : form->d;
  char list[256], stride[32] = "";
  list_text(list, sizeof list, strcmp(type, "f64") == 0 ? 'y' : 'x', 8 * which, form->registers[which]);
  if (form->pad)
    snprintf(stride, sizeof stride, ", %u", sizes[which][rows[which]] + form->pad);
  int n = snprintf(out, size, "wmma.%s.%c.sync.aligned.%s.m%un%uk%u%s.%s ", which < 3 ? "load" : "store", "abcd"[which],
                   rows[which] ? "row" : "col", form->m, form->n, form->k,
                   form->space == GLOBAL   ? ".global"
                   : form->space == SHARED ? ".shared"
                                           : "",
                   type);
  if (which < 3)
    n += snprintf(out + n, size - (size_t)n, "%s, ", list);
  n += snprintf(out + n, size - (size_t)n, "[%s+%u]", form->space == SHARED ? "%r9" : "%d9", offsets[which]);
  if (which == 3)
    n += snprintf(out + n, size - (size_t)n, ", %s", list);
  return n + snprintf(out + n, size - (size_t)n, "%s;\n", stride);
}

static const char copy_in[] =
    "mov.u32 %r9, smem; mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; mov.u32 %r2, %r1;\n"
    "$in: cvt.u64.u32 %d1, %r2; add.u64 %d1, %d1, %d9; ld.global.b32 %r3, [%d1]; add.u32 %r4, %r9, %r2;\n"
    "st.shared.b32 [%r4], %r3; add.u32 %r2, %r2, 128; setp.lt.u32 %p1, %r2, 16384; @%p1 bra $in; bar.sync 0;\n";
static const char copy_out[] =
    "bar.sync 0; add.u32 %r2, %r1, 12288;\n"
    "$out: cvt.u64.u32 %d1, %r2; add.u64 %d1, %d1, %d9; add.u32 %r4, %r9, %r2; ld.shared.b32 %r3, [%r4];\n"
    "st.global.b32 [%d1], %r3; add.u32 %r2, %r2, 128; setp.lt.u32 %p1, %r2, 16384; @%p1 bra $out;\n";

static void run(const form_t *form) {
  char body[8192], lists[4][256];
  bool halves = strcmp(form->a, "f16") == 0;
  int n =
      snprintf(body, sizeof body, ".reg .b32 %%x<40>; .reg .b64 %%y<40>;\n%s", form->space == SHARED ? copy_in : "");
  for (unsigned i = 0; i < 3; ++i)
    n += transfer(form, body + n, sizeof body - (size_t)n, i);
  for (unsigned i = 0; i < 4; ++i)
    list_text(lists[i], sizeof lists[i], strcmp(form->a, "f64") == 0 ? 'y' : 'x', 8 * i, form->registers[i]);
  n += snprintf(body + n, sizeof body - (size_t)n, "wmma.mma%s.sync.aligned.%s.%s.m%un%uk%u.%s", form->operation,
                form->a_row ? "row" : "col", form->b_row ? "row" : "col", form->m, form->n, form->k, form->d);
  if (!halves)
    n += snprintf(body + n, sizeof body - (size_t)n, ".%s.%s", form->a, form->a);
  n += snprintf(body + n, sizeof body - (size_t)n, ".%s %s, %s, %s, %s;\n", form->c, lists[3], lists[0], lists[1],
                lists[2]);
  n += transfer(form, body + n, sizeof body - (size_t)n, 3);
  snprintf(body + n, sizeof body - (size_t)n, "%s", form->space == SHARED ? copy_out : "");
  const nereid_emulator_launch_t launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .shared_bytes = BYTES};
  if (emulate_launch(emulate_kernel(body), data, sizeof data, launch, &report))
    fail_msg("%s", report.message.text);
}

static double expected(const form_t *form, unsigned m, unsigned n) {
  double sum = plus[m][n], a[16], b[16];
  for (unsigned k = 0; k < form->k && !form->steps; ++k)
    sum += strstr(form->operation, "xor") ? (double)(left[m][k] != right[k][n]) : left[m][k] * right[k][n];
  for (unsigned k = 0; k < form->k && form->steps; ++k)
    a[k] = left[m][k], b[k] = right[k][n];
  int least = strcmp(form->a, "f16") == 0 ? -14 : -126,
      mantissa = strcmp(form->d, form->c) || form->d[1] == '3' ? 23 : 0;
  for (unsigned i = 0, k = form->steps ? form->k / form->steps : 0; i < form->steps; ++i)
    sum = cut_sum(a + (size_t)i * k, b + (size_t)i * k, k, sum, 25, mantissa, least);
  return sum;
}

static void check(const form_t *form) {
  fill(form);
  run(form);
  for (unsigned m = 0; m < form->m; ++m)
    for (unsigned n = 0; n < form->n; ++n) {
      uint64_t want = element_of(form->d, expected(form, m, n));
      uint64_t have =
          get_element(data + D_AT, element(form->d_row, m, n, form->m, form->n, form->pad), element_bits(form->d));
      if (have != want)
        fail_msg("m%un%uk%u %s.%s.%s: (%u, %u): 0x%llx, not 0x%llx", form->m, form->n, form->k, form->d, form->a,
                 form->c, m, n, (unsigned long long)have, (unsigned long long)want);
    }
}

/* All layouts of A, B, C and D, with and without a stride, in all spaces. */
static void check_all(form_t form, bool fixed) {
  for (unsigned i = 0; i < 32; ++i) {
    form.a_row = fixed || i & 1;
    form.b_row = !fixed && i & 2;
    form.c_row = i & 4;
    form.d_row = i & 8;
    form.pad = i & 16 ? (element_bits(form.a) < 8 ? 128 : 16) : 0;
    form.space = (space_t)(i % 3);
    check(&form);
  }
}

static void floats(void **state) {
  static const unsigned shapes[3][2] = {{16, 16}, {8, 32}, {32, 8}};
  (void)state;
  for (int i = 0; i < 3; ++i) {
    unsigned m = shapes[i][0], n = shapes[i][1];
    for (int types = 0; types < 4; ++types)
      check_all((form_t){.d = types & 1 ? "f16" : "f32",
                         .a = "f16",
                         .c = types & 2 ? "f16" : "f32",
                         .m = m,
                         .n = n,
                         .k = 16,
                         .registers = {8, 8, types & 2 ? 4 : 8, types & 1 ? 4 : 8},
                         .operation = ""},
                false);
    check_all((form_t){.d = "f32",
                       .a = "bf16",
                       .c = "f32",
                       .m = m,
                       .n = n,
                       .k = 16,
                       .registers = {m / 4, n / 4, 8, 8},
                       .operation = ""},
              false);
  }
  check_all(
      (form_t){
          .d = "f32", .a = "tf32", .c = "f32", .m = 16, .n = 16, .k = 8, .registers = {4, 4, 8, 8}, .operation = ""},
      false);
  check_all(
      (form_t){.d = "f64", .a = "f64", .c = "f64", .m = 8, .n = 8, .k = 4, .registers = {1, 1, 2, 2}, .operation = ""},
      false);
}

static void sums_are_cut(void **state) {
  (void)state;
  for (unsigned i = 0; i < 4; ++i) {
    bool d = i & 1, c = i & 2;
    check(&(form_t){.d = d ? "f16" : "f32",
                    .a = "f16",
                    .c = c ? "f16" : "f32",
                    .m = 16,
                    .n = 16,
                    .k = 16,
                    .registers = {8, 8, c ? 4 : 8, d ? 4 : 8},
                    .operation = "",
                    .steps = 1});
  }
  check(&(form_t){.d = "f32",
                  .a = "bf16",
                  .c = "f32",
                  .m = 16,
                  .n = 16,
                  .k = 16,
                  .registers = {4, 4, 8, 8},
                  .operation = "",
                  .steps = 1});
  check(&(form_t){.d = "f32",
                  .a = "tf32",
                  .c = "f32",
                  .m = 16,
                  .n = 16,
                  .k = 8,
                  .registers = {4, 4, 8, 8},
                  .operation = "",
                  .steps = 2});
}

static void integers(void **state) {
  static const unsigned shapes[3][2] = {{16, 16}, {8, 32}, {32, 8}};
  (void)state;
  for (int i = 0; i < 6; ++i) {
    unsigned m = shapes[i / 2][0], n = shapes[i / 2][1];
    check_all((form_t){.d = "s32",
                       .a = i & 1 ? "u8" : "s8",
                       .c = "s32",
                       .m = m,
                       .n = n,
                       .k = 16,
                       .registers = {m / 8, n / 8, 8, 8},
                       .operation = ""},
              false);
  }
  for (int i = 0; i < 2; ++i) {
    check_all((form_t){.d = "s32",
                       .a = i ? "u4" : "s4",
                       .c = "s32",
                       .m = 8,
                       .n = 8,
                       .k = 32,
                       .registers = {1, 1, 2, 2},
                       .operation = ""},
              true);
    check_all((form_t){.d = "s32",
                       .a = "b1",
                       .c = "s32",
                       .m = 8,
                       .n = 8,
                       .k = 128,
                       .registers = {1, 1, 2, 2},
                       .operation = i ? ".xor.popc" : ".and.popc"},
              true);
  }
}

/* Four matrices through stmatrix and ldmatrix, one of them transposing; then movmatrix. */
static void eights(void **state) {
  static const char body[] =
      "mov.u32 %%r1, %%tid.x; mad.wide.u32 %%d1, %%r1, 16, %%d9; ld.global.v4.b32 {%%r2, %%r3, %%r4, %%r5}, [%%d1];\n"
      "mov.u32 %%r6, smem; mad.lo.u32 %%r6, %%r1, 16, %%r6; cvt.u64.u32 %%d2, %%r6; cvta.shared.u64 %%d2, %%d2;\n"
      "stmatrix.sync.aligned.m8n8.x4%s.b16 [%%d2], {%%r2, %%r3, %%r4, %%r5}; bar.warp.sync -1;\n"
      "ldmatrix.sync.aligned.m8n8.x4%s.shared.b16 {%%r2, %%r3, %%r4, %%r5}, [%%r6];\n"
      "movmatrix.sync.aligned.m8n8.trans.b16 %%r5, %%r5; st.global.v4.b32 [%%d1], {%%r2, %%r3, %%r4, %%r5};\n";
  uint16_t elements[32][4][2];
  (void)state;
  for (int i = 0; i < 4; ++i) {
    char text[2048];
    bool turned = (i & 1) != (i >> 1);
    snprintf(text, sizeof text, body, i & 1 ? ".trans" : "", i & 2 ? ".trans" : "");
    for (unsigned e = 0; e < 256; ++e)
      elements[e / 8][e / 2 % 4][e % 2] = (uint16_t)(e * 3 + 1);
    if (emulate_text(emulate_kernel(text), (uint64_t *)(void *)elements, sizeof elements, 32,
                     NEREID_EMULATOR_ROUND_ROBIN, &report))
      fail_msg("%s", report.message.text);
    for (unsigned e = 0; e < 256; ++e) {
      unsigned row = e / 32, column = e / 8 % 4 * 2 + e % 2, matrix = e / 2 % 4;
      if (turned != (matrix == 3)) {
        unsigned old = row;
        row = column, column = old;
      }
      unsigned from = (row * 4 + column / 2) * 8 + matrix * 2 + column % 2;
      assert_int_equal(elements[e / 8][e / 2 % 4][e % 2], from * 3 + 1);
    }
  }
}

static void expect(const char *body, const char *sentence) {
  uint64_t none[4] = {0};
  assert_int_equal(emulate_text(emulate_kernel(body), none, sizeof none, 32, NEREID_EMULATOR_ROUND_ROBIN, &report),
                   NEREID_ERROR_PROGRAM);
  if (!strstr(report.message.text, sentence))
    fail_msg("'%s' is not in '%s'", sentence, report.message.text);
}

static void wrong_ones_are_refused(void **state) {
  (void)state;
  expect("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1, %r2}, [%d9];", "2 registers, expected 8");
  expect("wmma.load.b.sync.aligned.row.m8n8k32.s4 {%r1}, [%d9];", "is not emulated");
  expect("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite {%r1}, {%r1}, {%r1}, {%r1};", "is not emulated");
  expect("wmma.load.c.sync.aligned.row.m8n8k32.s32 {%r1, %r2}, [%d9];", "out of bounds: byte 32 of data");
  expect("mov.u32 %r1, %tid.x; wmma.load.c.sync.aligned.row.m8n8k32.s32 {%r1, %r2}, [%d9], %r1;",
         "thread (1,0,0) of CTA (0,0,0): the address and the stride must be the same in all lanes");
  expect("ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%d9];", "is not in shared memory");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(floats),
      cmocka_unit_test(integers),
      cmocka_unit_test(sums_are_cut),
      cmocka_unit_test(eights),
      cmocka_unit_test(wrong_ones_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
