/* What a reduction costs in the layouts that its operand may get, for the choice among them. */
#ifndef NEREID_PASSES_REDUCTION_COST_H
#define NEREID_PASSES_REDUCTION_COST_H

#include "base/arena.h"
#include "base/vector.h"

#include <mlir-c/IR.h>

/* A cost that was asked for: the same reduction comes again and again in a sort. */
typedef struct nereid_reduction_asked {
  MlirType source, operand;
  MlirAttribute encoding;
  int axis;
  int64_t cost;
} nereid_reduction_asked_t;

/* Answers that were given, for one run of a pass. Zero-initialised but for the arena. */
typedef struct nereid_reduction_costs {
  nereid_arena_t *arena;
  NEREID_VECTOR(nereid_reduction_asked_t) asked;
} nereid_reduction_costs_t;

/* The value whose layout decides what tt.reduce `op` costs: its first operand, or what that is made of by a reshape and
 * elementwise operations. */
MlirValue nereid_reduction_source(MlirOperation op);

/* Instructions, roughly, that all threads of a CTA together spend on exchanging what they reduce, when `source`, from
 * nereid_reduction_source(op), has `encoding`. 0 where the layout of the operand does not follow. */
int64_t nereid_reduction_cost(nereid_reduction_costs_t *costs, MlirOperation op, MlirValue source,
                              MlirAttribute encoding);

#endif
