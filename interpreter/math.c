/* The functions of math, computed in double by the C library and rounded to the type.
 *
 * For f32 and narrower types the result is the correctly rounded one but for cases that lie within about 2^-29 ulp of a
 * tie. f64 has the C library's own error, below 1 ulp. */
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
    {.kind = NEREID_OP_UNKNOWN},
};
