/* What the files of the axis analysis share: the solver, its facts, and the edges along which they flow. */
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
  bool waits; /* to be visited again */
} nereid_axis_entry_t;

typedef struct nereid_axis_solver {
  nereid_arena_t *arena;
  nereid_map_t *infos;                        /* value -> its fact, at the start of a larger struct of axis_solver.c */
  nereid_map_t ends;                          /* operation without results -> 1 + index */
  const nereid_call_graph_t *graph;           /* null: of one function, of whose calls nothing is known */
  NEREID_VECTOR(nereid_axis_entry_t) entries; /* in the order of their first visits */
  NEREID_VECTOR(uint32_t) again;              /* indexes of those to visit again */
} nereid_axis_solver_t;

/* Adds an operation that is visited for the first time; from now on it is found by those whose facts it reads. False
 * when out of memory. */
bool nereid_axis_enter(nereid_axis_solver_t *solver, const nereid_axis_entry_t *entry);

/* What is known of `value`, for who uses it: is visited again when it changes. Null when out of memory. */
const nereid_axis_info_t *nereid_axis_read(nereid_axis_solver_t *solver, MlirValue value);

/* Meets `fact`, raised to the hints of the op whose result it is of, into what is known of `value`; its users are
 * visited again when that got less. */
void nereid_axis_lower(nereid_axis_solver_t *solver, MlirValue value, const nereid_axis_info_t *fact);
void nereid_axis_lower_to_unknown(nereid_axis_solver_t *solver, MlirValue value);

/* Hands facts on along the edges that start at an operation: to blocks, regions, functions and back. True when they
 * cover its results, so that no rule is asked. (axis_flow.c) */
bool nereid_axis_flow(nereid_axis_solver_t *solver, const nereid_axis_entry_t *entry);

#endif
