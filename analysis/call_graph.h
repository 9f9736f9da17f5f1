/* The functions of a module and the calls between them.
 *
 *   tt.func public @k() { tt.call @f() … tt.call @g() … }        post order  g f k: callees before callers
 *   tt.func private @f() { tt.call @g() … }                      edges       k->f, k->g, f->g, each at its tt.call
 *   tt.func private @g() { … }                                   roots       k
 *
 * A successfully built graph is valid: every call targets a function of the module that has a body, is not a kernel and
 * has the types of the call, and there is no recursion. Shared memory is allocated statically, so a recursive call
 * could have no frame, and GPU stacks are small.
 *
 * Time and memory: linear in operations. The implementation does not recurse, so call chains may have any length. */
#ifndef NEREID_ANALYSIS_CALL_GRAPH_H
#define NEREID_ANALYSIS_CALL_GRAPH_H

#include "base/map.h"
#include "base/status.h"
#include "base/vector.h"

#include <mlir-c/IR.h>

/* One tt.call. Functions are numbers below nereid_call_graph_t.functions.size. */
typedef struct nereid_call_edge {
  MlirOperation call;
  size_t caller, callee;
} nereid_call_edge_t;

typedef struct nereid_call_function {
  MlirOperation op; /* a tt.func */
  bool is_kernel;   /* may be launched: public, or neither private nor called */
  bool has_body;
  size_t same_name;               /* 1 + number of the next function with this name, in a nested module; 0: none */
  size_t first_call, n_calls;     /* its calls in program order: edges[first_call + i] */
  size_t first_caller, n_callers; /* the calls of it, callers in program order: edges[callers[first_caller + i]] */
} nereid_call_function_t;

typedef struct nereid_call_graph {
  nereid_arena_t *arena;                           /* borrowed; everything below lives in it */
  NEREID_VECTOR(nereid_call_function_t) functions; /* in program order */
  NEREID_VECTOR(nereid_call_edge_t) edges;         /* by caller */
  size_t *callers;                                 /* numbers of edges, by callee */
  size_t *post_order;                              /* numbers of functions, callees before callers */
  nereid_map_t numbers, by_name;                   /* tt.func, StringAttr -> 1 + number */
  size_t n_ops;                                    /* number of ops in all functions */
} nereid_call_graph_t;

/* Builds the graph of `module`, a builtin.module, and of nested modules. NEREID_ERROR_PROGRAM after one error, located
 * at the first invalid call: to an undefined name, to a function without a body, to a kernel, with wrong types, or on a
 * cycle, whose calls the notes list. NEREID_ERROR_MEMORY when out of memory. Does not change the IR; `out_graph` is
 * invalid after changes of functions or calls. */
NEREID_MUST_USE nereid_status_t nereid_call_graph_build(MlirOperation module, nereid_arena_t *arena,
                                                        nereid_call_graph_t *out_graph);

/* The function at position `i` of the order in which callees, or callers, come first. */
static inline nereid_call_function_t *nereid_call_graph_callees_first(const nereid_call_graph_t *graph, size_t i) {
  return &graph->functions.data[graph->post_order[i]];
}
static inline nereid_call_function_t *nereid_call_graph_callers_first(const nereid_call_graph_t *graph, size_t i) {
  return nereid_call_graph_callees_first(graph, graph->functions.size - 1 - i);
}

/* The number of a tt.func of the graph. */
size_t nereid_call_graph_number(const nereid_call_graph_t *graph, MlirOperation function);

/* Call `i` of a function, and call `i` to a function. */
static inline const nereid_call_edge_t *nereid_call_graph_call(const nereid_call_graph_t *graph,
                                                               const nereid_call_function_t *function, size_t i) {
  return &graph->edges.data[function->first_call + i];
}
static inline const nereid_call_edge_t *nereid_call_graph_caller(const nereid_call_graph_t *graph,
                                                                 const nereid_call_function_t *function, size_t i) {
  return &graph->edges.data[graph->callers[function->first_caller + i]];
}

/* The callee of `call`, a tt.call of the graph. */
nereid_call_function_t *nereid_call_graph_callee(const nereid_call_graph_t *graph, MlirOperation call);

#endif
