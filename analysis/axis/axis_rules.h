/* What each operation does to axis information: one rule per operation, in tables by family. Private to analysis/. */
#ifndef NEREID_ANALYSIS_AXIS_RULES_H
#define NEREID_ANALYSIS_AXIS_RULES_H

#include "analysis/axis/axis_fact.h"

#include "nereid/dialects/ops.h"

typedef struct nereid_axis_call {
  MlirOperation op;
  nereid_op_kind_t kind;
  intptr_t n;                          /* operands */
  const nereid_axis_info_t **operands; /* reached, unless the rule is that of a select */
  intptr_t result;                     /* the one that is asked for */
} nereid_axis_call_t;

/* Fills `out`, which comes as nereid_axis_unknown of the result's type; a rule that knows nothing leaves it alone. */
typedef void (*nereid_axis_rule_t)(const nereid_axis_call_t *call, nereid_axis_info_t *out);

/* The rule of a kind of operation, by family: sums, products, quotients; bits and widths; comparisons and what is
 * chosen by them; tensors and pointers. Null when the family has none. */
nereid_axis_rule_t nereid_axis_rule_arith(nereid_op_kind_t kind);
nereid_axis_rule_t nereid_axis_rule_bits(nereid_op_kind_t kind);
nereid_axis_rule_t nereid_axis_rule_choice(nereid_op_kind_t kind);
nereid_axis_rule_t nereid_axis_rule_tensor(nereid_op_kind_t kind);

/* The rule of operations whose results are anything: what memory holds, tokens, buffers. */
void nereid_axis_nothing(const nereid_axis_call_t *call, nereid_axis_info_t *out);

/* Elements that are the same function of equal operands: constancy is the meet of the operands'. */
void nereid_axis_elementwise(const nereid_axis_call_t *call, nereid_axis_info_t *out);

/* A scalar of which is known what is known of every element of `source`. */
nereid_axis_info_t nereid_axis_element(const nereid_axis_info_t *source);

/* A result of tt.reduce, tt.scan or tt.map_elementwise whose elements are each as `element`: `out` comes as unknown. */
void nereid_axis_combine(MlirOperation op, intptr_t n, const nereid_axis_info_t *const *operands,
                         const nereid_axis_info_t *element, nereid_axis_info_t *out);

/* The operand itself: x * 1, x / 1, x << 0. */
void nereid_axis_copy(const nereid_axis_info_t *operand, nereid_axis_info_t *out);

/* Contiguity c along d, first elements of its groups divisible by what divides both operands'. */
void nereid_axis_set_group(nereid_axis_info_t *out, int d, uint8_t c, const nereid_axis_info_t *l,
                           const nereid_axis_info_t *r);

/* Groups of counting numbers that start at a multiple of their length and lie on one side of zero: shorter than half of
 * all numbers of the type, which short integers run out of. */
uint8_t nereid_axis_one_sided_group(const nereid_axis_info_t *counting, int d);

/* Such groups, against equal numbers that are multiples of their length, too. */
uint8_t nereid_axis_aligned_group(const nereid_axis_info_t *counting, const nereid_axis_info_t *equal, int d);

/* Groups that are known not to run from -1 to 0, which are far apart as unsigned numbers. */
uint8_t nereid_axis_unsigned_group(const nereid_axis_info_t *fact, int d);

/* Contiguity of a fact when its numbers are widened as signed ones: groups of indexes, of 32 bits and more, are taken
 * not to pass the largest number; shorter integers may. */
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
