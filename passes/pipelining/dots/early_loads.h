/* Small loads that are issued before the dots of their block. */
#ifndef NEREID_PASSES_EARLY_LOADS_H
#define NEREID_PASSES_EARLY_LOADS_H

#include "passes/pass.h"

/* Moves the small loads from global memory that follow a ttng.warp_group_dot of `block`, or the wait for operands of a
 * dot, and what they depend on, before the dots and these waits. Scratch: pass->scratch. */
void nereid_early_loads(nereid_pass_t *pass, MlirBlock block);

#endif
