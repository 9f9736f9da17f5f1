/* The sparse fixed point of axis information.
 *
 *   scf.for iter_args(%p = %base)         first visit:  %p takes %base's facts (nothing came from the yield yet)
 *     %q = tt.addptr %p, %c64             divisibility [16] again
 *     scf.yield %q                        second visit: %p meets %q's facts, nothing changes, done
 *
 * Operations wait in a queue in program order; when what is known of a value gets less its users enter again. A value
 * that nothing reached yet holds everything up that reads it, which makes the start optimistic. Functions follow their
 * callers. */
#include "analysis/axis_info.h"

#include "analysis/axis_rules.h"
#include "analysis/call_graph.h"
#include "base/vector.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/tt.h"
#include "seam/context.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

typedef struct entry {
  MlirOperation op;
  nereid_op_kind_t kind;
  bool queued;
} entry_t;

typedef struct solver {
  nereid_arena_t *arena;
  nereid_map_t *infos;            /* MlirValue.ptr -> nereid_axis_info_t * */
  nereid_map_t indexes;           /* MlirOperation.ptr -> 1 + index into entries */
  NEREID_VECTOR(entry_t) entries; /* of the function at hand */
  size_t *ring;                   /* queue of entry indexes, entries.size of them: none is in it twice */
  size_t head, queued;
} solver_t;

/* --- facts --- */

/* The place of `value`'s fact, made unreached when it was not there; null when memory is out. */
static nereid_axis_info_t *fact_of(solver_t *s, MlirValue value) {
  uintptr_t *place = nereid_map_insert(s->infos, value.ptr);
  if (!place)
    return NULL;
  if (!*place) {
    nereid_axis_info_t *fact = nereid_arena_new(s->arena, nereid_axis_info_t, 1);
    if (!fact)
      return NULL;
    *fact = nereid_axis_unknown(mlirValueGetType(value));
    fact->reached = false;
    *place = (uintptr_t)fact;
  }
  return (nereid_axis_info_t *)*place;
}

static void enqueue(solver_t *s, MlirOperation op) {
  uintptr_t *index = nereid_map_find(&s->indexes, op.ptr);
  if (!index || s->entries.data[*index - 1].queued)
    return;
  s->entries.data[*index - 1].queued = true;
  s->ring[(s->head + s->queued++) % s->entries.size] = *index - 1;
}

/* Meets `fact` into what is known of `value`; its users look again when that got less. */
static void lower(solver_t *s, MlirValue value, const nereid_axis_info_t *fact) {
  nereid_axis_info_t *known = fact_of(s, value);
  if (!known || !nereid_axis_meet(known, fact))
    return;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    enqueue(s, mlirOpOperandGetOwner(use));
}

static void lower_to_unknown(solver_t *s, MlirValue value) {
  nereid_axis_info_t unknown = nereid_axis_unknown(mlirValueGetType(value));
  lower(s, value, &unknown);
}

/* --- control flow --- */

static void flow_region_edge(MlirRegion region, intptr_t n, const MlirValue *operands, const MlirValue *inputs,
                             void *data) {
  (void)region;
  solver_t *s = data;
  for (intptr_t i = 0; i < n; i++) {
    const nereid_axis_info_t *fact = fact_of(s, operands[i]);
    if (fact)
      lower(s, inputs[i], fact);
  }
}

/* The numbers from the lower bound in steps: what divides both divides all of them. */
static void flow_induction_variable(solver_t *s, MlirOperation loop) {
  MlirValue variable = mlirBlockGetArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)), 0);
  const nereid_axis_info_t *start = fact_of(s, nereid_scf_for_get_lower_bound(loop));
  const nereid_axis_info_t *step = fact_of(s, nereid_scf_for_get_step(loop));
  if (!start || !step || !start->reached || !step->reached)
    return;
  nereid_axis_info_t fact = nereid_axis_unknown(mlirValueGetType(variable));
  uint8_t a = start->divisibility[0], b = step->divisibility[0];
  fact.divisibility[0] = a < b ? a : b;
  fact.non_negative = start->non_negative; /* a step is positive */
  lower(s, variable, &fact);
}

static void flow_branch(solver_t *s, MlirOperation branch) {
  for (intptr_t i = 0; i < mlirOperationGetNumSuccessors(branch); i++) {
    MlirBlock block = mlirOperationGetSuccessor(branch, i);
    intptr_t produced, first, n;
    if (!nereidMlirBranchGetSuccessorOperands(branch, i, &produced, &first, &n)) {
      produced = mlirBlockGetNumArguments(block);
      n = 0;
    }
    for (intptr_t j = 0; j < produced; j++)
      lower_to_unknown(s, mlirBlockGetArgument(block, j));
    for (intptr_t j = 0; j < n; j++) {
      const nereid_axis_info_t *fact = fact_of(s, mlirOperationGetOperand(branch, first + j));
      if (fact)
        lower(s, mlirBlockGetArgument(block, produced + j), fact);
    }
  }
}

/* Captures become the arguments of every partition, which are the regions of the operation in the second region. */
static void flow_captures(solver_t *s, MlirOperation op) {
  MlirBlock holder = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1));
  MlirOperation partitions = mlirBlockGetTerminator(holder);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(partitions); r++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(partitions, r));
    for (intptr_t i = 0; !mlirBlockIsNull(block) && i < mlirBlockGetNumArguments(block); i++) {
      const nereid_axis_info_t *fact =
          i < mlirOperationGetNumOperands(op) ? fact_of(s, mlirOperationGetOperand(op, i)) : NULL;
      if (fact)
        lower(s, mlirBlockGetArgument(block, i), fact);
    }
  }
}

/* Arguments that no edge above reaches: combine regions, parallel loops, anything foreign. */
static void flow_foreign_arguments(solver_t *s, MlirOperation op) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    for (intptr_t i = 0; !mlirBlockIsNull(block) && i < mlirBlockGetNumArguments(block); i++)
      lower_to_unknown(s, mlirBlockGetArgument(block, i));
  }
}

/* --- operations --- */

static MlirAttribute hint_of_op(const void *data, MlirStringRef name) {
  const MlirOperation *op = data;
  return mlirOperationGetDiscardableAttributeByName(*op, name);
}

static bool is_elementwise(MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  nereid_view_t view = nereid_view_of(name.data, name.length);
  return (nereid_view_starts_with(view, nereid_view("arith.")) ||
          nereid_view_starts_with(view, nereid_view("math."))) &&
         nereidMlirOperationHasTrait(op, NereidMlirTraitElementwise);
}

static nereid_axis_rule_t rule_of(const entry_t *entry) {
  nereid_axis_rule_t rule = nereid_axis_rule_arith(entry->kind);
  if (!rule)
    rule = nereid_axis_rule_tensor(entry->kind);
  return !rule && is_elementwise(entry->op) ? nereid_axis_elementwise : rule;
}

/* Reads operands; false when one that the rule needs was not reached yet. */
static bool gather(solver_t *s, const entry_t *entry, const nereid_axis_info_t **operands, intptr_t n) {
  int reached_choices = 0;
  for (intptr_t i = 0; i < n; i++) {
    operands[i] = fact_of(s, mlirOperationGetOperand(entry->op, i));
    if (!operands[i])
      return false;
    if (entry->kind == NEREID_OP_ARITH_SELECT && i > 0)
      reached_choices += operands[i]->reached;
    else if (!operands[i]->reached)
      return false;
  }
  return entry->kind != NEREID_OP_ARITH_SELECT || reached_choices > 0;
}

static void visit_results(solver_t *s, const entry_t *entry) {
  enum { MAX_OPERANDS = 16 };
  const nereid_axis_info_t *operands[MAX_OPERANDS];
  nereid_axis_call_t call = {entry->op, entry->kind, mlirOperationGetNumOperands(entry->op), operands};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(entry->op); i++)
    fact_of(s, mlirOperationGetResult(entry->op, i));
  if (entry->kind == NEREID_OP_UB_POISON)
    return;
  nereid_axis_rule_t rule = call.n <= MAX_OPERANDS ? rule_of(entry) : NULL;
  if (rule && !gather(s, entry, operands, call.n))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(entry->op); i++) {
    MlirValue result = mlirOperationGetResult(entry->op, i);
    nereid_axis_info_t fact = nereid_axis_unknown(mlirValueGetType(result));
    if (rule && fact.rank)
      rule(&call, &fact);
    nereid_axis_raise(&fact, hint_of_op, &entry->op);
    lower(s, result, &fact);
  }
}

/* Whether the edges of a region branch, and the two special cases here, reach all arguments of its regions. */
static bool arguments_are_covered(nereid_op_kind_t kind) {
  switch (kind) {
  case NEREID_OP_SCF_FOR:
  case NEREID_OP_SCF_IF:
  case NEREID_OP_SCF_WHILE:
  case NEREID_OP_SCF_EXECUTE_REGION:
  case NEREID_OP_SCF_INDEX_SWITCH:
  case NEREID_OP_TTG_WARP_SPECIALIZE:
  case NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS:
    return true;
  default:
    return false;
  }
}

static void visit(solver_t *s, const entry_t *entry) {
  MlirOperation op = entry->op;
  if (entry->kind == NEREID_OP_TTG_WARP_SPECIALIZE)
    flow_captures(s, op);
  if (entry->kind == NEREID_OP_SCF_FOR)
    flow_induction_variable(s, op);
  if (mlirOperationGetNumRegions(op) > 0 && !arguments_are_covered(entry->kind))
    flow_foreign_arguments(s, op);
  if (nereidMlirRegionBranchWalkEdges(op, flow_region_edge, s))
    return;
  if (mlirOperationGetNumSuccessors(op) > 0)
    flow_branch(s, op);
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

static void seed_from_attributes(solver_t *s, MlirOperation op) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
    argument_t argument = {op, i};
    nereid_axis_info_t fact = nereid_axis_unknown(mlirValueGetType(mlirBlockGetArgument(entry, i)));
    nereid_axis_raise(&fact, hint_of_argument, &argument);
    lower(s, mlirBlockGetArgument(entry, i), &fact);
  }
}

/* Says that hints on a called function's arguments were not used. */
static void remark_ignored_hints(MlirOperation op) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  if (!nereidMlirRemarksEnabled(mlirOperationGetContext(op)))
    return;
  static const char *const names[] = {"tt.divisibility", "tt.contiguity", "tt.constancy"};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++)
    for (int n = 0; n < 3; n++)
      if (!mlirAttributeIsNull(nereidMlirFunctionGetArgAttr(op, i, mlirStringRefCreateFromCString(names[n]))))
        nereidMlirOptimizationRemark(NereidMlirRemarkAnalysis, mlirOperationGetLocation(op), "axis-info", names[n],
                                     "ignored on a called function: its calls say what its arguments are");
}

/* A function that is called has its calls only. */
static void seed(solver_t *s, MlirOperation function, bool is_called) {
  if (is_called)
    remark_ignored_hints(function);
  else
    seed_from_attributes(s, function);
}

static MlirWalkResult collect_op(MlirOperation op, void *data) {
  solver_t *s = data;
  uintptr_t *index = nereid_map_insert(&s->indexes, op.ptr);
  if (!index || !nereid_vector_push(s->arena, &s->entries, (entry_t){op, nereid_op_kind(op), false}))
    return MlirWalkResultInterrupt;
  *index = s->entries.size;
  return MlirWalkResultAdvance;
}

/* Hands what is known of the arguments of calls in `function` to the functions that they go to. */
static void flow_calls(solver_t *s, const nereid_call_graph_t *graph, const nereid_call_function_t *function) {
  for (size_t c = 0; c < function->n_calls; c++) {
    const nereid_call_edge_t *edge = nereid_call_graph_call(graph, function, c);
    MlirOperation callee = graph->functions.data[edge->callee].op;
    MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(callee, 0));
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
      const nereid_axis_info_t *fact = fact_of(s, mlirOperationGetOperand(edge->call, i));
      nereid_axis_info_t *known = fact_of(s, mlirBlockGetArgument(entry, i));
      if (fact && known)
        nereid_axis_meet(known, fact);
    }
  }
}

static void analyse(solver_t *s, MlirOperation function, bool is_called) {
  s->entries.size = 0;
  nereid_map_initialize(&s->indexes, s->arena);
  mlirOperationWalk(function, collect_op, s, MlirWalkPreOrder);
  s->ring = nereid_arena_new(s->arena, size_t, s->entries.size);
  s->head = s->queued = 0;
  if (s->arena->failed)
    return;
  /* Entry 0 is the function itself. */
  for (size_t i = 1; i < s->entries.size; i++)
    enqueue(s, s->entries.data[i].op);
  seed(s, function, is_called);
  while (s->queued > 0 && !s->arena->failed) {
    entry_t *entry = &s->entries.data[s->ring[s->head]];
    s->head = (s->head + 1) % s->entries.size;
    s->queued--;
    entry->queued = false;
    visit(s, entry);
  }
}

static nereid_status_t analyse_module(solver_t *s, MlirOperation module) {
  nereid_call_graph_t graph;
  nereid_status_t status = nereid_call_graph_build(module, s->arena, &graph);
  for (size_t i = 0; status == NEREID_OK && i < graph.functions.size; i++) {
    const nereid_call_function_t *function = nereid_call_graph_callers_first(&graph, i);
    if (!function->has_body)
      continue;
    analyse(s, function->op, function->n_callers > 0);
    flow_calls(s, &graph, function);
  }
  return status;
}

nereid_status_t nereid_axis_info_run(MlirOperation root, nereid_arena_t *arena, nereid_axis_result_t *out_result) {
  nereid_map_initialize(&out_result->infos, arena);
  solver_t solver = {.arena = arena, .infos = &out_result->infos};
  nereid_status_t status = NEREID_OK;
  if (nereid_op_kind(root) == NEREID_OP_TT_FUNC)
    analyse(&solver, root, false);
  else
    status = analyse_module(&solver, root);
  return status == NEREID_OK && arena->failed ? NEREID_ERROR_MEMORY : status;
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
