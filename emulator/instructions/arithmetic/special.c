/* Approximate functions (PTX ISA: ex2, lg2, sin, cos, rcp, rsqrt, sqrt, tanh, div.approx, div.full). Computed in
 * double and rounded once, so they are more accurate than the hardware's; docs/emulator.md lists the tolerances. */
#include "emulator/instructions/arithmetic/numbers.h"
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"

#define F emu_flush
#define END(x) emu_canonical((float)(x))
#define FUNCTION(name, expression)                                                                                     \
  static double true_##name(double x) {                                                                                \
    return expression;                                                                                                 \
  }                                                                                                                    \
  UNARY(name, float, float, END(true_##name((double)a)))                                                               \
  UNARY(name##_ftz, float, float, F(END(true_##name((double)F(a)))))
FUNCTION(ex2, exp2(x))
FUNCTION(lg2, log2(x))
FUNCTION(sine, sin(x))
FUNCTION(cosine, cos(x))
FUNCTION(rcp, 1 / x)
FUNCTION(rsqrt, 1 / sqrt(x))
FUNCTION(root, sqrt(x))
FUNCTION(tangent, tanh(x))

static float quotient(float a, float b) {
  return END((double)a / (double)b);
}
/* div.approx: a divisor between 2^126 and 2^128 gives zero, or NaN for an infinite dividend. */
static float quotient_approximate(float a, float b) {
  if (fabsf(b) > 0x1p126f && isfinite(b))
    return isinf(a) || a != a ? END((double)NAN) : copysignf(0, (signbit(a) != 0) != (signbit(b) != 0) ? -1.0f : 1.0f);
  return quotient(a, b);
}
BINARY(div_full, float, quotient(a, b))
BINARY(div_full_ftz, float, F(quotient(F(a), F(b))))
BINARY(div_approx, float, quotient_approximate(a, b))
BINARY(div_approx_ftz, float, F(quotient_approximate(F(a), F(b))))

/* The f64 forms return the upper word and flush subnormals. */
static double upper(double x) {
  return emu_f64(emu_f64_bits(emu_canonical64(fabs(x) < DBL_MIN ? copysign(0, x) : x)) & ~UINT64_C(0xffffffff));
}
static double flush64(double x) {
  return fabs(x) < DBL_MIN ? copysign(0, x) : x;
}
UNARY(rcp_f64, double, double, upper(1 / flush64(a)))
UNARY(rsqrt_f64_ftz, double, double, upper(1 / sqrt(flush64(a))))
UNARY(rsqrt_f64, double, double, emu_canonical64(1 / sqrt(a)))

#define SPECIAL NEREID_EMULATOR_CLASS_SPECIAL
#define APPROX EMU_BIT(approx)
#define FTZ EMU_BIT(ftz)
#define BOTH(name, function)                                                                                           \
  {name, "f32", "d0s0", APPROX, 0, function, SPECIAL}, {                                                               \
    name, "f32", "d0s0", APPROX | FTZ, 0, function##_ftz, SPECIAL                                                      \
  }

const emu_form_t nereid_emulator_special_forms[] = {
    BOTH("ex2", ex2),
    BOTH("lg2", lg2),
    BOTH("sin", sine),
    BOTH("cos", cosine),
    BOTH("rcp", rcp),
    BOTH("rsqrt", rsqrt),
    BOTH("sqrt", root),
    BOTH("tanh", tangent),
    {"div", "f32", "d0s0s0", EMU_BIT(full), 0, div_full, SPECIAL},
    {"div", "f32", "d0s0s0", EMU_BIT(full) | FTZ, 0, div_full_ftz, SPECIAL},
    {"div", "f32", "d0s0s0", APPROX, 0, div_approx, SPECIAL},
    {"div", "f32", "d0s0s0", APPROX | FTZ, 0, div_approx_ftz, SPECIAL},
    {"rcp", "f64", "d0s0", APPROX | FTZ, 0, rcp_f64, SPECIAL},
    {"rsqrt", "f64", "d0s0", APPROX, 0, rsqrt_f64, SPECIAL},
    {"rsqrt", "f64", "d0s0", APPROX | FTZ, 0, rsqrt_f64_ftz, SPECIAL},
    {0}};
