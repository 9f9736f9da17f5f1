/* Ops of a pipelined loop that execute past the end of the range or under a predicate.
 *
 *   %x = tt.load %p, %m   ->   %b = arith.andi %m, tt.splat %exists
 *                              %x = tt.load %p, %b
 *   scf.if %c { … }       ->   scf.if %c & %exists { … } */
#ifndef NEREID_PASSES_PREDICATE_H
#define NEREID_PASSES_PREDICATE_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/* Whether `op` must not be executed for an iteration past the end without a predicate: it accesses global memory, or is
 * a branch with an op that cannot be executed without effect. */
bool nereid_predicate_is_needed(MlirOperation op);

/* Whether `op` can be executed past the end: with a predicate if it needs one, otherwise because it only computes a
 * value or accesses the slot of a ring that no existing iteration uses. False for dots, which take too long
 * to be wasted, except those of warp groups, to which a latency gives an early stage. */
bool nereid_predicate_is_possible(MlirOperation op);

/* Adds `exists`, an i1, to the mask of an op that needs a predicate. Returns the op that replaces it. */
MlirOperation nereid_predicate_apply(MlirOperation op, MlirValue exists);

#endif
