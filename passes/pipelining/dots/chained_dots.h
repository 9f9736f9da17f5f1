/* Two dots of warp groups in a loop of which the second one takes, in registers, what is computed from the first one:
 *
 *   %s = ttng.warp_group_dot %q, %k          scores
 *   %p = … %s …                              softmax
 *   %d = ttng.warp_group_dot %p, %v, %acc    %p in registers
 *
 * If %p of an iteration is computed one iteration ahead of its use, tensor cores execute the second dot meanwhile. */
#ifndef NEREID_PASSES_CHAINED_DOTS_H
#define NEREID_PASSES_CHAINED_DOTS_H

#include "passes/pass.h"
#include "passes/support/collect.h"

/* Appends to `out` the ops of the loop's body that compute such an operand, if they can be executed one iteration
 * ahead: they do not depend on the second dot, also not on that of an earlier iteration. None if the registers of the
 * dots would exceed those of a consumer of a warp-specialized loop. */
void nereid_chained_dots_collect(nereid_pass_t *pass, MlirOperation loop, nereid_operations_t *out);

/* Whether each dot of the body but the first depends on another one of the same iteration. Otherwise tensor cores
 * execute independent dots while threads use the results of others. False without dots. */
bool nereid_dots_are_chained(nereid_pass_t *pass, MlirBlock body);

#endif
