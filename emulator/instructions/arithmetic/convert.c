/* cvt (PTX ISA, cvt): between integers, floats, and packed pairs. A source is read exactly, as an integer or a
 * double, and rounded once. Float to integer saturates and converts NaN to 0 (from f64, or to 64 bits: to the high
 * bit alone); .sat clamps integers to their type and floats to [0, 1]. If the destination register is wider than its
 * type, the result is extended. */
#include "emulator/instructions/arithmetic/numbers.h"
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"

#include <fenv.h>

static const emu_format_t f16 = {10, -14, 15, 65504}, bf16 = {7, -126, 127, 0x1.fep127},
                          f32 = {23, -126, 127, 0x1.fffffep127}, tf32 = {10, -126, 127, 0x1.ffcp127};

double nereid_emulator_round_integer(double value, emu_rounding_t rounding) {
  switch (rounding) {
  case EMU_TO_NEAREST:
    return nearbyint(value);
  case EMU_TO_ZERO:
    return trunc(value);
  case EMU_DOWN:
    return floor(value);
  case EMU_UP:
    return ceil(value);
  case EMU_AWAY:
    return round(value);
  }
  return value;
}

double nereid_emulator_round(double value, const emu_format_t *format, emu_rounding_t rounding) {
  int exponent;
  if (!isfinite(value) || value == 0)
    return value;
  (void)frexp(value, &exponent);
  int quantum = (exponent - 1 < format->emin ? format->emin : exponent - 1) - format->mantissa;
  double result = ldexp(nereid_emulator_round_integer(ldexp(value, -quantum), rounding), quantum);
  if (fabs(result) <= format->largest)
    return copysign(result, value);
  bool stays = rounding == EMU_TO_ZERO || (rounding == EMU_DOWN && value > 0) || (rounding == EMU_UP && value < 0);
  return copysign(stays ? format->largest : (double)INFINITY, value);
}

static emu_rounding_t rounding(const emu_insn_t *insn) {
  return EMU_HAS(insn, rz) || EMU_HAS(insn, rzi)   ? EMU_TO_ZERO
         : EMU_HAS(insn, rm) || EMU_HAS(insn, rmi) ? EMU_DOWN
         : EMU_HAS(insn, rp) || EMU_HAS(insn, rpi) ? EMU_UP
         : EMU_HAS(insn, rna)                      ? EMU_AWAY
                                                   : EMU_TO_NEAREST;
}

static bool is_integral(const emu_insn_t *insn) {
  return EMU_HAS(insn, rni) || EMU_HAS(insn, rzi) || EMU_HAS(insn, rmi) || EMU_HAS(insn, rpi);
}

static bool is_signed(unsigned type) {
  return type >= EMU_S8 && type <= EMU_S64;
}

/* The low bits of a register as a value of an integer type, in 128 bits. */
static __int128 integer_of(uint64_t bits, unsigned type) {
  unsigned unused = 64 - 8 * nereid_emulator_type_size((emu_type_t)type);
  return is_signed(type) ? (__int128)((int64_t)(bits << unused) >> unused) : (__int128)(bits << unused >> unused);
}

static double double_of(uint64_t bits, unsigned type, bool flush) {
  switch (type) {
  case EMU_F16:
    return (double)nereid_float_from_f16((uint16_t)bits);
  case EMU_BF16:
    return (double)nereid_float_from_bf16((uint16_t)bits);
  case EMU_F32:
    return (double)(flush ? emu_flush(emu_f32((uint32_t)bits)) : emu_f32((uint32_t)bits));
  default:
    return emu_f64(bits);
  }
}

/* The bits of a double that the type represents exactly. */
static uint64_t bits_of(double value, unsigned type, bool flush) {
  switch (type) {
  case EMU_F16:
    return nereid_float_to_f16(value, NEREID_FLOAT_NEAREST);
  case EMU_BF16:
    return nereid_float_to_bf16(value, NEREID_FLOAT_NEAREST);
  case EMU_F32:
  case EMU_TF32: {
    float narrow = emu_canonical((float)value);
    return emu_f32_bits(flush ? emu_flush(narrow) : narrow);
  }
  default:
    return emu_f64_bits(emu_canonical64(value));
  }
}

static double to_format(double value, unsigned type, emu_rounding_t how) {
  const emu_format_t *format = type == EMU_F16 ? &f16 : type == EMU_BF16 ? &bf16 : type == EMU_F32 ? &f32 : &tf32;
  return type == EMU_F64 ? value : nereid_emulator_round(value, format, how);
}

static void put_integer(emu_warp_t *warp, const emu_insn_t *insn, int lane, __int128 value, bool saturate) {
  unsigned type = insn->types[0], bits = 8 * nereid_emulator_type_size((emu_type_t)type);
  __int128 most = ((__int128)1 << (bits - is_signed(type))) - 1, least = is_signed(type) ? -most - 1 : 0;
  if (saturate)
    value = value > most ? most : value < least ? least : value;
  emu_set_lane(warp, &insn->operands[0], lane, (uint64_t)integer_of((uint64_t)value, type));
}

static emu_next_t integer_from_integer(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask)
  put_integer(warp, insn, (int)lane, integer_of(emu_lane(warp, &insn->operands[1], (int)lane), insn->types[1]),
              EMU_HAS(insn, sat));
  return EMU_ADVANCE;
}

static emu_next_t integer_from_float(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  unsigned bits = 8 * nereid_emulator_type_size((emu_type_t)insn->types[0]);
  bool high = insn->types[1] == EMU_F64 || bits == 64;
  FOR_LANES(lane, mask) {
    double x = double_of(emu_lane(warp, &insn->operands[1], (int)lane), insn->types[1], EMU_HAS(insn, ftz));
    if (x != x) {
      __int128 nan = !high ? 0 : is_signed(insn->types[0]) ? -((__int128)1 << (bits - 1)) : (__int128)1 << (bits - 1);
      put_integer(warp, insn, (int)lane, nan, false);
      continue;
    }
    x = nereid_emulator_round_integer(x, rounding(insn));
    x = x > 0x1p64 ? 0x1p64 : x < -0x1p64 ? -0x1p64 : x;
    put_integer(warp, insn, (int)lane, (__int128)x, true);
  }
  return EMU_ADVANCE;
}

static emu_next_t float_from_integer(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_rounding_t how = rounding(insn);
  FOR_LANES(lane, mask) {
    __int128 value = integer_of(emu_lane(warp, &insn->operands[1], (int)lane), insn->types[1]);
    uint64_t magnitude = (uint64_t)(value < 0 ? -value : value);
    double high = (double)(magnitude >> 32) * 0x1p32, low = (double)(magnitude & 0xffffffff);
    double exact = emu_add_odd(high, low); /* rounded to odd if 53 bits are not enough */
    if (insn->types[0] == EMU_F64) {
      static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
      int before = fegetround();
      volatile double a = value < 0 ? -high : high, b = value < 0 ? -low : low, sum;
      fesetround(modes[how]);
      sum = a + b;
      fesetround(before);
      exact = value == 0 ? 0 : sum;
    } else {
      exact = to_format(value < 0 ? -exact : exact, insn->types[0], how);
    }
    if (EMU_HAS(insn, sat))
      exact = exact > 0 ? (exact < 1 ? exact : 1) : 0;
    emu_set_lane(warp, &insn->operands[0], (int)lane, bits_of(exact, insn->types[0], false));
  }
  return EMU_ADVANCE;
}

/* max(x, +0): -0 becomes +0; NaN is preserved. */
static double rectified(double x) {
  return x > 0 || x != x ? x : 0;
}

static double saturated(const emu_insn_t *insn, double x, unsigned type) {
  if (EMU_HAS(insn, sat))
    x = x > 0 ? (x < 1 ? x : 1) : 0;
  if (EMU_HAS(insn, relu))
    x = rectified(x);
  if (EMU_HAS(insn, satfinite) && x == x) {
    double most = type == EMU_F16 ? f16.largest : type == EMU_BF16 ? bf16.largest : tf32.largest;
    x = fabs(x) > most ? copysign(most, x) : x;
  }
  return x;
}

/* Position of the mantissa from the top of a type's bits. */
static unsigned mantissa_bits(unsigned type) {
  return type == EMU_F64 ? 52 : type == EMU_F32 ? 23 : type == EMU_F16 ? 10 : 7;
}

/* A NaN's bits in another type, as on an H200: conversions from and to f64 keep sign and payload and quiet it, bf16
 * and f32 to f32 keep all bits, tf32 has its own NaN; otherwise the result is the canonical NaN. */
static uint64_t converted_nan(const emu_insn_t *insn, uint64_t bits) {
  unsigned to = insn->types[0], from = insn->types[1], m = mantissa_bits(from), n = mantissa_bits(to);
  bool plain = !EMU_HAS(insn, ftz) && !is_integral(insn);
  if (to == from && to == EMU_F64 && plain)
    return bits;
  if (from == EMU_F32 && EMU_HAS(insn, ftz))
    bits = 0x7fffffff;
  if (to == EMU_TF32)
    return EMU_HAS(insn, satfinite) ? 0x7f7fe000 : 0x7fffe000;
  if (to == EMU_F32 && plain && (from == EMU_BF16 || from == EMU_F32))
    return from == EMU_BF16 ? bits << 16 & UINT32_MAX : bits & UINT32_MAX;
  if (to != EMU_F64 && from != EMU_F64)
    return bits_of((double)NAN, to, false);
  unsigned width = 8 * nereid_emulator_type_size((emu_type_t)from),
           result = 8 * nereid_emulator_type_size((emu_type_t)to);
  uint64_t payload = bits & ((UINT64_C(1) << m) - 1), sign = bits >> (width - 1) & 1;
  payload = n >= m ? payload << (n - m) : payload >> (m - n);
  uint64_t exponent = (UINT64_C(1) << (result - 1 - n)) - 1;
  return sign << (result - 1) | exponent << n | UINT64_C(1) << (n - 1) | payload;
}

static emu_next_t float_from_float(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  unsigned to = insn->types[0], from = insn->types[1];
  bool flush = EMU_HAS(insn, ftz) && to != EMU_F16;
  FOR_LANES(lane, mask) {
    uint64_t bits = emu_lane(warp, &insn->operands[1], (int)lane);
    double x = double_of(bits, from, flush);
    if (x != x && !EMU_HAS(insn, sat)) {
      emu_set_lane(warp, &insn->operands[0], (int)lane, converted_nan(insn, bits));
      continue;
    }
    if (is_integral(insn) && isfinite(x))
      x = copysign(nereid_emulator_round_integer(x, rounding(insn)), x);
    x = saturated(insn, x, to);
    x = to_format(x, to, rounding(insn));
    emu_set_lane(warp, &insn->operands[0], (int)lane, bits_of(saturated(insn, x, to), to, flush));
  }
  return EMU_ADVANCE;
}

/* cvt.rn.f16x2.f32 d, a, b: a becomes the upper half. */
static emu_next_t pair_from_floats(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  unsigned to = insn->types[0] == EMU_F16X2 ? EMU_F16 : EMU_BF16;
  FOR_LANES(lane, mask) {
    uint64_t result = 0;
    for (int k = 1; k <= 2; ++k) {
      double x = double_of(emu_lane(warp, &insn->operands[k], (int)lane), EMU_F32, false);
      x = to_format(saturated(insn, x, to), to, rounding(insn));
      result = result << 16 | bits_of(saturated(insn, x, to), to, false);
    }
    emu_set_lane(warp, &insn->operands[0], (int)lane, result);
  }
  return EMU_ADVANCE;
}

static uint8_t fp8(const emu_insn_t *insn, double x) {
  x = EMU_HAS(insn, relu) ? rectified(x) : x;
  return insn->types[0] == EMU_E4M3X2 ? nereid_float_to_f8e4m3fn(x, NEREID_FLOAT_SATFINITE)
                                      : nereid_float_to_f8e5m2(x, NEREID_FLOAT_SATFINITE);
}

static emu_next_t fp8_from_floats(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    double high = double_of(emu_lane(warp, &insn->operands[1], (int)lane), EMU_F32, false);
    double low = double_of(emu_lane(warp, &insn->operands[2], (int)lane), EMU_F32, false);
    emu_set_lane(warp, &insn->operands[0], (int)lane, (uint64_t)fp8(insn, high) << 8 | fp8(insn, low));
  }
  return EMU_ADVANCE;
}

static emu_next_t fp8_from_pair(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    uint32_t pair = (uint32_t)emu_lane(warp, &insn->operands[1], (int)lane);
    double high = double_of(pair >> 16, EMU_F16, false), low = double_of(pair & 0xffff, EMU_F16, false);
    emu_set_lane(warp, &insn->operands[0], (int)lane, (uint64_t)fp8(insn, high) << 8 | fp8(insn, low));
  }
  return EMU_ADVANCE;
}

static emu_next_t pair_from_fp8(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  bool e4m3 = insn->types[1] == EMU_E4M3X2;
  FOR_LANES(lane, mask) {
    uint64_t pair = emu_lane(warp, &insn->operands[1], (int)lane), result = 0;
    for (int shift = 8; shift >= 0; shift -= 8) {
      uint8_t byte = (uint8_t)(pair >> shift);
      double x = (double)(e4m3 ? nereid_float_from_f8e4m3fn(byte) : nereid_float_from_f8e5m2(byte));
      x = EMU_HAS(insn, relu) ? rectified(x) : x;
      result = result << 16 | nereid_float_to_f16(x, NEREID_FLOAT_NEAREST);
    }
    emu_set_lane(warp, &insn->operands[0], (int)lane, result);
  }
  return EMU_ADVANCE;
}

#define CONVERT NEREID_EMULATOR_CLASS_CONVERT
#define FOUR(row, types, may, function)                                                                                \
  {"cvt", types, row, EMU_BIT(rn), may, function, CONVERT}, {"cvt", types, row, EMU_BIT(rz), may, function, CONVERT},  \
      {"cvt", types, row, EMU_BIT(rm), may, function, CONVERT}, {                                                      \
    "cvt", types, row, EMU_BIT(rp), may, function, CONVERT                                                             \
  }
#define FOUR_INTEGRAL(types, may, function)                                                                            \
  {"cvt", types, "d*s*", EMU_BIT(rni), may, function, CONVERT},                                                        \
      {"cvt", types, "d*s*", EMU_BIT(rzi), may, function, CONVERT},                                                    \
      {"cvt", types, "d*s*", EMU_BIT(rmi), may, function, CONVERT}, {                                                  \
    "cvt", types, "d*s*", EMU_BIT(rpi), may, function, CONVERT                                                         \
  }
#define SAT EMU_BIT(sat)
#define FTZ EMU_BIT(ftz)
#define RELU EMU_BIT(relu)
#define SATFINITE EMU_BIT(satfinite)

const emu_form_t nereid_emulator_convert_forms[] = {
    {"cvt", "int.int", "d*s*", 0, SAT, integer_from_integer, CONVERT},
    FOUR_INTEGRAL("int.f32", FTZ | SAT, integer_from_float),
    FOUR_INTEGRAL("int.f16|int.bf16|int.f64", SAT, integer_from_float),
    FOUR("d*s*", "f16.int|f64.int|bf16.int", SAT, float_from_integer),
    FOUR("d*s*", "f32.int", FTZ | SAT, float_from_integer),
    FOUR_INTEGRAL("f32.f32", FTZ | SAT, float_from_float),
    FOUR_INTEGRAL("f16.f16|bf16.bf16|f64.f64", SAT, float_from_float),
    {"cvt", "f16.f16|f64.f64", "d*s*", 0, SAT, float_from_float, CONVERT},
    {"cvt", "bf16.bf16", "d*s*", 0, 0, float_from_float, CONVERT},
    {"cvt", "f32.f16|f32.bf16|f32.f32|f64.f32", "d*s*", 0, FTZ | SAT, float_from_float, CONVERT},
    {"cvt", "f64.f16|f64.bf16", "d*s*", 0, SAT, float_from_float, CONVERT},
    FOUR("d*s*", "f32.f64", FTZ | SAT, float_from_float),
    FOUR("d*s*", "f32.bf16", FTZ, float_from_float),
    FOUR("d*s*", "bf16.f16|f16.bf16|f64.bf16", 0, float_from_float),
    {"cvt", "bf16.f16|f16.bf16", "d*s*", 0, 0, float_from_float, CONVERT}, /* to nearest, in the SASS of ptxas */
    FOUR("d*s*", "f16.f64|bf16.f64", SAT, float_from_float),
    FOUR("d*s*", "f16.f32", FTZ | SAT, float_from_float),
    FOUR("d*s*", "bf16.f32", FTZ, float_from_float),
    {"cvt", "f16.f32|bf16.f32", "d*s*", EMU_BIT(rn), RELU | SATFINITE, float_from_float, CONVERT},
    {"cvt", "f16.f32|bf16.f32", "d*s*", EMU_BIT(rz), RELU | SATFINITE, float_from_float, CONVERT},
    {"cvt", "tf32.f32", "d*s*", EMU_BIT(rna), SATFINITE, float_from_float, CONVERT},
    {"cvt", "tf32.f32", "d*s*", EMU_BIT(rn), RELU | SATFINITE, float_from_float, CONVERT},
    {"cvt", "tf32.f32", "d*s*", EMU_BIT(rz), RELU | SATFINITE, float_from_float, CONVERT},
    {"cvt", "f16x2.f32|bf16x2.f32", "d0s1s1", EMU_BIT(rn), RELU | SATFINITE, pair_from_floats, CONVERT},
    {"cvt", "f16x2.f32|bf16x2.f32", "d0s1s1", EMU_BIT(rz), RELU | SATFINITE, pair_from_floats, CONVERT},
    {"cvt", "e4m3x2.f32|e5m2x2.f32", "d0s1s1", EMU_BIT(rn) | SATFINITE, RELU, fp8_from_floats, CONVERT},
    {"cvt", "e4m3x2.f16x2|e5m2x2.f16x2", "d0s1", EMU_BIT(rn) | SATFINITE, RELU, fp8_from_pair, CONVERT},
    {"cvt", "f16x2.e4m3x2|f16x2.e5m2x2", "d0s1", EMU_BIT(rn), RELU, pair_from_fp8, CONVERT},
    {0}};
