/* Ops of the math dialect, computed in double by the C library and rounded to the type.
 *
 * For f32 and narrower types the result is correctly rounded, except within about 2^-29 ulp of a tie. f64 has the C
 * library's error, below 1 ulp. */
#include "interpreter/machine.h"

#include <math.h>

typedef double (*unary_fn)(double);

static uint64_t unary(const nereid_step_t *step, const uint64_t *x) {
  const unary_fn *function = step->row->data;
  return nereid_bits_from_double(step->to, (*function)(nereid_bits_to_double(step->from, x[0])), false);
}

static double rsqrt_(double x) {
  return 1 / sqrt(x);
}

static uint64_t powf_(const nereid_step_t *step, const uint64_t *x) {
  const double a = nereid_bits_to_double(step->from, x[0]), b = nereid_bits_to_double(step->from, x[1]);
  return nereid_bits_from_double(step->to, pow(a, b), false);
}

static uint64_t atan2_(const nereid_step_t *step, const uint64_t *x) {
  const double a = nereid_bits_to_double(step->from, x[0]), b = nereid_bits_to_double(step->from, x[1]);
  return nereid_bits_from_double(step->to, atan2(a, b), false);
}

static uint64_t fpowi(const nereid_step_t *step, const uint64_t *x) {
  const double base = nereid_bits_to_double(step->from, x[0]);
  const int64_t power = nereid_bits_signed(x[1], step->operands[1]->shape.element.bits);
  return nereid_bits_from_double(step->to, pow(base, (double)power), false);
}

static bool sincos_(nereid_machine_t *machine, const nereid_step_t *step) {
  uint64_t *sines = nereid_machine_result(machine, step, 0), *cosines = nereid_machine_result(machine, step, 1);
  for (size_t i = 0; sines && cosines && i < step->results[0]->count; ++i) {
    const double angle = nereid_bits_to_double(step->from, nereid_machine_word(step->operands[0], i));
    sines[i] = nereid_bits_from_double(step->to, sin(angle), false);
    cosines[i] = nereid_bits_from_double(step->to, cos(angle), false);
  }
  return sines && cosines;
}

/* A negative power of x is 0 for |x| > 1; for 0 it is the interpreter's value of 1 / 0. */
static uint64_t ipowi(const nereid_step_t *step, const uint64_t *x) {
  const int64_t base = nereid_bits_signed(x[0], step->from.bits);
  int64_t power = nereid_bits_signed(x[1], step->from.bits);
  uint64_t result = 1, square = (uint64_t)base;
  if (power < 0 && base == 0)
    return ~UINT64_C(0);
  if (power < 0 && base != 1 && base != -1)
    return 0;
  if (power < 0)
    return power % 2 ? (uint64_t)base : 1;
  for (; power; power /= 2, square *= square)
    result *= power % 2 ? square : 1;
  return result;
}

/* Below the smallest normal value of the type there are only zero and subnormals. */
static uint64_t isnormal_(const nereid_step_t *step, const uint64_t *x) {
  static const int exponents[] = {[NEREID_FORMAT_F16] = -14,        [NEREID_FORMAT_BF16] = -126,
                                  [NEREID_FORMAT_F32] = -126,       [NEREID_FORMAT_F64] = -1022,
                                  [NEREID_FORMAT_F8E4M3FN] = -6,    [NEREID_FORMAT_F8E5M2] = -14,
                                  [NEREID_FORMAT_F8E8M0FNU] = -127, [NEREID_FORMAT_F4E2M1FN] = 0};
  const double value = nereid_bits_to_double(step->from, x[0]);
  return isfinite(value) && fabs(value) >= ldexp(1, exponents[step->from.format]);
}

/* Clamps to [x1, x2]; NaN is preserved. */
static uint64_t clampf_(const nereid_step_t *step, const uint64_t *x) {
  const double value = nereid_bits_to_double(step->from, x[0]), low = nereid_bits_to_double(step->from, x[1]);
  const double high = nereid_bits_to_double(step->from, x[2]);
  if (isnan(value) || isnan(low) || isnan(high))
    return nereid_bits_nan(step->to);
  return value > high ? (high < low ? x[1] : x[2]) : value < low ? x[1] : x[0];
}

#define UNARY(op, function)                                                                                            \
  {                                                                                                                    \
    .kind = NEREID_OP_MATH_##op, .lane = unary, .data = &(const unary_fn) {                                            \
      function                                                                                                         \
    }                                                                                                                  \
  }

const nereid_machine_row_t nereid_machine_math_rows[] = {
    UNARY(EXP, exp),
    UNARY(EXP2, exp2),
    UNARY(EXPM1, expm1),
    UNARY(LOG, log),
    UNARY(LOG2, log2),
    UNARY(LOG10, log10),
    UNARY(LOG1P, log1p),
    UNARY(SIN, sin),
    UNARY(COS, cos),
    UNARY(TAN, tan),
    UNARY(ASIN, asin),
    UNARY(ACOS, acos),
    UNARY(ATAN, atan),
    UNARY(SINH, sinh),
    UNARY(COSH, cosh),
    UNARY(TANH, tanh),
    UNARY(ASINH, asinh),
    UNARY(ACOSH, acosh),
    UNARY(ATANH, atanh),
    UNARY(ERF, erf),
    UNARY(ERFC, erfc),
    UNARY(CBRT, cbrt),
    UNARY(RSQRT, rsqrt_),
    UNARY(FLOOR, floor),
    UNARY(CEIL, ceil),
    UNARY(TRUNC, trunc),
    UNARY(ROUND, round),
    UNARY(ROUNDEVEN, rint),
    {.kind = NEREID_OP_MATH_POWF, .lane = powf_},
    {.kind = NEREID_OP_MATH_ATAN2, .lane = atan2_},
    {.kind = NEREID_OP_MATH_FPOWI, .lane = fpowi},
    {.kind = NEREID_OP_MATH_SINCOS, .run = sincos_},
    {.kind = NEREID_OP_MATH_IPOWI, .lane = ipowi},
    {.kind = NEREID_OP_MATH_ISNORMAL, .lane = isnormal_},
    {.kind = NEREID_OP_MATH_CLAMPF, .lane = clampf_},
    {.kind = NEREID_OP_UNKNOWN},
};
