/* Helpers of the rules of several families; see axis_rules.h. */
#include "analysis/axis/axis_rules.h"

typedef const nereid_axis_info_t fact_t;

void nereid_axis_nothing(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  (void)call;
  (void)out;
}

void nereid_axis_elementwise(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  for (int d = 0; d < out->rank; d++) {
    uint8_t constancy = out->size[d];
    for (intptr_t i = 0; i < call->n; i++) {
      fact_t *operand = call->operands[i];
      if (!operand->reached)
        continue;
      /* A scalar among tensors (a condition, say) is the same for all elements. */
      const bool scalar = operand->rank == 1 && operand->size[0] == 0;
      if (!scalar)
        constancy = operand->rank == out->rank ? nereid_axis_least(constancy, operand->constancy[d]) : 0;
    }
    out->constancy[d] = constancy;
  }
}

void nereid_axis_copy(fact_t *operand, nereid_axis_info_t *out) {
  for (int d = 0; d < out->rank; d++) {
    out->contiguity[d] = operand->contiguity[d];
    out->divisibility[d] = operand->divisibility[d];
    out->constancy[d] = operand->constancy[d];
  }
  out->non_negative = operand->non_negative;
  if (operand->has_constant)
    nereid_axis_set_constant(out, operand->constant);
}

void nereid_axis_set_group(nereid_axis_info_t *out, int d, uint8_t c, fact_t *l, fact_t *r) {
  out->contiguity[d] = c;
  out->divisibility[d] = nereid_axis_least(nereid_axis_weakened(l, d, c), nereid_axis_weakened(r, d, c));
}

uint8_t nereid_axis_one_sided_group(fact_t *counting, int d) {
  uint8_t limit = counting->width ? (uint8_t)(counting->width - 1) : 0;
  return nereid_axis_least(nereid_axis_least(counting->contiguity[d], counting->divisibility[d]), limit);
}

uint8_t nereid_axis_aligned_group(fact_t *counting, fact_t *equal, int d) {
  return nereid_axis_least(nereid_axis_one_sided_group(counting, d),
                           nereid_axis_least(equal->constancy[d], nereid_axis_weakened(equal, d, 0)));
}

uint8_t nereid_axis_unsigned_group(fact_t *fact, int d) {
  return fact->non_negative ? nereid_axis_least(fact->contiguity[d], (uint8_t)(fact->width - 1))
                            : nereid_axis_one_sided_group(fact, d);
}

uint8_t nereid_axis_signed_group(const nereid_axis_info_t *fact, int d) {
  enum { INDEX_WIDTH = 32 };
  return fact->width >= INDEX_WIDTH ? fact->contiguity[d] : nereid_axis_unsigned_group(fact, d);
}
