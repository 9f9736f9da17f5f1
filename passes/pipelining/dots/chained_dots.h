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

/* Appends to `out` the ops of the loop's body that compute such an operand from another dot, if they can be executed
 * one iteration ahead: what they depend on, also in earlier iterations, is not computed by a dot that uses one. */
void nereid_chained_dots_collect(nereid_pass_t *pass, MlirOperation loop, nereid_operations_t *out);

#endif
