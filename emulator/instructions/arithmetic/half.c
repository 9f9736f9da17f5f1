/* Arithmetic of f16, bf16 and pairs of them (PTX ISA, Half Precision Floating Point Instructions). Computed in
 * double, rounded to odd if inexact, then rounded once to the format; NaN results are 0x7fff. */
#include "emulator/instructions/arithmetic/numbers.h"
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"

typedef enum operation { ADD, SUB, MUL, FMA, MIN, MAX, EX2, TANH } operation_t;

static double compute(const emu_insn_t *insn, operation_t operation, double a, double b, double c) {
  switch (operation) {
  case ADD:
    return emu_add_odd(a, b);
  case SUB:
    return emu_add_odd(a, -b);
  case MUL:
    return a * b;
  case FMA:
    return emu_add_odd(a * b, c);
  case MIN:
    return emu_extreme(EMU_HAS(insn, NaN), EMU_HAS(insn, xorsign), a, b, false);
  case MAX:
    return emu_extreme(EMU_HAS(insn, NaN), EMU_HAS(insn, xorsign), a, b, true);
  case EX2:
    return exp2(a);
  case TANH:
    return tanh(a);
  }
  return 0;
}

static double widen(uint16_t bits, bool is_bf16, bool flush) {
  if (flush && !(bits & (is_bf16 ? 0x7f80 : 0x7c00)))
    bits &= 0x8000;
  return (double)(is_bf16 ? nereid_float_from_bf16(bits) : nereid_float_from_f16(bits));
}

enum { OUT_OF_BOUNDS = 0xfff7 };

static uint16_t one(const emu_insn_t *insn, operation_t operation, bool is_bf16, const uint16_t *bits) {
  bool flush = EMU_HAS(insn, ftz);
  if (insn->variant && (bits[0] == OUT_OF_BOUNDS || bits[1] == OUT_OF_BOUNDS))
    return 0;
  double result = compute(insn, operation, widen(bits[0], is_bf16, flush), widen(bits[1], is_bf16, flush),
                          widen(bits[2], is_bf16, flush));
  if (EMU_HAS(insn, sat))
    result = result > 0 ? (result < 1 ? result : 1) : 0;
  uint16_t out =
      is_bf16 ? nereid_float_to_bf16(result, NEREID_FLOAT_NEAREST) : nereid_float_to_f16(result, NEREID_FLOAT_NEAREST);
  out = flush && !(out & (is_bf16 ? 0x7f80 : 0x7c00)) ? out & 0x8000 : out;
  return EMU_HAS(insn, relu) && out & 0x8000 ? 0 : out; /* also clears -0; NaN results are positive */
}

static emu_next_t all(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, operation_t operation, int arity) {
  bool is_bf16 = insn->types[0] == EMU_BF16 || insn->types[0] == EMU_BF16X2;
  FOR_LANES(lane, mask) {
    uint64_t sources[3] = {0}, result = 0;
    for (int k = 0; k < arity; ++k)
      sources[k] = emu_lane(warp, &insn->operands[k + 1], (int)lane);
    for (unsigned shift = 0; shift < insn->operands[0].size * 8u; shift += 16) {
      uint16_t bits[3];
      for (int k = 0; k < 3; ++k)
        bits[k] = (uint16_t)(sources[k] >> shift);
      result |= (uint64_t)one(insn, operation, is_bf16, bits) << shift;
    }
    emu_set_lane(warp, &insn->operands[0], (int)lane, result);
  }
  return EMU_ADVANCE;
}

/* Without .ftz, .sat, .relu, .NaN and .xorsign.abs, vectorized: an operand is an array of 32 or 64 values. */
#define LANES(name, arity, is_bf16, expression)                                                                        \
  EMU_SIMD static emu_next_t name(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {                           \
    const uint8_t *x = emu_source(warp, insn, 1), *y = emu_source(warp, insn, arity < 2 ? 1 : 2),                      \
                  *z = emu_source(warp, insn, arity < 3 ? 1 : 3);                                                      \
    uint16_t numbers[2 * EMU_LANES] = {0};                                                                             \
    const bool pairs = insn->operands[0].size == 4;                                                                    \
    for (int l = 0; l < (pairs ? 2 : 1) * EMU_LANES; ++l) {                                                            \
      double a = WIDE(is_bf16, LANE(uint16_t, x, l)), b = WIDE(is_bf16, LANE(uint16_t, y, l)),                         \
             c = WIDE(is_bf16, LANE(uint16_t, z, l));                                                                  \
      (void)b, (void)c;                                                                                                \
      double result = (expression);                                                                                    \
      numbers[l] = (uint16_t)(is_bf16 ? emu_to_bf16(result) : emu_to_f16(result));                                     \
    }                                                                                                                  \
    if (pairs) {                                                                                                       \
      uint32_t words[EMU_LANES];                                                                                       \
      memcpy(words, numbers, sizeof words);                                                                            \
      STORE(uint32_t, words, 0);                                                                                       \
    } else {                                                                                                           \
      STORE_HALF(numbers);                                                                                             \
    }                                                                                                                  \
    return EMU_ADVANCE;                                                                                                \
  }
#define WIDE(is_bf16, bits) (double)(is_bf16 ? emu_f32((uint32_t)(bits) << 16) : emu_from_f16(bits))
#define STORE_HALF(numbers)                                                                                            \
  uint16_t half[EMU_LANES];                                                                                            \
  memcpy(half, numbers, sizeof half);                                                                                  \
  STORE(uint16_t, half, 0)
#define BOTH_TYPES(name, arity, expression)                                                                            \
  LANES(name##_f16, arity, false, expression)                                                                          \
  LANES(name##_bf16, arity, true, expression)
#define NEGATIVE(a) (emu_f64_bits(a) >> 63 != 0)
BOTH_TYPES(add, 2, emu_add_odd(a, b))
BOTH_TYPES(sub, 2, emu_add_odd(a, -b))
BOTH_TYPES(mul, 2, a *b)
BOTH_TYPES(fma, 3, emu_add_odd(a *b, c))
BOTH_TYPES(min, 2, a < b || b != b || (a == b && NEGATIVE(a)) ? a : b)
BOTH_TYPES(max, 2, a > b || b != b || (a == b && !NEGATIVE(a)) ? a : b)

#define HALF(name, operation, arity)                                                                                   \
  static emu_next_t name(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {                                    \
    return all(warp, insn, mask, operation, arity);                                                                    \
  }
HALF(add_half, ADD, 2)
HALF(sub_half, SUB, 2)
HALF(mul_half, MUL, 2)
HALF(fma_half, FMA, 3)
HALF(min_half, MIN, 2)
HALF(max_half, MAX, 2)
HALF(ex2_half, EX2, 1)
HALF(tanh_half, TANH, 1)

/* abs and neg, of one value or of a pair; NaN becomes canonical. */
static uint32_t with_sign(uint32_t a, bool is_bf16, bool flush, bool negates) {
  uint32_t magnitude = a & 0x7fff, exponent = is_bf16 ? 0x7f80 : 0x7c00;
  if (magnitude > exponent)
    return 0x7fff;
  magnitude = flush && !(magnitude & exponent) ? 0 : magnitude;
  return magnitude | (negates ? ~a & 0x8000 : 0);
}
#define PAIR(of, ...) of(a & 0xffff, __VA_ARGS__) | of(a >> 16, __VA_ARGS__) << 16
#define SIGNS(name, ...)                                                                                               \
  UNARY(name##_half, uint16_t, uint16_t, with_sign(a, __VA_ARGS__))                                                    \
  UNARY(name##_pair, uint32_t, uint32_t, PAIR(with_sign, __VA_ARGS__))
/* clang-format off */
SIGNS(abs_f16, false, false, false)
SIGNS(abs_ftz, false, true, false)
SIGNS(abs_bf16, true, false, false)
SIGNS(neg_f16, false, false, true)
SIGNS(neg_ftz, false, true, true)
SIGNS(neg_bf16, true, false, true)
/* clang-format on */

#define FLOAT NEREID_EMULATOR_CLASS_FLOAT
#define SPECIAL NEREID_EMULATOR_CLASS_SPECIAL
#define F16 "f16|f16x2"
#define BF16 "bf16|bf16x2"
#define BOTH "f16|f16x2|bf16|bf16x2"
#define XORSIGN (EMU_BIT(xorsign) | EMU_BIT(abs))
#define MAY (EMU_BIT(rn) | EMU_BIT(ftz) | EMU_BIT(sat))
#define PLAIN(name, operands, needs, may)                                                                              \
  {#name, F16, operands, needs, may, name##_f16, FLOAT}, {                                                             \
    #name, BF16, operands, needs, may, name##_bf16, FLOAT                                                              \
  }
#define SIGN_ROWS(name)                                                                                                \
  {#name, "f16", "d0s0", 0, 0, name##_f16_half, FLOAT}, {#name, "f16x2", "d0s0", 0, 0, name##_f16_pair, FLOAT},        \
      {#name, "f16", "d0s0", EMU_BIT(ftz), 0, name##_ftz_half, FLOAT},                                                 \
      {#name, "f16x2", "d0s0", EMU_BIT(ftz), 0, name##_ftz_pair, FLOAT},                                               \
      {#name, "bf16", "d0s0", 0, 0, name##_bf16_half, FLOAT}, {                                                        \
    #name, "bf16x2", "d0s0", 0, 0, name##_bf16_pair, FLOAT                                                             \
  }
const emu_form_t nereid_emulator_half_forms[] = {
    PLAIN(add, "d0s0s0", 0, EMU_BIT(rn)),
    PLAIN(sub, "d0s0s0", 0, EMU_BIT(rn)),
    PLAIN(mul, "d0s0s0", 0, EMU_BIT(rn)),
    PLAIN(fma, "d0s0s0s0", EMU_BIT(rn), 0),
    PLAIN(min, "d0s0s0", 0, 0),
    PLAIN(max, "d0s0s0", 0, 0),
    {"add", F16, "d0s0s0", 0, MAY, add_half, FLOAT},
    {"sub", F16, "d0s0s0", 0, MAY, sub_half, FLOAT},
    {"mul", F16, "d0s0s0", 0, MAY, mul_half, FLOAT},
    {"fma", F16, "d0s0s0s0", EMU_BIT(rn), EMU_BIT(ftz) | EMU_BIT(sat) | EMU_BIT(relu), fma_half, FLOAT},
    {"fma", BF16, "d0s0s0s0", EMU_BIT(rn), EMU_BIT(relu), fma_half, FLOAT},
    {"fma oob", BOTH, "d0s0s0s0", EMU_BIT(rn), EMU_BIT(relu), fma_half, FLOAT | EMU_VARIANT(1)},
    {"min", F16, "d0s0s0", 0, EMU_BIT(ftz) | EMU_BIT(NaN), min_half, FLOAT},
    {"min", BF16, "d0s0s0", 0, EMU_BIT(NaN), min_half, FLOAT},
    {"min", F16, "d0s0s0", XORSIGN, EMU_BIT(ftz) | EMU_BIT(NaN), min_half, FLOAT},
    {"min", BF16, "d0s0s0", XORSIGN, EMU_BIT(NaN), min_half, FLOAT},
    {"max", F16, "d0s0s0", 0, EMU_BIT(ftz) | EMU_BIT(NaN), max_half, FLOAT},
    {"max", BF16, "d0s0s0", 0, EMU_BIT(NaN), max_half, FLOAT},
    {"max", F16, "d0s0s0", XORSIGN, EMU_BIT(ftz) | EMU_BIT(NaN), max_half, FLOAT},
    {"max", BF16, "d0s0s0", XORSIGN, EMU_BIT(NaN), max_half, FLOAT},
    SIGN_ROWS(abs),
    SIGN_ROWS(neg),
    {"ex2", F16, "d0s0", EMU_BIT(approx), 0, ex2_half, SPECIAL},
    {"ex2", BF16, "d0s0", EMU_BIT(approx) | EMU_BIT(ftz), 0, ex2_half, SPECIAL},
    {"tanh", BOTH, "d0s0", EMU_BIT(approx), 0, tanh_half, SPECIAL},
    {0}};
