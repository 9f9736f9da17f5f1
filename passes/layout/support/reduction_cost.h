/* Cost of a reduction in each candidate layout of its operand. */
#ifndef NEREID_PASSES_REDUCTION_COST_H
#define NEREID_PASSES_REDUCTION_COST_H

#include "base/arena.h"
#include "base/vector.h"

#include <mlir-c/IR.h>

/* A cached cost: sorts query the same reduction many times. */
typedef struct nereid_reduction_query {
  MlirType source, operand;
  MlirAttribute encoding;
  int axis;
  int64_t cost;
} nereid_reduction_query_t;

/* Cached costs of one run of a pass. Zero-initialized except for the arena. */
typedef struct nereid_reduction_costs {
  nereid_arena_t *arena;
  NEREID_VECTOR(nereid_reduction_query_t) queries;
} nereid_reduction_costs_t;

/* The value whose layout determines the cost of tt.reduce `op`: its first operand, or the source from which a reshape
 * and elementwise operations compute it. */
MlirValue nereid_reduction_source(MlirOperation op);

/* Approximate instructions of all threads of a CTA for exchanging the reduced elements, when `source`, from
 * nereid_reduction_source(op), has `encoding`. 0 when the layout of the operand does not follow from it. */
int64_t nereid_reduction_cost(nereid_reduction_costs_t *costs, MlirOperation op, MlirValue source,
                              MlirAttribute encoding);

/* Approximate exchanges of a thread for tt.scan `op` when its operand has `encoding`: of the totals that it holds, one
 * per lane and warp bit of the axis. INT64_MAX where the layout is not suitable for a scan. */
int64_t nereid_scan_cost(MlirOperation op, MlirAttribute encoding);

#endif
