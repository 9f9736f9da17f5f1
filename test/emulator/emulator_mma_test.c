/* mma.sync of every shape and type against sums over the index formulas of the PTX ISA (Matrix Fragments for mma...),
 * on values with exact sums; then NaN, infinities, subnormals, rounding and saturation. */
#include "test/emulator/matrices.h"

typedef struct form {
  const char *shape, *layout, *end; /* end: modifiers between the layout and the types */
  const char *d, *a, *b, *c;
  const char *last; /* modifiers after the types */
  unsigned m, n, k;
} form_t;

static nereid_emulator_report_t report;

/* Lanes' registers: A, B, C, D, each `words` 32-bit words per lane. */
typedef struct registers {
  unsigned words[4];
  uint32_t data[4][32][16];
} registers_t;

static unsigned words_of(const char *type, unsigned elements) {
  return elements * element_bits(type) / 32 / 32;
}

static void run(const form_t *form, registers_t *registers) {
  static char body[8192];
  static uint32_t data[32][64];
  bool wide = strcmp(form->a, "f64") == 0;
  unsigned at = 0, scale = wide ? 2 : 1, size = 4 * scale;
  int n = snprintf(body, sizeof body,
                   ".reg .b32 %%x<64>; .reg .b64 %%y<32>; mov.u32 %%r1, %%tid.x;\n"
                   "mad.wide.u32 %%d1, %%r1, 256, %%d9;\n");
  char name = wide ? 'y' : 'x', lists[4][512];
  for (int i = 0; i < 4; ++i) { /* A, B, C, D */
    unsigned words = registers->words[i];
    for (unsigned lane = 0; lane < 32; ++lane)
      memcpy(data[lane] + at, registers->data[i][lane], words * sizeof(uint32_t));
    for (unsigned w = 0; w < words / scale && i < 3; ++w)
      n += snprintf(body + n, sizeof body - (size_t)n, "ld.global.b%u %%%c%u, [%%d1+%u];\n", size * 8, name,
                    at / scale + w, at * 4 + w * size);
    list_text(lists[i], sizeof lists[i], name, at / scale, words / scale);
    at += words;
  }
  n += snprintf(body + n, sizeof body - (size_t)n, "mma.sync.aligned.%s.%s%s.%s.%s.%s.%s%s %s, %s, %s, %s;\n",
                form->shape, form->layout, form->end, form->d, form->a, form->b, form->c, form->last, lists[3],
                lists[0], lists[1], lists[2]);
  at -= registers->words[3];
  for (unsigned w = 0; w < registers->words[3] / scale; ++w)
    n += snprintf(body + n, sizeof body - (size_t)n, "st.global.b%u [%%d1+%u], %%%c%u;\n", size * 8, at * 4 + w * size,
                  name, at / scale + w);
  if (emulate_text(emulate_kernel(body), (uint64_t *)(void *)data, sizeof data, 32, NEREID_EMULATOR_ROUND_ROBIN,
                   &report))
    fail_msg("%s", report.message.text);
  for (unsigned lane = 0; lane < 32; ++lane)
    memcpy(registers->data[3][lane], data[lane] + at, registers->words[3] * sizeof(uint32_t));
}

/* The position of element i of a lane's fragment of A, with the cases of the PTX ISA. */
static void place_a(const form_t *form, unsigned lane, unsigned i, unsigned *row, unsigned *column) {
  unsigned g = lane >> 2, t = lane % 4, bits = element_bits(form->a);
  bool second; /* the rows from 8 on */
  if (bits == 64) {
    second = i % 2;
    *column = form->m == 8 ? t : second ? i * 2 - 2 + t : i * 2 + t;
  } else if (bits == 32) {
    second = i == 1 || i == 3;
    *column = i < 2 ? t : t + 4;
  } else if (bits == 16) {
    second = !(i < 2 || (i >= 4 && i < 6));
    *column = t * 2 + (i & 1) + (i >= 4 ? 8 : 0);
  } else if (bits == 8) {
    second = form->m == 8 ? false : !(i < 4 || (i >= 8 && i < 12));
    *column = t * 4 + (i & 3) + (i >= 8 ? 16 : 0);
  } else if (bits == 4) {
    second = !(i < 8 || (i >= 16 && i < 24));
    *column = t * 8 + (i & 7) + (i >= 16 ? 32 : 0);
  } else {
    second = !(i < 32 || (i >= 64 && i < 96));
    *column = t * 32 + (i & 31) + (i < 64 ? 0 : 128);
  }
  *row = second ? g + 8 : g;
}

static void place_b(const form_t *form, unsigned lane, unsigned i, unsigned *row, unsigned *column) {
  unsigned t = lane % 4, bits = element_bits(form->b);
  *column = lane >> 2;
  *row = bits == 64   ? t + i * 4
         : bits == 32 ? (i == 0 ? t : t + 4)
         : bits == 16 ? (i < 2 ? t * 2 + i : t * 2 + (i & 1) + 8)
         : bits == 8  ? t * 4 + (i & 3) + (i >= 4 ? 16 : 0)
         : bits == 4  ? t * 8 + (i & 7) + (i >= 8 ? 32 : 0)
                      : t * 32 + (i & 31) + (i < 32 ? 0 : 128);
}

static void place_c(unsigned lane, unsigned i, unsigned *row, unsigned *column) {
  *row = i < 2 ? lane >> 2 : (lane >> 2) + 8;
  *column = lane % 4 * 2 + (i & 1);
}

static double left[16][256], right[256][8], plus[16][8];

typedef double (*number_t)(const char *type, unsigned *seed);

static void fill(const form_t *form, unsigned seed, number_t number) {
  for (unsigned m = 0; m < form->m; ++m)
    for (unsigned k = 0; k < form->k; ++k)
      left[m][k] = number(form->a, &seed);
  for (unsigned k = 0; k < form->k; ++k)
    for (unsigned n = 0; n < form->n; ++n)
      right[k][n] = number(form->b, &seed);
  for (unsigned m = 0; m < form->m; ++m)
    for (unsigned n = 0; n < form->n; ++n)
      plus[m][n] = number(form->c, &seed);
}

static double product(const form_t *form, unsigned m, unsigned n) {
  double sum = plus[m][n];
  for (unsigned k = 0; k < form->k; ++k)
    sum += strstr(form->last, "xor") ? (double)(left[m][k] != right[k][n]) : left[m][k] * right[k][n];
  return sum;
}

static void pack(const form_t *form, registers_t *registers) {
  unsigned row, column;
  registers->words[0] = words_of(form->a, form->m * form->k);
  registers->words[1] = words_of(form->b, form->n * form->k);
  registers->words[2] = words_of(form->c, form->m * form->n);
  registers->words[3] = words_of(form->d, form->m * form->n);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < form->m * form->k / 32; ++i) {
      place_a(form, lane, i, &row, &column);
      put_element(registers->data[0][lane], i, element_bits(form->a), element_of(form->a, left[row][column]));
    }
    for (unsigned i = 0; i < form->n * form->k / 32; ++i) {
      place_b(form, lane, i, &row, &column);
      put_element(registers->data[1][lane], i, element_bits(form->b), element_of(form->b, right[row][column]));
    }
    for (unsigned i = 0; i < form->m * form->n / 32; ++i) {
      place_c(lane, i, &row, &column);
      put_element(registers->data[2][lane], i, element_bits(form->c), element_of(form->c, plus[row][column]));
    }
  }
}

static void check(const form_t *form) {
  static registers_t registers;
  fill(form, form->k * 31 + form->m, small_number);
  memset(&registers, 0, sizeof registers);
  pack(form, &registers);
  run(form, &registers);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < form->m * form->n / 32; ++i) {
      unsigned row, column, bits = element_bits(form->d);
      place_c(lane, i, &row, &column);
      uint64_t have = get_element(registers.data[3][lane], i, bits);
      uint64_t want = element_of(form->d, product(form, row, column));
      if (have != want)
        fail_msg("%s %s.%s: (%u, %u): 0x%llx, not 0x%llx", form->shape, form->d, form->a, row, column,
                 (unsigned long long)have, (unsigned long long)want);
    }
}

static void floats(void **state) {
  static const struct {
    const char *shape;
    unsigned m, n, k;
    const char *d, *a;
  } forms[] = {{"m16n8k8", 16, 8, 8, "f16", "f16"},   {"m16n8k8", 16, 8, 8, "f32", "f16"},
               {"m16n8k16", 16, 8, 16, "f16", "f16"}, {"m16n8k16", 16, 8, 16, "f32", "f16"},
               {"m16n8k8", 16, 8, 8, "f32", "bf16"},  {"m16n8k16", 16, 8, 16, "f32", "bf16"},
               {"m16n8k4", 16, 8, 4, "f32", "tf32"},  {"m16n8k8", 16, 8, 8, "f32", "tf32"},
               {"m8n8k4", 8, 8, 4, "f64", "f64"},     {"m16n8k4", 16, 8, 4, "f64", "f64"},
               {"m16n8k8", 16, 8, 8, "f64", "f64"},   {"m16n8k16", 16, 8, 16, "f64", "f64"}};
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i)
    check(&(form_t){forms[i].shape, "row.col", "", forms[i].d, forms[i].a, forms[i].a, forms[i].d, "", forms[i].m,
                    forms[i].n, forms[i].k});
  static const char *const f8[] = {"e4m3", "e5m2"};
  for (int i = 0; i < 16; ++i)
    check(&(form_t){i & 8 ? "m16n8k32" : "m16n8k16", "row.col", "", i & 4 ? "f16" : "f32", f8[i & 1], f8[i >> 1 & 1],
                    i & 4 ? "f16" : "f32", "", 16, 8, i & 8 ? 32 : 16});
}

static void integers(void **state) {
  static const char *const types[2][2] = {{"s8", "u8"}, {"s4", "u4"}};
  (void)state;
  for (int i = 0; i < 16; ++i) {
    const char *a = types[i >> 2 & 1][i & 1], *b = types[i >> 2 & 1][i >> 1 & 1], *end = i & 8 ? ".satfinite" : "";
    if (i & 4) {
      check(&(form_t){"m8n8k32", "row.col", end, "s32", a, b, "s32", "", 8, 8, 32});
      check(&(form_t){"m16n8k32", "row.col", end, "s32", a, b, "s32", "", 16, 8, 32});
      check(&(form_t){"m16n8k64", "row.col", end, "s32", a, b, "s32", "", 16, 8, 64});
    } else {
      check(&(form_t){"m8n8k16", "row.col", end, "s32", a, b, "s32", "", 8, 8, 16});
      check(&(form_t){"m16n8k16", "row.col", end, "s32", a, b, "s32", "", 16, 8, 16});
      check(&(form_t){"m16n8k32", "row.col", end, "s32", a, b, "s32", "", 16, 8, 32});
    }
  }
}

static void bits(void **state) {
  (void)state;
  for (int i = 0; i < 2; ++i) {
    const char *last = i ? ".xor.popc" : ".and.popc";
    check(&(form_t){"m8n8k128", "row.col", "", "s32", "b1", "b1", "s32", last, 8, 8, 128});
    check(&(form_t){"m16n8k128", "row.col", "", "s32", "b1", "b1", "s32", last, 16, 8, 128});
    check(&(form_t){"m16n8k256", "row.col", "", "s32", "b1", "b1", "s32", last, 16, 8, 256});
  }
}

/* m8n8k4 of f16: quad pair q, lanes 4 q + 0..3 and 16 + 4 q + 0..3, has a dot of its own. */
static double quad_sum(const form_t *form, unsigned m, unsigned n) {
  float a[4], b[4], c = (float)plus[m][n], sum = 0;
  for (unsigned k = 0; k < 4; ++k)
    a[k] = (float)left[m][k], b[k] = (float)right[k][n];
  for (unsigned k = 0; k < 4; ++k)
    sum = fmaf(a[k], b[k], sum);
  if (strcmp(form->d, "f32") == 0)
    return (double)(c + sum);
  return (double)(c + fmaf(a[3], b[3], a[2] * b[2]) + fmaf(a[1], b[1], a[0] * b[0]));
}

static void check_quads(const char *d, const char *c, bool a_row, bool b_row, number_t number) {
  static registers_t registers;
  char layout[16];
  snprintf(layout, sizeof layout, "%s.%s", a_row ? "row" : "col", b_row ? "row" : "col");
  const form_t form = {"m8n8k4", layout, "", d, "f16", "f16", c, "", 8, 8, 4};
  double sums[4][8][8];
  memset(&registers, 0, sizeof registers);
  registers.words[0] = registers.words[1] = 2;
  registers.words[2] = element_bits(c) / 4;
  registers.words[3] = element_bits(d) / 4;
  for (unsigned q = 0; q < 4; ++q) {
    fill(&form, 5 + q, number);
    for (unsigned m = 0; m < 8; ++m)
      for (unsigned n = 0; n < 8; ++n)
        sums[q][m][n] = quad_sum(&form, m, n);
    for (unsigned l = 0; l < 8; ++l) {
      unsigned lane = q * 4 + l % 4 + (l < 4 ? 0 : 16), add = lane < 16 ? 0 : 4;
      for (unsigned i = 0; i < 4; ++i) {
        double x = a_row ? left[lane % 4 + add][i] : left[i % 4 + add][lane % 4];
        double y = b_row ? right[lane % 4][i + add] : right[i][lane % 4 + add];
        put_element(registers.data[0][lane], i, 16, element_of("f16", x));
        put_element(registers.data[1][lane], i, 16, element_of("f16", y));
      }
      for (unsigned i = 0; i < 8; ++i) {
        bool half = c[1] == '1';
        unsigned row = half ? lane % 4 : (lane & 1) + (i & 2), column = half ? i : (i & 4) + (lane & 2) + (i & 1);
        put_element(registers.data[2][lane], i, element_bits(c), element_of(c, plus[row + add][column]));
      }
    }
  }
  run(&form, &registers);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 8; ++i) {
      bool half = d[1] == '1';
      unsigned row = half ? lane % 4 : (lane & 1) + (i & 2), column = half ? i : (i & 4) + (lane & 2) + (i & 1);
      assert_int_equal(get_element(registers.data[3][lane], i, element_bits(d)),
                       element_of(d, sums[lane / 4 % 4][row + (lane < 16 ? 0 : 4)][column]));
    }
}

static void quads(void **state) {
  (void)state;
  for (int i = 0; i < 8; ++i) {
    check_quads("f32", "f32", i & 1, i & 2, i & 4 ? any_number : small_number);
    check_quads("f16", "f16", i & 1, i & 2, i & 4 ? any_number : small_number);
    check_quads("f32", "f16", i & 1, i & 2, i & 4 ? any_number : small_number);
  }
}

/* A, B and C are filled with the bit patterns `a`, `b` and `c`; returns D's first element. */
static uint64_t uniform(const form_t *form, uint64_t a, uint64_t b, uint64_t c) {
  static registers_t registers;
  memset(&registers, 0, sizeof registers);
  memset(left, 0, sizeof left), memset(right, 0, sizeof right), memset(plus, 0, sizeof plus);
  pack(form, &registers);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < form->m * form->k / 32; ++i)
      put_element(registers.data[0][lane], i, element_bits(form->a), a);
    for (unsigned i = 0; i < form->n * form->k / 32; ++i)
      put_element(registers.data[1][lane], i, element_bits(form->b), b);
    for (unsigned i = 0; i < form->m * form->n / 32; ++i)
      put_element(registers.data[2][lane], i, element_bits(form->c), c);
  }
  run(form, &registers);
  return get_element(registers.data[3][0], 0, element_bits(form->d));
}

static void special_numbers(void **state) {
  const form_t f16 = {"m16n8k8", "row.col", "", "f32", "f16", "f16", "f32", "", 16, 8, 8};
  const form_t half = {"m16n8k8", "row.col", "", "f16", "f16", "f16", "f16", "", 16, 8, 8};
  const form_t bf16 = {"m16n8k8", "row.col", "", "f32", "bf16", "bf16", "f32", "", 16, 8, 8};
  const form_t tf32 = {"m16n8k4", "row.col", "", "f32", "tf32", "tf32", "f32", "", 16, 8, 4};
  const form_t e4m3 = {"m16n8k16", "row.col", "", "f32", "e4m3", "e4m3", "f32", "", 16, 8, 16};
  const form_t e5m2 = {"m16n8k16", "row.col", "", "f32", "e5m2", "e5m2", "f32", "", 16, 8, 16};
  (void)state;
  assert_int_equal(uniform(&f16, 0x7e01, 0x3c00, 0), 0x7fffffff);          /* NaN */
  assert_int_equal(uniform(&f16, 0x7c00, 0x3c00, 0), 0x7f800000);          /* infinity */
  assert_int_equal(uniform(&f16, 0x7c00, 0x0000, 0), 0x7fffffff);          /* infinity times zero */
  assert_int_equal(uniform(&f16, 0x7c00, 0x3c00, 0xff800000), 0x7fffffff); /* infinities of opposite sign */
  assert_int_equal(uniform(&f16, 0x0001, 0x3c00, 0), float_bits(0x1p-21F));
  assert_int_equal(uniform(&f16, 0x7bff, 0x7bff, float_bits(1)), float_bits(65504.0F * 65504.0F * 8));
  assert_int_equal(uniform(&f16, 0x3c00, 0x3c00, float_bits(0x1p25F)), float_bits(0x1p25F + 8)); /* one rounding */
  assert_int_equal(uniform(&half, 0x3c00, 0x3c00, 0x6c00), 0x6c02);                              /* 4096 + 8 */
  assert_int_equal(uniform(&half, 0x7bff, 0x4000, 0), 0x7c00);
  assert_int_equal(uniform(&half, 0x7bff, 0x7c01, 0), 0x7fff);
  assert_int_equal(uniform(&bf16, 0x0001, 0x3f80, 0), 0x00080000); /* subnormal */
  assert_int_equal(uniform(&bf16, 0xff80, 0x3f80, 0), 0xff800000);
  assert_int_equal(uniform(&tf32, 0x3f801fff, 0x3f800000, 0), float_bits(4)); /* the low 13 bits are ignored */
  assert_int_equal(uniform(&tf32, 0x3f802000, 0x3f800000, 0), float_bits(4 + 0x1p-8F));
  assert_int_equal(uniform(&e4m3, 0x7f, 0x38, 0), 0x7fffffff);
  assert_int_equal(uniform(&e4m3, 0x7e, 0x38, 0), float_bits(448 * 16));
  assert_int_equal(uniform(&e4m3, 0x81, 0x38, 0), float_bits(-0x1p-9F * 16));
  assert_int_equal(uniform(&e5m2, 0xfc, 0x3c, 0), 0xff800000);
  assert_int_equal(uniform(&e5m2, 0x01, 0x3c, 0), float_bits(0x1p-16F * 16));
}

/* Inexact sums, as an H200 adds them. 8-bit floats: each group of four k is split into two dots. */
static double rounded_sum(const form_t *form, unsigned m, unsigned n) {
  double a[2][32], b[2][32];
  bool eights = form->a[0] == 'e', half = strcmp(form->d, "f16") == 0;
  unsigned counts[2] = {0, 0};
  for (unsigned k = 0; k < form->k; ++k) {
    unsigned part = eights && k % 4 > 1;
    a[part][counts[part]] = left[m][k];
    b[part][counts[part]++] = right[k][n];
  }
  int least = eights || strcmp(form->a, "f16") == 0 ? -14 : -126, mantissa = half ? 0 : 23;
  double sum = cut_sum(a[0], b[0], counts[0], eights ? 0 : plus[m][n], 25, mantissa, least);
  if (eights) {
    sum = value_of(form->d, element_of(form->d, sum));
    sum = value_of(form->d, element_of(form->d, cut_sum(a[1], b[1], counts[1], sum, 25, mantissa, least)));
    sum += plus[m][n];
  }
  return sum;
}

static void check_rounded(const form_t *form, unsigned seed) {
  static registers_t registers;
  fill(form, seed, any_number);
  memset(&registers, 0, sizeof registers);
  pack(form, &registers);
  run(form, &registers);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      unsigned row, column, bits = element_bits(form->d);
      place_c(lane, i, &row, &column);
      uint64_t want = element_of(form->d, rounded_sum(form, row, column));
      assert_int_equal(get_element(registers.data[3][lane], i, bits), want);
    }
}

static void sums_are_cut(void **state) {
  static const char *const types[][2] = {{"f32", "f16"},  {"f32", "bf16"}, {"f32", "tf32"}, {"f16", "f16"},
                                         {"f32", "e4m3"}, {"f32", "e5m2"}, {"f16", "e4m3"}, {"f16", "e5m2"}};
  (void)state;
  for (unsigned i = 0; i < 32; ++i) {
    const char *d = types[i % 8][0], *a = types[i % 8][1];
    unsigned k = 128 / element_bits(a) * (i & 8 ? 2 : 1);
    char shape[16];
    snprintf(shape, sizeof shape, "m16n8k%u", k);
    check_rounded(&(form_t){shape, "row.col", "", d, a, a, d, "", 16, 8, k}, i);
  }
}

static void overflow(void **state) {
  form_t form = {"m16n8k32", "row.col", "", "s32", "s8", "u8", "s32", "", 16, 8, 32};
  (void)state;
  assert_int_equal(uniform(&form, 0x7f, 0xff, 0x7fffffff), 0x7fffffff + UINT32_C(127) * 255 * 32);
  assert_int_equal(uniform(&form, 0x80, 0xff, 0x80000000), 0x80000000 - UINT32_C(128) * 255 * 32);
  form.end = ".satfinite";
  assert_int_equal(uniform(&form, 0x7f, 0xff, 0x7fffffff), 0x7fffffff);
  assert_int_equal(uniform(&form, 0x80, 0xff, 0x80000000), 0x80000000);
}

static void f64_rounds_as_it_says(void **state) {
  form_t form = {"m8n8k4", "row.col", "", "f64", "f64", "f64", "f64", "", 8, 8, 4};
  uint64_t one = element_of("f64", 1), small = element_of("f64", 0x1p-60);
  (void)state;
  assert_true(uniform(&form, one, small, one) == one);
  form.end = ".rp";
  assert_true(uniform(&form, one, small, one) == one + 4);
  form.end = ".rm";
  assert_true(uniform(&form, one, small | UINT64_C(1) << 63, one) == one - 4);
  form.end = ".rz";
  assert_true(uniform(&form, one, small, one) == one);
}

static void expect(const char *instruction, const char *sentence) {
  char body[512];
  uint64_t data[4] = {0};
  snprintf(body, sizeof body, "%s", instruction);
  assert_int_equal(emulate_text(emulate_kernel(body), data, sizeof data, 32, NEREID_EMULATOR_ROUND_ROBIN, &report),
                   NEREID_ERROR_PROGRAM);
  if (!strstr(report.message.text, sentence))
    fail_msg("'%s' is not in '%s'", sentence, report.message.text);
}

#define HEAD "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
static void wrong_ones_are_refused(void **state) {
  (void)state;
  expect(HEAD "{%r1,%r2,%r3,%r4}, {%r1}, {%r1}, {%r1,%r2,%r3,%r4};", "1 registers, expected 2");
  expect(HEAD "{%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1}, {%d1,%r2,%r3,%r4};", "'%d1' has 64 bits");
  expect("mma.sync.aligned.m16n8k8.col.row.f32.f16.f16.f32 {%r1}, {%r1}, {%r1}, {%r1};", "is not emulated");
  expect("mma.sync.aligned.m16n8k16.row.col.f32.s8.s8.f32 {%r1}, {%r1}, {%r1}, {%r1};", "is not emulated");
  expect("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1}, {%r1}, {%r1}, {%r1}, %r2, 0;",
         "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 is not emulated");
  expect("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 4;\n@%p1 " HEAD
         "{%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1}, {%r1,%r2,%r3,%r4};",
         "only part of the warp reaches it: lanes 0x0000000f");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(floats),          cmocka_unit_test(integers),     cmocka_unit_test(bits),
      cmocka_unit_test(quads),           cmocka_unit_test(overflow),     cmocka_unit_test(f64_rounds_as_it_says),
      cmocka_unit_test(special_numbers), cmocka_unit_test(sums_are_cut), cmocka_unit_test(wrong_ones_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
