/* Conversions behind the operations that do not mind: a step of tritongpu-remove-layout-conversions. */
#ifndef NEREID_PASSES_SINK_CONVERSIONS_H
#define NEREID_PASSES_SINK_CONVERSIONS_H

#include "passes/pass.h"

/* Whether the op works in any layout of its operands, which are alike, and gives results in the layout that follows
 * from it: reductions, scans, transpositions, reshapes, joins, splits, broadcasts. */
bool nereid_follows_operand_layout(MlirOperation op);

/* Moves conversions of such an op's operands behind it where no more is then left to convert. How many ops it changed;
 * -1 when out of memory. */
int64_t nereid_sink_conversions(nereid_pass_t *pass);

#endif
