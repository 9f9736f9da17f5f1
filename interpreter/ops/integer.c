/* Integers: arithmetic modulo two to the width, comparisons, bits.
 *
 * Undefined results (undefined.c) still have a value, for ops that print or discard them: a quotient by zero is all
 * ones and the remainder is the dividend; the quotient of the minimum value by -1 is itself; a shift by the width or
 * more shifts out all bits. */
#include "interpreter/machine.h"

#include "nereid/dialects/arith.h"

#define LANE(name, expression)                                                                                         \
  static uint64_t name(const nereid_step_t *step, const uint64_t *x) {                                                 \
    (void)step;                                                                                                        \
    return (expression);                                                                                               \
  }

static int64_t number(const nereid_step_t *step, uint64_t word) {
  return nereid_bits_signed(word, step->from.bits);
}

LANE(addi, x[0] + x[1])
LANE(subi, x[0] - x[1])
LANE(muli, x[0] * x[1])
LANE(andi, x[0] & x[1])
LANE(ori, x[0] | x[1])
LANE(xori, x[0] ^ x[1])
LANE(maxsi, number(step, x[0]) > number(step, x[1]) ? x[0] : x[1])
LANE(minsi, number(step, x[0]) < number(step, x[1]) ? x[0] : x[1])
LANE(maxui, x[0] > x[1] ? x[0] : x[1])
LANE(minui, x[0] < x[1] ? x[0] : x[1])
LANE(divui, x[1] ? x[0] / x[1] : ~UINT64_C(0))
LANE(remui, x[1] ? x[0] % x[1] : x[0])
LANE(ceildivui, x[1] ? x[0] / x[1] + (x[0] % x[1] != 0) : ~UINT64_C(0))
LANE(shli, x[1] < step->from.bits ? x[0] << x[1] : 0)
LANE(shrui, x[1] < step->from.bits ? x[0] >> x[1] : 0)
LANE(shrsi, (uint64_t)(number(step, x[0]) >> (x[1] < step->from.bits ? x[1] : step->from.bits - 1)))
LANE(select_, x[0] ? x[1] : x[2])
LANE(absi, number(step, x[0]) < 0 ? -x[0] : x[0])
LANE(ctpop, (uint64_t)__builtin_popcountll(x[0]))
LANE(ctlz, x[0] ? (uint64_t)__builtin_clzll(x[0]) - (64 - step->from.bits) : step->from.bits)
LANE(cttz, x[0] ? (uint64_t)__builtin_ctzll(x[0]) : step->from.bits)

static bool divides_wrongly_unsigned(const nereid_step_t *step, const uint64_t *x) {
  (void)step;
  return x[1] == 0;
}

static bool divides_wrongly(const nereid_step_t *step, const uint64_t *x) {
  const uint64_t least = UINT64_C(1) << (step->from.bits - 1);
  return x[1] == 0 || (x[0] == least && number(step, x[1]) == -1);
}

static bool shifts_too_far(const nereid_step_t *step, const uint64_t *x) {
  return x[1] >= step->from.bits;
}

static uint64_t divsi(const nereid_step_t *step, const uint64_t *x) {
  const int64_t a = number(step, x[0]), b = number(step, x[1]);
  if (b == 0)
    return ~UINT64_C(0);
  return b == -1 ? -x[0] : (uint64_t)(a / b);
}

static uint64_t remsi(const nereid_step_t *step, const uint64_t *x) {
  const int64_t a = number(step, x[0]), b = number(step, x[1]);
  if (b == 0)
    return x[0];
  return b == -1 ? 0 : (uint64_t)(a % b);
}

/* The truncated quotient, minus one if it was rounded up. */
static uint64_t floordivsi(const nereid_step_t *step, const uint64_t *x) {
  const int64_t a = number(step, x[0]), b = number(step, x[1]);
  const bool below = b != 0 && b != -1 && a % b != 0 && (a < 0) != (b < 0);
  return divsi(step, x) - below;
}

static uint64_t ceildivsi(const nereid_step_t *step, const uint64_t *x) {
  const int64_t a = number(step, x[0]), b = number(step, x[1]);
  const bool above = b != 0 && b != -1 && a % b != 0 && (a < 0) == (b < 0);
  return divsi(step, x) + above;
}

static uint64_t cmpi(const nereid_step_t *step, const uint64_t *x) {
  const int64_t a = number(step, x[0]), b = number(step, x[1]);
  switch (step->detail) {
  case NEREID_ARITH_CMP_I_PREDICATE_EQ:
    return x[0] == x[1];
  case NEREID_ARITH_CMP_I_PREDICATE_NE:
    return x[0] != x[1];
  case NEREID_ARITH_CMP_I_PREDICATE_SLT:
    return a < b;
  case NEREID_ARITH_CMP_I_PREDICATE_SLE:
    return a <= b;
  case NEREID_ARITH_CMP_I_PREDICATE_SGT:
    return a > b;
  case NEREID_ARITH_CMP_I_PREDICATE_SGE:
    return a >= b;
  case NEREID_ARITH_CMP_I_PREDICATE_ULT:
    return x[0] < x[1];
  case NEREID_ARITH_CMP_I_PREDICATE_ULE:
    return x[0] <= x[1];
  case NEREID_ARITH_CMP_I_PREDICATE_UGT:
    return x[0] > x[1];
  default:
    return x[0] >= x[1];
  }
}

/* The upper half of the double-width product. */
static uint64_t mulhiui(const nereid_step_t *step, const uint64_t *x) {
  __extension__ typedef unsigned __int128 wide_t;
  return (uint64_t)(((wide_t)x[0] * x[1]) >> step->from.bits);
}

static uint64_t mulhisi(const nereid_step_t *step, const uint64_t *x) {
  __extension__ typedef __int128 wide_t;
  return (uint64_t)(((wide_t)number(step, x[0]) * number(step, x[1])) >> step->from.bits);
}

/* --- two results --- */

static uint64_t carry(const nereid_step_t *step, const uint64_t *x) {
  return nereid_bits_cut(x[0] + x[1], step->from.bits) < x[0];
}

/* Runs the row's two functions, one per result. */
static bool run_pair(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_lane_fn *pair = step->row->data;
  for (size_t r = 0; r < 2; ++r) {
    uint64_t *out = nereid_machine_result(machine, step, r);
    if (!out)
      return false;
    for (size_t i = 0; i < step->results[r]->count; ++i) {
      const uint64_t x[] = {nereid_machine_word(step->operands[0], i), nereid_machine_word(step->operands[1], i)};
      out[i] = nereid_bits_cut(pair[r](step, x), step->results[r]->shape.element.bits);
    }
  }
  return true;
}

static const nereid_lane_fn addui_pair[] = {addi, carry};
static const nereid_lane_fn mului_pair[] = {muli, mulhiui};
static const nereid_lane_fn mulsi_pair[] = {muli, mulhisi};

const nereid_machine_row_t nereid_machine_integer_rows[] = {
    {.kind = NEREID_OP_ARITH_ADDI, .lane = addi},
    {.kind = NEREID_OP_ARITH_SUBI, .lane = subi},
    {.kind = NEREID_OP_ARITH_MULI, .lane = muli},
    {.kind = NEREID_OP_ARITH_ANDI, .lane = andi},
    {.kind = NEREID_OP_ARITH_ORI, .lane = ori},
    {.kind = NEREID_OP_ARITH_XORI, .lane = xori},
    {.kind = NEREID_OP_ARITH_MAXSI, .lane = maxsi},
    {.kind = NEREID_OP_ARITH_MINSI, .lane = minsi},
    {.kind = NEREID_OP_ARITH_MAXUI, .lane = maxui},
    {.kind = NEREID_OP_ARITH_MINUI, .lane = minui},
    {.kind = NEREID_OP_ARITH_DIVSI, .lane = divsi, .is_undefined = divides_wrongly},
    {.kind = NEREID_OP_ARITH_DIVUI, .lane = divui, .is_undefined = divides_wrongly_unsigned},
    {.kind = NEREID_OP_ARITH_REMSI, .lane = remsi, .is_undefined = divides_wrongly},
    {.kind = NEREID_OP_ARITH_REMUI, .lane = remui, .is_undefined = divides_wrongly_unsigned},
    {.kind = NEREID_OP_ARITH_FLOORDIVSI, .lane = floordivsi, .is_undefined = divides_wrongly},
    {.kind = NEREID_OP_ARITH_CEILDIVSI, .lane = ceildivsi, .is_undefined = divides_wrongly},
    {.kind = NEREID_OP_ARITH_CEILDIVUI, .lane = ceildivui, .is_undefined = divides_wrongly_unsigned},
    {.kind = NEREID_OP_ARITH_SHLI, .lane = shli, .is_undefined = shifts_too_far},
    {.kind = NEREID_OP_ARITH_SHRUI, .lane = shrui, .is_undefined = shifts_too_far},
    {.kind = NEREID_OP_ARITH_SHRSI, .lane = shrsi, .is_undefined = shifts_too_far},
    {.kind = NEREID_OP_ARITH_CMPI, .lane = cmpi},
    {.kind = NEREID_OP_ARITH_SELECT, .lane = select_},
    {.kind = NEREID_OP_ARITH_ADDUI_EXTENDED, .run = run_pair, .data = addui_pair},
    {.kind = NEREID_OP_ARITH_MULUI_EXTENDED, .run = run_pair, .data = mului_pair},
    {.kind = NEREID_OP_ARITH_MULSI_EXTENDED, .run = run_pair, .data = mulsi_pair},
    {.kind = NEREID_OP_TT_MULHIUI, .lane = mulhiui},
    {.kind = NEREID_OP_MATH_ABSI, .lane = absi},
    {.kind = NEREID_OP_MATH_CTPOP, .lane = ctpop},
    {.kind = NEREID_OP_MATH_CTLZ, .lane = ctlz},
    {.kind = NEREID_OP_MATH_CTTZ, .lane = cttz},
    {.kind = NEREID_OP_UNKNOWN},
};
