/* Floating-point arithmetic of f32 and f64 (PTX ISA, Floating Point Instructions) in the host's IEEE arithmetic; fma
 * rounds once; .ftz flushes subnormal operands and results; directed rounding uses the host's rounding mode. */
#include "emulator/instructions/arithmetic/numbers.h"
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"

#include <fenv.h>

static float finish(const emu_insn_t *insn, float x) {
  return EMU_HAS(insn, sat) ? emu_saturate(x) : emu_canonical(x);
}

#define F emu_flush
#define END(x) finish(insn, x)
BINARY(add_f32, float, END(a + b))
BINARY(sub_f32, float, END(a - b))
BINARY(mul_f32, float, END(a *b))
BINARY(div_f32, float, END(a / b))
TERNARY(fma_f32, float, END(fmaf(a, b, c)))
UNARY(sqrt_f32, float, float, END(sqrtf(a)))
UNARY(rcp_f32, float, float, END(1.0f / a))
BINARY(add_ftz, float, F(END(F(a) + F(b))))
BINARY(sub_ftz, float, F(END(F(a) - F(b))))
BINARY(mul_ftz, float, F(END(F(a) * F(b))))
BINARY(div_ftz, float, F(END(F(a) / F(b))))
TERNARY(fma_ftz, float, F(END(fmaf(F(a), F(b), F(c)))))
UNARY(sqrt_ftz, float, float, F(END(sqrtf(F(a)))))
UNARY(rcp_ftz, float, float, F(END(1.0f / F(a))))

/* An f64 NaN result is, on an H200, the first NaN operand of `x`, `y` and `z`, quieted; without one, the negative
 * default NaN. */
#define QUIET(a) emu_f64(emu_f64_bits(a) | UINT64_C(1) << 51)
#define FIRST_NAN(x, y, z) ((x) != (x) ? QUIET(x) : (y) != (y) ? QUIET(y) : (z) != (z) ? QUIET(z) : NEGATIVE_NAN)
#define END64(result, x, y, z) ((result) == (result) ? (result) : FIRST_NAN(x, y, z))
#define NEGATIVE_NAN emu_f64(UINT64_C(0xfff8000000000000))
BINARY(add_f64, double, END64(a + b, b, a, a))
BINARY(sub_f64, double, END64(a - b, b, a, a))
BINARY(mul_f64, double, END64(a *b, b, a, a))
BINARY(div_f64, double, END64(a / b, a, b, b))
TERNARY(fma_f64, double, END64(fma(a, b, c), b, c, a))
UNARY(sqrt_f64, double, double, END64(sqrt(a), a, a, a))
UNARY(rcp_f64, double, double, END64(1.0 / a, a, a, a))

/* abs and neg of NaN: the canonical NaN for f32, the quieted operand for f64. */
UNARY(abs_f32, float, float, emu_canonical(fabsf(a)))
UNARY(abs_ftz, float, float, emu_canonical(fabsf(F(a))))
UNARY(neg_f32, float, float, emu_canonical(-a))
UNARY(neg_ftz, float, float, emu_canonical(-F(a)))
UNARY(abs_f64, double, double, a != a ? QUIET(a) : fabs(a))
UNARY(neg_f64, double, double, a != a ? QUIET(a) : -a)
BINARY(copysign_f32, uint32_t, (b & 0x7fffffff) | (a & 0x80000000))
BINARY(copysign_f64, uint64_t, (b & INT64_MAX) | (a & (UINT64_C(1) << 63)))

/* The same without .NaN and .xorsign.abs, vectorized. */
#define MINIMUM(a, b) emu_canonical((a) < (b) || (b) != (b) || ((a) == (b) && emu_f32_bits(a) >> 31) ? (a) : (b))
#define MAXIMUM(a, b) emu_canonical((a) > (b) || (b) != (b) || ((a) == (b) && !(emu_f32_bits(a) >> 31)) ? (a) : (b))
BINARY(minimum_f32, float, MINIMUM(a, b))
BINARY(maximum_f32, float, MAXIMUM(a, b))
BINARY(minimum_ftz, float, MINIMUM(F(a), F(b)))
BINARY(maximum_ftz, float, MAXIMUM(F(a), F(b)))
BINARY(min_f32, float,
       emu_canonical((float)emu_extreme(EMU_HAS(insn, NaN), EMU_HAS(insn, xorsign), (double)a, (double)b, false)))
BINARY(max_f32, float,
       emu_canonical((float)emu_extreme(EMU_HAS(insn, NaN), EMU_HAS(insn, xorsign), (double)a, (double)b, true)))
BINARY(min_ftz, float,
       emu_canonical((float)emu_extreme(EMU_HAS(insn, NaN), EMU_HAS(insn, xorsign), (double)F(a), (double)F(b), false)))
BINARY(max_ftz, float,
       emu_canonical((float)emu_extreme(EMU_HAS(insn, NaN), EMU_HAS(insn, xorsign), (double)F(a), (double)F(b), true)))
BINARY(min_f64, double, END64(emu_extreme(EMU_HAS(insn, NaN), EMU_HAS(insn, xorsign), a, b, false), b, a, a))
BINARY(max_f64, double, END64(emu_extreme(EMU_HAS(insn, NaN), EMU_HAS(insn, xorsign), a, b, true), b, a, a))

static emu_next_t testp(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t bits = 0;
  FOR_LANES(lane, mask) {
    uint64_t raw = emu_lane(warp, &insn->operands[1], (int)lane);
    bool is32 = insn->types[0] == EMU_F32;
    double x = is32 ? (double)emu_f32((uint32_t)raw) : emu_f64(raw), least = is32 ? (double)FLT_MIN : DBL_MIN;
    bool subnormal = x != 0 && fabs(x) < least;
    bool is = EMU_HAS(insn, finite)       ? isfinite(x)
              : EMU_HAS(insn, infinite)   ? isinf(x)
              : EMU_HAS(insn, number)     ? x == x
              : EMU_HAS(insn, notanumber) ? x != x
              : EMU_HAS(insn, subnormal)  ? subnormal
                                          : isfinite(x) && !subnormal; /* zeros count as normal */
    bits |= (uint32_t)is << lane;
  }
  emu_set_predicate(warp, &insn->operands[0], bits, mask);
  return EMU_ADVANCE;
}

emu_next_t nereid_emulator_rounded(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  int before = fegetround();
  fesetround(EMU_HAS(insn, rz) ? FE_TOWARDZERO : EMU_HAS(insn, rm) ? FE_DOWNWARD : FE_UPWARD);
  emu_next_t next = insn->inner(warp, insn, mask);
  fesetround(before);
  return next;
}

#define FLOAT NEREID_EMULATOR_CLASS_FLOAT
#define ROUND (EMU_BIT(rn) | EMU_BIT(rz) | EMU_BIT(rm) | EMU_BIT(rp))
#define SAT EMU_BIT(sat)
#define FTZ EMU_BIT(ftz)
#define EXTREME (EMU_BIT(NaN) | EMU_BIT(xorsign) | EMU_BIT(abs))
/* An instruction with a rounding mode, in all four modes. */
#define ROUNDED(name, operands, may, plain, flushed, f64)                                                              \
  {name, "f32", operands, EMU_BIT(rn), may, plain, FLOAT}, {name, "f32", operands, EMU_BIT(rz), may, plain, FLOAT},    \
      {name, "f32", operands, EMU_BIT(rm), may, plain, FLOAT},                                                         \
      {name, "f32", operands, EMU_BIT(rp), may, plain, FLOAT},                                                         \
      {name, "f32", operands, EMU_BIT(rn) | FTZ, may, flushed, FLOAT},                                                 \
      {name, "f32", operands, EMU_BIT(rz) | FTZ, may, flushed, FLOAT},                                                 \
      {name, "f32", operands, EMU_BIT(rm) | FTZ, may, flushed, FLOAT},                                                 \
      {name, "f32", operands, EMU_BIT(rp) | FTZ, may, flushed, FLOAT},                                                 \
      {name, "f64", operands, EMU_BIT(rn), 0, f64, FLOAT}, {name, "f64", operands, EMU_BIT(rz), 0, f64, FLOAT},        \
      {name, "f64", operands, EMU_BIT(rm), 0, f64, FLOAT}, {                                                           \
    name, "f64", operands, EMU_BIT(rp), 0, f64, FLOAT                                                                  \
  }

const emu_form_t nereid_emulator_float_forms[] = {{"add", "f32", "d0s0s0", 0, ROUND | SAT, add_f32, FLOAT},
                                                  {"add", "f32", "d0s0s0", FTZ, ROUND | SAT, add_ftz, FLOAT},
                                                  {"add", "f64", "d0s0s0", 0, ROUND, add_f64, FLOAT},
                                                  {"sub", "f32", "d0s0s0", 0, ROUND | SAT, sub_f32, FLOAT},
                                                  {"sub", "f32", "d0s0s0", FTZ, ROUND | SAT, sub_ftz, FLOAT},
                                                  {"sub", "f64", "d0s0s0", 0, ROUND, sub_f64, FLOAT},
                                                  {"mul", "f32", "d0s0s0", 0, ROUND | SAT, mul_f32, FLOAT},
                                                  {"mul", "f32", "d0s0s0", FTZ, ROUND | SAT, mul_ftz, FLOAT},
                                                  {"mul", "f64", "d0s0s0", 0, ROUND, mul_f64, FLOAT},
                                                  ROUNDED("fma", "d0s0s0s0", SAT, fma_f32, fma_ftz, fma_f64),
                                                  ROUNDED("mad", "d0s0s0s0", SAT, fma_f32, fma_ftz, fma_f64),
                                                  ROUNDED("div", "d0s0s0", 0, div_f32, div_ftz, div_f64),
                                                  ROUNDED("sqrt", "d0s0", 0, sqrt_f32, sqrt_ftz, sqrt_f64),
                                                  ROUNDED("rcp", "d0s0", 0, rcp_f32, rcp_ftz, rcp_f64),
                                                  {"abs", "f32", "d0s0", 0, 0, abs_f32, FLOAT},
                                                  {"abs", "f32", "d0s0", FTZ, 0, abs_ftz, FLOAT},
                                                  {"abs", "f64", "d0s0", 0, 0, abs_f64, FLOAT},
                                                  {"neg", "f32", "d0s0", 0, 0, neg_f32, FLOAT},
                                                  {"neg", "f32", "d0s0", FTZ, 0, neg_ftz, FLOAT},
                                                  {"neg", "f64", "d0s0", 0, 0, neg_f64, FLOAT},
                                                  {"copysign", "f32", "d0s0s0", 0, 0, copysign_f32, FLOAT},
                                                  {"copysign", "f64", "d0s0s0", 0, 0, copysign_f64, FLOAT},
                                                  {"min", "f32", "d0s0s0", 0, 0, minimum_f32, FLOAT},
                                                  {"min", "f32", "d0s0s0", FTZ, 0, minimum_ftz, FLOAT},
                                                  {"max", "f32", "d0s0s0", 0, 0, maximum_f32, FLOAT},
                                                  {"max", "f32", "d0s0s0", FTZ, 0, maximum_ftz, FLOAT},
                                                  {"min", "f32", "d0s0s0", 0, EXTREME, min_f32, FLOAT},
                                                  {"min", "f32", "d0s0s0", FTZ, EXTREME, min_ftz, FLOAT},
                                                  {"min", "f64", "d0s0s0", 0, 0, min_f64, FLOAT},
                                                  {"max", "f32", "d0s0s0", 0, EXTREME, max_f32, FLOAT},
                                                  {"max", "f32", "d0s0s0", FTZ, EXTREME, max_ftz, FLOAT},
                                                  {"max", "f64", "d0s0s0", 0, 0, max_f64, FLOAT},
                                                  {"testp", "f32|f64", "p-s0", EMU_BIT(finite), 0, testp, FLOAT},
                                                  {"testp", "f32|f64", "p-s0", EMU_BIT(infinite), 0, testp, FLOAT},
                                                  {"testp", "f32|f64", "p-s0", EMU_BIT(number), 0, testp, FLOAT},
                                                  {"testp", "f32|f64", "p-s0", EMU_BIT(notanumber), 0, testp, FLOAT},
                                                  {"testp", "f32|f64", "p-s0", EMU_BIT(normal), 0, testp, FLOAT},
                                                  {"testp", "f32|f64", "p-s0", EMU_BIT(subnormal), 0, testp, FLOAT},
                                                  {0}};
