/* Propagates marks on buffers up and down the call graph; see membar_outer.h. */
#include "analysis/membar/membar_outer.h"

#include "nereid/dialects/ops.h"

static size_t arguments_of(const nereid_membar_function_t *function) {
  return (size_t)mlirBlockGetNumArguments(function->graph.nodes.data[0].block);
}

static bool allocate(nereid_membar_t *membar, nereid_membar_function_t *function) {
  for (int g = 0; g < NEREID_ASYNC_GROUPS; ++g) {
    function->starts[g] = nereid_arena_new(membar->arena, bool, function->alias.buffers.size);
    function->context.outer_in_flight[g] = nereid_arena_new(membar->arena, bool, arguments_of(function));
  }
  return !membar->arena->failed;
}

static void mark(const nereid_membar_function_t *function, MlirValue value, bool *buffers) {
  const nereid_alias_set_t set = nereid_alias_of(&function->alias, value);
  for (uint32_t i = 0; i < set.count; ++i)
    buffers[set.buffers[i]] = true;
}

typedef struct survey {
  nereid_membar_t *membar;
  nereid_membar_function_t *function;
} survey_t;

static MlirWalkResult survey_op(MlirOperation op, void *data) {
  survey_t *survey = data;
  const nereid_async_group_t group = nereid_membar_starts(op);
  survey->membar->specializes |= nereid_op_kind(op) == NEREID_OP_TTG_WARP_SPECIALIZE;
  survey->membar->uses_async_proxy |= nereid_membar_uses_async_proxy(op);
  for (intptr_t i = 0; group < NEREID_ASYNC_GROUPS && i < mlirOperationGetNumOperands(op); ++i)
    if (nereid_alias_is_buffer(mlirOperationGetOperand(op, i)))
      mark(survey->function, mlirOperationGetOperand(op, i), survey->function->starts[group]);
  return MlirWalkResultAdvance;
}

/* The buffer of argument number `argument`; NEREID_FLOW_NONE when the argument is not a buffer. */
static uint32_t buffer_of(const nereid_membar_function_t *function, intptr_t argument) {
  MlirValue value = mlirBlockGetArgument(function->graph.nodes.data[0].block, argument);
  for (uint32_t i = 0; i < function->alias.buffers.size && i < arguments_of(function); ++i)
    if (mlirValueEqual(function->alias.buffers.data[i].value, value))
      return i;
  return NEREID_FLOW_NONE;
}

bool nereid_membar_survey(nereid_membar_t *membar, size_t number) {
  nereid_membar_function_t *function = &membar->functions[number];
  const nereid_call_function_t *called = &membar->calls->functions.data[number];
  if (!function->has_body)
    return true;
  if (!allocate(membar, function))
    return false;
  mlirOperationWalk(called->op, survey_op, &(survey_t){membar, function}, MlirWalkPreOrder);
  for (size_t i = 0; i < called->n_calls; ++i) {
    const nereid_call_edge_t *edge = nereid_call_graph_call(membar->calls, called, i);
    const nereid_membar_function_t *callee = &membar->functions[edge->callee];
    for (intptr_t k = 0; callee->has_body && k < mlirOperationGetNumOperands(edge->call); ++k) {
      const uint32_t buffer = buffer_of(callee, k);
      for (int g = 0; buffer != NEREID_FLOW_NONE && g < NEREID_ASYNC_GROUPS; ++g)
        if (callee->starts[g][buffer])
          mark(function, mlirOperationGetOperand(edge->call, k), function->starts[g]);
    }
  }
  return true;
}

/* Whether the caller may have operations of group `g` in flight on `value`. */
static bool is_in_flight(const nereid_membar_function_t *caller, int g, MlirValue value) {
  const nereid_alias_set_t set = nereid_alias_of(&caller->alias, value);
  for (uint32_t i = 0; i < set.count; ++i) {
    const nereid_alias_buffer_t *buffer = &caller->alias.buffers.data[set.buffers[i]];
    if (caller->starts[g][set.buffers[i]] ||
        (mlirOperationIsNull(buffer->alloc) &&
         caller->context.outer_in_flight[g][mlirBlockArgumentGetArgNumber(buffer->value)]))
      return true;
  }
  return false;
}

bool nereid_membar_find_outer(nereid_membar_t *membar, size_t number) {
  nereid_membar_function_t *function = &membar->functions[number];
  const nereid_call_function_t *called = &membar->calls->functions.data[number];
  for (size_t i = 0; function->has_body && i < called->n_callers; ++i) {
    const nereid_call_edge_t *edge = nereid_call_graph_caller(membar->calls, called, i);
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(edge->call); ++k)
      for (int g = 0; nereid_alias_is_buffer(mlirOperationGetOperand(edge->call, k)) && g < NEREID_ASYNC_GROUPS; ++g)
        function->context.outer_in_flight[g][k] |=
            is_in_flight(&membar->functions[edge->caller], g, mlirOperationGetOperand(edge->call, k));
  }
  return true;
}
