/* Axis information of comparisons, selects, minima and maxima.
 *
 *   cmpi slt, [0 .. 15], n with n divisible by 16: one result for the whole group
 *   select of two contiguous groups by a condition with constancy: shorter contiguous groups */
#include "analysis/axis/axis_rules.h"

#include "nereid/dialects/arith.h"

typedef const nereid_axis_info_t fact_t;

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

/* A contiguous group that starts at a multiple of its length is entirely below a bound that is such a multiple, or
 * entirely not. That decides < and >= with the group on the left, > and <= with it on the right. */
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
    out->constancy[d] = nereid_axis_least(l->constancy[d], r->constancy[d]);
    if (left)
      out->constancy[d] = nereid_axis_most(out->constancy[d], nereid_axis_aligned_group(l, r, d));
    if (right)
      out->constancy[d] = nereid_axis_most(out->constancy[d], nereid_axis_aligned_group(r, l, d));
  }
}

static void rule_select(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *condition = call->operands[0], *l = call->operands[1], *r = call->operands[2];
  if (condition->has_constant || !l->reached || !r->reached) {
    bool takes_left = condition->has_constant ? condition->constant != 0 : l->reached;
    fact_t *taken = takes_left ? l : r;
    out->reached = taken->reached;
    nereid_axis_copy(taken, out);
    return;
  }
  bool scalar = condition->rank == 1 && condition->size[0] == 0;
  for (int d = 0; d < out->rank; d++) {
    uint8_t same = scalar ? out->size[d] : condition->constancy[d];
    nereid_axis_set_group(out, d, nereid_axis_least(nereid_axis_least(l->contiguity[d], r->contiguity[d]), same), l, r);
    out->constancy[d] = nereid_axis_least(nereid_axis_least(l->constancy[d], r->constancy[d]), same);
  }
  out->non_negative = l->non_negative && r->non_negative;
  if (l->has_constant && r->has_constant && l->constant == r->constant)
    nereid_axis_set_constant(out, l->constant);
}

/* Of two contiguous groups with equal steps, one is larger throughout. */
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
    uint8_t c = is_signed ? nereid_axis_least(nereid_axis_signed_group(l, d), nereid_axis_signed_group(r, d))
                          : nereid_axis_least(nereid_axis_unsigned_group(l, d), nereid_axis_unsigned_group(r, d));
    nereid_axis_set_group(out, d, c, l, r);
    out->constancy[d] = nereid_axis_least(l->constancy[d], r->constancy[d]);
  }
  bool either = call->kind == NEREID_OP_ARITH_MAXSI || call->kind == NEREID_OP_ARITH_MINUI;
  out->non_negative = either ? l->non_negative || r->non_negative : l->non_negative && r->non_negative;
}

static const nereid_axis_rule_t rules[] = {
    [NEREID_OP_ARITH_CMPI] = rule_cmpi,     [NEREID_OP_ARITH_SELECT] = rule_select,
    [NEREID_OP_ARITH_MAXSI] = rule_min_max, [NEREID_OP_ARITH_MAXUI] = rule_min_max,
    [NEREID_OP_ARITH_MINSI] = rule_min_max, [NEREID_OP_ARITH_MINUI] = rule_min_max,
};

nereid_axis_rule_t nereid_axis_rule_choice(nereid_op_kind_t kind) {
  return (size_t)kind < sizeof rules / sizeof *rules ? rules[kind] : NULL;
}
