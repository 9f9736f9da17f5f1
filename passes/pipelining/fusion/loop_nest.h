/* A nest of two loops, and the division of its ops into two slices, each with counters of its own.
 *
 *   for %i: %row = rows of tile %i               prologue
 *           for %k: %x = tt.load (%row, %k)      access slice: what the loads of the inner loop depend on
 *                   %d = tt.dot %x, …            execute slice: everything else
 *           tt.store (%row), %d                  epilogue
 *
 * The pipeliner executes the access slice iterations ahead of the execute slice. Where both used the same counters, and
 * values computed once per outer iteration, it would carry these from stage to stage, and a prologue with side effects
 * would keep the loads from being executed ahead. Therefore ops of the prologue that both slices need are executed by
 * both, and values of the prologue that only the epilogue uses are computed there. */
#ifndef NEREID_PASSES_LOOP_NEST_H
#define NEREID_PASSES_LOOP_NEST_H

#include "base/map.h"
#include "passes/pass.h"
#include "passes/pipelining/schedule.h"
#include "passes/support/written_roots.h"

typedef enum nereid_slice_kind { NEREID_SLICE_ACCESS, NEREID_SLICE_EXECUTE, NEREID_SLICES } nereid_slice_kind_t;

/* One slice. Keys of the maps are ops of the two bodies and arguments of the two bodies. */
typedef struct nereid_slice {
  nereid_map_t needed;              /* ops and arguments */
  nereid_map_t kept;                /* ops of the prologue that are executed in the first inner iteration */
  nereid_map_t views;               /* splats, broadcasts, sums of a base and offsets in each inner iteration */
  nereid_map_t cloned;              /* ops of the prologue that are executed in the last inner iteration */
  nereid_schedule_values_t outputs; /* results of kept ops that later ops use */
} nereid_slice_t;

typedef enum nereid_empty_inner {
  NEREID_INNER_NEVER_EMPTY, /* the inner loop has an iteration in each outer one */
  NEREID_INNER_EXCLUDED,    /* the nest is executed only if it has: bounds do not depend on the outer loop */
  NEREID_INNER_PREDICATED,  /* an iteration without effect is executed where it has none */
} nereid_empty_inner_t;

typedef struct nereid_loop_nest {
  nereid_pass_t *pass;
  nereid_arena_t *arena; /* the pass's scratch */
  MlirOperation outer, inner;
  MlirBlock outer_body, inner_body;
  MlirOperation outer_yield, inner_yield;
  bool has_invariant_bounds; /* bounds of the inner loop are defined outside of the outer loop */
  bool carries_offsets;      /* each inner iteration adds the base to 32-bit offsets, as addresses would be spilled */
  nereid_empty_inner_t empty;
  nereid_written_roots_t written;
  bool is_requested; /* the program asserts that loads do not depend on stores of recent iterations */
  nereid_slice_t slices[NEREID_SLICES];
} nereid_loop_nest_t;

/* Reads the nest of `outer` and `inner`, the only loop in its body, and divides it. `can_exclude`: the caller can
 * execute other code where the inner loop is empty. Moves invariant ops that compute the inner bounds before the outer
 * loop. Returns why the loops cannot be fused, or should not be; null when they can. */
const char *nereid_loop_nest_read(nereid_pass_t *pass, MlirOperation outer, MlirOperation inner, bool can_exclude,
                                  nereid_loop_nest_t *out);

/* Whether `op` or `value` is in `map`. */
bool nereid_loop_nest_has(const nereid_map_t *map, const void *key);

/* Whether `value` is a result of an op of the prologue. */
bool nereid_loop_nest_in_prologue(const nereid_loop_nest_t *nest, MlirValue value);

/* Whether `value` is defined in the body of the outer loop. */
bool nereid_loop_nest_is_variant(const nereid_loop_nest_t *nest, MlirValue value);

/* The ops of the prologue on which the bounds of the inner loop depend, in `out`. */
bool nereid_loop_nest_bound_ops(const nereid_loop_nest_t *nest, nereid_map_t *out);

/* Whether carried value `number` of the inner loop is in `slice`; likewise of the outer loop. */
bool nereid_loop_nest_carries_inner(const nereid_loop_nest_t *nest, nereid_slice_kind_t slice, intptr_t number);
bool nereid_loop_nest_carries_outer(const nereid_loop_nest_t *nest, nereid_slice_kind_t slice, intptr_t number);

/* Whether `slice` uses the counter of the outer loop. */
bool nereid_loop_nest_uses_counter(const nereid_loop_nest_t *nest, nereid_slice_kind_t slice);

#endif
