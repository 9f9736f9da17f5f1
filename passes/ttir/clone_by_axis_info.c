/* nereid-clone-by-axis-info: clones functions whose calls differ in the axis information of their arguments.
 *
 *   tt.call @f(%p)    %p divisible by 16              tt.call @f(%p)
 *   tt.call @f(%q)    %q divisible by 4          ->   tt.call @f_0(%q)       tt.func private @f_0(...) { the same }
 *
 * The axis information of a called function's arguments is the meet over all its calls (axis_info.h), so one call with
 * an unaligned pointer makes accesses narrow for all calls. With one copy per kind of call, each call gets its own
 * access width; remarks and counters report the cost in functions and operations. Calls that differ only in constants
 * are of one kind, and unreachable calls have no kind. Callers are cloned before their callees, since calls in their
 * copies may differ again. */
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "passes/pass.h"

#include "analysis/axis/axis_info.h"
#include "analysis/call_graph.h"
#include "base/vector.h"
#include "nereid/dialects/tt.h"
#include "seam/context.h"

#include <mlir-c/BuiltinAttributes.h>

/* Calls of one function with the same axis information. */
typedef struct kind {
  MlirOperation call; /* the first call */
  MlirOperation function;
} kind_t;

typedef struct clone {
  nereid_pass_t *pass;
  MlirSymbolTable symbols;
  int64_t max_copies;
  nereid_map_t copies; /* function -> int64_t *, the number of copies of the original function */
  nereid_call_graph_t graph;
  nereid_axis_result_t axis;
  bool changed;
} clone_t;

static MlirWalkResult count_op(MlirOperation op, void *data) {
  (void)op;
  ++*(int64_t *)data;
  return MlirWalkResultAdvance;
}

static int64_t count_ops(MlirOperation op) {
  int64_t count = 0;
  mlirOperationWalk(op, count_op, &count, MlirWalkPreOrder);
  return count;
}

/* --- kinds of call --- */

static bool knows_same(const nereid_axis_info_t *a, const nereid_axis_info_t *b) {
  return a->rank == b->rank && a->non_negative == b->non_negative &&
         memcmp(a->contiguity, b->contiguity, a->rank) == 0 && memcmp(a->divisibility, b->divisibility, a->rank) == 0 &&
         memcmp(a->constancy, b->constancy, a->rank) == 0;
}

static bool is_of_kind(const clone_t *clone, MlirOperation call, MlirOperation other) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i) {
    const nereid_axis_info_t *a = nereid_axis_info_get(&clone->axis, mlirOperationGetOperand(call, i));
    const nereid_axis_info_t *b = nereid_axis_info_get(&clone->axis, mlirOperationGetOperand(other, i));
    if (a && b && !knows_same(a, b))
      return false;
  }
  return true;
}

/* Whether all operands of the call are reachable. */
static bool is_reached(const clone_t *clone, MlirOperation call) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i) {
    const nereid_axis_info_t *info = nereid_axis_info_get(&clone->axis, mlirOperationGetOperand(call, i));
    if (!info || !info->reached)
      return false;
  }
  return true;
}

/* --- copies --- */

/* The number of copies of a function; null when out of memory. */
static int64_t *copies_of(clone_t *clone, MlirOperation function) {
  uintptr_t *place = nereid_map_insert(&clone->copies, function.ptr);
  if (place && !*place) {
    int64_t *count = nereid_arena_new(clone->pass->scratch, int64_t, 1);
    if (count)
      *count = 1;
    *place = (uintptr_t)count;
  }
  return place ? (int64_t *)*place : NULL;
}

/* A copy of `function` under an unused name; null when out of memory. */
static MlirOperation copy_function(clone_t *clone, MlirOperation function, int64_t *copies) {
  MlirOperation copy = mlirOperationClone(function);
  mlirSymbolTableInsert(clone->symbols, copy);
  uintptr_t *place = nereid_map_insert(&clone->copies, copy.ptr);
  if (place)
    *place = (uintptr_t)copies;
  ++*copies;
  clone->changed = true;
  return copy;
}

static void call_instead(MlirOperation call, MlirOperation function) {
  MlirAttribute name = mlirFlatSymbolRefAttrGet(mlirOperationGetContext(call), nereid_tt_func_get_sym_name(function));
  nereid_ir_set_attribute(call, "callee", name);
}

/* Assigns a function to each kind of call, the existing one to the first kind; false when out of memory. */
static bool split(clone_t *clone, const nereid_call_function_t *function) {
  NEREID_VECTOR(kind_t) kinds = {0};
  int64_t *copies = copies_of(clone, function->op);
  for (size_t c = 0; copies && c < function->n_callers; ++c) {
    MlirOperation call = nereid_call_graph_caller(&clone->graph, function, c)->call;
    if (!is_reached(clone, call))
      continue;
    size_t k = 0;
    while (k < kinds.size && !is_of_kind(clone, call, kinds.data[k].call))
      ++k;
    if (k == kinds.size && k > 0 && *copies >= clone->max_copies)
      k = 0; /* over the limit: shares the first copy */
    if (k == kinds.size) {
      const kind_t kind = {call, k ? copy_function(clone, function->op, copies) : function->op};
      if (!nereid_vector_push(clone->pass->scratch, &kinds, kind))
        return false;
    }
    if (k > 0)
      call_instead(call, kinds.data[k].function);
  }
  if (kinds.size > 1) {
    MlirStringRef name = nereid_tt_func_get_sym_name(function->op);
    nereid_pass_remark_passed(clone->pass, function->op, "clone",
                              "'%.*s' is called with %zu sets of facts about its arguments; clones: %zu, of %lld "
                              "operations each",
                              (int)name.length, name.data, kinds.size, kinds.size - 1,
                              (long long)count_ops(function->op));
  }
  return copies && !clone->pass->scratch->failed;
}

/* Splits every function whose callers did not change in this round; false after a diagnostic or when out of memory. */
static bool run_round(clone_t *clone) {
  nereid_arena_t *arena = clone->pass->scratch;
  clone->changed = false;
  if (nereid_call_graph_build(clone->pass->op, arena, &clone->graph) != NEREID_OK ||
      nereid_axis_info_run(clone->pass->op, arena, &clone->axis) != NEREID_OK)
    return false;
  bool *moved = nereid_arena_new(arena, bool, clone->graph.functions.size); /* or a caller of it changed */
  for (size_t i = 0; moved && i < clone->graph.functions.size; ++i) {
    const nereid_call_function_t *function = nereid_call_graph_callers_first(&clone->graph, i);
    bool *is_moved = &moved[nereid_call_graph_number(&clone->graph, function->op)];
    for (size_t c = 0; c < function->n_callers; ++c)
      *is_moved |= moved[nereid_call_graph_caller(&clone->graph, function, c)->caller];
    const bool before = clone->changed;
    clone->changed = false;
    if (!*is_moved && !split(clone, function))
      return false;
    *is_moved |= clone->changed;
    clone->changed |= before;
  }
  return moved != NULL;
}

/* Reports the cost of copies even without remarks: the pass runs only on request. */
static void say_cost(nereid_pass_t *pass, int64_t functions_before, int64_t functions, int64_t ops_before) {
  static const char *const format = "functions: %lld, were %lld; operations: %lld, were %lld";
  const long long ops = (long long)count_ops(pass->op);
  if (nereidMlirRemarksEnabled(pass->context))
    nereid_pass_remark_passed(pass, pass->op, "clone", format, (long long)functions, (long long)functions_before, ops,
                              (long long)ops_before);
  else
    nereid_remark_at(mlirOperationGetLocation(pass->op), format, (long long)functions, (long long)functions_before, ops,
                     (long long)ops_before);
}

MlirLogicalResult nereid_pass_clone_by_axis_info(nereid_pass_t *pass) {
  clone_t clone = {.pass = pass, .max_copies = nereid_pass_option_int(pass, "max-copies")};
  if (clone.max_copies < 1) {
    mlirEmitError(mlirOperationGetLocation(pass->op), "max-copies must be at least 1");
    return mlirLogicalResultFailure();
  }
  const int64_t ops = count_ops(pass->op);
  clone.symbols = mlirSymbolTableCreate(pass->op);
  nereid_map_initialize(&clone.copies, pass->scratch);
  bool good = run_round(&clone);
  const int64_t functions = (int64_t)clone.graph.functions.size;
  while (good && clone.changed)
    good = run_round(&clone);
  mlirSymbolTableDestroy(clone.symbols);
  if (!good)
    return mlirLogicalResultFailure();
  nereid_pass_statistic_add(pass, "functions-before", functions);
  nereid_pass_statistic_add(pass, "functions-after", (int64_t)clone.graph.functions.size);
  nereid_pass_statistic_add(pass, "operations-before", ops);
  nereid_pass_statistic_add(pass, "operations-after", count_ops(pass->op));
  if ((int64_t)clone.graph.functions.size != functions)
    say_cost(pass, functions, (int64_t)clone.graph.functions.size, ops);
  return mlirLogicalResultSuccess();
}
