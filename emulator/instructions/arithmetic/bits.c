/* Logic, shifts, bit fields and byte permutation (PTX ISA, Logic and Shift Instructions). Shift counts past the width
 * clamp: zero, or the sign for .s shifts. */
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"

#include <stdlib.h>

#define LOGIC(N)                                                                                                       \
  BINARY(and_##N, uint##N##_t, a &b)                                                                                   \
  BINARY(or_##N, uint##N##_t, a | b)                                                                                   \
  BINARY(xor_##N, uint##N##_t, a ^ b)                                                                                  \
  UNARY(not_##N, uint##N##_t, uint##N##_t, ~a)                                                                         \
  UNARY(cnot_##N, uint##N##_t, uint##N##_t, a == 0)                                                                    \
  BINARY_OF(shl_##N, uint##N##_t, uint##N##_t, uint32_t, b < N ? (uint64_t)a << b : 0)                                 \
  BINARY_OF(shr_u##N, uint##N##_t, uint##N##_t, uint32_t, b < N ? a >> b : 0)                                          \
  BINARY_OF(shr_s##N, int##N##_t, int##N##_t, uint32_t, a >> (b < N ? b : N - 1))
LOGIC(16)
LOGIC(32)
LOGIC(64)

#define PREDICATE(name, expression)                                                                                    \
  static emu_next_t name(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {                                    \
    uint32_t a = emu_predicate(warp, &insn->operands[1]), b = emu_predicate(warp, &insn->operands[2]);                 \
    emu_set_predicate(warp, &insn->operands[0], expression, mask);                                                     \
    return EMU_ADVANCE;                                                                                                \
  }
PREDICATE(and_pred, a &b)
PREDICATE(or_pred, a | b)
PREDICATE(xor_pred, a ^ b)
static emu_next_t not_pred(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_set_predicate(warp, &insn->operands[0], ~emu_predicate(warp, &insn->operands[1]), mask);
  return EMU_ADVANCE;
}

static uint32_t lookup3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < 8; ++i)
    if (table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}
EMU_SIMD static emu_next_t lop3(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  const uint8_t *x = emu_source(warp, insn, 1), *y = emu_source(warp, insn, 2), *z = emu_source(warp, insn, 3);
  uint32_t result[EMU_LANES], rows[8]; /* rows of the table, which is a constant */
  for (uint32_t i = 0; i < 8; ++i)
    rows[i] = emu_lane(warp, &insn->operands[4], 0) >> i & 1 ? UINT32_MAX : 0;
  for (int l = 0; l < EMU_LANES; ++l) {
    uint32_t a = LANE(uint32_t, x, l), b = LANE(uint32_t, y, l), c = LANE(uint32_t, z, l);
    result[l] = (~a & ~b & ((~c & rows[0]) | (c & rows[1]))) | (~a & b & ((~c & rows[2]) | (c & rows[3]))) |
                (a & ~b & ((~c & rows[4]) | (c & rows[5]))) | (a & b & ((~c & rows[6]) | (c & rows[7])));
  }
  STORE(uint32_t, result, 0);
  return EMU_ADVANCE;
}

/* lop3.or, lop3.and: also writes whether the result is nonzero, combined with a predicate. Operands: d, p, a, b, c,
 * table, q. */
static emu_next_t lop3_predicate(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t q = emu_predicate(warp, &insn->operands[6]), some = 0;
  FOR_LANES(lane, mask) {
    uint32_t v[4];
    for (int i = 0; i < 4; ++i)
      v[i] = (uint32_t)emu_lane(warp, &insn->operands[i + 2], (int)lane);
    uint32_t result = lookup3(v[0], v[1], v[2], v[3]);
    emu_set_lane(warp, &insn->operands[0], (int)lane, result);
    some |= (uint32_t)(result != 0) << lane;
  }
  emu_set_predicate(warp, &insn->operands[1], EMU_HAS(insn, or) ? some | q : some & q, mask);
  return EMU_ADVANCE;
}

/* shf: shifts the 64 bits b:a; the high word for l, the low word for r. */
static uint32_t funnel_l(uint32_t a, uint32_t b, uint32_t n) {
  return n == 0 ? b : n >= 32 ? a : b << n | a >> (32 - n);
}
static uint32_t funnel_r(uint32_t a, uint32_t b, uint32_t n) {
  return n == 0 ? a : n >= 32 ? b : b << (32 - n) | a >> n;
}
TERNARY(shf_l_wrap, uint32_t, funnel_l(a, b, c & 31))
TERNARY(shf_r_wrap, uint32_t, funnel_r(a, b, c & 31))
TERNARY(shf_l_clamp, uint32_t, funnel_l(a, b, c))
TERNARY(shf_r_clamp, uint32_t, funnel_r(a, b, c))

/* Position and length are the low bytes of their registers; for 64 bits an H200 uses all bits. */
static uint64_t extract(uint64_t a, uint32_t at, uint32_t n, unsigned bits, bool is_signed) {
  at = bits == 32 ? at & 0xff : at < 64 ? at : 64;
  n = bits == 32 ? n & 0xff : n < 64 ? n : 64;
  uint64_t sign = 0;
  if (is_signed && n) {
    uint32_t top = at + n - 1 < bits - 1 ? at + n - 1 : bits - 1;
    sign = a >> top & 1 ? UINT64_MAX : 0;
  }
  uint64_t field = at < bits ? a >> at : 0;
  uint32_t valid = at < bits ? (n < bits - at ? n : bits - at) : 0; /* the part of the field inside a */
  uint64_t low = valid >= 64 ? UINT64_MAX : (UINT64_C(1) << valid) - 1;
  return (field & low) | (sign & ~low);
}
TERNARY_OF(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, extract(a, b, c, 32, false))
TERNARY_OF(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t, extract(a, b, c, 32, true))
TERNARY_OF(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, extract(a, b, c, 64, false))
TERNARY_OF(bfe_s64, uint64_t, uint64_t, uint32_t, uint32_t, extract(a, b, c, 64, true))

static emu_next_t bfi(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t bits = insn->operands[0].size * 8u;
  FOR_LANES(lane, mask) {
    uint64_t a = emu_lane(warp, &insn->operands[1], (int)lane), b = emu_lane(warp, &insn->operands[2], (int)lane);
    uint32_t low = bits == 32 ? 0xff : UINT32_MAX;
    uint32_t at = (uint32_t)emu_lane(warp, &insn->operands[3], (int)lane) & low;
    uint32_t n = (uint32_t)emu_lane(warp, &insn->operands[4], (int)lane) & low;
    uint64_t field = n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    field = at < bits ? field << at : 0;
    emu_set_lane(warp, &insn->operands[0], (int)lane, (b & ~field) | ((at < bits ? a << at : 0) & field));
  }
  return EMU_ADVANCE;
}

UNARY(popc_32, uint32_t, uint32_t, __builtin_popcount(a))
UNARY(popc_64, uint32_t, uint64_t, __builtin_popcountll(a))
UNARY(clz_32, uint32_t, uint32_t, a ? __builtin_clz(a) : 32)
UNARY(clz_64, uint32_t, uint64_t, a ? __builtin_clzll(a) : 64)

static uint64_t reversed(uint64_t a, int bits) {
  uint64_t result = 0;
  for (int i = 0; i < bits; ++i)
    result |= (a >> i & 1) << (bits - 1 - i);
  return result;
}
UNARY(brev_32, uint32_t, uint32_t, reversed(a, 32))
UNARY(brev_64, uint64_t, uint64_t, reversed(a, 64))

/* The highest bit that differs from the sign; 0xffffffff: none. */
static uint32_t highest(uint64_t a, int bits, bool shift) {
  uint32_t at = a ? 63u - (uint32_t)__builtin_clzll(a) : UINT32_MAX;
  return shift && a ? (uint32_t)bits - 1 - at : at;
}
UNARY(bfind_u32, uint32_t, uint32_t, highest(a, 32, EMU_HAS(insn, shiftamt)))
UNARY(bfind_u64, uint32_t, uint64_t, highest(a, 64, EMU_HAS(insn, shiftamt)))
UNARY(bfind_s32, uint32_t, int32_t, highest((uint32_t)(a < 0 ? ~a : a), 32, EMU_HAS(insn, shiftamt)))
UNARY(bfind_s64, uint32_t, int64_t, highest((uint64_t)(a < 0 ? ~a : a), 64, EMU_HAS(insn, shiftamt)))

/* fns: the n-th set bit of a mask from a position on, downwards for negative n; n 0: whether the bit at the position
 * is set. */
static uint32_t nth_set(uint32_t bits, uint32_t base, uint32_t n) {
  int64_t at = (int32_t)base, step = (int32_t)n < 0 ? -1 : 1, left = n == 0 ? 0 : llabs((int64_t)(int32_t)n) - 1;
  if (n == 0)
    return base < 32 && bits >> base & 1 ? base : UINT32_MAX;
  for (; at >= 0 && at < 32; at += step)
    if (bits >> at & 1 && left-- == 0)
      return (uint32_t)at;
  return UINT32_MAX;
}
TERNARY(fns, uint32_t, nth_set(a, b, c))

static uint32_t below(uint32_t n) {
  return n >= 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1;
}
/* szext: the low n bits, sign- or zero-extended. */
static uint32_t low_bits(uint32_t a, uint32_t n, bool is_signed) {
  uint32_t kept = a & below(n);
  return is_signed && n && n < 32 && a >> (n - 1) & 1 ? kept | ~below(n) : kept;
}
/* bmsk: n ones from a position on. */
static uint32_t ones(uint32_t at, uint32_t n) {
  return at >= 32 ? 0 : below(n) << at;
}
BINARY(szext_u_clamp, uint32_t, low_bits(a, b, false))
BINARY(szext_s_clamp, uint32_t, low_bits(a, b, true))
BINARY(szext_u_wrap, uint32_t, low_bits(a, b & 31, false))
BINARY(szext_s_wrap, uint32_t, low_bits(a, b & 31, true))
BINARY(bmsk_clamp, uint32_t, ones(a, b))
BINARY(bmsk_wrap, uint32_t, ones(a & 31, b & 31))

static uint32_t bytes_of(uint64_t pair, uint32_t selector) {
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t pick = selector >> (4 * i) & 15;
    uint32_t byte = pair >> (8 * (pick & 7)) & 0xff;
    result |= (pick & 8 ? (byte & 0x80 ? 0xffu : 0) : byte) << (8 * i);
  }
  return result;
}
/* The modes of prmt as selectors, for each value of c's low two bits (PTX ISA, prmt). */
static const uint16_t selectors[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
                                         {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
                                         {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
TERNARY(prmt, uint32_t, bytes_of((uint64_t)b << 32 | a, c))
#define PRMT(name, k) TERNARY(name, uint32_t, bytes_of((uint64_t)b << 32 | a, selectors[k][c & 3]))
PRMT(prmt_f4e, 0)
PRMT(prmt_b4e, 1)
PRMT(prmt_rc8, 2)
PRMT(prmt_ecl, 3)
PRMT(prmt_ecr, 4)
PRMT(prmt_rc16, 5)

#define INTEGER NEREID_EMULATOR_CLASS_INTEGER
#define MOVE NEREID_EMULATOR_CLASS_MOVE
#define LOGIC_ROWS(N)                                                                                                  \
  {"and", "b" #N, "d0s0s0", 0, 0, and_##N, INTEGER}, {"or", "b" #N, "d0s0s0", 0, 0, or_##N, INTEGER},                  \
      {"xor", "b" #N, "d0s0s0", 0, 0, xor_##N, INTEGER}, {"not", "b" #N, "d0s0", 0, 0, not_##N, INTEGER},              \
      {"cnot", "b" #N, "d0s0", 0, 0, cnot_##N, INTEGER}, {"shl", "b" #N, "d0s0sw", 0, 0, shl_##N, INTEGER},            \
      {"shr", "u" #N "|b" #N, "d0s0sw", 0, 0, shr_u##N, INTEGER}, {                                                    \
    "shr", "s" #N, "d0s0sw", 0, 0, shr_s##N, INTEGER                                                                   \
  }

const emu_form_t nereid_emulator_bits_forms[] = {
    LOGIC_ROWS(16),
    LOGIC_ROWS(32),
    LOGIC_ROWS(64),
    {"and", "pred", "p-q-q-", 0, 0, and_pred, INTEGER},
    {"or", "pred", "p-q-q-", 0, 0, or_pred, INTEGER},
    {"xor", "pred", "p-q-q-", 0, 0, xor_pred, INTEGER},
    {"not", "pred", "p-q-", 0, 0, not_pred, INTEGER},
    {"lop3", "b32", "d0s0s0s0sw", 0, 0, lop3, INTEGER},
    {"lop3", "b32", "d0o-s0s0s0swq-", EMU_BIT(or), 0, lop3_predicate, INTEGER},
    {"lop3", "b32", "d0o-s0s0s0swq-", EMU_BIT(and), 0, lop3_predicate, INTEGER},
    {"fns", "b32", "d0s0swsw", 0, 0, fns, INTEGER},
    {"szext", "u32", "d0s0sw", EMU_BIT(clamp), 0, szext_u_clamp, INTEGER},
    {"szext", "s32", "d0s0sw", EMU_BIT(clamp), 0, szext_s_clamp, INTEGER},
    {"szext", "u32", "d0s0sw", EMU_BIT(wrap), 0, szext_u_wrap, INTEGER},
    {"szext", "s32", "d0s0sw", EMU_BIT(wrap), 0, szext_s_wrap, INTEGER},
    {"bmsk", "b32", "d0s0sw", EMU_BIT(clamp), 0, bmsk_clamp, INTEGER},
    {"bmsk", "b32", "d0s0sw", EMU_BIT(wrap), 0, bmsk_wrap, INTEGER},
    {"shf", "b32", "d0s0s0sw", EMU_BIT(l) | EMU_BIT(wrap), 0, shf_l_wrap, INTEGER},
    {"shf", "b32", "d0s0s0sw", EMU_BIT(r) | EMU_BIT(wrap), 0, shf_r_wrap, INTEGER},
    {"shf", "b32", "d0s0s0sw", EMU_BIT(l) | EMU_BIT(clamp), 0, shf_l_clamp, INTEGER},
    {"shf", "b32", "d0s0s0sw", EMU_BIT(r) | EMU_BIT(clamp), 0, shf_r_clamp, INTEGER},
    {"bfe", "u32", "d0s0swsw", 0, 0, bfe_u32, INTEGER},
    {"bfe", "s32", "d0s0swsw", 0, 0, bfe_s32, INTEGER},
    {"bfe", "u64", "d0s0swsw", 0, 0, bfe_u64, INTEGER},
    {"bfe", "s64", "d0s0swsw", 0, 0, bfe_s64, INTEGER},
    {"bfi", "b32|b64", "d0s0s0swsw", 0, 0, bfi, INTEGER},
    {"popc", "b32", "dws0", 0, 0, popc_32, INTEGER},
    {"popc", "b64", "dws0", 0, 0, popc_64, INTEGER},
    {"clz", "b32", "dws0", 0, 0, clz_32, INTEGER},
    {"clz", "b64", "dws0", 0, 0, clz_64, INTEGER},
    {"brev", "b32", "d0s0", 0, 0, brev_32, INTEGER},
    {"brev", "b64", "d0s0", 0, 0, brev_64, INTEGER},
    {"bfind", "u32", "dws0", 0, EMU_BIT(shiftamt), bfind_u32, INTEGER},
    {"bfind", "u64", "dws0", 0, EMU_BIT(shiftamt), bfind_u64, INTEGER},
    {"bfind", "s32", "dws0", 0, EMU_BIT(shiftamt), bfind_s32, INTEGER},
    {"bfind", "s64", "dws0", 0, EMU_BIT(shiftamt), bfind_s64, INTEGER},
    {"prmt", "b32", "d0s0s0sw", 0, 0, prmt, MOVE},
    {"prmt", "b32", "d0s0s0sw", EMU_BIT(f4e), 0, prmt_f4e, MOVE},
    {"prmt", "b32", "d0s0s0sw", EMU_BIT(b4e), 0, prmt_b4e, MOVE},
    {"prmt", "b32", "d0s0s0sw", EMU_BIT(rc8), 0, prmt_rc8, MOVE},
    {"prmt", "b32", "d0s0s0sw", EMU_BIT(ecl), 0, prmt_ecl, MOVE},
    {"prmt", "b32", "d0s0s0sw", EMU_BIT(ecr), 0, prmt_ecr, MOVE},
    {"prmt", "b32", "d0s0s0sw", EMU_BIT(rc16), 0, prmt_rc16, MOVE},
    {0}};
