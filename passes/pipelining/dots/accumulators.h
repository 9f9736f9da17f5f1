/* Accesses to the registers of accumulators of wgmma by other ops. */
#ifndef NEREID_PASSES_ACCUMULATORS_H
#define NEREID_PASSES_ACCUMULATORS_H

#include "base/map.h"
#include "base/vector.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

/* A value that an op before `dot` computes, so that it must not be computed after `dot` is issued. */
typedef struct nereid_computed_before {
  MlirOperation dot;
  MlirValue value;
} nereid_computed_before_t;

typedef struct nereid_accumulators {
  nereid_map_t users;  /* ops -> 1 */
  nereid_map_t values; /* -> 1: in the registers of an accumulator */
  NEREID_VECTOR(nereid_computed_before_t) hoisted;
} nereid_accumulators_t;

/* Collects the ops of a block that access the registers of the accumulator of a later ttng.warp_group_dot of the block:
 * they compute it, or use what the loop carries in its registers. Other dots are not among them. Users that can precede
 * the dots in flight at their place are moved before these. Buffers are filled with the sources of conversions. Lives
 * in `arena`. */
void nereid_accumulators_hoist(MlirBlock block, nereid_arena_t *arena, nereid_accumulators_t *out);

/* Whether `op` is one of them. */
bool nereid_accumulators_is_user(const nereid_accumulators_t *accumulators, MlirOperation op);

/* Whether users of accumulators were moved before `dot`. */
bool nereid_accumulators_precede(const nereid_accumulators_t *accumulators, MlirOperation dot);

/* Whether `value`, or what waits pass on as `value`, is in the registers of an accumulator. */
bool nereid_accumulators_contain(const nereid_accumulators_t *accumulators, MlirValue value);

/* Whether the initial value of iter_arg `i` of `loop`, an scf.for, merges values of several control-flow edges, at
 * least one of which is the result of an op other than a dot, or of a dot in a branch. */
bool nereid_accumulators_start_joined(MlirOperation loop, intptr_t i, nereid_arena_t *scratch);

#endif
