/* What must hold of calls before functions are lowered: each goes to a private function of the module with a body, and
 * none leads back to its caller. A frame of shared memory and a GPU's stack allow no recursion.
 *
 *   tt.func private @f() { tt.call @g() … }    tt.func private @g() { tt.call @f() … }
 *   ->
 *   error: 'tt.call' op makes 'f' call itself        note: 'f' calls 'g' here        note: 'g' calls 'f' here
 *
 * A depth-first walk over the call graph with a stack of its own: chains of calls may be thousands long. */
#include "conversion/ttg_to_llvm/function.h"

#include "base/vector.h"
#include "seam/context.h"

typedef NEREID_VECTOR(MlirOperation) operations_t;

typedef enum state { UNSEEN, OPEN, DONE } state_t;

/* A function and where the walk is in it. */
typedef struct node {
  MlirOperation function;
  operations_t calls;
  size_t next; /* call to follow */
  state_t state;
} node_t;

typedef struct graph {
  nereid_arena_t *arena;
  NEREID_VECTOR(node_t) nodes;
  nereid_map_t by_name;        /* StringAttr -> 1 + index into nodes */
  NEREID_VECTOR(size_t) stack; /* open nodes, each called by the one before */
} graph_t;

static MlirAttribute attribute_of(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name));
}

static MlirStringRef name_of(MlirOperation function) {
  return mlirStringAttrGetValue(attribute_of(function, "sym_name"));
}

bool nereid_lower_is_kernel(MlirOperation function) {
  MlirAttribute visibility = attribute_of(function, "sym_visibility");
  return mlirAttributeIsNull(visibility) ||
         !mlirStringRefEqual(mlirStringAttrGetValue(visibility), mlirStringRefCreateFromCString("private"));
}

static MlirWalkResult collect_call(MlirOperation op, void *data) {
  graph_t *graph = data;
  node_t *node = &graph->nodes.data[graph->nodes.size - 1];
  if (nereid_op_kind(op) == NEREID_OP_TT_CALL && !nereid_vector_push(graph->arena, &node->calls, op))
    return MlirWalkResultInterrupt;
  return MlirWalkResultAdvance;
}

static bool add_function(graph_t *graph, MlirOperation function) {
  if (!nereid_vector_push(graph->arena, &graph->nodes, (node_t){.function = function}))
    return false;
  uintptr_t *place = nereid_map_insert(&graph->by_name, attribute_of(function, "sym_name").ptr);
  if (!place)
    return false;
  *place = graph->nodes.size;
  mlirOperationWalk(function, collect_call, graph, MlirWalkPreOrder);
  return !graph->arena->failed;
}

static bool report_cycle(graph_t *graph, size_t callee) {
  size_t first = graph->stack.size;
  while (graph->stack.data[first - 1] != callee)
    --first;
  const size_t length = graph->stack.size - first + 1;
  NereidMlirNote *notes = nereid_arena_new(graph->arena, NereidMlirNote, length);
  MlirStringRef name = name_of(graph->nodes.data[callee].function);
  const char *message = nereid_arena_format(graph->arena,
                                            "'tt.call' op makes '%.*s' call itself; recursion is not "
                                            "supported, expected calls without a cycle",
                                            (int)name.length, name.data);
  for (size_t i = 0; notes && i < length; ++i) {
    const node_t *from = &graph->nodes.data[graph->stack.data[first - 1 + i]];
    const size_t to = i + 1 < length ? graph->stack.data[first + i] : callee;
    MlirStringRef caller = name_of(from->function), called = name_of(graph->nodes.data[to].function);
    const char *text = nereid_arena_format(graph->arena, "'%.*s' calls '%.*s' here", (int)caller.length, caller.data,
                                           (int)called.length, called.data);
    notes[i] = (NereidMlirNote){mlirOperationGetLocation(from->calls.data[from->next - 1]), text ? text : "here"};
  }
  const node_t *last = &graph->nodes.data[graph->stack.data[graph->stack.size - 1]];
  nereidMlirEmitWithNotes(MlirDiagnosticError, mlirOperationGetLocation(last->calls.data[last->next - 1]),
                          message ? message : "recursion is not supported", notes ? (intptr_t)length : 0, notes);
  return false;
}

/* The node that `call` goes to; false after a diagnostic. */
static bool find_callee(graph_t *graph, MlirOperation call, size_t *out) {
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(attribute_of(call, "callee"));
  MlirContext context = mlirOperationGetContext(call);
  const uintptr_t *place = nereid_map_find(&graph->by_name, mlirStringAttrGet(context, name).ptr);
  if (!place ||
      mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(graph->nodes.data[*place - 1].function, 0))))
    return nereid_lower_error(call, "calls '%.*s', which has no body in this module", (int)name.length, name.data);
  if (nereid_lower_is_kernel(graph->nodes.data[*place - 1].function))
    return nereid_lower_error(call, "calls the kernel '%.*s': expected a private function, kernels are launched",
                              (int)name.length, name.data);
  *out = *place - 1;
  return true;
}

/* Follows all calls that can be reached from `root`. */
static bool walk_from(graph_t *graph, size_t root) {
  graph->nodes.data[root].state = OPEN;
  if (!nereid_vector_push(graph->arena, &graph->stack, root))
    return false;
  while (graph->stack.size) {
    node_t *node = &graph->nodes.data[graph->stack.data[graph->stack.size - 1]];
    size_t callee = 0;
    if (node->next == node->calls.size) {
      node->state = DONE;
      --graph->stack.size;
      continue;
    }
    if (!find_callee(graph, node->calls.data[node->next++], &callee))
      return false;
    if (graph->nodes.data[callee].state == OPEN)
      return report_cycle(graph, callee);
    if (graph->nodes.data[callee].state == DONE)
      continue;
    graph->nodes.data[callee].state = OPEN;
    if (!nereid_vector_push(graph->arena, &graph->stack, callee))
      return false;
  }
  return true;
}

bool nereid_lower_check_calls(MlirOperation module, nereid_arena_t *arena) {
  graph_t graph = {.arena = arena};
  nereid_map_initialize(&graph.by_name, arena);
  MlirBlock body = mlirModuleGetBody(mlirModuleFromOperation(module));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_op_kind(op) == NEREID_OP_TT_FUNC && !add_function(&graph, op))
      return false;
  for (size_t i = 0; i < graph.nodes.size; ++i)
    if (graph.nodes.data[i].state == UNSEEN && !walk_from(&graph, i))
      return false;
  return true;
}
