/* Shared state of the files that implement analysis/allocation/liveness.h, and the pieces of live ranges that they
 * collect. */
#ifndef NEREID_ANALYSIS_LIVENESS_SOLVER_H
#define NEREID_ANALYSIS_LIVENESS_SOLVER_H

#include "analysis/allocation/liveness_types.h"
#include "analysis/allocation/value_liveness.h"

typedef struct nereid_liveness_piece {
  nereid_live_range_t range;
  uint32_t next; /* next piece of the buffer + 1 */
} nereid_liveness_piece_t;

typedef struct nereid_liveness_buffer {
  uint32_t pieces;    /* latest + 1 */
  uint32_t announced; /* mbarrier: latest target that its waits complete + 1 */
} nereid_liveness_buffer_t;

typedef struct nereid_liveness_target {
  uint32_t buffer, next; /* next: of the mbarrier + 1 */
} nereid_liveness_target_t;

/* All times of one region of a ttg.warp_specialize. */
typedef struct nereid_liveness_region {
  nereid_live_range_t span;
  uint32_t group, member;
} nereid_liveness_region_t;

typedef struct nereid_liveness_solver {
  nereid_liveness_t *liveness;
  nereid_arena_t *arena;
  const nereid_flow_graph_t *graph;
  const nereid_alias_t *alias;
  bool is_called;
  const nereid_map_t *ends;
  nereid_flight_t flight;
  nereid_live_subjects_t subjects; /* values by number, then buffers by number with their waits for mbarriers */
  nereid_liveness_buffer_t *buffers;
  NEREID_VECTOR(nereid_liveness_piece_t) pieces;
  NEREID_VECTOR(nereid_liveness_target_t) targets;
  NEREID_VECTOR(nereid_liveness_region_t) regions; /* in order of time */
  NEREID_VECTOR(nereid_live_range_t) ranges;
} nereid_liveness_solver_t;

/* Whether the buffer is an argument. */
static inline bool nereid_liveness_is_argument(const nereid_liveness_solver_t *solver, uint32_t buffer) {
  return mlirOperationIsNull(solver->alias->buffers.data[buffer].alloc);
}

/* Adds times at which `buffer` is live. */
static inline void nereid_liveness_add_piece(nereid_liveness_solver_t *solver, uint32_t buffer,
                                             nereid_live_range_t range) {
  nereid_liveness_buffer_t *state = &solver->buffers[buffer];
  if (nereid_vector_push(solver->arena, &solver->pieces, (nereid_liveness_piece_t){range, state->pieces}))
    state->pieces = (uint32_t)solver->pieces.size;
}

/* liveness_times.c: numbers ops by time and finds the regions of each ttg.warp_specialize; false when out of memory. */
bool nereid_liveness_number(nereid_liveness_solver_t *solver);

/* liveness_times.c: sorts and joins solver->ranges and stores the result in `live`: confined to a region, or extended
 * to the groups it overlaps. Empty ranges give an empty result. */
void nereid_liveness_make(nereid_liveness_solver_t *solver, nereid_live_t *live);

/* liveness.c: waits for the mbarrier `barrier` complete an operation that writes the buffer `target`. */
void nereid_liveness_announce(nereid_liveness_solver_t *solver, MlirValue target, MlirValue barrier);

/* liveness_flight.c: adds the operations that the op at `position` starts, or that its callee leaves in flight. */
void nereid_liveness_fly(nereid_liveness_solver_t *solver, MlirOperation op, uint32_t position);

#endif
