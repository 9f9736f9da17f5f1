/* The shared-memory buffers that a value may alias.
 *
 *   %a = ttg.local_alloc                              {a}
 *   %b = ttg.local_alloc                              {b}
 *   %v = ttg.memdesc_index %a[%i]                     {a}
 *   %s = arith.select %c, %v, %b                      {a, b}     while %a stays {a}
 *   cf.br ^loop(%s)     ^loop(%x: !ttg.memdesc<...>)  {a, b}
 *
 * A buffer is a ttg.local_alloc or an argument of the function. Sets propagate through views, selects, edges of the
 * flow graph (loops, branches, captures of ttg.warp_specialize) and calls. */
#ifndef NEREID_ANALYSIS_ALIAS_H
#define NEREID_ANALYSIS_ALIAS_H

#include "analysis/flow_graph.h"

typedef struct nereid_alias_buffer {
  MlirValue value;
  MlirOperation alloc; /* null: an argument of the function */
} nereid_alias_buffer_t;

/* Numbers of buffers, ascending. Borrowed from the analysis. */
typedef struct nereid_alias_set {
  const uint32_t *buffers;
  uint32_t count;
} nereid_alias_set_t;

/* The aliases of a function's results: for result i the argument numbers that it may alias, ascending. */
typedef struct nereid_alias_results {
  nereid_alias_set_t *arguments;
  uint32_t count;
} nereid_alias_results_t;

typedef struct nereid_alias {
  nereid_arena_t *arena;
  NEREID_VECTOR(nereid_alias_buffer_t) buffers; /* arguments first, then in program order */
  nereid_map_t numbers;                         /* memdesc value -> its number + 1 */
  nereid_alias_set_t *sets;                     /* by number of value */
  uint32_t n_values;
} nereid_alias_t;

/* Whether `value` describes shared memory. */
bool nereid_alias_is_buffer(MlirValue value);

/* Analyses the function of `graph`. `results` maps functions by name (StringAttr) to their result aliases
 * (nereid_alias_results_t *); without an entry, the result of a call may alias any buffer that the call passes. So may
 * the result of an unknown op. Near linear; lives in `arena`; false when out of memory. */
bool nereid_alias_run(const nereid_flow_graph_t *graph, const nereid_map_t *results, nereid_arena_t *arena,
                      nereid_alias_t *out);

/* The number of a value of shared memory, below n_values; NEREID_FLOW_NONE for another value. */
uint32_t nereid_alias_number(const nereid_alias_t *alias, MlirValue value);

/* The buffers that `value` may alias; none for a value that does not describe shared memory, or poison. */
nereid_alias_set_t nereid_alias_of(const nereid_alias_t *alias, MlirValue value);

/* The aliases of the function's results, for its callers. Lives in `arena`; false when out of memory. */
bool nereid_alias_results(const nereid_flow_graph_t *graph, const nereid_alias_t *alias, nereid_arena_t *arena,
                          nereid_alias_results_t *out);

#endif
