/* The iterations of a loop as values: exact for counters of any integer type, signed or unsigned, and for bounds whose
 * difference exceeds the type.
 *
 *   some = lower < upper      last = some ? lower + (upper - lower - 1) / step * step : lower
 *                             count = some ? (upper - lower - 1) / step + 1 : 0          unsigned */
#ifndef NEREID_PASSES_TRIP_COUNT_H
#define NEREID_PASSES_TRIP_COUNT_H

#include "nereid/builder.h"

#include <mlir-c/IR.h>

#include <stdbool.h>

typedef struct nereid_trip {
  MlirValue lower, upper, step; /* integers of one type, or of type index */
  bool is_unsigned;
} nereid_trip_t;

/* The bounds of an scf.for. */
nereid_trip_t nereid_trip_of(MlirOperation loop);

/* An i1: the loop has an iteration. */
MlirValue nereid_trip_exists(const nereid_trip_t *trip, const nereid_builder_t *builder);

/* The counter of the last iteration; the lower bound when there is none. `known`: there is one. */
MlirValue nereid_trip_last(const nereid_trip_t *trip, const nereid_builder_t *builder, bool known);

/* The number of iterations, an i64; at least 1 with `known`. */
MlirValue nereid_trip_count(const nereid_trip_t *trip, const nereid_builder_t *builder, bool known);

#endif
