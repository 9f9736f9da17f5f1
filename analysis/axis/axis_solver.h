/* Shared state of the axis analysis: the solver, its facts, and the edges along which they propagate. */
#ifndef NEREID_ANALYSIS_AXIS_SOLVER_H
#define NEREID_ANALYSIS_AXIS_SOLVER_H

#include "analysis/axis/axis_fact.h"
#include "analysis/call_graph.h"
#include "base/vector.h"

#include "nereid/dialects/ops.h"

/* An operation that was visited. */
typedef struct nereid_axis_entry {
  MlirOperation op;
  nereid_op_kind_t kind;
  bool waits; /* is in the worklist */
} nereid_axis_entry_t;

typedef struct nereid_axis_solver {
  nereid_arena_t *arena;
  nereid_map_t *infos;                        /* value -> its fact, at the start of a larger struct of axis_solver.c */
  nereid_map_t ends;                          /* operation without results -> 1 + index */
  const nereid_call_graph_t *graph;           /* null: analysis of one function, of whose calls nothing is known */
  NEREID_VECTOR(nereid_axis_entry_t) entries; /* in order of first visit */
  NEREID_VECTOR(uint32_t) again;              /* worklist: indexes of entries to visit again */
} nereid_axis_solver_t;

/* Adds an operation at its first visit; later changes of its operands schedule it again. False when out of memory. */
bool nereid_axis_enter(nereid_axis_solver_t *solver, const nereid_axis_entry_t *entry);

/* The fact of `value` for a user, which is visited again when the fact changes. Null when out of memory. */
const nereid_axis_info_t *nereid_axis_read(nereid_axis_solver_t *solver, MlirValue value);

/* Meets `fact` into the fact of `value`, raised to the hints of the defining op and, for the bound of a loop, to
 * non-negative; visits its users again if it was lowered. */
void nereid_axis_lower(nereid_axis_solver_t *solver, MlirValue value, const nereid_axis_info_t *fact);
void nereid_axis_lower_to_unknown(nereid_axis_solver_t *solver, MlirValue value);

/* Whether `value` is a scalar that bounds a loop, which starts at a constant of at least 0, from above; or from which
 * such a bound is computed by constants and extensions. Visits the uses of the value and of those results.
 * (axis_loop_bounds.c) */
bool nereid_axis_is_loop_bound(MlirValue value);

/* Propagates facts along the edges of an operation: to blocks, regions, functions and back. True when the edges cover
 * its results, so that no rule is needed. (axis_flow.c) */
bool nereid_axis_flow(nereid_axis_solver_t *solver, const nereid_axis_entry_t *entry);

#endif
