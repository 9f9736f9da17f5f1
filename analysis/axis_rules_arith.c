/* Axis information through integer arithmetic; c, d, k stand for contiguity, divisibility and constancy, as logarithms.
 *
 *   addi  [8, 9, 10, 11] + [16, 16, 16, 16]: a counting group plus an equal one counts on
 *   divsi [8 .. 15] / 4: groups that start at multiples of 4 have equal quotients, and count on as remainders
 *
 * Rules take operands of one shape. A rule for signed division asks for numbers that are not negative, since rounding
 * towards zero breaks groups below zero. */
#include "analysis/axis_rules.h"

#include "nereid/dialects/arith.h"

typedef const nereid_axis_info_t fact_t;

static uint8_t least(uint8_t a, uint8_t b) {
  return a < b ? a : b;
}

static uint8_t most(uint8_t a, uint8_t b) {
  return a > b ? a : b;
}

static bool is_constant(fact_t *fact, uint64_t value) {
  return fact->has_constant && fact->constant == value;
}

void nereid_axis_elementwise(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  for (int d = 0; d < out->rank; d++) {
    uint8_t constancy = out->size[d];
    for (intptr_t i = 0; i < call->n; i++) {
      fact_t *operand = call->operands[i];
      /* A scalar among tensors (a condition, say) is the same for all elements. */
      bool scalar = operand->rank == 1 && operand->size[0] == 0;
      if (!scalar)
        constancy = operand->rank == out->rank ? least(constancy, operand->constancy[d]) : 0;
    }
    out->constancy[d] = constancy;
  }
}

/* Contiguity c along d, first elements of its groups divisible by what divides both operands'. */
static void set_group(nereid_axis_info_t *out, int d, uint8_t c, fact_t *l, fact_t *r) {
  out->contiguity[d] = c;
  out->divisibility[d] = least(nereid_axis_weakened(l, d, c), nereid_axis_weakened(r, d, c));
}

static void rule_add(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  if (l->has_constant && r->has_constant) {
    nereid_axis_set_constant(out, l->constant + r->constant);
    return;
  }
  for (int d = 0; d < out->rank; d++) {
    set_group(out, d, most(least(l->constancy[d], r->contiguity[d]), least(l->contiguity[d], r->constancy[d])), l, r);
    out->constancy[d] = least(l->constancy[d], r->constancy[d]);
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
    set_group(out, d, least(l->contiguity[d], r->constancy[d]), l, r);
    out->constancy[d] = least(l->constancy[d], r->constancy[d]);
  }
}

/* The operand itself: x * 1, x / 1, x << 0. */
static void copy_operand(fact_t *operand, nereid_axis_info_t *out) {
  for (int d = 0; d < out->rank; d++) {
    out->contiguity[d] = operand->contiguity[d];
    out->divisibility[d] = operand->divisibility[d];
    out->constancy[d] = operand->constancy[d];
  }
  out->non_negative = operand->non_negative;
  if (operand->has_constant)
    nereid_axis_set_constant(out, operand->constant);
}

static void rule_mul(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  if (is_constant(l, 0) || is_constant(r, 0)) {
    nereid_axis_set_constant(out, 0);
  } else if (l->has_constant && r->has_constant) {
    nereid_axis_set_constant(out, l->constant * r->constant);
  } else if (is_constant(r, 1)) {
    copy_operand(l, out);
  } else if (is_constant(l, 1)) {
    copy_operand(r, out);
  } else {
    for (int d = 0; d < out->rank; d++) {
      int bits = nereid_axis_weakened(l, d, 0) + nereid_axis_weakened(r, d, 0);
      out->divisibility[d] = (uint8_t)(bits < NEREID_AXIS_MAX_BITS ? bits : NEREID_AXIS_MAX_BITS);
      out->constancy[d] = least(l->constancy[d], r->constancy[d]);
    }
    out->non_negative = l->non_negative && r->non_negative;
  }
}

/* Groups of counting numbers that start at a multiple of their length and lie on one side of zero: shorter than half of
 * all numbers of the type, which short integers run out of. */
static uint8_t one_sided_group(fact_t *counting, int d) {
  uint8_t limit = counting->width ? (uint8_t)(counting->width - 1) : 0;
  return least(least(counting->contiguity[d], counting->divisibility[d]), limit);
}

/* Such groups, against equal numbers that are multiples of their length, too. */
static uint8_t aligned_group(fact_t *counting, fact_t *equal, int d) {
  return least(one_sided_group(counting, d), least(equal->constancy[d], nereid_axis_weakened(equal, d, 0)));
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
  if (is_constant(r, 1)) {
    copy_operand(l, out);
    return;
  }
  if (is_constant(l, 0)) {
    nereid_axis_set_constant(out, 0);
    return;
  }
  int shift = shift_of_divisor(r, is_signed);
  for (int d = 0; d < out->rank; d++) {
    out->constancy[d] = least(l->constancy[d], r->constancy[d]);
    if (!is_signed || l->non_negative)
      out->constancy[d] = most(out->constancy[d], aligned_group(l, r, d));
    uint8_t exact = nereid_axis_weakened(l, d, 0);
    if (shift >= 0 && exact > shift)
      out->divisibility[d] = (uint8_t)(exact - shift);
  }
  /* Sizes are divided by in index arithmetic; a divisor that nobody knows is taken to be positive. */
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
  if (is_constant(r, 1)) {
    nereid_axis_set_constant(out, 0);
    return;
  }
  for (int d = 0; d < out->rank; d++) {
    uint8_t c = !is_signed || l->non_negative ? aligned_group(l, r, d) : 0;
    set_group(out, d, c, l, r);
    out->constancy[d] = least(l->constancy[d], r->constancy[d]);
  }
  out->non_negative = l->non_negative;
}

static void rule_remsi(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  take_remainder(call, out, true);
}

static void rule_remui(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  take_remainder(call, out, false);
}

/* Or and xor of a counting group with zeros in the low bits of an equal one count on, as a sum does. */
static void rule_or(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  if (l->has_constant && r->has_constant) {
    nereid_axis_set_constant(out,
                             call->kind == NEREID_OP_ARITH_ORI ? l->constant | r->constant : l->constant ^ r->constant);
    return;
  }
  for (int d = 0; d < out->rank; d++) {
    set_group(out, d, most(aligned_group(l, r, d), aligned_group(r, l, d)), l, r);
    out->constancy[d] = least(l->constancy[d], r->constancy[d]);
  }
  out->non_negative = l->non_negative && r->non_negative;
}

/* A constant mask of ones is a remainder; otherwise the zeros at the bottom of either operand stay. */
static void rule_and(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  if (l->has_constant && r->has_constant) {
    nereid_axis_set_constant(out, l->constant & r->constant);
    return;
  }
  if (is_constant(l, 0) || is_constant(r, 0)) {
    nereid_axis_set_constant(out, 0);
    return;
  }
  fact_t *mask = r->has_constant ? r : l, *other = r->has_constant ? l : r;
  if (is_constant(mask, out->width < 64 ? (UINT64_C(1) << out->width) - 1 : UINT64_MAX)) {
    copy_operand(other, out);
    return;
  }
  bool ones = mask->has_constant && ((mask->constant + 1) & mask->constant) == 0;
  uint8_t bits = ones ? (uint8_t)__builtin_popcountll(mask->constant) : 0;
  for (int d = 0; d < out->rank; d++) {
    uint8_t c = least(least(other->contiguity[d], other->divisibility[d]), bits);
    out->contiguity[d] = c;
    out->divisibility[d] =
        c ? nereid_axis_weakened(other, d, c) : most(nereid_axis_weakened(l, d, 0), nereid_axis_weakened(r, d, 0));
    out->constancy[d] = least(l->constancy[d], r->constancy[d]);
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
  if (is_constant(r, 0)) {
    copy_operand(l, out);
    return;
  }
  for (int d = 0; d < out->rank; d++) {
    uint64_t bits = nereid_axis_weakened(l, d, 0) + shift;
    out->divisibility[d] = (uint8_t)(bits < NEREID_AXIS_MAX_BITS ? bits : NEREID_AXIS_MAX_BITS);
    out->constancy[d] = least(l->constancy[d], r->constancy[d]);
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
    copy_operand(l, out);
    return;
  }
  for (int d = 0; d < out->rank; d++) {
    uint8_t exact = nereid_axis_weakened(l, d, 0);
    out->divisibility[d] = exact > shift ? (uint8_t)(exact - shift) : 0;
    /* Shifts round down on both sides of zero, so groups that start at a multiple of 2^shift become equal. */
    uint8_t group = least(least(l->contiguity[d], l->divisibility[d]), (uint8_t)shift);
    out->constancy[d] = most(l->constancy[d], group);
  }
  out->non_negative = l->non_negative || !is_signed;
}

static bool compare(nereid_arith_cmp_i_predicate_t predicate, fact_t *l, fact_t *r) {
  int64_t a = nereid_axis_signed(l->constant, l->width), b = nereid_axis_signed(r->constant, r->width);
  switch (predicate) {
  case NEREID_ARITH_CMP_I_PREDICATE_EQ:
    return a == b;
  case NEREID_ARITH_CMP_I_PREDICATE_NE:
    return a != b;
  case NEREID_ARITH_CMP_I_PREDICATE_SLT:
    return a < b;
  case NEREID_ARITH_CMP_I_PREDICATE_SLE:
    return a <= b;
  case NEREID_ARITH_CMP_I_PREDICATE_SGT:
    return a > b;
  case NEREID_ARITH_CMP_I_PREDICATE_SGE:
    return a >= b;
  case NEREID_ARITH_CMP_I_PREDICATE_ULT:
    return l->constant < r->constant;
  case NEREID_ARITH_CMP_I_PREDICATE_ULE:
    return l->constant <= r->constant;
  case NEREID_ARITH_CMP_I_PREDICATE_UGT:
    return l->constant > r->constant;
  default:
    return l->constant >= r->constant;
  }
}

/* Counting groups that start at a multiple of their length lie on one side of a bound that is such a multiple: below it
 * altogether or not at all. That decides < and >= with the group on the left, > and <= with it on the right. */
static void rule_cmpi(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  nereid_arith_cmp_i_predicate_t p = nereid_arith_cmpi_get_predicate(call->op);
  if (l->has_constant && r->has_constant) {
    nereid_axis_set_constant(out, compare(p, l, r));
    return;
  }
  bool left = p == NEREID_ARITH_CMP_I_PREDICATE_SLT || p == NEREID_ARITH_CMP_I_PREDICATE_ULT ||
              p == NEREID_ARITH_CMP_I_PREDICATE_SGE || p == NEREID_ARITH_CMP_I_PREDICATE_UGE;
  bool right = p == NEREID_ARITH_CMP_I_PREDICATE_SGT || p == NEREID_ARITH_CMP_I_PREDICATE_UGT ||
               p == NEREID_ARITH_CMP_I_PREDICATE_SLE || p == NEREID_ARITH_CMP_I_PREDICATE_ULE;
  for (int d = 0; d < out->rank; d++) {
    out->constancy[d] = least(l->constancy[d], r->constancy[d]);
    if (left)
      out->constancy[d] = most(out->constancy[d], aligned_group(l, r, d));
    if (right)
      out->constancy[d] = most(out->constancy[d], aligned_group(r, l, d));
  }
}

static void rule_select(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *condition = call->operands[0], *l = call->operands[1], *r = call->operands[2];
  if (condition->has_constant || !l->reached || !r->reached) {
    bool takes_left = condition->has_constant ? condition->constant != 0 : l->reached;
    fact_t *taken = takes_left ? l : r;
    out->reached = taken->reached;
    copy_operand(taken, out);
    return;
  }
  bool scalar = condition->rank == 1 && condition->size[0] == 0;
  for (int d = 0; d < out->rank; d++) {
    uint8_t same = scalar ? out->size[d] : condition->constancy[d];
    set_group(out, d, least(least(l->contiguity[d], r->contiguity[d]), same), l, r);
    out->constancy[d] = least(least(l->constancy[d], r->constancy[d]), same);
  }
  out->non_negative = l->non_negative && r->non_negative;
  if (l->has_constant && r->has_constant && l->constant == r->constant)
    nereid_axis_set_constant(out, l->constant);
}

/* Groups that are known not to run from -1 to 0, which are far apart as unsigned numbers. */
static uint8_t unsigned_group(fact_t *fact, int d) {
  return fact->non_negative ? least(fact->contiguity[d], (uint8_t)(fact->width - 1)) : one_sided_group(fact, d);
}

uint8_t nereid_axis_signed_group(const nereid_axis_info_t *fact, int d) {
  enum { INDEX_WIDTH = 32 };
  return fact->width >= INDEX_WIDTH ? fact->contiguity[d] : unsigned_group(fact, d);
}

/* Of two groups that count together one is ahead throughout. */
static void rule_min_max(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *l = call->operands[0], *r = call->operands[1];
  bool is_signed = call->kind == NEREID_OP_ARITH_MAXSI || call->kind == NEREID_OP_ARITH_MINSI;
  bool is_max = call->kind == NEREID_OP_ARITH_MAXSI || call->kind == NEREID_OP_ARITH_MAXUI;
  if (l->has_constant && r->has_constant) {
    bool less = is_signed ? nereid_axis_signed(l->constant, l->width) < nereid_axis_signed(r->constant, r->width)
                          : l->constant < r->constant;
    nereid_axis_set_constant(out, less == is_max ? r->constant : l->constant);
    return;
  }
  for (int d = 0; d < out->rank; d++) {
    uint8_t c = is_signed ? least(nereid_axis_signed_group(l, d), nereid_axis_signed_group(r, d))
                          : least(unsigned_group(l, d), unsigned_group(r, d));
    set_group(out, d, c, l, r);
    out->constancy[d] = least(l->constancy[d], r->constancy[d]);
  }
  bool either = call->kind == NEREID_OP_ARITH_MAXSI || call->kind == NEREID_OP_ARITH_MINUI;
  out->non_negative = either ? l->non_negative || r->non_negative : l->non_negative && r->non_negative;
}

static void rule_extsi(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *source = call->operands[0];
  copy_operand(source, out);
  for (int d = 0; !source->has_constant && d < out->rank; d++) {
    out->contiguity[d] = nereid_axis_signed_group(source, d);
    out->divisibility[d] = nereid_axis_weakened(source, d, out->contiguity[d]);
  }
  if (source->has_constant)
    nereid_axis_set_constant(out, (uint64_t)nereid_axis_signed(source->constant, source->width));
}

static void rule_extui(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *source = call->operands[0];
  copy_operand(source, out);
  for (int d = 0; !out->has_constant && d < out->rank; d++) {
    out->contiguity[d] = unsigned_group(source, d);
    out->divisibility[d] = nereid_axis_weakened(source, d, out->contiguity[d]);
  }
  out->non_negative = source->non_negative || out->width > source->width;
}

static void rule_trunc(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  copy_operand(call->operands[0], out);
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

static const nereid_axis_rule_t rules[] = {
    [NEREID_OP_ARITH_ADDI] = rule_add,
    [NEREID_OP_ARITH_SUBI] = rule_sub,
    [NEREID_OP_ARITH_MULI] = rule_mul,
    [NEREID_OP_ARITH_DIVSI] = rule_divsi,
    [NEREID_OP_ARITH_DIVUI] = rule_divui,
    [NEREID_OP_ARITH_REMSI] = rule_remsi,
    [NEREID_OP_ARITH_REMUI] = rule_remui,
    [NEREID_OP_ARITH_ANDI] = rule_and,
    [NEREID_OP_ARITH_ORI] = rule_or,
    [NEREID_OP_ARITH_XORI] = rule_or,
    [NEREID_OP_ARITH_SHLI] = rule_shl,
    [NEREID_OP_ARITH_SHRSI] = rule_shr,
    [NEREID_OP_ARITH_SHRUI] = rule_shr,
    [NEREID_OP_ARITH_CMPI] = rule_cmpi,
    [NEREID_OP_ARITH_SELECT] = rule_select,
    [NEREID_OP_ARITH_MAXSI] = rule_min_max,
    [NEREID_OP_ARITH_MAXUI] = rule_min_max,
    [NEREID_OP_ARITH_MINSI] = rule_min_max,
    [NEREID_OP_ARITH_MINUI] = rule_min_max,
    [NEREID_OP_ARITH_EXTSI] = rule_extsi,
    [NEREID_OP_ARITH_EXTUI] = rule_extui,
    [NEREID_OP_ARITH_TRUNCI] = rule_trunc,
    [NEREID_OP_ARITH_INDEX_CAST] = rule_index_cast,
    [NEREID_OP_ARITH_INDEX_CASTUI] = rule_index_cast,
};

nereid_axis_rule_t nereid_axis_rule_arith(nereid_op_kind_t kind) {
  return (size_t)kind < sizeof rules / sizeof *rules ? rules[kind] : NULL;
}
