/* The sparse fixed point of axis information.
 *
 *   scf.for iter_args(%p = %base)         first visit:  %p takes %base's facts (nothing came from the yield yet)
 *     %q = tt.addptr %p, %c64             divisibility [16] again
 *     scf.yield %q                        second visit: %p meets %q's facts, nothing changes, done
 *
 * Operations are visited in program order, callers in front of callees; when what is known of a value gets less its
 * users are visited again. A value that nothing reached yet holds everything up that reads it, which makes the start
 * optimistic. Calls are edges like others: operands flow to the callee's arguments, what it returns to the results. */
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
  bool waits; /* to be visited again */
} entry_t;

/* What is known of a value, and the entry that says more of it. */
typedef struct place {
  nereid_axis_info_t fact; /* comes first: results are handed out as such */
  uint32_t entry;          /* 1 + index of the op whose result it is; 0: an argument, or not visited yet */
  bool is_read;            /* a user was visited; until then none needs to be again */
} place_t;

typedef struct solver {
  nereid_arena_t *arena;
  nereid_map_t *infos;              /* MlirValue.ptr -> place_t *, as its fact */
  nereid_map_t ends;                /* MlirOperation.ptr -> 1 + index of an op without results */
  const nereid_call_graph_t *graph; /* null: of one function, of whose calls nothing is known */
  NEREID_VECTOR(entry_t) entries;   /* visited at least once, in that order */
  NEREID_VECTOR(uint32_t) again;    /* indexes of those to visit again */
} solver_t;

/* --- facts --- */

/* The place of `value`, its fact unreached when it was not there; null when memory is out. */
static place_t *place_of(solver_t *s, MlirValue value) {
  uintptr_t *place = nereid_map_insert(s->infos, value.ptr);
  if (place && !*place) {
    place_t *made = nereid_arena_new(s->arena, place_t, 1);
    if (!made)
      return NULL;
    made->fact = nereid_axis_unknown(mlirValueGetType(value));
    made->fact.reached = false;
    *place = (uintptr_t)made;
  }
  return place ? (place_t *)*place : NULL;
}

/* For who uses it: is visited again when it changes. */
static const nereid_axis_info_t *read_fact(solver_t *s, MlirValue value) {
  place_t *place = place_of(s, value);
  if (place)
    place->is_read = true;
  return place ? &place->fact : NULL;
}

/* 1 + the index of the entry of `op`; 0 when nothing follows from its operands, or it was not visited yet. */
static size_t entry_of(const solver_t *s, MlirOperation op) {
  const bool has_results = mlirOperationGetNumResults(op) > 0;
  const nereid_map_t *map = has_results ? s->infos : &s->ends;
  const uintptr_t *found = nereid_map_find(map, has_results ? mlirOperationGetResult(op, 0).ptr : op.ptr);
  return !found ? 0 : has_results ? ((const place_t *)*found)->entry : *found;
}

static void enqueue(solver_t *s, MlirOperation op) {
  const size_t entry = entry_of(s, op);
  if (!entry || s->entries.data[entry - 1].waits)
    return;
  s->entries.data[entry - 1].waits = nereid_vector_push(s->arena, &s->again, (uint32_t)(entry - 1));
}

/* Meets `fact` into what is known of `value`; its users look again when that got less. */
static void lower(solver_t *s, MlirValue value, const nereid_axis_info_t *fact) {
  place_t *known = place_of(s, value);
  if (!known || !nereid_axis_meet(&known->fact, fact) || !known->is_read)
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
    const nereid_axis_info_t *fact = read_fact(s, operands[i]);
    if (fact)
      lower(s, inputs[i], fact);
  }
}

/* The numbers from the lower bound in steps: what divides both divides all of them. */
static void flow_induction_variable(solver_t *s, MlirOperation loop) {
  MlirValue variable = mlirBlockGetArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)), 0);
  const nereid_axis_info_t *start = read_fact(s, nereid_scf_for_get_lower_bound(loop));
  const nereid_axis_info_t *step = read_fact(s, nereid_scf_for_get_step(loop));
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
      const nereid_axis_info_t *fact = read_fact(s, mlirOperationGetOperand(branch, first + j));
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
          i < mlirOperationGetNumOperands(op) ? read_fact(s, mlirOperationGetOperand(op, i)) : NULL;
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

static void raise_to_hints(nereid_axis_info_t *fact, MlirOperation op) {
  if (mlirOperationGetNumDiscardableAttributes(op) > 0)
    nereid_axis_raise(fact, hint_of_op, &op);
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
    operands[i] = read_fact(s, mlirOperationGetOperand(entry->op, i));
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
  nereid_axis_call_t call = {entry->op, entry->kind, mlirOperationGetNumOperands(entry->op), operands, 0};
  const intptr_t n = mlirOperationGetNumResults(entry->op);
  nereid_axis_rule_t rule = call.n <= MAX_OPERANDS ? rule_of(entry) : NULL;
  if (n == 0 || entry->kind == NEREID_OP_UB_POISON || (rule && !gather(s, entry, operands, call.n)))
    return;
  for (; call.result < n; call.result++) {
    MlirValue result = mlirOperationGetResult(entry->op, call.result);
    nereid_axis_info_t fact = nereid_axis_unknown(mlirValueGetType(result));
    if (rule && fact.rank)
      rule(&call, &fact);
    raise_to_hints(&fact, entry->op);
    lower(s, result, &fact);
  }
}

/* --- calls --- */

static void flow_call(solver_t *s, MlirOperation call) {
  const nereid_call_function_t *callee = nereid_call_graph_callee(s->graph, call);
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(callee->op, 0));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
    const nereid_axis_info_t *fact = read_fact(s, mlirOperationGetOperand(call, i));
    if (fact)
      lower(s, mlirBlockGetArgument(entry, i), fact);
  }
}

static void flow_return(solver_t *s, MlirOperation op) {
  const size_t number = nereid_call_graph_number(s->graph, mlirOperationGetParentOperation(op));
  const nereid_call_function_t *function = &s->graph->functions.data[number];
  for (size_t c = 0; c < function->n_callers; c++) {
    MlirOperation call = nereid_call_graph_caller(s->graph, function, c)->call;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
      const nereid_axis_info_t *returned = read_fact(s, mlirOperationGetOperand(op, i));
      if (!returned)
        return;
      nereid_axis_info_t fact = *returned;
      raise_to_hints(&fact, call);
      lower(s, mlirOperationGetResult(call, i), &fact);
    }
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

/* Makes entry `index` known to those that look for it by its operation. */
static void register_entry(solver_t *s, MlirOperation op, uint32_t index) {
  const intptr_t n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; i++) {
    place_t *place = place_of(s, mlirOperationGetResult(op, i));
    if (place)
      place->entry = index + 1;
  }
  uintptr_t *end = n == 0 ? nereid_map_insert(&s->ends, op.ptr) : NULL;
  if (end)
    *end = index + 1;
}

static void visit(solver_t *s, const entry_t *entry) {
  MlirOperation op = entry->op;
  const bool has_regions = mlirOperationGetNumRegions(op) > 0;
  if (entry->kind == NEREID_OP_TTG_WARP_SPECIALIZE)
    flow_captures(s, op);
  if (entry->kind == NEREID_OP_SCF_FOR)
    flow_induction_variable(s, op);
  if (has_regions && !arguments_are_covered(entry->kind))
    flow_foreign_arguments(s, op);
  if (entry->kind == NEREID_OP_TT_CALL && s->graph)
    flow_call(s, op);
  else if (entry->kind == NEREID_OP_TT_RETURN && s->graph)
    flow_return(s, op);
  else if (mlirOperationGetNumSuccessors(op) > 0)
    flow_branch(s, op);
  else if (!has_regions && !mlirOperationIsNull(mlirOperationGetNextInBlock(op)))
    visit_results(s, entry); /* neither around nor at the end of a region */
  else if (!nereidMlirRegionBranchWalkEdges(op, flow_region_edge, s))
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

/* Whether facts flow through an op without results: to other blocks, regions, functions. */
static bool passes_on(MlirOperation op) {
  return mlirOperationGetNumRegions(op) > 0 || mlirOperationIsNull(mlirOperationGetNextInBlock(op)) ||
         nereid_op_kind(op) == NEREID_OP_TT_CALL;
}

/* What is to be visited again goes before what was never visited: a loop is done, while it is at hand, before what
 * follows it. */
static MlirWalkResult visit_first(MlirOperation op, void *data) {
  solver_t *s = data;
  if (mlirOperationGetNumResults(op) == 0 && !passes_on(op))
    return MlirWalkResultAdvance;
  const entry_t entry = {op, nereid_op_kind(op), false};
  if (!nereid_vector_push(s->arena, &s->entries, entry))
    return MlirWalkResultInterrupt;
  register_entry(s, op, (uint32_t)(s->entries.size - 1));
  visit(s, &entry);
  for (size_t i = 0; i < s->again.size && !s->arena->failed; i++) {
    entry_t *again = &s->entries.data[s->again.data[i]];
    again->waits = false;
    visit(s, again);
  }
  s->again.size = 0;
  return s->arena->failed ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void analyse(solver_t *s, MlirOperation function, bool is_called) {
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
  solver_t solver = {.arena = arena, .infos = &out_result->infos};
  nereid_map_initialize(&solver.ends, arena);
  nereid_call_graph_t graph;
  if (nereid_op_kind(root) == NEREID_OP_TT_FUNC) {
    analyse(&solver, root, false);
  } else {
    nereid_status_t status = nereid_call_graph_build(root, arena, &graph);
    if (status != NEREID_OK)
      return status;
    solver.graph = &graph;
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
