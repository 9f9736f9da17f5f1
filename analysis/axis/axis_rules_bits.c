/* Axis information of bit operations and width changes.
 *
 *   ori   [0, 1, 2, 3] | 16: with zeros in the low bits of one operand, a sum
 *   shrsi [8 .. 11] >> 2: shifts round down on both sides of zero, so groups become equal
 *   extui of i8 [254, 255, 0, 1]: contiguous modulo 2^8, but not as i32 */
#include "analysis/axis/axis_rules.h"

typedef const nereid_axis_info_t fact_t;

/* Or and xor of a contiguous group with equal values whose low bits are zero are sums. */
static void rule_or(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  if (l->has_constant && r->has_constant) {
    nereid_axis_set_constant(out,
                             call->kind == NEREID_OP_ARITH_ORI ? l->constant | r->constant : l->constant ^ r->constant);
    return;
  }
  for (int d = 0; d < out->rank; d++) {
    nereid_axis_set_group(
        out, d, nereid_axis_most(nereid_axis_aligned_group(l, r, d), nereid_axis_aligned_group(r, l, d)), l, r);
    out->constancy[d] = nereid_axis_least(l->constancy[d], r->constancy[d]);
  }
  out->non_negative = l->non_negative && r->non_negative;
}

/* A mask of low ones is a remainder; otherwise the trailing zeros of either operand remain. */
static void rule_and(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  if (l->has_constant && r->has_constant) {
    nereid_axis_set_constant(out, l->constant & r->constant);
    return;
  }
  if (nereid_axis_is_constant(l, 0) || nereid_axis_is_constant(r, 0)) {
    nereid_axis_set_constant(out, 0);
    return;
  }
  fact_t *mask = r->has_constant ? r : l, *other = r->has_constant ? l : r;
  if (nereid_axis_is_constant(mask, out->width < 64 ? (UINT64_C(1) << out->width) - 1 : UINT64_MAX)) {
    nereid_axis_copy(other, out);
    return;
  }
  bool ones = mask->has_constant && ((mask->constant + 1) & mask->constant) == 0;
  uint8_t bits = ones ? (uint8_t)__builtin_popcountll(mask->constant) : 0;
  for (int d = 0; d < out->rank; d++) {
    uint8_t c = nereid_axis_least(nereid_axis_least(other->contiguity[d], other->divisibility[d]), bits);
    out->contiguity[d] = c;
    out->divisibility[d] = c ? nereid_axis_weakened(other, d, c)
                             : nereid_axis_most(nereid_axis_weakened(l, d, 0), nereid_axis_weakened(r, d, 0));
    out->constancy[d] = nereid_axis_least(l->constancy[d], r->constancy[d]);
  }
  out->non_negative = l->non_negative || r->non_negative;
}

static void rule_shl(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  uint64_t shift = r->has_constant ? r->constant : 0;
  if (shift >= out->width)
    return;
  if (l->has_constant && r->has_constant) {
    nereid_axis_set_constant(out, l->constant << shift);
    return;
  }
  if (nereid_axis_is_constant(r, 0)) {
    nereid_axis_copy(l, out);
    return;
  }
  for (int d = 0; d < out->rank; d++) {
    uint64_t bits = nereid_axis_weakened(l, d, 0) + shift;
    out->divisibility[d] = (uint8_t)(bits < NEREID_AXIS_MAX_BITS ? bits : NEREID_AXIS_MAX_BITS);
    out->constancy[d] = nereid_axis_least(l->constancy[d], r->constancy[d]);
  }
  out->non_negative = l->non_negative;
}

static void rule_shr(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  bool is_signed = call->kind == NEREID_OP_ARITH_SHRSI;
  if (!r->has_constant) {
    nereid_axis_elementwise(call, out);
    out->non_negative = l->non_negative;
    return;
  }
  uint64_t shift = r->constant;
  if (shift >= out->width)
    return;
  if (l->has_constant) {
    int64_t value = nereid_axis_signed(l->constant, l->width);
    nereid_axis_set_constant(out, is_signed ? (uint64_t)(value >> shift) : l->constant >> shift);
    return;
  }
  if (shift == 0) {
    nereid_axis_copy(l, out);
    return;
  }
  for (int d = 0; d < out->rank; d++) {
    uint8_t exact = nereid_axis_weakened(l, d, 0);
    out->divisibility[d] = exact > shift ? (uint8_t)(exact - shift) : 0;
    /* Shifts round down on both sides of zero, so groups that start at a multiple of 2^shift become equal. */
    uint8_t group = nereid_axis_least(nereid_axis_least(l->contiguity[d], l->divisibility[d]), (uint8_t)shift);
    out->constancy[d] = nereid_axis_most(l->constancy[d], group);
  }
  out->non_negative = l->non_negative || !is_signed;
}

static void rule_extsi(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *source = call->operands[0];
  nereid_axis_copy(source, out);
  for (int d = 0; !source->has_constant && d < out->rank; d++) {
    out->contiguity[d] = nereid_axis_signed_group(source, d);
    out->divisibility[d] = nereid_axis_weakened(source, d, out->contiguity[d]);
  }
  if (source->has_constant)
    nereid_axis_set_constant(out, (uint64_t)nereid_axis_signed(source->constant, source->width));
}

static void rule_extui(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *source = call->operands[0];
  nereid_axis_copy(source, out);
  for (int d = 0; !out->has_constant && d < out->rank; d++) {
    out->contiguity[d] = nereid_axis_unsigned_group(source, d);
    out->divisibility[d] = nereid_axis_weakened(source, d, out->contiguity[d]);
  }
  out->non_negative = source->non_negative || out->width > source->width;
}

static void rule_trunc(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  nereid_axis_copy(call->operands[0], out);
  if (!out->has_constant)
    out->non_negative = false;
}

static void rule_index_cast(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  if (out->width < call->operands[0]->width)
    rule_trunc(call, out);
  else if (call->kind == NEREID_OP_ARITH_INDEX_CASTUI)
    rule_extui(call, out);
  else
    rule_extsi(call, out);
}

/* Bit counts are small and non-negative, except in types so narrow that the count reaches the sign bit. */
static void rule_count(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  enum { WIDE_ENOUGH = 8 };
  nereid_axis_elementwise(call, out);
  out->non_negative = out->width >= WIDE_ENOUGH;
}

static const nereid_axis_rule_t rules[] = {
    [NEREID_OP_ARITH_ANDI] = rule_and,
    [NEREID_OP_ARITH_ORI] = rule_or,
    [NEREID_OP_ARITH_XORI] = rule_or,
    [NEREID_OP_ARITH_SHLI] = rule_shl,
    [NEREID_OP_ARITH_SHRSI] = rule_shr,
    [NEREID_OP_ARITH_SHRUI] = rule_shr,
    [NEREID_OP_ARITH_EXTSI] = rule_extsi,
    [NEREID_OP_ARITH_EXTUI] = rule_extui,
    [NEREID_OP_ARITH_TRUNCI] = rule_trunc,
    [NEREID_OP_ARITH_INDEX_CAST] = rule_index_cast,
    [NEREID_OP_ARITH_INDEX_CASTUI] = rule_index_cast,
    [NEREID_OP_MATH_CTPOP] = rule_count,
    [NEREID_OP_MATH_CTLZ] = rule_count,
    [NEREID_OP_MATH_CTTZ] = rule_count,
};

nereid_axis_rule_t nereid_axis_rule_bits(nereid_op_kind_t kind) {
  return (size_t)kind < sizeof rules / sizeof *rules ? rules[kind] : NULL;
}
