/* Integers packed into words: pairs of 16 bits, dot products of 16-bit and 8-bit parts, cvt.pack (PTX ISA, Integer
 * Arithmetic Instructions; cvt.pack).
 *
 *   min.relu.s16x2 d, a, b      both halves
 *   dp2a.hi.s32.u32 d, a, b, c  c + a.lower * b.byte2 + a.upper * b.byte3
 *   cvt.pack.sat.s8.s32.b32 d, a, b, c    {c's lower half, a, b}, a and b saturated to bytes */
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"

#define HALVES(name, T, expression)                                                                                    \
  static uint16_t name##_half(uint16_t x, uint16_t y) {                                                                \
    T a = (T)x, b = (T)y;                                                                                              \
    return (uint16_t)(expression);                                                                                     \
  }                                                                                                                    \
  BINARY(name, uint32_t,                                                                                               \
         name##_half((uint16_t)a, (uint16_t)b) | (uint32_t)name##_half((uint16_t)(a >> 16), (uint16_t)(b >> 16))       \
                                                     << 16)

/* clang-format off */
HALVES(add_pair, uint16_t, a + b)
HALVES(min_u, uint16_t, a < b ? a : b)
HALVES(max_u, uint16_t, a > b ? a : b)
HALVES(min_s, int16_t, a < b ? a : b)
HALVES(max_s, int16_t, a > b ? a : b)
HALVES(min_relu, int16_t, a < 0 || b < 0 ? 0 : a < b ? a : b)
HALVES(max_relu, int16_t, a < 0 && b < 0 ? 0 : a > b ? a : b)
/* clang-format on */

/* The bytes of b from `at` on. */
static uint32_t dot2(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed, unsigned at) {
  for (unsigned i = 0; i < 2; ++i) {
    int64_t x = a_signed ? (int16_t)(a >> (16 * i)) : (int64_t)(uint16_t)(a >> (16 * i));
    uint8_t byte = (uint8_t)(b >> (8 * (at + i)));
    c += (uint32_t)(x * (b_signed ? (int8_t)byte : byte));
  }
  return c;
}
#define DOT2(name, a_signed, b_signed)                                                                                 \
  TERNARY(name##_lo, uint32_t, dot2(a, b, c, a_signed, b_signed, 0))                                                   \
  TERNARY(name##_hi, uint32_t, dot2(a, b, c, a_signed, b_signed, 2))
/* clang-format off */
DOT2(dp2a_uu, false, false)
DOT2(dp2a_us, false, true)
DOT2(dp2a_su, true, false)
DOT2(dp2a_ss, true, true)
/* clang-format on */

/* Clamps an integer to `bits` bits. */
static uint32_t clamped(int32_t value, unsigned bits, bool is_signed) {
  int32_t most = (int32_t)((UINT32_C(1) << (bits - is_signed)) - 1), least = is_signed ? -most - 1 : 0;
  value = value > most ? most : value < least ? least : value;
  return (uint32_t)value & ((UINT32_C(1) << bits) - 1);
}

/* Operands: d, a, b and, for parts narrower than 16 bits, c. */
static emu_next_t pack(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  unsigned bits = insn->variant & 31;
  bool is_signed = insn->variant & 32;
  FOR_LANES(lane, mask) {
    uint32_t a = (uint32_t)emu_lane(warp, &insn->operands[1], (int)lane);
    uint32_t b = (uint32_t)emu_lane(warp, &insn->operands[2], (int)lane);
    uint32_t c = insn->n_operands > 3 ? (uint32_t)emu_lane(warp, &insn->operands[3], (int)lane) : 0;
    uint32_t pair = clamped((int32_t)a, bits, is_signed) << bits | clamped((int32_t)b, bits, is_signed);
    emu_set_lane(warp, &insn->operands[0], (int)lane, bits == 16 ? pair : c << (2 * bits) | pair);
  }
  return EMU_ADVANCE;
}

#define INTEGER NEREID_EMULATOR_CLASS_INTEGER
#define SAT EMU_BIT(sat)
#define PACKED(bits, is_signed) (NEREID_EMULATOR_CLASS_CONVERT | EMU_VARIANT((bits) | ((is_signed) ? 32 : 0)))
#define DOT2_ROWS(types, name)                                                                                         \
  {"dp2a", types, "dwswswsw", EMU_BIT(lo), 0, name##_lo, INTEGER}, {                                                   \
    "dp2a", types, "dwswswsw", EMU_BIT(hi), 0, name##_hi, INTEGER                                                      \
  }

const emu_form_t nereid_emulator_packed_forms[] = {
    {"add", "u16x2|s16x2", "d0s0s0", 0, 0, add_pair, INTEGER},
    {"min", "u16x2", "d0s0s0", 0, 0, min_u, INTEGER},
    {"max", "u16x2", "d0s0s0", 0, 0, max_u, INTEGER},
    {"min", "s16x2", "d0s0s0", 0, 0, min_s, INTEGER},
    {"max", "s16x2", "d0s0s0", 0, 0, max_s, INTEGER},
    {"min", "s16x2", "d0s0s0", EMU_BIT(relu), 0, min_relu, INTEGER},
    {"max", "s16x2", "d0s0s0", EMU_BIT(relu), 0, max_relu, INTEGER},
    DOT2_ROWS("u32.u32", dp2a_uu),
    DOT2_ROWS("u32.s32", dp2a_us),
    DOT2_ROWS("s32.u32", dp2a_su),
    DOT2_ROWS("s32.s32", dp2a_ss),
    {"cvt pack", "u16.s32", "dwswsw", SAT, 0, pack, PACKED(16, false)},
    {"cvt pack", "s16.s32", "dwswsw", SAT, 0, pack, PACKED(16, true)},
    {"cvt pack", "u8.s32.b32", "dwswswsw", SAT, 0, pack, PACKED(8, false)},
    {"cvt pack", "s8.s32.b32", "dwswswsw", SAT, 0, pack, PACKED(8, true)},
    {"cvt pack", "u4.s32.b32", "dwswswsw", SAT, 0, pack, PACKED(4, false)},
    {"cvt pack", "s4.s32.b32", "dwswswsw", SAT, 0, pack, PACKED(4, true)},
    {"cvt pack u2", "s32.b32", "dwswswsw", SAT, 0, pack, PACKED(2, false)},
    {"cvt pack s2", "s32.b32", "dwswswsw", SAT, 0, pack, PACKED(2, true)},
    {0}};
