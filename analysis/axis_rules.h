/* What each operation does to axis information: one rule per operation, in tables by family. Private to analysis/. */
#ifndef NEREID_ANALYSIS_AXIS_RULES_H
#define NEREID_ANALYSIS_AXIS_RULES_H

#include "analysis/axis_fact.h"

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

/* The rule of a kind of operation; null when nothing is known of its results. */
nereid_axis_rule_t nereid_axis_rule_arith(nereid_op_kind_t kind);
nereid_axis_rule_t nereid_axis_rule_tensor(nereid_op_kind_t kind);

/* Contiguity of a fact when its numbers are widened as signed ones: groups of indexes, of 32 bits and more, are taken
 * not to pass the largest number; shorter integers may. */
uint8_t nereid_axis_signed_group(const nereid_axis_info_t *fact, int d);

/* Elements that are the same function of equal operands: constancy is the meet of the operands'. */
void nereid_axis_elementwise(const nereid_axis_call_t *call, nereid_axis_info_t *out);

#endif
