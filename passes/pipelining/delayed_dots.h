/* The dots of a loop that are executed one iteration late, so that they overlap the work between dots. */
#ifndef NEREID_PASSES_DELAYED_DOTS_H
#define NEREID_PASSES_DELAYED_DOTS_H

#include "base/map.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

/* Adds to `delayed` (op -> 1) the ops of `body`, of an scf.for, that belong to the iteration's second dot: the
 * ttng.warp_group_dot ops whose operand A is computed from the result of another one, what depends on them, also in the
 * next iteration, and what only they need and is no smaller than its operands. Adds nothing when there is no such dot,
 * when the first dot depends on the second, or when the values of both do not fit in registers. False when out of
 * memory. */
bool nereid_delayed_dots(MlirBlock body, nereid_map_t *delayed);

#endif
