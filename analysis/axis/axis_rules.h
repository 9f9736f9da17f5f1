/* Transfer functions of axis information: one rule per operation, in tables by family. Private to analysis/. */
#ifndef NEREID_ANALYSIS_AXIS_RULES_H
#define NEREID_ANALYSIS_AXIS_RULES_H

#include "analysis/axis/axis_fact.h"

#include "nereid/dialects/ops.h"

typedef struct nereid_axis_call {
  MlirOperation op;
  nereid_op_kind_t kind;
  intptr_t n;                          /* operands */
  const nereid_axis_info_t **operands; /* reached, unless the rule is that of a select */
  intptr_t result;                     /* index of the requested result */
} nereid_axis_call_t;

/* Fills `out`, which is initially nereid_axis_unknown of the result's type; a rule without information leaves it
 * unchanged. */
typedef void (*nereid_axis_rule_t)(const nereid_axis_call_t *call, nereid_axis_info_t *out);

/* The rule of a kind of operation, by family: sums, products, quotients; bits and widths; comparisons and selections;
 * tensors and pointers. Null when the family has none. */
nereid_axis_rule_t nereid_axis_rule_arith(nereid_op_kind_t kind);
nereid_axis_rule_t nereid_axis_rule_bits(nereid_op_kind_t kind);
nereid_axis_rule_t nereid_axis_rule_choice(nereid_op_kind_t kind);
nereid_axis_rule_t nereid_axis_rule_tensor(nereid_op_kind_t kind);

/* The rule of operations with unknown results: loaded values, tokens, buffers. */
void nereid_axis_nothing(const nereid_axis_call_t *call, nereid_axis_info_t *out);

/* Elementwise functions: constancy is the meet of the operands'. */
void nereid_axis_elementwise(const nereid_axis_call_t *call, nereid_axis_info_t *out);

/* A scalar fact that holds for every element of `source`. */
nereid_axis_info_t nereid_axis_element(const nereid_axis_info_t *source);

/* A result of tt.reduce, tt.scan or tt.map_elementwise whose elements all have the fact `element`; `out` is initially
 * unknown. */
void nereid_axis_combine(MlirOperation op, intptr_t n, const nereid_axis_info_t *const *operands,
                         const nereid_axis_info_t *element, nereid_axis_info_t *out);

/* The operand itself: x * 1, x / 1, x << 0. */
void nereid_axis_copy(const nereid_axis_info_t *operand, nereid_axis_info_t *out);

/* Sets contiguity c along d; the first elements of groups are divisible by common divisors of both operands. */
void nereid_axis_set_group(nereid_axis_info_t *out, int d, uint8_t c, const nereid_axis_info_t *l,
                           const nereid_axis_info_t *r);

/* Length of contiguous groups that start at a multiple of their length and do not cross zero: shorter than half of the
 * value range of the type, which short integers may exceed. */
uint8_t nereid_axis_one_sided_group(const nereid_axis_info_t *counting, int d);

/* The same for groups against equal values that are also multiples of the length. */
uint8_t nereid_axis_aligned_group(const nereid_axis_info_t *counting, const nereid_axis_info_t *equal, int d);

/* Length of groups that do not run from -1 to 0, which are far apart as unsigned values. */
uint8_t nereid_axis_unsigned_group(const nereid_axis_info_t *fact, int d);

/* Contiguity of a fact after signed widening: groups of indices of 32 bits and more are assumed not to wrap; shorter
 * integers may. */
uint8_t nereid_axis_signed_group(const nereid_axis_info_t *fact, int d);

static inline uint8_t nereid_axis_least(uint8_t a, uint8_t b) {
  return a < b ? a : b;
}

static inline uint8_t nereid_axis_most(uint8_t a, uint8_t b) {
  return a > b ? a : b;
}

static inline bool nereid_axis_is_constant(const nereid_axis_info_t *fact, uint64_t value) {
  return fact->has_constant && fact->constant == value;
}

#endif
