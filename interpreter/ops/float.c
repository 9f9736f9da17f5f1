/* Floating point: every operation is rounded once, without contraction or reassociation.
 *
 *   arith.addf %a, %b : bf16       the double a + b, rounded to bf16
 *
 * Operations that select an operand (negf, absf, copysign, the maxima) preserve its bits. */
#include "interpreter/machine.h"

#include "nereid/dialects/arith.h"

#include <math.h>

static double number(const nereid_step_t *step, uint64_t word) {
  return nereid_bits_to_double(step->from, word);
}

static uint64_t rounded(const nereid_step_t *step, double value) {
  return nereid_bits_from_double(step->to, value, false);
}

static uint64_t sign_of(const nereid_step_t *step) {
  return UINT64_C(1) << (step->from.bits - 1);
}

#define LANE(name, expression)                                                                                         \
  static uint64_t name(const nereid_step_t *step, const uint64_t *x) {                                                 \
    return (expression);                                                                                               \
  }

LANE(addf, rounded(step, number(step, x[0]) + number(step, x[1])))
LANE(subf, rounded(step, number(step, x[0]) - number(step, x[1])))
LANE(mulf, rounded(step, number(step, x[0]) * number(step, x[1])))
LANE(divf, rounded(step, number(step, x[0]) / number(step, x[1])))
LANE(remf, rounded(step, fmod(number(step, x[0]), number(step, x[1]))))
LANE(sqrt_, rounded(step, sqrt(number(step, x[0]))))
LANE(fma_, nereid_bits_fma(step->to, x[0], x[1], x[2]))
LANE(negf, x[0] ^ sign_of(step))
LANE(absf, x[0] & ~sign_of(step))
LANE(copysign_, (x[0] & ~sign_of(step)) | (x[1] & sign_of(step)))
LANE(isfinite_, isfinite(number(step, x[0])) != 0)
LANE(isinf_, isinf(number(step, x[0])) != 0)
LANE(isnan_, isnan(number(step, x[0])) != 0)

/* -0 is less than +0 (PTX ISA, max). */
static bool is_less(double a, double b) {
  return a < b || (a == b && signbit(a) && !signbit(b));
}

static uint64_t choose(const nereid_step_t *step, uint64_t a, uint64_t b, bool largest, bool propagate) {
  const double x = number(step, a), y = number(step, b);
  if (isnan(x) && isnan(y))
    return nereid_bits_nan(step->to);
  if (isnan(x) || isnan(y))
    return propagate ? nereid_bits_nan(step->to) : isnan(x) ? b : a;
  return is_less(x, y) == largest ? b : a;
}

LANE(maximumf, choose(step, x[0], x[1], true, true))
LANE(minimumf, choose(step, x[0], x[1], false, true))
LANE(maxnumf, choose(step, x[0], x[1], true, false))
LANE(minnumf, choose(step, x[0], x[1], false, false))

/* min(max(x, lower), upper); `detail`: propagates NaN. */
static uint64_t clampf(const nereid_step_t *step, const uint64_t *x) {
  return choose(step, choose(step, x[0], x[1], true, step->detail != 0), x[2], false, step->detail != 0);
}

/* Predicates are sets of outcomes: 1 equal, 2 greater, 4 less, 8 unordered. */
static uint64_t cmpf(const nereid_step_t *step, const uint64_t *x) {
  static const uint8_t sets[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 8, 15};
  const double a = number(step, x[0]), b = number(step, x[1]);
  const unsigned outcome = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
  return (sets[step->detail & 15] & outcome) != 0;
}

const nereid_machine_row_t nereid_machine_float_rows[] = {
    {.kind = NEREID_OP_ARITH_ADDF, .lane = addf},
    {.kind = NEREID_OP_ARITH_SUBF, .lane = subf},
    {.kind = NEREID_OP_ARITH_MULF, .lane = mulf},
    {.kind = NEREID_OP_ARITH_DIVF, .lane = divf},
    {.kind = NEREID_OP_ARITH_REMF, .lane = remf},
    {.kind = NEREID_OP_ARITH_NEGF, .lane = negf},
    {.kind = NEREID_OP_ARITH_CMPF, .lane = cmpf},
    {.kind = NEREID_OP_ARITH_MAXIMUMF, .lane = maximumf},
    {.kind = NEREID_OP_ARITH_MINIMUMF, .lane = minimumf},
    {.kind = NEREID_OP_ARITH_MAXNUMF, .lane = maxnumf},
    {.kind = NEREID_OP_ARITH_MINNUMF, .lane = minnumf},
    {.kind = NEREID_OP_TT_PRECISE_DIVF, .lane = divf},
    {.kind = NEREID_OP_TT_APPROX_DIVF, .lane = divf},
    {.kind = NEREID_OP_TT_PRECISE_SQRT, .lane = sqrt_},
    {.kind = NEREID_OP_TT_CLAMPF, .lane = clampf},
    {.kind = NEREID_OP_MATH_SQRT, .lane = sqrt_},
    {.kind = NEREID_OP_MATH_FMA, .lane = fma_},
    {.kind = NEREID_OP_MATH_ABSF, .lane = absf},
    {.kind = NEREID_OP_MATH_COPYSIGN, .lane = copysign_},
    {.kind = NEREID_OP_MATH_ISFINITE, .lane = isfinite_},
    {.kind = NEREID_OP_MATH_ISINF, .lane = isinf_},
    {.kind = NEREID_OP_MATH_ISNAN, .lane = isnan_},
    {.kind = NEREID_OP_UNKNOWN},
};
