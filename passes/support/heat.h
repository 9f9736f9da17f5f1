/* How often an operation runs for each run of a kernel, roughly: to weigh one place against another.
 *
 *   tt.func public @k()        1
 *     scf.for …                8 in its body
 *       tt.call @f()           8, so 8 in @f, and 64 in a loop of @f
 *     tt.call @f()             1 more: 9 in @f */
#ifndef NEREID_PASSES_HEAT_H
#define NEREID_PASSES_HEAT_H

#include "analysis/call_graph.h"

typedef struct nereid_heat {
  const nereid_call_graph_t *graph; /* borrowed */
  int64_t *functions;               /* by number */
} nereid_heat_t;

/* What a loop multiplies by, and where counting ends: sums of such numbers times the bytes of a tensor stay in 64 bits.
 */
enum { NEREID_HEAT_LOOP = 8, NEREID_HEAT_MOST = 1 << 24 };

/* Callers first, along `graph`. Lives in `arena`; false when memory is out. */
bool nereid_heat_run(const nereid_call_graph_t *graph, nereid_arena_t *arena, nereid_heat_t *out);

/* 1 to NEREID_HEAT_MOST, for an op in a function of the graph. */
int64_t nereid_heat_of(const nereid_heat_t *heat, MlirOperation op);

#endif
