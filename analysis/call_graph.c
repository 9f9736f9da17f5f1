/* Builds and validates the call graph; see call_graph.h.
 *
 *   tt.func private @f() { tt.call @g() … }    tt.func private @g() { tt.call @f() … }
 *   ->
 *   error: 'tt.call' op makes 'f' call itself        note: 'f' calls 'g' here        note: 'g' calls 'f' here
 *
 * One depth-first walk with an explicit stack finds cycles and computes the post order. */
#include "analysis/call_graph.h"

#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/tt/call_path.h"
#include "dialects/tt/function.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "seam/context.h"

#include <mlir-c/BuiltinAttributes.h>

static MlirStringRef name_of(MlirOperation function) {
  return nereid_tt_func_get_sym_name(function);
}

/* --- functions --- */

static nereid_call_function_t describe(MlirOperation op) {
  MlirAttribute visibility = nereid_tt_func_get_sym_visibility_attr(op);
  const bool is_public =
      !mlirAttributeIsNull(visibility) &&
      mlirStringRefEqual(mlirStringAttrGetValue(visibility), mlirStringRefCreateFromCString("public"));
  return (nereid_call_function_t){.op = op,
                                  .is_kernel = is_public,
                                  .has_body = !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)))};
}

static MlirWalkResult add_function(MlirOperation op, void *user_data) {
  nereid_call_graph_t *graph = user_data;
  if (nereid_op_kind(op) != NEREID_OP_TT_FUNC)
    return MlirWalkResultAdvance;
  nereid_call_function_t function = describe(op);
  uintptr_t *number = nereid_map_insert(&graph->numbers, op.ptr);
  uintptr_t *name = nereid_map_insert(&graph->by_name, nereid_tt_func_get_sym_name_attr(op).ptr);
  if (!number || !name)
    return MlirWalkResultInterrupt;
  function.same_name = *name;
  if (!nereid_vector_push(graph->arena, &graph->functions, function))
    return MlirWalkResultInterrupt;
  *number = *name = graph->functions.size;
  return MlirWalkResultSkip;
}

size_t nereid_call_graph_number(const nereid_call_graph_t *graph, MlirOperation function) {
  return *nereid_map_find(&graph->numbers, function.ptr) - 1;
}

/* --- calls --- */

/* 1 + the number of the callee, or 0: the function of that name in the caller's module. */
static size_t find_callee(const nereid_call_graph_t *graph, MlirOperation call) {
  MlirAttribute name = mlirStringAttrGet(mlirOperationGetContext(call), nereid_tt_call_get_callee(call));
  const uintptr_t *place = nereid_map_find(&graph->by_name, name.ptr);
  MlirOperation module = mlirOperationGetParentOperation(nereid_ir_function_of(call));
  size_t found = place ? *place : 0;
  while (found && !mlirOperationEqual(mlirOperationGetParentOperation(graph->functions.data[found - 1].op), module))
    found = graph->functions.data[found - 1].same_name;
  return found;
}

nereid_call_function_t *nereid_call_graph_callee(const nereid_call_graph_t *graph, MlirOperation call) {
  return &graph->functions.data[find_callee(graph, call) - 1];
}

static bool check_callee(const nereid_call_graph_t *graph, MlirOperation call, size_t found) {
  const nereid_text_t name = nereid_text_of_string(nereid_tt_call_get_callee(call));
  const nereid_call_function_t *callee = found ? &graph->functions.data[found - 1] : NULL;
  MlirLogicalResult good;
  if (!callee)
    good = nereid_tt_diagnose_call(call, "calls @%s, but the module has no tt.func of this name", name.chars);
  else if (!callee->has_body)
    good = nereid_tt_diagnose_call(call, "calls '%s', which has no body in this module", name.chars);
  else if (callee->is_kernel)
    good = nereid_tt_diagnose_call(call, "calls the kernel '%s': expected a private function, kernels are launched",
                                   name.chars);
  else
    good = nereid_tt_call_verify_callee(call, callee->op);
  return mlirLogicalResultIsSuccess(good);
}

typedef struct collection {
  nereid_call_graph_t *graph;
  size_t caller;
  nereid_status_t status;
} collection_t;

static MlirWalkResult collect_call(MlirOperation op, void *user_data) {
  collection_t *collection = user_data;
  nereid_call_graph_t *graph = collection->graph;
  graph->n_ops++;
  if (nereid_op_kind(op) != NEREID_OP_TT_CALL)
    return MlirWalkResultAdvance;
  const size_t callee = find_callee(graph, op);
  if (!check_callee(graph, op, callee))
    collection->status = NEREID_ERROR_PROGRAM;
  else if (!nereid_vector_push(graph->arena, &graph->edges, (nereid_call_edge_t){op, collection->caller, callee - 1}))
    collection->status = NEREID_ERROR_MEMORY;
  return collection->status == NEREID_OK ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static nereid_status_t add_calls(nereid_call_graph_t *graph) {
  collection_t collection = {.graph = graph, .status = NEREID_OK};
  for (; collection.caller < graph->functions.size && collection.status == NEREID_OK; ++collection.caller) {
    nereid_call_function_t *function = &graph->functions.data[collection.caller];
    function->first_call = graph->edges.size;
    mlirOperationWalk(function->op, collect_call, &collection, MlirWalkPreOrder);
    function->n_calls = graph->edges.size - function->first_call;
  }
  return collection.status;
}

/* Sorts the edges by callee, by counting. */
static bool add_callers(nereid_call_graph_t *graph) {
  graph->callers = nereid_arena_new(graph->arena, size_t, graph->edges.size);
  for (size_t e = 0; e < graph->edges.size; ++e)
    ++graph->functions.data[graph->edges.data[e].callee].n_callers;
  size_t next = 0;
  for (size_t f = 0; f < graph->functions.size; ++f) {
    nereid_call_function_t *function = &graph->functions.data[f];
    function->first_caller = next;
    next += function->n_callers;
    function->n_callers = 0;
  }
  for (size_t e = 0; graph->callers && e < graph->edges.size; ++e) {
    nereid_call_function_t *callee = &graph->functions.data[graph->edges.data[e].callee];
    graph->callers[callee->first_caller + callee->n_callers++] = e;
  }
  return graph->callers;
}

/* Marks kernels: functions without callers and without a visibility. */
static void find_kernels(nereid_call_graph_t *graph) {
  for (size_t f = 0; f < graph->functions.size; ++f) {
    nereid_call_function_t *function = &graph->functions.data[f];
    const bool is_said = !mlirAttributeIsNull(nereid_tt_func_get_sym_visibility_attr(function->op));
    function->is_kernel |= !is_said && !function->n_callers;
  }
}

/* --- order and cycles --- */

typedef enum state { UNSEEN, OPEN, DONE } state_t;

typedef struct walk {
  nereid_call_graph_t *graph;
  uint8_t *states;             /* of functions, state_t */
  size_t *next;                /* call of each function to follow */
  NEREID_VECTOR(size_t) stack; /* open functions, each called by the one before */
  size_t n_done;
} walk_t;

/* The call that the walk currently follows from `function`. */
static const nereid_call_edge_t *followed(const walk_t *walk, size_t function) {
  return nereid_call_graph_call(walk->graph, &walk->graph->functions.data[function], walk->next[function] - 1);
}

static const char *describe_call(const walk_t *walk, const nereid_call_edge_t *edge) {
  MlirStringRef caller = name_of(walk->graph->functions.data[edge->caller].op);
  MlirStringRef callee = name_of(walk->graph->functions.data[edge->callee].op);
  const char *text = nereid_arena_format(walk->graph->arena, "'%.*s' calls '%.*s' here", (int)caller.length,
                                         caller.data, (int)callee.length, callee.data);
  return text ? text : "here";
}

/* The stack from `callee` to its top is the cycle. */
static void report_cycle(const walk_t *walk, size_t callee) {
  nereid_arena_t *arena = walk->graph->arena;
  size_t first = walk->stack.size;
  while (walk->stack.data[first - 1] != callee)
    --first;
  const size_t length = walk->stack.size - first + 1;
  NereidMlirNote *notes = nereid_arena_new(arena, NereidMlirNote, length);
  for (size_t i = 0; notes && i < length; ++i) {
    const nereid_call_edge_t *edge = followed(walk, walk->stack.data[first - 1 + i]);
    notes[i] = (NereidMlirNote){mlirOperationGetLocation(edge->call), describe_call(walk, edge)};
  }
  MlirStringRef name = name_of(walk->graph->functions.data[callee].op);
  const char *message = nereid_arena_format(arena,
                                            "'tt.call' op makes '%.*s' call itself; recursion is not supported, "
                                            "expected calls without a cycle",
                                            (int)name.length, name.data);
  const nereid_call_edge_t *last = followed(walk, walk->stack.data[walk->stack.size - 1]);
  nereidMlirEmitWithNotes(MlirDiagnosticError, mlirOperationGetLocation(last->call),
                          message ? message : "recursion is not supported", notes ? (intptr_t)length : 0, notes);
}

static bool open_function(walk_t *walk, size_t function) {
  walk->states[function] = OPEN;
  return nereid_vector_push(walk->graph->arena, &walk->stack, function);
}

/* Follows all calls reachable from `root`. */
static nereid_status_t walk_from(walk_t *walk, size_t root) {
  nereid_call_graph_t *graph = walk->graph;
  if (!open_function(walk, root))
    return NEREID_ERROR_MEMORY;
  while (walk->stack.size) {
    const size_t at = walk->stack.data[walk->stack.size - 1];
    if (walk->next[at] == graph->functions.data[at].n_calls) {
      walk->states[at] = DONE;
      graph->post_order[walk->n_done++] = at;
      --walk->stack.size;
      continue;
    }
    ++walk->next[at];
    const size_t callee = followed(walk, at)->callee;
    if (walk->states[callee] == OPEN) {
      report_cycle(walk, callee);
      return NEREID_ERROR_PROGRAM;
    }
    if (walk->states[callee] == UNSEEN && !open_function(walk, callee))
      return NEREID_ERROR_MEMORY;
  }
  return NEREID_OK;
}

static nereid_status_t order(nereid_call_graph_t *graph) {
  const size_t n = graph->functions.size;
  walk_t walk = {.graph = graph,
                 .states = nereid_arena_new(graph->arena, uint8_t, n),
                 .next = nereid_arena_new(graph->arena, size_t, n)};
  graph->post_order = nereid_arena_new(graph->arena, size_t, n);
  nereid_status_t status = graph->arena->failed ? NEREID_ERROR_MEMORY : NEREID_OK;
  for (size_t f = 0; f < n && status == NEREID_OK; ++f)
    if (walk.states[f] == UNSEEN)
      status = walk_from(&walk, f);
  return status;
}

nereid_status_t nereid_call_graph_build(MlirOperation module, nereid_arena_t *arena, nereid_call_graph_t *out_graph) {
  *out_graph = (nereid_call_graph_t){.arena = arena};
  nereid_map_initialize(&out_graph->numbers, arena);
  nereid_map_initialize(&out_graph->by_name, arena);
  mlirOperationWalk(module, add_function, out_graph, MlirWalkPreOrder);
  if (arena->failed)
    return NEREID_ERROR_MEMORY;
  nereid_status_t status = add_calls(out_graph);
  if (status == NEREID_OK)
    status = add_callers(out_graph) ? order(out_graph) : NEREID_ERROR_MEMORY;
  if (status == NEREID_OK)
    find_kernels(out_graph);
  return status;
}
