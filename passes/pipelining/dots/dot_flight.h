/* Dots of warp groups that are in flight in a block, and the ops that require them to be complete. */
#ifndef NEREID_PASSES_DOT_FLIGHT_H
#define NEREID_PASSES_DOT_FLIGHT_H

#include "analysis/access/ring_phase.h"
#include "base/map.h"
#include "base/vector.h"
#include "passes/pipelining/dots/accumulators.h"

#include <mlir-c/IR.h>

#include <stdbool.h>

enum { NEREID_MAX_DOTS_IN_FLIGHT = 32 };

/* A ttng.warp_group_dot in flight, a group; `age` is 0 when it was issued in the present iteration, 1 in the iteration
 * before. */
typedef struct nereid_dot_in_flight {
  MlirOperation dot;
  int age;
  bool forwarded; /* a younger dot accumulates onto its result */
} nereid_dot_in_flight_t;

/* The groups in flight, oldest first. */
typedef struct nereid_dot_flight {
  nereid_dot_in_flight_t groups[NEREID_MAX_DOTS_IN_FLIGHT];
  int count;
} nereid_dot_flight_t;

typedef NEREID_VECTOR(MlirValue) nereid_dot_values_t;

/* Where a dot must be complete at the latest. */
typedef enum nereid_dot_completion {
  NEREID_DOT_COMPLETION_NEXT_DOT = 1,  /* before the first dot of the next iteration */
  NEREID_DOT_COMPLETION_ITERATION = 2, /* at the end of its iteration */
} nereid_dot_completion_t;

/* A block with dots, and facts about them. */
typedef struct nereid_dot_block {
  MlirBlock block;
  MlirOperation loop; /* the scf.for whose body the block is; null for other blocks */
  nereid_ring_phases_t *phases;
  nereid_accumulators_t accumulators;
  nereid_map_t early;    /* dot -> nereid_dot_completion_t */
  nereid_arena_t *arena; /* of collected values */
} nereid_dot_block_t;

bool nereid_dot_flight_is_dot(MlirOperation op);

/* Whether `op`, an op of the block, or an op nested in it uses `value`. */
bool nereid_dot_flight_uses(const nereid_dot_block_t *in, MlirOperation op, MlirValue value);

/* Appends the values that hold the result of `group` in the present iteration: the result, or the loop's arguments that
 * receive it. */
void nereid_dot_flight_values(const nereid_dot_block_t *in, const nereid_dot_in_flight_t *group,
                              nereid_dot_values_t *out);

/* Appends the used results of the loop that hold the result of `dot`. */
void nereid_dot_flight_loop_results(const nereid_dot_block_t *in, MlirOperation dot, nereid_dot_values_t *out);

/* Whether `op` uses the result of the group or computes the registers of its operand A again. */
bool nereid_dot_flight_touches_registers(const nereid_dot_block_t *in, MlirOperation op,
                                         const nereid_dot_in_flight_t *group);

/* Whether `group` must be complete before `op`. */
bool nereid_dot_flight_must_precede(const nereid_dot_block_t *in, const nereid_dot_in_flight_t *group,
                                    MlirOperation op);

/* Whether the next iteration accesses an accumulator, or the result of a group, before it issues a dot. The block has a
 * dot. */
bool nereid_dot_flight_is_accessed_first(const nereid_dot_block_t *in, const nereid_dot_flight_t *flight);

/* Whether the loop carries the result of `dot` in a value that nereid_accumulators_start_joined describes. */
bool nereid_dot_flight_starts_joined(const nereid_dot_block_t *in, MlirOperation dot);

/* Removes the `n` oldest groups. */
void nereid_dot_flight_complete(nereid_dot_flight_t *flight, int n);

/* Adds `dot` as the youngest group, and marks the group whose result it accumulates onto. There must be room for it. */
void nereid_dot_flight_issue(const nereid_dot_block_t *in, nereid_dot_flight_t *flight, MlirOperation dot);

#endif
