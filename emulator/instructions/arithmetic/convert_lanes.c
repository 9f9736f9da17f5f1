/* Frequent forms of cvt, vectorized over all lanes. They compute the same as convert.c, which handles every form one
 * lane at a time. Their rows come before that file's. */
#include "emulator/instructions/arithmetic/numbers.h"
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"

/* name: the result's bits from those of `a` and `b`, whose bits above their type are unspecified. */
#define CONVERSION(name, expression)                                                                                   \
  EMU_SIMD static emu_next_t name(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {                           \
    uint64_t values[EMU_LANES];                                                                                        \
    nereid_emulator_lanes(warp, &insn->operands[1], values);                                                           \
    for (int lane = 0; lane < EMU_LANES; ++lane) {                                                                     \
      uint64_t a = values[lane];                                                                                       \
      values[lane] = (expression);                                                                                     \
    }                                                                                                                  \
    nereid_emulator_set_lanes(warp, &insn->operands[0], values, mask);                                                 \
    return EMU_ADVANCE;                                                                                                \
  }
#define PAIR(name, expression)                                                                                         \
  EMU_SIMD static emu_next_t name(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {                           \
    const uint8_t *high = emu_source(warp, insn, 1), *low = emu_source(warp, insn, 2);                                 \
    uint32_t result[EMU_LANES];                                                                                        \
    for (int lane = 0; lane < EMU_LANES; ++lane) {                                                                     \
      double a = (double)LANE(float, high, lane), b = (double)LANE(float, low, lane);                                  \
      result[lane] = (expression);                                                                                     \
    }                                                                                                                  \
    STORE(uint32_t, result, 0);                                                                                        \
    return EMU_ADVANCE;                                                                                                \
  }

#define SINGLE(a) emu_f32((uint32_t)(a))
CONVERSION(f16_f32, emu_to_f16((double)SINGLE(a)))
CONVERSION(bf16_f32, emu_to_bf16((double)SINGLE(a)))
CONVERSION(f32_f16, emu_f32_bits(emu_canonical(emu_from_f16((uint32_t)a & 0xffff))))
CONVERSION(f32_bf16, (uint32_t)(a << 16)) /* correct for NaN, too */
PAIR(f16x2_f32, emu_to_f16(a) << 16 | emu_to_f16(b))
PAIR(bf16x2_f32, emu_to_bf16(a) << 16 | emu_to_bf16(b))

/* f32 to tf32, which lacks the low 13 bits; NaN becomes tf32's own NaN. `up`: rounding increment. */
static inline uint32_t tf32(uint32_t bits, uint32_t up) {
  return (bits & 0x7fffffff) > 0x7f800000    ? 0x7fffe000
         : (bits & 0x7f800000) == 0x7f800000 ? bits
                                             : (bits + up) & ~0x1fffu;
}
CONVERSION(tf32_rna, ((uint32_t)a + 0x1000) & 0xffffe000) /* correct for NaN, too */
CONVERSION(tf32_rn, tf32((uint32_t)a, 0xfff + ((uint32_t)a >> 13 & 1)))
CONVERSION(tf32_rz, tf32((uint32_t)a, 0))

/* The low bits of a register as a value of an integer type. */
static inline uint64_t number(uint64_t bits, unsigned unused, bool is_signed) {
  bits <<= unused;
  return is_signed ? (uint64_t)((int64_t)bits >> unused) : bits >> unused;
}

static bool is_signed(unsigned type) {
  return type >= EMU_S8 && type <= EMU_S64;
}

#define UNUSED(type) (64 - 8 * nereid_emulator_type_size((emu_type_t)(type)))
#define FROM_INTEGER(name, expression)                                                                                 \
  EMU_SIMD static emu_next_t name(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {                           \
    uint64_t values[EMU_LANES];                                                                                        \
    const unsigned from = UNUSED(insn->types[1]), to = UNUSED(insn->types[0]);                                         \
    const bool sign = is_signed(insn->types[1]), sign_to = is_signed(insn->types[0]);                                  \
    (void)to, (void)sign_to;                                                                                           \
    nereid_emulator_lanes(warp, &insn->operands[1], values);                                                           \
    for (int lane = 0; lane < EMU_LANES; ++lane) {                                                                     \
      uint64_t a = number(values[lane], from, sign);                                                                   \
      values[lane] = (expression);                                                                                     \
    }                                                                                                                  \
    nereid_emulator_set_lanes(warp, &insn->operands[0], values, mask);                                                 \
    return EMU_ADVANCE;                                                                                                \
  }
FROM_INTEGER(integer, number(a, to, sign_to)) /* extends to a wider register */
FROM_INTEGER(f32_integer, emu_f32_bits((float)(int64_t)a))
FROM_INTEGER(f64_integer, emu_f64_bits((double)(int64_t)a))

/* To at most 32 bits, which a double represents exactly; NaN becomes 0. */
#define FROM_FLOAT(name, rounded)                                                                                      \
  EMU_SIMD static emu_next_t name(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {                           \
    uint64_t values[EMU_LANES];                                                                                        \
    const unsigned bits = 8 * nereid_emulator_type_size((emu_type_t)insn->types[0]) - is_signed(insn->types[0]);       \
    const double most = (double)((INT64_C(1) << bits) - 1), least = is_signed(insn->types[0]) ? -most - 1 : 0;         \
    nereid_emulator_lanes(warp, &insn->operands[1], values);                                                           \
    for (int lane = 0; lane < EMU_LANES; ++lane) {                                                                     \
      double x = (double)SINGLE(values[lane]);                                                                         \
      x = rounded(x);                                                                                                  \
      x = x >= least ? x : x < least ? least : 0;                                                                      \
      values[lane] = (uint64_t)(int64_t)(x > most ? most : x);                                                         \
    }                                                                                                                  \
    nereid_emulator_set_lanes(warp, &insn->operands[0], values, mask);                                                 \
    return EMU_ADVANCE;                                                                                                \
  }
FROM_FLOAT(integer_rzi, trunc)
FROM_FLOAT(integer_rni, nearbyint)
FROM_FLOAT(integer_rmi, floor)
FROM_FLOAT(integer_rpi, ceil)

#define CONVERT NEREID_EMULATOR_CLASS_CONVERT
#define SAT EMU_BIT(sat)
#define SHORT "u8.f32|s8.f32|u16.f32|s16.f32|u32.f32|s32.f32"
#define EXACT(to) to ".u8|" to ".s8|" to ".u16|" to ".s16|" to ".u32|" to ".s32|" to ".s64" /* as int64_t */

const emu_form_t nereid_emulator_convert_lanes_forms[] = {
    {"cvt", "int.int", "d*s*", 0, 0, integer, CONVERT},
    {"cvt", EXACT("f32"), "d*s*", EMU_BIT(rn), 0, f32_integer, CONVERT},
    {"cvt", EXACT("f64"), "d*s*", EMU_BIT(rn), 0, f64_integer, CONVERT},
    {"cvt", SHORT, "d*s*", EMU_BIT(rzi), SAT | EMU_BIT(ftz), integer_rzi, CONVERT},
    {"cvt", SHORT, "d*s*", EMU_BIT(rni), SAT | EMU_BIT(ftz), integer_rni, CONVERT},
    {"cvt", SHORT, "d*s*", EMU_BIT(rmi), SAT, integer_rmi, CONVERT},
    {"cvt", SHORT, "d*s*", EMU_BIT(rpi), SAT, integer_rpi, CONVERT},
    {"cvt", "f16.f32", "d*s*", EMU_BIT(rn), 0, f16_f32, CONVERT},
    {"cvt", "bf16.f32", "d*s*", EMU_BIT(rn), 0, bf16_f32, CONVERT},
    {"cvt", "f32.f16", "d*s*", 0, 0, f32_f16, CONVERT},
    {"cvt", "f32.bf16", "d*s*", 0, 0, f32_bf16, CONVERT},
    {"cvt", "f16x2.f32", "d0s1s1", EMU_BIT(rn), 0, f16x2_f32, CONVERT},
    {"cvt", "bf16x2.f32", "d0s1s1", EMU_BIT(rn), 0, bf16x2_f32, CONVERT},
    {"cvt", "tf32.f32", "d*s*", EMU_BIT(rna), 0, tf32_rna, CONVERT},
    {"cvt", "tf32.f32", "d*s*", EMU_BIT(rn), 0, tf32_rn, CONVERT},
    {"cvt", "tf32.f32", "d*s*", EMU_BIT(rz), 0, tf32_rz, CONVERT},
    {0}};
