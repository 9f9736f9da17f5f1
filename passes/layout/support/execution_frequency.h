/* Estimates how often an operation is executed per run of a kernel.
 *
 *   tt.func public @k()        1
 *     scf.for …                8 in its body
 *       tt.call @f()           8, so 8 in @f, and 64 in a loop of @f
 *     tt.call @f()             1 more: 9 in @f */
#ifndef NEREID_PASSES_EXECUTION_FREQUENCY_H
#define NEREID_PASSES_EXECUTION_FREQUENCY_H

#include "analysis/call_graph.h"

typedef struct nereid_frequency {
  const nereid_call_graph_t *graph; /* borrowed */
  int64_t *functions;               /* indexed by number */
} nereid_frequency_t;

/* Factor of a loop, and the upper limit: sums of frequencies times the bytes of a tensor fit in 64 bits. */
enum { NEREID_FREQUENCY_LOOP = 8, NEREID_FREQUENCY_MAX = 1 << 24 };

/* Computes the frequencies of functions, callers first. Lives in `arena`; false when out of memory. */
bool nereid_frequency_run(const nereid_call_graph_t *graph, nereid_arena_t *arena, nereid_frequency_t *out);

/* The frequency of an op in a function of the graph: 1 to NEREID_FREQUENCY_MAX. */
int64_t nereid_frequency_of(const nereid_frequency_t *frequency, MlirOperation op);

#endif
