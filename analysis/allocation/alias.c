/* Alias sets over a graph of values; see alias.h.
 *
 * "%y may alias the buffers of %x" is an arc %x -> %y. Values on a cycle share one set. Tarjan's algorithm
 * ("Depth-first search and linear graph algorithms", 1972), run against the arcs, finds the cycles, sources first, so
 * each set is the union of completed sets. A value with one source shares its set. */
#include "analysis/allocation/alias.h"

#include "dialects/ttg/memdesc.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

typedef struct arc {
  uint32_t source, next; /* next: the following arc into the same value + 1 */
} arc_t;

typedef struct value_state {
  uint32_t arcs;       /* first arc into the value + 1 */
  uint32_t buffer;     /* number + 1 of the buffer that the value defines */
  uint32_t index, low; /* of Tarjan's search; index 0: not visited */
  uint32_t at;         /* next arc to follow + 1 */
  bool is_open;        /* on the stack of open values */
} value_state_t;

typedef NEREID_VECTOR(uint32_t) numbers_t;

typedef struct solver {
  nereid_alias_t *alias;
  const nereid_flow_graph_t *graph;
  const nereid_map_t *results;
  NEREID_VECTOR(value_state_t) values;
  NEREID_VECTOR(arc_t) arcs;
  numbers_t path, open, members; /* stacks of the search, and the cycle that it closed */
  numbers_t merged;
  uint32_t next_index;
} solver_t;

bool nereid_alias_is_buffer(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return nereid_ttg_memdesc_type_isa(type) &&
         nereid_ttg_shared_memory_attr_isa(nereid_ttg_memdesc_type_get_memory_space(type));
}

/* --- the graph of values --- */

/* The number of `value`; assigns one at the first use. */
static uint32_t number_of(solver_t *solver, MlirValue value) {
  uintptr_t *place = nereid_map_insert(&solver->alias->numbers, value.ptr);
  if (!place || (!*place && !nereid_vector_push(solver->alias->arena, &solver->values, (value_state_t){0})))
    return 0;
  if (!*place)
    *place = solver->values.size;
  return (uint32_t)*place - 1;
}

static void flow(solver_t *solver, MlirValue from, MlirValue to) {
  if (!nereid_alias_is_buffer(from) || !nereid_alias_is_buffer(to))
    return;
  const uint32_t source = number_of(solver, from), target = number_of(solver, to);
  if (solver->alias->arena->failed || !solver->values.data)
    return;
  value_state_t *value = &solver->values.data[target];
  if (nereid_vector_push(solver->alias->arena, &solver->arcs, (arc_t){source, value->arcs}))
    value->arcs = (uint32_t)solver->arcs.size;
}

static void add_buffer(solver_t *solver, MlirValue value, MlirOperation alloc) {
  nereid_alias_t *alias = solver->alias;
  const uint32_t number = number_of(solver, value);
  if (!alias->arena->failed && solver->values.data &&
      nereid_vector_push(alias->arena, &alias->buffers, (nereid_alias_buffer_t){value, alloc}))
    solver->values.data[number].buffer = (uint32_t)alias->buffers.size;
}

static void flow_from_operands(solver_t *solver, MlirOperation op, MlirValue result) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    flow(solver, mlirOperationGetOperand(op, i), result);
}

static const nereid_alias_results_t *results_of(const solver_t *solver, MlirOperation call) {
  MlirAttribute callee = nereidMlirCallGetCallee(call);
  if (!solver->results || mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return NULL;
  MlirAttribute name = mlirStringAttrGet(mlirOperationGetContext(call), mlirFlatSymbolRefAttrGetValue(callee));
  const uintptr_t *place = nereid_map_find(solver->results, name.ptr);
  return place ? (const nereid_alias_results_t *)*place : NULL;
}

static void flow_through_call(solver_t *solver, MlirOperation call, intptr_t r) {
  const nereid_alias_results_t *known = results_of(solver, call);
  MlirValue result = mlirOperationGetResult(call, r);
  if (!known || r >= (intptr_t)known->count) {
    flow_from_operands(solver, call, result);
    return;
  }
  intptr_t first, n;
  nereidMlirCallGetArguments(call, &first, &n);
  for (uint32_t i = 0; i < known->arguments[r].count; ++i)
    if ((intptr_t)known->arguments[r].buffers[i] < n)
      flow(solver, mlirOperationGetOperand(call, first + known->arguments[r].buffers[i]), result);
}

static void visit_result(solver_t *solver, MlirOperation op, intptr_t r) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  MlirValue result = mlirOperationGetResult(op, r);
  if (!nereid_alias_is_buffer(result))
    return;
  number_of(solver, result);
  if (kind == NEREID_OP_TTG_LOCAL_ALLOC)
    add_buffer(solver, result, op);
  else if (nereid_ttg_is_memdesc_view(op))
    flow(solver, mlirOperationGetOperand(op, 0), result);
  else if (kind == NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT)
    flow(solver, mlirOperationGetOperand(op, r), result);
  else if (nereidMlirOperationIsCall(op))
    flow_through_call(solver, op, r);
  else if (!nereid_flow_graph_enters(op)) /* Its results come along edges. */
    flow_from_operands(solver, op, result);
}

static void collect(solver_t *solver) {
  const nereid_flow_graph_t *graph = solver->graph;
  if (!graph->nodes.size)
    return;
  MlirBlock entry = graph->nodes.data[0].block;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i)
    if (nereid_alias_is_buffer(mlirBlockGetArgument(entry, i)))
      add_buffer(solver, mlirBlockGetArgument(entry, i), (MlirOperation){NULL});
  for (size_t i = 0; i < graph->ops.size; ++i)
    for (intptr_t r = 0; graph->concerned[i] && r < mlirOperationGetNumResults(graph->ops.data[i]); ++r)
      visit_result(solver, graph->ops.data[i], r);
  for (size_t i = 0; i < graph->forwards.size; ++i)
    flow(solver, graph->forwards.data[i].from, graph->forwards.data[i].to);
}

/* --- unions --- */

static int by_number(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Creates a set from `merged`, sorted and without duplicates. */
static nereid_alias_set_t make_set(solver_t *solver) {
  numbers_t *merged = &solver->merged;
  if (merged->size)
    qsort(merged->data, merged->size, sizeof *merged->data, by_number);
  uint32_t *buffers = nereid_arena_new(solver->alias->arena, uint32_t, merged->size), n = 0;
  for (size_t i = 0; buffers && i < merged->size; ++i)
    if (!n || buffers[n - 1] != merged->data[i])
      buffers[n++] = merged->data[i];
  return (nereid_alias_set_t){buffers, n};
}

/* The set of the cycle `members`: of its own buffers and of the completed sets that flow in from outside. */
static void close_circle(solver_t *solver) {
  nereid_alias_t *alias = solver->alias;
  const nereid_alias_set_t *only = NULL; /* the only set that flows in so far */
  bool shares = true;
  solver->merged.size = 0;
  for (size_t m = 0; m < solver->members.size; ++m) {
    const value_state_t *value = &solver->values.data[solver->members.data[m]];
    if (value->buffer) {
      shares = false;
      nereid_vector_push(alias->arena, &solver->merged, value->buffer - 1);
    }
    for (uint32_t a = value->arcs; a; a = solver->arcs.data[a - 1].next) {
      const nereid_alias_set_t *set = &alias->sets[solver->arcs.data[a - 1].source];
      if (!set->count || (only && set->buffers == only->buffers))
        continue;
      shares = shares && !only;
      only = set;
      for (uint32_t i = 0; i < set->count; ++i)
        nereid_vector_push(alias->arena, &solver->merged, set->buffers[i]);
    }
  }
  const nereid_alias_set_t set = shares && only ? *only : make_set(solver);
  for (size_t m = 0; m < solver->members.size; ++m)
    alias->sets[solver->members.data[m]] = set;
}

/* --- cycles --- */

static void enter(solver_t *solver, uint32_t number) {
  value_state_t *value = &solver->values.data[number];
  value->index = value->low = ++solver->next_index;
  value->at = value->arcs;
  value->is_open = true;
  nereid_vector_push(solver->alias->arena, &solver->path, number);
  nereid_vector_push(solver->alias->arena, &solver->open, number);
}

static void leave(solver_t *solver, uint32_t number) {
  value_state_t *value = &solver->values.data[number];
  solver->path.size--;
  if (solver->path.size) {
    value_state_t *parent = &solver->values.data[solver->path.data[solver->path.size - 1]];
    parent->low = value->low < parent->low ? value->low : parent->low;
  }
  if (value->low != value->index)
    return;
  uint32_t member;
  solver->members.size = 0;
  do {
    member = solver->open.data[--solver->open.size];
    solver->values.data[member].is_open = false;
    nereid_vector_push(solver->alias->arena, &solver->members, member);
  } while (member != number);
  close_circle(solver);
}

static void search(solver_t *solver, uint32_t start) {
  if (!solver->values.data[start].index)
    enter(solver, start);
  while (solver->path.size && !solver->alias->arena->failed) {
    const uint32_t number = solver->path.data[solver->path.size - 1];
    value_state_t *value = &solver->values.data[number];
    if (!value->at) {
      leave(solver, number);
      continue;
    }
    const arc_t *arc = &solver->arcs.data[value->at - 1];
    value->at = arc->next;
    const value_state_t *source = &solver->values.data[arc->source];
    if (!source->index)
      enter(solver, arc->source);
    else if (source->is_open && source->index < value->low)
      value->low = source->index;
  }
}

bool nereid_alias_run(const nereid_flow_graph_t *graph, const nereid_map_t *results, nereid_arena_t *arena,
                      nereid_alias_t *out) {
  *out = (nereid_alias_t){.arena = arena};
  nereid_map_initialize(&out->numbers, arena);
  solver_t solver = {.alias = out, .graph = graph, .results = results};
  collect(&solver);
  out->n_values = (uint32_t)solver.values.size;
  out->sets = nereid_arena_new(arena, nereid_alias_set_t, solver.values.size);
  for (uint32_t i = 0; !arena->failed && i < solver.values.size; ++i)
    search(&solver, i);
  return !arena->failed;
}

/* --- queries --- */

uint32_t nereid_alias_number(const nereid_alias_t *alias, MlirValue value) {
  const uintptr_t *number = nereid_map_find(&alias->numbers, value.ptr);
  return number ? (uint32_t)(*number - 1) : NEREID_FLOW_NONE;
}

nereid_alias_set_t nereid_alias_of(const nereid_alias_t *alias, MlirValue value) {
  const uint32_t number = nereid_alias_number(alias, value);
  return number == NEREID_FLOW_NONE ? (nereid_alias_set_t){NULL, 0} : alias->sets[number];
}

/* Adds the arguments that `value` may alias to `merged`. */
static void add_arguments(const nereid_alias_t *alias, MlirValue value, solver_t *solver) {
  const nereid_alias_set_t set = nereid_alias_of(alias, value);
  for (uint32_t i = 0; i < set.count; ++i) {
    const nereid_alias_buffer_t *buffer = &alias->buffers.data[set.buffers[i]];
    if (mlirOperationIsNull(buffer->alloc))
      nereid_vector_push(solver->alias->arena, &solver->merged, (uint32_t)mlirBlockArgumentGetArgNumber(buffer->value));
  }
}

bool nereid_alias_results(const nereid_flow_graph_t *graph, const nereid_alias_t *alias, nereid_arena_t *arena,
                          nereid_alias_results_t *out) {
  nereid_alias_t made = {.arena = arena};
  solver_t solver = {.alias = &made, .graph = graph};
  NEREID_VECTOR(MlirOperation) returns = {0};
  for (size_t i = 0; i < graph->nodes.size; ++i) {
    MlirOperation last = graph->ops.data[graph->nodes.data[i].end - 1];
    if (nereid_op_kind(last) == NEREID_OP_TT_RETURN)
      nereid_vector_push(arena, &returns, last);
  }
  *out = (nereid_alias_results_t){0};
  if (!returns.size)
    return !arena->failed;
  out->count = (uint32_t)mlirOperationGetNumOperands(returns.data[0]);
  out->arguments = nereid_arena_new(arena, nereid_alias_set_t, out->count);
  for (uint32_t r = 0; !arena->failed && r < out->count; ++r) {
    solver.merged.size = 0;
    for (size_t i = 0; i < returns.size; ++i)
      add_arguments(alias, mlirOperationGetOperand(returns.data[i], r), &solver);
    out->arguments[r] = make_set(&solver);
  }
  return !arena->failed;
}
