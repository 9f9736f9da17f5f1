/* Comparison and selection (PTX ISA, Comparison and Selection Instructions): setp, set, selp, slct. A comparison is
 * a set of outcomes {less, equal, greater, unordered} that contains the pair's outcome or not. */
#include "emulator/instructions/arithmetic/numbers.h"
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static unsigned outcomes(unsigned comparison) {
  switch (comparison) {
  case EMU_eq:
    return EQUAL;
  case EMU_ne:
    return LESS | GREATER;
  case EMU_lt:
  case EMU_lo:
    return LESS;
  case EMU_le:
  case EMU_ls:
    return LESS | EQUAL;
  case EMU_gt:
  case EMU_hi:
    return GREATER;
  case EMU_ge:
  case EMU_hs:
    return GREATER | EQUAL;
  case EMU_equ:
    return EQUAL | UNORDERED;
  case EMU_neu:
    return LESS | GREATER | UNORDERED;
  case EMU_ltu:
    return LESS | UNORDERED;
  case EMU_leu:
    return LESS | EQUAL | UNORDERED;
  case EMU_gtu:
    return GREATER | UNORDERED;
  case EMU_geu:
    return GREATER | EQUAL | UNORDERED;
  case EMU_num:
    return LESS | EQUAL | GREATER;
  default:
    return UNORDERED;
  }
}

#define ORDER(a, b) ((a) < (b) ? LESS : (a) == (b) ? EQUAL : (a) > (b) ? GREATER : UNORDERED)

#define COMPARE(name, T, expression)                                                                                   \
  EMU_SIMD static uint32_t name(const emu_warp_t *warp, const emu_insn_t *insn, int first) {                           \
    LOAD(T, x, first);                                                                                                 \
    LOAD(T, y, first + 1);                                                                                             \
    unsigned in = outcomes(insn->size);                                                                                \
    uint32_t bits = 0;                                                                                                 \
    for (int l = 0; l < EMU_LANES; ++l) {                                                                              \
      T a = x[l], b = y[l];                                                                                            \
      bits |= (uint32_t)(((expression) & in) != 0) << l;                                                               \
    }                                                                                                                  \
    return bits;                                                                                                       \
  }
/* With .ftz an f16 subnormal becomes zero. */
static float flushed(uint16_t a) {
  return a & 0x7c00 ? nereid_float_from_f16(a) : 0;
}

#define HALVES(from) ORDER(nereid_float_from_##from(a), nereid_float_from_##from(b))
COMPARE(cmp_u16, uint16_t, ORDER(a, b))
COMPARE(cmp_u32, uint32_t, ORDER(a, b))
COMPARE(cmp_u64, uint64_t, ORDER(a, b))
COMPARE(cmp_s16, int16_t, ORDER(a, b))
COMPARE(cmp_s32, int32_t, ORDER(a, b))
COMPARE(cmp_s64, int64_t, ORDER(a, b))
COMPARE(cmp_f32, float, ORDER(a, b))
COMPARE(cmp_ftz, float, ORDER(emu_flush(a), emu_flush(b)))
COMPARE(cmp_f64, double, ORDER(a, b))
COMPARE(cmp_f16, uint16_t, HALVES(f16))
COMPARE(cmp_f16_ftz, uint16_t, ORDER(flushed(a), flushed(b)))
COMPARE(cmp_bf16, uint16_t, HALVES(bf16))

/* With a predicate c: (a cmp b) op c, and its complement (!(a cmp b)) op c. */
static uint32_t combine(const emu_warp_t *warp, const emu_insn_t *insn, uint32_t bits, const emu_operand_t *third) {
  if (!(insn->modifiers & (EMU_BIT(and) | EMU_BIT(or) | EMU_BIT(xor))))
    return bits;
  uint32_t c = emu_predicate(warp, third);
  return EMU_HAS(insn, and) ? bits & c : EMU_HAS(insn, or) ? bits | c : bits ^ c;
}

static emu_next_t put(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, uint32_t bits) {
  uint32_t first = combine(warp, insn, bits, &insn->operands[4]);
  uint32_t second = combine(warp, insn, ~bits, &insn->operands[4]);
  emu_set_predicate(warp, &insn->operands[0], first, mask);
  emu_set_predicate(warp, &insn->operands[1], second, mask);
  return EMU_ADVANCE;
}

/* The value of set for "true": 1.0 or all ones. */
static uint32_t one_of(unsigned type) {
  return type == EMU_F32 ? 0x3f800000 : type == EMU_F16 ? 0x3c00 : type == EMU_BF16 ? 0x3f80 : UINT32_MAX;
}

static emu_next_t put_set(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, uint32_t bits) {
  bits = combine(warp, insn, bits, &insn->operands[3]);
  uint32_t yes = one_of(insn->types[0]);
  FOR_LANES(lane, mask) emu_set_lane(warp, &insn->operands[0], (int)lane, bits >> lane & 1 ? yes : 0);
  return EMU_ADVANCE;
}

#define SETP(T)                                                                                                        \
  static emu_next_t setp_##T(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {                                \
    return put(warp, insn, mask, cmp_##T(warp, insn, 2));                                                              \
  }                                                                                                                    \
  static emu_next_t set_##T(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {                                 \
    return put_set(warp, insn, mask, cmp_##T(warp, insn, 1));                                                          \
  }

/* clang-format off */
SETP(u16)
SETP(u32)
SETP(u64)
SETP(s16)
SETP(s32)
SETP(s64)
SETP(f32)
SETP(ftz)
SETP(f64)
SETP(f16)
SETP(f16_ftz)
SETP(bf16)
/* clang-format on */

/* Pairs: each half is compared; p and q get the outcome of the lower and the upper half. */
static uint32_t compare_half(const emu_warp_t *warp, const emu_insn_t *insn, int first, unsigned shift) {
  bool is_bf16 = insn->types[insn->types[1] ? 1 : 0] == EMU_BF16X2;
  unsigned in = outcomes(insn->size);
  uint32_t bits = 0;
  for (int lane = 0; lane < EMU_LANES; ++lane) {
    uint16_t x = (uint16_t)(emu_lane(warp, &insn->operands[first], lane) >> shift);
    uint16_t y = (uint16_t)(emu_lane(warp, &insn->operands[first + 1], lane) >> shift);
    unsigned order = is_bf16              ? ORDER(nereid_float_from_bf16(x), nereid_float_from_bf16(y))
                     : EMU_HAS(insn, ftz) ? ORDER(flushed(x), flushed(y))
                                          : ORDER(nereid_float_from_f16(x), nereid_float_from_f16(y));
    bits |= (uint32_t)((order & in) != 0) << lane;
  }
  return bits;
}

static emu_next_t setp_pair(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t lower = combine(warp, insn, compare_half(warp, insn, 2, 0), &insn->operands[4]);
  uint32_t upper = combine(warp, insn, compare_half(warp, insn, 2, 16), &insn->operands[4]);
  emu_set_predicate(warp, &insn->operands[0], lower, mask);
  emu_set_predicate(warp, &insn->operands[1], upper, mask);
  return EMU_ADVANCE;
}

static emu_next_t set_pair(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t lower = combine(warp, insn, compare_half(warp, insn, 1, 0), &insn->operands[3]);
  uint32_t upper = combine(warp, insn, compare_half(warp, insn, 1, 16), &insn->operands[3]);
  uint32_t yes = insn->types[0] == EMU_BF16X2 ? 0x3f80 : insn->types[0] == EMU_F16X2 ? 0x3c00 : 0xffff;
  FOR_LANES(lane, mask)
  emu_set_lane(warp, &insn->operands[0], (int)lane,
               (lower >> lane & 1 ? yes : 0) | (uint64_t)(upper >> lane & 1 ? yes : 0) << 16);
  return EMU_ADVANCE;
}

#define SELECT(N)                                                                                                      \
  static emu_next_t selp_##N(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {                                \
    LOAD(uint##N##_t, x, 1);                                                                                           \
    LOAD(uint##N##_t, y, 2);                                                                                           \
    uint32_t p = emu_predicate(warp, &insn->operands[3]);                                                              \
    uint##N##_t result[EMU_LANES];                                                                                     \
    for (int l = 0; l < EMU_LANES; ++l)                                                                                \
      result[l] = p >> l & 1 ? x[l] : y[l];                                                                            \
    STORE(uint##N##_t, result, 0);                                                                                     \
    return EMU_ADVANCE;                                                                                                \
  }                                                                                                                    \
  TERNARY_OF(slct_s##N, uint##N##_t, uint##N##_t, uint##N##_t, int32_t, c >= 0 ? a : b)                                \
  TERNARY_OF(slct_f##N, uint##N##_t, uint##N##_t, uint##N##_t, float,                                                  \
             (EMU_HAS(insn, ftz) ? emu_flush(c) : c) >= 0 ? a : b)

/* clang-format off */
SELECT(16)
SELECT(32)
SELECT(64)
/* clang-format on */

#define MOVE NEREID_EMULATOR_CLASS_MOVE
#define NONE 0
#define EQUALITIES (EMU_BIT(eq) | EMU_BIT(ne))
#define SIGNED (EQUALITIES | EMU_BIT(lt) | EMU_BIT(le) | EMU_BIT(gt) | EMU_BIT(ge))
#define UNSIGNED (SIGNED | EMU_BIT(lo) | EMU_BIT(ls) | EMU_BIT(hi) | EMU_BIT(hs))
#define FLOATS                                                                                                         \
  (SIGNED | EMU_BIT(equ) | EMU_BIT(neu) | EMU_BIT(ltu) | EMU_BIT(leu) | EMU_BIT(gtu) | EMU_BIT(geu) | EMU_BIT(num) |   \
   EMU_BIT(nan))
#define FTZ EMU_BIT(ftz)
/* Operands of setp: 0 p, 1 q, 2 a, 3 b, 4 c; of set: 0 d, 1 a, 2 b, 3 c. */
#define SET (MOVE | EMU_KIND(SET))
#define COMPARISON(T, types, allowed, needs)                                                                           \
  {"setp", types, "p-o-s0s0", needs, allowed, setp_##T, SET},                                                          \
      {"setp", types, "p-o-s0s0q-", (needs) | EMU_BIT(and), allowed, setp_##T, SET},                                   \
      {"setp", types, "p-o-s0s0q-", (needs) | EMU_BIT(or), allowed, setp_##T, SET}, {                                  \
    "setp", types, "p-o-s0s0q-", (needs) | EMU_BIT(xor), allowed, setp_##T, SET                                        \
  }
#define SETS(T, types, allowed, needs)                                                                                 \
  {"set", types, "d0s1s1", needs, allowed, set_##T, SET},                                                              \
      {"set", types, "d0s1s1q-", (needs) | EMU_BIT(and), allowed, set_##T, SET},                                       \
      {"set", types, "d0s1s1q-", (needs) | EMU_BIT(or), allowed, set_##T, SET}, {                                      \
    "set", types, "d0s1s1q-", (needs) | EMU_BIT(xor), allowed, set_##T, SET                                            \
  }
/* The destination types for a source type. */
#define WORDS(type) "u32." type "|s32." type "|f32." type "|f16." type "|bf16." type
#define HALVES_OF(type) "u32." type "|s32." type "|u16." type "|s16." type "|f16." type "|bf16." type

const emu_form_t nereid_emulator_compare_forms[] = {
    COMPARISON(u16, "u16", UNSIGNED, NONE),
    COMPARISON(u16, "b16", EQUALITIES, NONE),
    COMPARISON(u32, "u32", UNSIGNED, NONE),
    COMPARISON(u32, "b32", EQUALITIES, NONE),
    COMPARISON(u64, "u64", UNSIGNED, NONE),
    COMPARISON(u64, "b64", EQUALITIES, NONE),
    COMPARISON(s16, "s16", SIGNED, NONE),
    COMPARISON(s32, "s32", SIGNED, NONE),
    COMPARISON(s64, "s64", SIGNED, NONE),
    COMPARISON(f32, "f32", FLOATS, NONE),
    COMPARISON(ftz, "f32", FLOATS, FTZ),
    COMPARISON(f64, "f64", FLOATS, NONE),
    COMPARISON(f16, "f16", FLOATS, NONE),
    COMPARISON(f16_ftz, "f16", FLOATS, FTZ),
    COMPARISON(bf16, "bf16", FLOATS, NONE),
    COMPARISON(pair, "f16x2|bf16x2", FLOATS, NONE),
    COMPARISON(pair, "f16x2", FLOATS, FTZ),
    SETS(u16, WORDS("u16"), UNSIGNED, NONE),
    SETS(u16, WORDS("b16"), EQUALITIES, NONE),
    SETS(u32, WORDS("u32"), UNSIGNED, NONE),
    SETS(u32, WORDS("b32"), EQUALITIES, NONE),
    SETS(u64, WORDS("u64"), UNSIGNED, NONE),
    SETS(u64, WORDS("b64"), EQUALITIES, NONE),
    SETS(s16, WORDS("s16"), SIGNED, NONE),
    SETS(s32, WORDS("s32"), SIGNED, NONE),
    SETS(s64, WORDS("s64"), SIGNED, NONE),
    SETS(f32, WORDS("f32"), FLOATS, NONE),
    SETS(ftz, WORDS("f32"), FLOATS, FTZ),
    SETS(f64, WORDS("f64"), FLOATS, NONE),
    SETS(f16, HALVES_OF("f16"), FLOATS, NONE),
    SETS(f16_ftz, HALVES_OF("f16"), FLOATS, FTZ),
    SETS(bf16, HALVES_OF("bf16"), FLOATS, NONE),
    SETS(pair, "f16x2.f16x2|u32.f16x2|s32.f16x2|bf16x2.bf16x2|u32.bf16x2|s32.bf16x2", FLOATS, NONE),
    SETS(pair, "f16x2.f16x2|u32.f16x2|s32.f16x2", FLOATS, FTZ),
    {"selp", "b16|u16|s16", "d0s0s0q-", 0, 0, selp_16, MOVE},
    {"selp", "b32|u32|s32|f32", "d0s0s0q-", 0, 0, selp_32, MOVE},
    {"selp", "b64|u64|s64|f64", "d0s0s0q-", 0, 0, selp_64, MOVE},
    {"slct", "b16.s32|u16.s32|s16.s32", "d0s0s0s1", 0, 0, slct_s16, MOVE},
    {"slct", "b32.s32|u32.s32|s32.s32|f32.s32", "d0s0s0s1", 0, 0, slct_s32, MOVE},
    {"slct", "b64.s32|u64.s32|s64.s32|f64.s32", "d0s0s0s1", 0, 0, slct_s64, MOVE},
    {"slct", "b16.f32|u16.f32|s16.f32", "d0s0s0s1", 0, FTZ, slct_f16, MOVE},
    {"slct", "b32.f32|u32.f32|s32.f32|f32.f32", "d0s0s0s1", 0, FTZ, slct_f32, MOVE},
    {"slct", "b64.f32|u64.f32|s64.f32|f64.f32", "d0s0s0s1", 0, FTZ, slct_f64, MOVE},
    {0}};
