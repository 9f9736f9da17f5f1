/* Sinks conversions below operations that work in any layout: a step of tritongpu-remove-layout-conversions. */
#ifndef NEREID_PASSES_SINK_CONVERSIONS_H
#define NEREID_PASSES_SINK_CONVERSIONS_H

#include "passes/pass.h"

/* Whether the op works in any common layout of its operands and its result layout follows from it: reductions, scans,
 * transpositions, reshapes, joins, splits, broadcasts, fp4_to_fp. */
bool nereid_follows_operand_layout(MlirOperation op);

/* Infers the encoding of such an op's results when its operands have `encoding`; null for scalars. False if there is
 * none. */
bool nereid_followed_encoding(MlirOperation op, MlirAttribute encoding, MlirAttribute *out);

/* Moves conversions of such an op's operands after it if that leaves no more to convert. Returns the number of changed
 * ops; -1 when out of memory. */
int64_t nereid_sink_conversions(nereid_pass_t *pass);

/* Moves each conversion whose result only one branch of an scf.if in its block uses to the start of that branch.
 * Returns the number of moved conversions; -1 when out of memory. */
int64_t nereid_sink_conversions_into_branches(nereid_pass_t *pass);

#endif
