/* The iterations of an scf.for: lower, lower + step, … below upper, compared signed or unsigned.
 *
 *   iteration 2 exists               lower + 2 * step < upper
 *   two iterations after %i exists   %i < upper - 2 * step
 *
 * Both are exact, also where an addition, a subtraction or a product would wrap around. */
#ifndef NEREID_PASSES_LOOP_RANGE_H
#define NEREID_PASSES_LOOP_RANGE_H

#include "base/arena.h"
#include "nereid/builder.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct nereid_loop_range {
  MlirOperation loop;
  nereid_arena_t *arena;        /* borrowed */
  MlirValue lower, upper, step; /* integers of one type, or of type index */
  bool is_unsigned;
  int64_t constant_lower, constant_upper, constant_step;
  bool has_lower, has_upper, has_step; /* which of them are constants */
  int64_t known;                       /* at least as many iterations exist */
  MlirValue span;                      /* upper - lower, 0 for an empty range; null until it is needed */
  nereid_builder_t outside;            /* before the loop that compares counters */
  MlirValue *bounds;                   /* by distance: upper - distance * step; null until it is needed */
} nereid_loop_range_t;

void nereid_loop_range_read(MlirOperation loop, nereid_arena_t *arena, nereid_loop_range_t *out);

/* The number of iterations; -1 when it is not a constant. */
int64_t nereid_loop_range_count(const nereid_loop_range_t *range);

/* `from` plus `distance` steps. */
MlirValue nereid_loop_range_advance(nereid_loop_range_t *range, const nereid_builder_t *builder, MlirValue from,
                                    int32_t distance);

/* An i1: iteration `number` exists; null when it always does. Built before the loop. */
MlirValue nereid_loop_range_contains(nereid_loop_range_t *range, const nereid_builder_t *builder, int32_t number);

/* Sets the op before which the next function computes bounds, for distances up to `max_distance`. False when out of
 * memory. */
bool nereid_loop_range_prepare(nereid_loop_range_t *range, MlirOperation before, int32_t max_distance);

/* The upper bound of the range without its last `distance` iterations, of which at least as many exist. */
MlirValue nereid_loop_range_shortened(nereid_loop_range_t *range, const nereid_builder_t *builder, int32_t distance);

/* An i1: the iteration `distance` after the one with counter `counter` exists. */
MlirValue nereid_loop_range_continues(nereid_loop_range_t *range, const nereid_builder_t *builder, MlirValue counter,
                                      int32_t distance);

#endif
