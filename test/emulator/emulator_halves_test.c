/* Exhaustive tests of every f16 and bf16, and every pair of 8-bit floats, against 128-bit integer arithmetic.
 *
 * An f16, a product of two, and the sum of that and a third are multiples of 2^-48 below 2^81: exact in a fixed-point
 * __int128, which `rounded` rounds to nearest even. */
#include "test/emulator/emulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 fixed_t;

enum { ALL = 1 << 16, BLOCK = 256, UNIT = 48 };

static uint32_t sources[ALL][3], results[ALL];

/* Executes `instructions` on all of `sources`: a, b, c in %r1 %r2 %r3 and %h1 %h2 %h3, the result from %r0. */
static void run(const char *instructions) {
  char text[4096];
  nereid_emulator_program_t *program = NULL;
  nereid_emulator_memory_t *memory = NULL;
  nereid_emulator_report_t report;
  uint64_t addresses[2];
  snprintf(
      text, sizeof text,
      ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry t(.param .u64 in, .param .u64 out) {\n"
      ".reg .b16 %%h<9>; .reg .b32 %%r<9>; .reg .b64 %%d<9>; .reg .pred %%p<3>;\nld.param.b64 %%d1, [in]; "
      "ld.param.b64 %%d2, [out]; mov.u32 %%r8, %%ctaid.x; mov.u32 %%r7, %%tid.x; mad.lo.u32 %%r8, %%r8, %d, %%r7;\n"
      "mul.wide.u32 %%d3, %%r8, 12; add.u64 %%d1, %%d1, %%d3; mul.wide.u32 %%d3, %%r8, 4; add.u64 %%d2, %%d2, "
      "%%d3;\nld.global.u32 %%r1, [%%d1]; ld.global.u32 %%r2, [%%d1+4]; ld.global.u32 %%r3, [%%d1+8];\n"
      "cvt.u16.u32 %%h1, %%r1; cvt.u16.u32 %%h2, %%r2; cvt.u16.u32 %%h3, %%r3;\n%s\nst.global.u32 [%%d2], %%r0; "
      "ret; }\n",
      BLOCK, instructions);
  report.message.text[0] = 0;
  if (nereid_emulator_load(nereid_view(text), "t.ptx", &program, &report.message))
    fail_msg("%s", report.message.text);
  assert_int_equal(nereid_emulator_memory_create(&memory), NEREID_OK);
  assert_int_equal(nereid_emulator_memory_add(memory, sources, sizeof sources, 16, "in", &addresses[0]), NEREID_OK);
  assert_int_equal(nereid_emulator_memory_add(memory, results, sizeof results, 16, "out", &addresses[1]), NEREID_OK);
  nereid_emulator_launch_t launch = {.grid = {ALL / BLOCK, 1, 1},
                                     .block = {BLOCK, 1, 1},
                                     .parameters = addresses,
                                     .parameter_bytes = sizeof addresses,
                                     .memory = memory};
  if (nereid_emulator_run(nereid_emulator_kernel(program, "t"), &launch, &report))
    fail_msg("%s", report.message.text);
  nereid_emulator_memory_destroy(memory);
  nereid_emulator_unload(program);
}

static void expect(const char *what, uint32_t i, uint32_t expected) {
  if (results[i] != expected)
    fail_msg("%s of %x %x %x: %x, not %x", what, (unsigned)sources[i][0], (unsigned)sources[i][1],
             (unsigned)sources[i][2], (unsigned)results[i], (unsigned)expected);
}

static bool is_nan(uint32_t x) {
  return (x & 0x7fff) > 0x7c00;
}
static bool is_infinite(uint32_t x) {
  return (x & 0x7fff) == 0x7c00;
}

/* A finite f16 in units of 2^-24. */
static int64_t units(uint32_t x) {
  int64_t mantissa = x & 0x3ff;
  unsigned exponent = x >> 10 & 31;
  int64_t value = exponent ? (mantissa | 0x400) << (exponent - 1) : mantissa;
  return x & 0x8000 ? -value : value;
}

/* Units of 2^-48 to f16, nearest even; `zero`: the sign of a result that is zero. */
static uint32_t rounded(fixed_t value, uint32_t zero) {
  unsigned __int128 m = (unsigned __int128)(value < 0 ? -value : value);
  uint32_t sign = value < 0 ? 0x8000 : value > 0 ? 0 : zero;
  unsigned exponent = 0, drop = 24; /* m >> drop is the mantissa, of a subnormal number at first */
  while (m >> (drop + 11)) {
    ++drop;
    ++exponent;
  }
  uint32_t kept = (uint32_t)(m >> drop);
  unsigned __int128 rest = m & (((unsigned __int128)1 << drop) - 1), half = (unsigned __int128)1 << (drop - 1);
  kept += rest > half || (rest == half && kept & 1);
  uint32_t bits = exponent * 0x400 +
                  kept; /* a carry propagates into the exponent; a normal mantissa contributes its implicit bit */
  return sign | (bits > 0x7c00 ? 0x7c00 : bits);
}

static const uint16_t others[] = {0,      0x8000, 1,      0x83ff, 0x0400, 0x3c00, 0xbc01, 0x3555,
                                  0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01, 0x1234, 0xd678, 0x6400};

static void arithmetic(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
    uint32_t b = others[k], c = others[(k * 7 + 3) % 16];
    for (uint32_t i = 0; i < ALL; ++i)
      memcpy(sources[i], (uint32_t[]){i, b, c}, sizeof sources[i]);
    run("add.f16 %h4, %h1, %h2; cvt.u32.u16 %r0, %h4;");
    for (uint32_t i = 0; i < ALL; ++i) {
      bool invalid = is_nan(i) || is_nan(b) || (is_infinite(i) && is_infinite(b) && i != b);
      uint32_t zero = i & b & 0x8000;
      expect("add", i,
             invalid          ? 0x7fff
             : is_infinite(i) ? i
             : is_infinite(b) ? b
                              : rounded(((fixed_t)units(i) + units(b)) * (1 << 24), zero));
    }
    run("fma.rn.f16 %h4, %h1, %h2, %h3; cvt.u32.u16 %r0, %h4;");
    for (uint32_t i = 0; i < ALL; ++i) {
      uint32_t sign = (i ^ b) & 0x8000;
      bool large = is_infinite(i) || is_infinite(b), none = !(i & 0x7fff) || !(b & 0x7fff);
      bool invalid =
          is_nan(i) || is_nan(b) || is_nan(c) || (large && none) || (large && is_infinite(c) && sign != (c & 0x8000));
      expect("fma", i,
             invalid          ? 0x7fff
             : large          ? sign | 0x7c00
             : is_infinite(c) ? c
                              : rounded((fixed_t)units(i) * units(b) + (fixed_t)units(c) * (1 << 24), sign & c));
    }
  }
}

/* f16 to integers: floor in units of 2^-24, then the mode. */
static int64_t whole(uint32_t x, char mode) {
  int64_t u = units(x), low = u >> 24, rest = u - low * (1 << 24);
  if (mode == 'm' || !rest)
    return low;
  if (mode == 'p')
    return low + 1;
  if (mode == 'z')
    return u < 0 ? low + 1 : low;
  return rest > 1 << 23 || (rest == 1 << 23 && low & 1) ? low + 1 : low;
}

static void to_integers(void **state) {
  static const struct {
    const char *type;
    int64_t least, most;
  } types[] = {{"s8", -128, 127}, {"u8", 0, 255}, {"s16", -32768, 32767}, {"u16", 0, 65535}, {"u32", 0, UINT32_MAX}};
  char text[128];
  (void)state;
  for (uint32_t i = 0; i < ALL; ++i)
    sources[i][0] = i;
  for (size_t t = 0; t < sizeof types / sizeof *types; ++t)
    for (const char *mode = "nzmp"; *mode; ++mode) {
      snprintf(text, sizeof text, "cvt.r%ci.%s.f16 %%r0, %%h1;", *mode, types[t].type);
      run(text);
      for (uint32_t i = 0; i < ALL; ++i) {
        int64_t value = is_nan(i) ? 0 : is_infinite(i) ? (i & 0x8000 ? INT64_MIN : INT64_MAX) : whole(i, *mode);
        value = value < types[t].least ? types[t].least : value > types[t].most ? types[t].most : value;
        expect(text, i, (uint32_t)value);
      }
    }
}

static float power(int exponent) {
  return (float)ldexp(1, exponent);
}

/* The value of a narrow float by its fields: sign, biased exponent, mantissa. */
static float meaning(uint32_t bits, unsigned exponent_bits, unsigned mantissa_bits) {
  uint32_t mantissa = bits & ((1u << mantissa_bits) - 1),
           exponent = bits >> mantissa_bits & ((1u << exponent_bits) - 1);
  int bias = (1 << (exponent_bits - 1)) - 1, m = (int)mantissa_bits;
  float value = exponent ? (float)(mantissa | 1u << mantissa_bits) * power((int)exponent - bias - m)
                         : (float)mantissa * power(1 - bias - m);
  return bits >> (exponent_bits + mantissa_bits) & 1 ? -value : value;
}

static uint32_t f32_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static void to_f32(void **state) {
  (void)state;
  for (uint32_t i = 0; i < ALL; ++i)
    sources[i][0] = i;
  run("cvt.f32.f16 %r0, %h1;");
  for (uint32_t i = 0; i < ALL; ++i)
    expect("f16", i,
           is_nan(i)        ? 0x7fffffff
           : is_infinite(i) ? (i & 0x8000) << 16 | 0x7f800000
                            : f32_bits(meaning(i, 5, 10)));
  run("cvt.f32.bf16 %r0, %h1;");
  for (uint32_t i = 0; i < ALL; ++i)
    expect("bf16", i, i << 16);
  run("cvt.rn.f16x2.e4m3x2 %r0, %h1;");
  for (uint32_t i = 0; i < ALL; ++i)
    for (unsigned k = 0; k < 2; ++k) {
      uint32_t byte = i >> (8 * k) & 0xff, half = results[i] >> (16 * k) & 0xffff;
      bool good = (byte & 0x7f) == 0x7f ? half == 0x7fff
                                        : meaning(half, 5, 10) == meaning(byte, 4, 3) && half >> 15 == byte >> 7;
      if (!good)
        fail_msg("e4m3 %x: %x", (unsigned)byte, (unsigned)half);
    }
  run("cvt.rn.f16x2.e5m2x2 %r0, %h1;");
  for (uint32_t i = 0; i < ALL; ++i)
    for (unsigned k = 0; k < 2; ++k) {
      uint32_t byte = i >> (8 * k) & 0xff, half = results[i] >> (16 * k) & 0xffff;
      if (half != ((byte & 0x7f) > 0x7c ? 0x7fff : byte << 8))
        fail_msg("e5m2 %x: %x", (unsigned)byte, (unsigned)half);
    }
}

/* Between each f16 and the next: the midpoint, and the adjacent f32 on both sides of it. */
static void from_f32(void **state) {
  (void)state;
  for (uint32_t i = 0; i < ALL; ++i) {
    uint32_t magnitude = i & 0x7fff, next = magnitude < 0x7bff ? magnitude + 1 : magnitude;
    float middle = (meaning(magnitude, 5, 10) + meaning(next, 5, 10)) / 2;
    sources[i][0] = f32_bits(middle) | (i & 0x8000) << 16;
    sources[i][1] = sources[i][0] - (magnitude != 0 || next);
    sources[i][2] = sources[i][0] + 1;
  }
  static const char *const texts[] = {"cvt.rn.f16.f32 %h4, %r1; cvt.u32.u16 %r0, %h4;",
                                      "cvt.rn.f16.f32 %h4, %r2; cvt.u32.u16 %r0, %h4;",
                                      "cvt.rn.f16.f32 %h4, %r3; cvt.u32.u16 %r0, %h4;"};
  for (int k = 0; k < 3; ++k) {
    run(texts[k]);
    for (uint32_t i = 0; i < ALL; ++i) {
      uint32_t magnitude = i & 0x7fff;
      if (magnitude < 0x7bff)
        expect(texts[k], i, (i & 0x8000) | (k == 0 ? magnitude + (magnitude & 1) : k == 1 ? magnitude : magnitude + 1));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(arithmetic), cmocka_unit_test(to_integers),
                                     cmocka_unit_test(to_f32), cmocka_unit_test(from_f32)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
