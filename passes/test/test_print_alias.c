/* test-print-alias: prints the shared-memory buffers that each value may alias as remarks.
 *
 *   %2 = arith.select %c, %0, %1   remark: %2 -> %0,%1
 *
 * Arguments of a loop are printed at the scf.for with their initial buffers, block arguments at the branch to the
 * block. Names are those of the printed module. For tests and for diagnosis of unexpected barriers. Does not change the
 * IR. */
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "passes/pass.h"

#include "analysis/allocation/alias.h"
#include "analysis/call_graph.h"
#include "nereid/dialects/ops.h"
#include "passes/support/loop.h"
#include "seam/ir.h"

#include <stdlib.h>
#include <string.h>

typedef struct text {
  char *chars;
  nereid_arena_t *arena;
} text_t;

typedef struct printer {
  nereid_pass_t *pass;
  MlirAsmState state;
  nereid_alias_t alias;
} printer_t;

static void append(MlirStringRef part, void *data) {
  text_t *text = data;
  text->chars = nereid_arena_format(text->arena, "%s%.*s", text->chars ? text->chars : "", (int)part.length, part.data);
}

static const char *name_of(printer_t *printer, MlirValue value) {
  text_t text = {.arena = printer->pass->scratch};
  mlirValuePrintAsOperand(value, printer->state, append, &text);
  return text.chars ? text.chars : "";
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Prints that `value` may alias what `source` may alias. */
static void print_value(printer_t *printer, MlirOperation op, MlirValue value, MlirValue source) {
  nereid_arena_t *arena = printer->pass->scratch;
  const nereid_alias_set_t set = nereid_alias_of(&printer->alias, source);
  const char **names = nereid_arena_new(arena, const char *, set.count);
  if (!set.count || !names)
    return;
  for (uint32_t i = 0; i < set.count; ++i)
    names[i] = name_of(printer, printer->alias.buffers.data[set.buffers[i]].value);
  qsort(names, set.count, sizeof *names, by_text);
  const char *list = names[0];
  for (uint32_t i = 1; list && i < set.count; ++i)
    list = nereid_arena_format(arena, "%s,%s", list, names[i]);
  if (list)
    nereid_remark_at(mlirOperationGetLocation(op), "%s -> %s", name_of(printer, value), list);
}

static void print_op(printer_t *printer, MlirOperation op) {
  if (mlirOperationGetNumSuccessors(op) > 0) {
    MlirBlock block = mlirOperationGetBlock(op);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
      print_value(printer, op, mlirBlockGetArgument(block, i), mlirBlockGetArgument(block, i));
  }
  if (nereid_op_kind(op) == NEREID_OP_SCF_FOR)
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      print_value(printer, op, nereid_loop_argument(op, i), nereid_loop_initial(op, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    print_value(printer, op, mlirOperationGetResult(op, i), mlirOperationGetResult(op, i));
}

/* Returns the aliases of the function's results, for its callers; null when out of memory. */
static nereid_alias_results_t *print_function(printer_t *printer, const nereid_map_t *results, MlirOperation function) {
  nereid_arena_t *arena = printer->pass->scratch;
  nereid_flow_graph_t graph;
  nereid_alias_results_t *own = nereid_arena_new(arena, nereid_alias_results_t, 1);
  if (!own || !nereid_flow_graph_build(function, arena, &graph) ||
      !nereid_alias_run(&graph, results, arena, &printer->alias) ||
      !nereid_alias_results(&graph, &printer->alias, arena, own))
    return NULL;
  for (size_t i = 0; i < graph.ops.size; ++i)
    print_op(printer, graph.ops.data[i]);
  return arena->failed ? NULL : own;
}

static bool print_functions(printer_t *printer, const nereid_call_graph_t *calls) {
  nereid_map_t results;
  nereid_map_initialize(&results, printer->pass->scratch);
  for (size_t i = 0; i < calls->functions.size; ++i) {
    MlirOperation function = nereid_call_graph_callees_first(calls, i)->op;
    nereid_alias_results_t *own = print_function(printer, &results, function);
    uintptr_t *place = nereid_map_insert(&results, nereid_ir_attribute(function, NEREID_ATTR_SYMBOL_NAME).ptr);
    if (!own || !place)
      return false;
    *place = (uintptr_t)own;
  }
  return true;
}

MlirLogicalResult nereid_pass_test_print_alias(nereid_pass_t *pass) {
  printer_t printer = {.pass = pass};
  nereid_call_graph_t calls;
  if (nereid_call_graph_build(pass->op, pass->scratch, &calls) != NEREID_OK)
    return mlirLogicalResultFailure();
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  printer.state = mlirAsmStateCreateForOperation(pass->op, flags);
  const bool done = print_functions(&printer, &calls);
  mlirAsmStateDestroy(printer.state);
  mlirOpPrintingFlagsDestroy(flags);
  return done ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
