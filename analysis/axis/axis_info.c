/* The sparse fixed point of axis information.
 *
 *   scf.for iter_args(%p = %base)         first visit:  %p takes %base's facts (the yield is unreached)
 *     %q = tt.addptr %p, %c64             divisibility [16] again
 *     scf.yield %q                        second visit: %p meets %q's facts, nothing changes, done
 *
 * Operations are visited in program order, callers before callees; when the fact of a value is lowered, its users are
 * visited again. An operation with an unreached operand is postponed, which makes the start optimistic. Calls are
 * edges: operands flow to the callee's arguments, returned values to the results. */
#include "analysis/axis/axis_info.h"

#include "analysis/axis/axis_rules.h"
#include "analysis/axis/axis_solver.h"
#include "seam/context.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

/* --- operations --- */

static bool is_elementwise(MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  nereid_view_t view = nereid_view_of(name.data, name.length);
  return (nereid_view_starts_with(view, nereid_view("arith.")) ||
          nereid_view_starts_with(view, nereid_view("math."))) &&
         nereidMlirOperationHasTrait(op, NereidMlirTraitElementwise);
}

static bool is_conversion(const nereid_axis_entry_t *entry) {
  return entry->kind == NEREID_OP_UNKNOWN && mlirOperationGetNumOperands(entry->op) == 1 &&
         mlirOperationGetNumResults(entry->op) == 1 &&
         mlirIdentifierEqual(mlirOperationGetName(entry->op),
                             mlirIdentifierGet(mlirOperationGetContext(entry->op),
                                               mlirStringRefCreateFromCString("builtin.unrealized_conversion_cast")));
}

/* A conversion to another type that keeps the fact, for a conversion back. */
static void rule_conversion(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  const nereid_axis_info_t *source = call->operands[0];
  const bool is_same = source->rank == out->rank && source->width == out->width && source->unit == out->unit &&
                       memcmp(source->size, out->size, out->rank) == 0;
  MlirType type = mlirValueGetType(mlirOperationGetResult(call->op, 0));
  if (is_same || !nereid_axis_is_numeric(type))
    *out = *source;
}

static nereid_axis_rule_t rule_of(const nereid_axis_entry_t *entry) {
  static nereid_axis_rule_t (*const families[])(nereid_op_kind_t) = {nereid_axis_rule_arith, nereid_axis_rule_bits,
                                                                     nereid_axis_rule_choice, nereid_axis_rule_tensor};
  nereid_axis_rule_t rule = NULL;
  for (size_t i = 0; !rule && i < sizeof families / sizeof *families; i++)
    rule = families[i](entry->kind);
  if (!rule && is_conversion(entry))
    return rule_conversion;
  return !rule && is_elementwise(entry->op) ? nereid_axis_elementwise : rule;
}

/* The effect of an unreached operand, which may be poison, on the result. */
typedef enum role {
  NEEDED, /* the result is unreached */
  CHOICE, /* some elements come from the other operands */
  FILLER, /* some elements come from elsewhere */
} role_t;

static role_t role_of(nereid_op_kind_t kind, intptr_t operand) {
  switch (kind) {
  case NEREID_OP_ARITH_SELECT:
    return operand > 0 ? CHOICE : NEEDED;
  case NEREID_OP_TT_JOIN:
  case NEREID_OP_TT_CAT:
    return CHOICE;
  case NEREID_OP_TT_LOAD:
    return operand > 1 ? FILLER : NEEDED;
  default:
    return NEEDED;
  }
}

/* Reads operands; false while the result is unreached. */
static bool gather(nereid_axis_solver_t *s, const nereid_axis_entry_t *entry, const nereid_axis_info_t **operands,
                   intptr_t n) {
  bool any_choice = false, has_choices = false, all_needed = true;
  for (intptr_t i = 0; i < n; i++) {
    const role_t role = role_of(entry->kind, i);
    operands[i] = nereid_axis_read(s, mlirOperationGetOperand(entry->op, i));
    if (!operands[i])
      return false;
    has_choices |= role == CHOICE;
    any_choice |= role == CHOICE && operands[i]->reached;
    all_needed &= role != NEEDED || operands[i]->reached;
  }
  return all_needed && any_choice == has_choices;
}

static void visit_results(nereid_axis_solver_t *s, const nereid_axis_entry_t *entry) {
  enum { MAX_OPERANDS = 16 };
  const nereid_axis_info_t *operands[MAX_OPERANDS];
  nereid_axis_call_t call = {entry->op, entry->kind, mlirOperationGetNumOperands(entry->op), operands, 0};
  const intptr_t n = mlirOperationGetNumResults(entry->op);
  nereid_axis_rule_t rule = call.n <= MAX_OPERANDS ? rule_of(entry) : NULL;
  const bool asks = rule && rule != nereid_axis_nothing;
  if (n == 0 || entry->kind == NEREID_OP_UB_POISON || (asks && !gather(s, entry, operands, call.n)))
    return;
  for (; call.result < n; call.result++) {
    MlirValue result = mlirOperationGetResult(entry->op, call.result);
    nereid_axis_info_t fact = nereid_axis_unknown(mlirValueGetType(result));
    if (asks && fact.rank)
      rule(&call, &fact);
    nereid_axis_lower(s, result, &fact);
  }
}

static void visit(nereid_axis_solver_t *s, const nereid_axis_entry_t *entry) {
  if (!nereid_axis_flow(s, entry))
    visit_results(s, entry);
}

/* --- functions --- */

typedef struct argument {
  MlirOperation function;
  intptr_t index;
} argument_t;

static MlirAttribute hint_of_argument(const void *data, MlirStringRef name) {
  const argument_t *argument = data;
  return nereidMlirFunctionGetArgAttr(argument->function, argument->index, name);
}

static void seed_from_attributes(nereid_axis_solver_t *s, MlirOperation op) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
    argument_t argument = {op, i};
    nereid_axis_info_t fact = nereid_axis_unknown(mlirValueGetType(mlirBlockGetArgument(entry, i)));
    nereid_axis_raise(&fact, hint_of_argument, &argument);
    nereid_axis_lower(s, mlirBlockGetArgument(entry, i), &fact);
  }
}

/* Remarks that hints on a called function's arguments are ignored. */
static void remark_ignored_hints(MlirOperation op) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  if (!nereidMlirRemarksEnabled(mlirOperationGetContext(op)))
    return;
  static const char *const names[] = {"tt.divisibility", "tt.contiguity", "tt.constancy"};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++)
    for (int n = 0; n < 3; n++)
      if (!mlirAttributeIsNull(nereidMlirFunctionGetArgAttr(op, i, mlirStringRefCreateFromCString(names[n]))))
        nereidMlirOptimizationRemark(NereidMlirRemarkAnalysis, mlirOperationGetLocation(op), "axis-info", names[n],
                                     "ignored on a called function: its calls determine its arguments");
}

/* Facts about the arguments of a called function come from its calls only. */
static void seed(nereid_axis_solver_t *s, MlirOperation function, bool is_called) {
  if (is_called)
    remark_ignored_hints(function);
  else
    seed_from_attributes(s, function);
}

/* Whether facts flow through an op without results: to other blocks, regions, functions. */
static bool passes_on(MlirOperation op) {
  return mlirOperationGetNumRegions(op) > 0 || mlirOperationIsNull(mlirOperationGetNextInBlock(op)) ||
         nereid_op_kind(op) == NEREID_OP_TT_CALL;
}

/* Repeated visits come before first visits: a loop is finished before the code after it. */
static MlirWalkResult visit_first(MlirOperation op, void *data) {
  nereid_axis_solver_t *s = data;
  if (mlirOperationGetNumResults(op) == 0 && !passes_on(op))
    return MlirWalkResultAdvance;
  const nereid_axis_entry_t entry = {op, nereid_op_kind(op), false};
  if (!nereid_axis_enter(s, &entry))
    return MlirWalkResultInterrupt;
  visit(s, &entry);
  for (size_t i = 0; i < s->again.size && !s->arena->failed; i++) {
    nereid_axis_entry_t *again = &s->entries.data[s->again.data[i]];
    again->waits = false;
    visit(s, again);
  }
  s->again.size = 0;
  return s->arena->failed ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void analyse(nereid_axis_solver_t *s, MlirOperation function, bool is_called) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  if (mlirBlockIsNull(body))
    return;
  seed(s, function, is_called);
  for (MlirBlock block = body; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      mlirOperationWalk(op, visit_first, s, MlirWalkPreOrder);
}

nereid_status_t nereid_axis_info_run(MlirOperation root, nereid_arena_t *arena, nereid_axis_result_t *out_result) {
  nereid_map_initialize(&out_result->infos, arena);
  nereid_axis_solver_t solver = {.arena = arena, .infos = &out_result->infos};
  nereid_map_initialize(&solver.ends, arena);
  nereid_call_graph_t graph;
  if (nereid_op_kind(root) == NEREID_OP_TT_FUNC) {
    analyse(&solver, root, false);
  } else {
    nereid_status_t status = nereid_call_graph_build(root, arena, &graph);
    if (status != NEREID_OK)
      return status;
    solver.graph = &graph;
    if (!nereid_map_reserve(solver.infos, graph.n_ops))
      return NEREID_ERROR_MEMORY;
    for (size_t i = 0; i < graph.functions.size; i++) {
      const nereid_call_function_t *function = nereid_call_graph_callers_first(&graph, i);
      analyse(&solver, function->op, function->n_callers > 0);
    }
  }
  return arena->failed ? NEREID_ERROR_MEMORY : NEREID_OK;
}

const nereid_axis_info_t *nereid_axis_info_get(const nereid_axis_result_t *result, MlirValue value) {
  const uintptr_t *place = nereid_map_find(&result->infos, value.ptr);
  return place ? (const nereid_axis_info_t *)*place : NULL;
}

int64_t nereid_axis_info_access_width(const nereid_axis_result_t *result, const nereid_layout_t *layout,
                                      MlirValue pointer, MlirValue mask) {
  const nereid_axis_info_t *pointers = nereid_axis_info_get(result, pointer);
  const nereid_axis_info_t *masks = mlirValueIsNull(mask) ? NULL : nereid_axis_info_get(result, mask);
  int64_t best = 1;
  for (int d = 0; pointers && d < layout->rank; ++d) {
    int64_t width = nereid_layout_contiguity(layout, d), run = nereid_axis_info_aligned_run(pointers, d);
    width = run < width ? run : width;
    if (!mlirValueIsNull(mask)) {
      const int64_t together = masks ? nereid_axis_info_constancy(masks, d) : 1;
      width = together < width ? together : width;
    }
    best = width > best ? width : best;
  }
  return best;
}
