/* Comparison and selection (PTX ISA, Comparison and Selection Instructions): setp, set, selp, slct. A comparison is a
 * set of outcomes {less, equal, greater, unordered}; the pair's outcome is in it or not. */
#include "emulator/execute.h"
#include "emulator/numbers.h"

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
  static uint32_t name(const emu_warp_t *warp, const emu_insn_t *insn, int first) {                                    \
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

static emu_next_t put_set(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, uint32_t bits) {
  bits = combine(warp, insn, bits, &insn->operands[3]);
  uint32_t yes = insn->types[0] == EMU_F32 ? 0x3f800000 : UINT32_MAX;
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
SETP(bf16)
/* clang-format on */

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
#define INTEGERS                                                                                                       \
  (EMU_BIT(eq) | EMU_BIT(ne) | EMU_BIT(lt) | EMU_BIT(le) | EMU_BIT(gt) | EMU_BIT(ge) | EMU_BIT(lo) | EMU_BIT(ls) |     \
   EMU_BIT(hi) | EMU_BIT(hs))
#define FLOATS                                                                                                         \
  (EMU_BIT(eq) | EMU_BIT(ne) | EMU_BIT(lt) | EMU_BIT(le) | EMU_BIT(gt) | EMU_BIT(ge) | EMU_BIT(equ) | EMU_BIT(neu) |   \
   EMU_BIT(ltu) | EMU_BIT(leu) | EMU_BIT(gtu) | EMU_BIT(geu) | EMU_BIT(num) | EMU_BIT(nan))
#define FTZ EMU_BIT(ftz)
/* Operands of setp: 0 p, 1 q, 2 a, 3 b, 4 c; of set: 0 d, 1 a, 2 b, 3 c. */
#define COMPARISON(T, types, allowed, needs)                                                                           \
  {"setp", types, "p-o-s0s0", needs, allowed, setp_##T, MOVE},                                                         \
      {"setp", types, "p-o-s0s0q-", (needs) | EMU_BIT(and), allowed, setp_##T, MOVE},                                  \
      {"setp", types, "p-o-s0s0q-", (needs) | EMU_BIT(or), allowed, setp_##T, MOVE}, {                                 \
    "setp", types, "p-o-s0s0q-", (needs) | EMU_BIT(xor), allowed, setp_##T, MOVE                                       \
  }
#define SETS(T, type, allowed, needs)                                                                                  \
  {"set", "u32." type "|s32." type "|f32." type, "dws1s1", needs, allowed, set_##T, MOVE},                             \
      {"set", "u32." type "|s32." type "|f32." type, "dws1s1q-", (needs) | EMU_BIT(and), allowed, set_##T, MOVE},      \
      {"set", "u32." type "|s32." type "|f32." type, "dws1s1q-", (needs) | EMU_BIT(or), allowed, set_##T, MOVE}, {     \
    "set", "u32." type "|s32." type "|f32." type, "dws1s1q-", (needs) | EMU_BIT(xor), allowed, set_##T, MOVE           \
  }

const emu_form_t nereid_emulator_compare_forms[] = {
    COMPARISON(u16, "u16|b16", INTEGERS, NONE),
    COMPARISON(u32, "u32|b32", INTEGERS, NONE),
    COMPARISON(u64, "u64|b64", INTEGERS, NONE),
    COMPARISON(s16, "s16", INTEGERS, NONE),
    COMPARISON(s32, "s32", INTEGERS, NONE),
    COMPARISON(s64, "s64", INTEGERS, NONE),
    COMPARISON(f32, "f32", FLOATS, NONE),
    COMPARISON(ftz, "f32", FLOATS, FTZ),
    COMPARISON(f64, "f64", FLOATS, NONE),
    COMPARISON(f16, "f16", FLOATS, NONE),
    COMPARISON(bf16, "bf16", FLOATS, NONE),
    SETS(u16, "u16", INTEGERS, NONE),
    SETS(u32, "u32", INTEGERS, NONE),
    SETS(u32, "b32", INTEGERS, NONE),
    SETS(u64, "u64", INTEGERS, NONE),
    SETS(u64, "b64", INTEGERS, NONE),
    SETS(s16, "s16", INTEGERS, NONE),
    SETS(s32, "s32", INTEGERS, NONE),
    SETS(s64, "s64", INTEGERS, NONE),
    SETS(f32, "f32", FLOATS, NONE),
    SETS(ftz, "f32", FLOATS, FTZ),
    SETS(f64, "f64", FLOATS, NONE),
    SETS(f16, "f16", FLOATS, NONE),
    SETS(bf16, "bf16", FLOATS, NONE),
    {"selp", "b16|u16|s16|f16|bf16", "d0s0s0q-", 0, 0, selp_16, MOVE},
    {"selp", "b32|u32|s32|f32", "d0s0s0q-", 0, 0, selp_32, MOVE},
    {"selp", "b64|u64|s64|f64", "d0s0s0q-", 0, 0, selp_64, MOVE},
    {"slct", "b16.s32|u16.s32|s16.s32", "d0s0s0s1", 0, 0, slct_s16, MOVE},
    {"slct", "b32.s32|u32.s32|s32.s32|f32.s32", "d0s0s0s1", 0, 0, slct_s32, MOVE},
    {"slct", "b64.s32|u64.s32|s64.s32|f64.s32", "d0s0s0s1", 0, 0, slct_s64, MOVE},
    {"slct", "b16.f32|u16.f32|s16.f32", "d0s0s0s1", 0, FTZ, slct_f16, MOVE},
    {"slct", "b32.f32|u32.f32|s32.f32|f32.f32", "d0s0s0s1", 0, FTZ, slct_f32, MOVE},
    {"slct", "b64.f32|u64.f32|s64.f32|f64.f32", "d0s0s0s1", 0, FTZ, slct_f64, MOVE},
    {0}};
