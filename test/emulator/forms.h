/* Instruction patterns, and kernels that execute one instruction on selected values.
 *
 *   add<.rn/.rz>.f32 %r0, %r1, %r2;   ->   two instructions
 *
 * A kernel's thread loads four 64-bit values into %d1..%d4, their low bits into %r1.. and %h1.., single bits into
 * %p0..%p3, executes the instruction and stores 64 bytes: all registers that the instruction may write. */
#ifndef NEREID_TEST_FORMS_H
#define NEREID_TEST_FORMS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { FORMS_THREADS = 1024, FORMS_BLOCK = 128, FORMS_RESULT = 64, FORMS_TEXT = 8192 };

/* Calls for each expansion of a pattern. */
static void forms_expand(const char *pattern, void (*use)(void *data, const char *instruction), void *data) {
  char text[1024];
  const char *open = strchr(pattern, '<'), *close = open ? strchr(open, '>') : NULL;
  if (!close) {
    use(data, pattern);
    return;
  }
  for (const char *from = open + 1, *to; from <= close; from = to + 1) {
    to = from + strcspn(from, "/>");
    snprintf(text, sizeof text, "%.*s%.*s%s", (int)(open - pattern), pattern, (int)(to - from), from, close + 1);
    forms_expand(text, use, data);
  }
}

/* Code before and after an instruction. */
static const char forms_head[] = ".version 8.7\n.target sm_90a\n.address_size 64\n"
                                 ".extern .shared .align 16 .b8 smem[];\n.global .align 16 .b8 gv[64];\n"
                                 ".const .align 16 .b8 cv[64];\n.func (.param .b32 fr) fn(.param .b32 fa) { ret; }\n";

/* A kernel that is only decoded. */
static inline void forms_decoded(char *out, const char *name, const char *instruction) {
  snprintf(out, FORMS_TEXT,
           ".visible .entry %s(.param .align 16 .b8 kp[64])\n{\n.reg .pred %%p<8>; .reg .b16 %%h<20>; .reg .b32 "
           "%%r<40>; .reg .b64 %%d<20>; .reg .b128 %%q<8>;\n.local .align 16 .b8 lv[64];\n.shared .align 16 .b8 "
           "sv[64];\n%s\nEND: ret;\n}\n",
           name, instruction);
}

/* A kernel with pointers to the threads' inputs and results. */
static inline void forms_executed(char *out, const char *name, const char *instruction) {
  bool wide = strstr(instruction, "%q"),
       carries = strstr(instruction, "addc") || strstr(instruction, "subc") || strstr(instruction, "madc");
  int n = snprintf(out, FORMS_TEXT,
                   ".visible .entry %s(.param .u64 pin, .param .u64 pout)\n{\n.reg .pred %%p<8>; .reg .b16 %%h<20>; "
                   ".reg .b32 %%r<40>; .reg .b64 %%d<30>; .reg .b128 %%q<8>;\nld.param.b64 %%d20, [pin]; ld.param.b64 "
                   "%%d21, [pout]; mov.u32 %%r30, %%tid.x; mov.u32 %%r31, %%ctaid.x; mad.lo.u32 %%r30, %%r31, %d, "
                   "%%r30;\nmul.wide.u32 %%d22, %%r30, 32; add.u64 %%d20, %%d20, %%d22; mul.wide.u32 %%d23, %%r30, %d; "
                   "add.u64 %%d21, %%d21, %%d23;\n",
                   name, FORMS_BLOCK, FORMS_RESULT);
  for (int k = 1; k <= 4; ++k)
    n += snprintf(out + n, FORMS_TEXT - (size_t)n,
                  "ld.global.b64 %%d%d, [%%d20+%d]; cvt.u32.u64 %%r%d, %%d%d; cvt.u16.u64 %%h%d, %%d%d;\n"
                  "shr.u32 %%r33, %%r%d, %d; and.b32 %%r33, %%r33, 1; setp.ne.u32 %%p%d, %%r33, 0;\n",
                  k, 8 * (k - 1), k, k, k, k, k, k + 2, k - 1);
  snprintf(
      out + n, FORMS_TEXT - (size_t)n,
      "mov.b64 %%d0, 0; mov.b32 %%r0, 0; mov.b16 %%h0, 0; mov.b32 %%r5, %%r2; mov.b32 %%r6, %%r3; mov.b32 %%r7, "
      "%%r4;\n%s%s%s\nst.global.b64 [%%d21], %%d0; st.global.b32 [%%d21+8], %%r0; st.global.b16 [%%d21+12], %%h0;\n"
      "selp.u32 %%r34, 1, 0, %%p0; selp.u32 %%r35, 2, 0, %%p1; or.b32 %%r34, %%r34, %%r35; st.global.b8 "
      "[%%d21+14], %%r34;\nst.global.b64 [%%d21+16], %%d1; st.global.b32 [%%d21+24], %%r1; st.global.b32 "
      "[%%d21+28], %%r2;\nst.global.b16 [%%d21+32], %%h1; st.global.b16 [%%d21+34], %%h2; st.global.b16 "
      "[%%d21+36], %%h3; st.global.b16 [%%d21+38], %%h4;\nst.global.b64 [%%d21+40], %%d2; st.global.b32 "
      "[%%d21+48], %%r4; st.global.b32 [%%d21+52], %%r5;\n%sret;\n}\n",
      wide ? "mov.b128 %q1, {%d1, %d2}; mov.b128 %q0, {%d3, %d4};\n" : "",
      carries ? "add.cc.u32 %r36, %r3, %r4;\n" : "", instruction,
      wide ? "mov.b128 {%d5, %d6}, %q0; st.global.b64 [%d21+56], %d6; st.global.b64 [%d21+40], %d5;\n" : "");
}

static inline uint64_t forms_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

/* Corner cases: zeros, subnormals, ties, limits of types, infinities, NaNs. */
static inline uint64_t forms_number(uint64_t *state, unsigned kind) {
  static const uint64_t f64[] = {0,
                                 UINT64_C(1) << 63,
                                 1,
                                 0x8000000000000001,
                                 0x000fffffffffffff,
                                 0x0010000000000000,
                                 0x3ff0000000000000,
                                 0xbff0000000000000,
                                 0x7fefffffffffffff,
                                 0xffefffffffffffff,
                                 0x7ff0000000000000,
                                 0xfff0000000000000,
                                 0x7ff8000000000000,
                                 0x7ff0000000000001,
                                 0xfff8000000000123,
                                 0x3fe0000000000000,
                                 0x4004000000000000,
                                 0xc00c000000000000,
                                 0x43e0000000000000,
                                 0xc3e0000000000000,
                                 0x41dfffffffe00000,
                                 0x41efffffffe00000,
                                 0x3ff8000000000000,
                                 0x36a0000000000000,
                                 0x3690000000000001,
                                 0x47efffffe0000000,
                                 0x47effffff0000000,
                                 0x40efffe000000000,
                                 0x3e60000000000000};
  static const uint32_t f32[] = {
      0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x807fffff, 0x3f800000, 0xbf800000,
      0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc00123, 0x3f000000, 0xbf000000,
      0x40200000, 0xc0600000, 0x4f000000, 0xcf000000, 0x4effffff, 0x5f000000, 0x477fefff, 0x477ff000, 0x477fe000,
      0x33000000, 0x33000001, 0x38800000, 0x387fffff, 0x3f801000, 0x3f803000, 0x3f808000, 0x3f818000, 0x43e00000,
      0x43e80000, 0x43e7ffff, 0x7f7f8000, 0x7f000000, 0x3c000000, 0x3b000000, 0x3a800000};
  static const uint16_t f16[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00, 0xbc00, 0x7bff,
                                 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe12, 0x7fff, 0xffff, 0x3800,
                                 0x4100, 0xc300, 0x3c01, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0x3f80, 0xbf80,
                                 0x7f7f, 0x80,   0x7f,   0x7ffe, 0x5b00, 0x5f00};
  uint64_t bits = 0, r = forms_random(state);
  uint32_t exponent = (uint32_t)(r >> 40) % 40;
  switch (kind) {
  case 0:
    return r;
  case 1:
    return f64[r % (sizeof f64 / sizeof *f64)];
  case 2:
    return f32[r % (sizeof f32 / sizeof *f32)] | (uint64_t)f32[(r >> 32) % (sizeof f32 / sizeof *f32)] << 32;
  case 3:
    for (int i = 0; i < 64; i += 16)
      bits |= (uint64_t)f16[forms_random(state) % (sizeof f16 / sizeof *f16)] << i;
    return bits;
  case 4:
    return r % 3 ? (r >> 8) % 70 : 0 - (r >> 8) % 70;
  case 5: /* two f32 between 2^-20 and 2^20 */
    return ((r & 0x807fffff807fffff) | (uint64_t)(107 + exponent) << 23 | (uint64_t)(147 - exponent) << 55);
  case 6:
    return (r & 0x800fffffffffffff) | (uint64_t)(1003 + exponent) << 52;
  default:
    return r >> (exponent + 20);
  }
}

static inline void forms_inputs(uint64_t (*out)[4]) {
  uint64_t state = UINT64_C(88172645463325252);
  for (unsigned thread = 0; thread < FORMS_THREADS; ++thread)
    for (int k = 0; k < 4; ++k) {
      unsigned other = (unsigned)(forms_random(&state) >> 20);
      out[thread][k] = forms_number(&state, other % 5 ? thread % 8 : other / 8 % 8);
    }
}

/* FNV-1a, from 14695981039346656037 on. */
static inline uint64_t forms_hash(uint64_t hash, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(1099511628211);
  return hash;
}

#endif
