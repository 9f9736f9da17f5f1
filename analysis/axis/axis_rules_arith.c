/* Axis information of sums, products and quotients; c, d, k are contiguity, divisibility and constancy, as logarithms.
 *
 *   addi  [8, 9, 10, 11] + [16, 16, 16, 16]: a contiguous group plus a constant one is contiguous
 *   divsi [8 .. 15] / 4: groups that start at multiples of 4 have equal quotients and contiguous remainders
 *
 * Operands have one shape. Rules for signed division require non-negative values, since rounding towards zero breaks
 * groups below zero. */
#include "analysis/axis/axis_rules.h"

typedef const nereid_axis_info_t fact_t;

static void rule_add(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  if (l->has_constant && r->has_constant) {
    nereid_axis_set_constant(out, l->constant + r->constant);
    return;
  }
  for (int d = 0; d < out->rank; d++) {
    nereid_axis_set_group(out, d,
                          nereid_axis_most(nereid_axis_least(l->constancy[d], r->contiguity[d]),
                                           nereid_axis_least(l->contiguity[d], r->constancy[d])),
                          l, r);
    out->constancy[d] = nereid_axis_least(l->constancy[d], r->constancy[d]);
  }
  out->non_negative = l->non_negative && r->non_negative;
}

static void rule_sub(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  if (l->has_constant && r->has_constant) {
    nereid_axis_set_constant(out, l->constant - r->constant);
    return;
  }
  for (int d = 0; d < out->rank; d++) {
    nereid_axis_set_group(out, d, nereid_axis_least(l->contiguity[d], r->constancy[d]), l, r);
    out->constancy[d] = nereid_axis_least(l->constancy[d], r->constancy[d]);
  }
}

static void rule_mul(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  if (nereid_axis_is_constant(l, 0) || nereid_axis_is_constant(r, 0)) {
    nereid_axis_set_constant(out, 0);
  } else if (l->has_constant && r->has_constant) {
    nereid_axis_set_constant(out, l->constant * r->constant);
  } else if (nereid_axis_is_constant(r, 1)) {
    nereid_axis_copy(l, out);
  } else if (nereid_axis_is_constant(l, 1)) {
    nereid_axis_copy(r, out);
  } else {
    for (int d = 0; d < out->rank; d++) {
      int bits = nereid_axis_weakened(l, d, 0) + nereid_axis_weakened(r, d, 0);
      out->divisibility[d] = (uint8_t)(bits < NEREID_AXIS_MAX_BITS ? bits : NEREID_AXIS_MAX_BITS);
      out->constancy[d] = nereid_axis_least(l->constancy[d], r->constancy[d]);
    }
    out->non_negative = l->non_negative && r->non_negative;
  }
}

/* log2 of the magnitude of a constant power of two; -1 otherwise. */
static int shift_of_divisor(fact_t *r, bool is_signed) {
  if (!r->has_constant || r->constant == 0)
    return -1;
  int64_t value = nereid_axis_signed(r->constant, r->width);
  uint64_t magnitude = is_signed && value < 0 ? UINT64_C(0) - (uint64_t)value : r->constant;
  return (magnitude & (magnitude - 1)) == 0 ? __builtin_ctzll(magnitude) : -1;
}

/* Folds l / r or l % r; false when a constant is missing or the operation is undefined. */
static bool fold_division(fact_t *l, fact_t *r, bool is_signed, bool remainder, nereid_axis_info_t *out) {
  if (!l->has_constant || !r->has_constant || r->constant == 0)
    return false;
  int64_t a = nereid_axis_signed(l->constant, l->width), b = nereid_axis_signed(r->constant, r->width);
  if (!is_signed)
    nereid_axis_set_constant(out, remainder ? l->constant % r->constant : l->constant / r->constant);
  else if (b == -1)
    nereid_axis_set_constant(out, remainder ? 0 : UINT64_C(0) - (uint64_t)a);
  else
    nereid_axis_set_constant(out, (uint64_t)(remainder ? a % b : a / b));
  return true;
}

static void divide(const nereid_axis_call_t *call, nereid_axis_info_t *out, bool is_signed) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  if (fold_division(l, r, is_signed, false, out))
    return;
  if (nereid_axis_is_constant(r, 1)) {
    nereid_axis_copy(l, out);
    return;
  }
  if (nereid_axis_is_constant(l, 0)) {
    nereid_axis_set_constant(out, 0);
    return;
  }
  int shift = shift_of_divisor(r, is_signed);
  for (int d = 0; d < out->rank; d++) {
    out->constancy[d] = nereid_axis_least(l->constancy[d], r->constancy[d]);
    if (!is_signed || l->non_negative)
      out->constancy[d] = nereid_axis_most(out->constancy[d], nereid_axis_aligned_group(l, r, d));
    uint8_t exact = nereid_axis_weakened(l, d, 0);
    if (shift >= 0 && exact > shift)
      out->divisibility[d] = (uint8_t)(exact - shift);
  }
  /* Index arithmetic divides by sizes; an unknown divisor is assumed to be positive. */
  out->non_negative = !is_signed ? shift > 0 : l->non_negative && (r->non_negative || !r->has_constant);
}

static void rule_divsi(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  divide(call, out, true);
}

static void rule_divui(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  divide(call, out, false);
}

static void take_remainder(const nereid_axis_call_t *call, nereid_axis_info_t *out, bool is_signed) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  if (fold_division(l, r, is_signed, true, out))
    return;
  if (nereid_axis_is_constant(r, 1)) {
    nereid_axis_set_constant(out, 0);
    return;
  }
  for (int d = 0; d < out->rank; d++) {
    uint8_t c = !is_signed || l->non_negative ? nereid_axis_aligned_group(l, r, d) : 0;
    nereid_axis_set_group(out, d, c, l, r);
    out->constancy[d] = nereid_axis_least(l->constancy[d], r->constancy[d]);
  }
  out->non_negative = l->non_negative;
}

static void rule_remsi(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  take_remainder(call, out, true);
}

static void rule_remui(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  take_remainder(call, out, false);
}

/* a / b rounded down, or up; b is neither 0 nor -1. */
static uint64_t round_division(int64_t a, int64_t b, bool up) {
  const int64_t quotient = a / b, rest = a % b;
  const bool is_below = (rest < 0) != (b < 0);
  return (uint64_t)(rest == 0 ? quotient : up ? quotient + !is_below : quotient - is_below);
}

static bool fold_rounded(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  if (!l->has_constant || !r->has_constant || r->constant == 0)
    return false;
  const int64_t a = nereid_axis_signed(l->constant, l->width), b = nereid_axis_signed(r->constant, r->width);
  if (call->kind == NEREID_OP_ARITH_CEILDIVUI)
    nereid_axis_set_constant(out, l->constant / r->constant + (l->constant % r->constant != 0));
  else if (b == -1)
    nereid_axis_set_constant(out, UINT64_C(0) - (uint64_t)a);
  else
    nereid_axis_set_constant(out, round_division(a, b, call->kind == NEREID_OP_ARITH_CEILDIVSI));
  return true;
}

/* Exact quotients are not rounded. Rounding down preserves groups on both sides of zero, rounding up does not. */
static void rule_rounded_division(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  const bool is_signed = call->kind != NEREID_OP_ARITH_CEILDIVUI;
  if (fold_rounded(call, out))
    return;
  if (nereid_axis_is_constant(r, 1)) {
    nereid_axis_copy(l, out);
    return;
  }
  const bool positive = !r->has_constant || nereid_axis_signed(r->constant, r->width) > 0;
  const int shift = shift_of_divisor(r, is_signed);
  for (int d = 0; d < out->rank; d++) {
    out->constancy[d] = nereid_axis_least(l->constancy[d], r->constancy[d]);
    if (call->kind == NEREID_OP_ARITH_FLOORDIVSI && positive)
      out->constancy[d] = nereid_axis_most(out->constancy[d], nereid_axis_aligned_group(l, r, d));
    const uint8_t exact = nereid_axis_weakened(l, d, 0);
    if (shift >= 0 && exact > shift)
      out->divisibility[d] = (uint8_t)(exact - shift);
  }
  out->non_negative = is_signed ? l->non_negative && positive : shift > 0 && shift + 1 < out->width;
}

/* The low half, independent of the other result, and the carry or the high half. */
static void rule_extended(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  if (call->result > 0) {
    nereid_axis_elementwise(call, out);
    return;
  }
  if (call->kind == NEREID_OP_ARITH_ADDUI_EXTENDED)
    rule_add(call, out);
  else
    rule_mul(call, out);
  out->non_negative = out->has_constant && out->non_negative; /* these ops are used for values that overflow */
}

/* Only the smallest integer has no negation. */
static void rule_abs(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *source = call->operands[0];
  if (source->non_negative || source->has_constant) {
    nereid_axis_copy(source, out);
    if (source->has_constant && nereid_axis_signed(source->constant, source->width) < 0)
      nereid_axis_set_constant(out, UINT64_C(0) - source->constant);
    return;
  }
  for (int d = 0; d < out->rank; d++) {
    out->divisibility[d] = nereid_axis_weakened(source, d, 0);
    out->constancy[d] = source->constancy[d];
  }
  out->non_negative = true;
}

static const nereid_axis_rule_t rules[] = {
    [NEREID_OP_ARITH_ADDI] = rule_add,
    [NEREID_OP_ARITH_SUBI] = rule_sub,
    [NEREID_OP_ARITH_MULI] = rule_mul,
    [NEREID_OP_ARITH_DIVSI] = rule_divsi,
    [NEREID_OP_ARITH_DIVUI] = rule_divui,
    [NEREID_OP_ARITH_REMSI] = rule_remsi,
    [NEREID_OP_ARITH_REMUI] = rule_remui,
    [NEREID_OP_ARITH_CEILDIVSI] = rule_rounded_division,
    [NEREID_OP_ARITH_CEILDIVUI] = rule_rounded_division,
    [NEREID_OP_ARITH_FLOORDIVSI] = rule_rounded_division,
    [NEREID_OP_ARITH_ADDUI_EXTENDED] = rule_extended,
    [NEREID_OP_ARITH_MULSI_EXTENDED] = rule_extended,
    [NEREID_OP_ARITH_MULUI_EXTENDED] = rule_extended,
    [NEREID_OP_MATH_ABSI] = rule_abs,
};

nereid_axis_rule_t nereid_axis_rule_arith(nereid_op_kind_t kind) {
  return (size_t)kind < sizeof rules / sizeof *rules ? rules[kind] : NULL;
}
