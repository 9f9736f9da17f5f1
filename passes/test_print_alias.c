/* test-print-alias: prints which buffers each value of shared memory may be, as remarks on the operations.
 *
 *   %2 = arith.select %c, %0, %1   remark: %2 -> %0,%1
 *
 * A loop's arguments are printed at the scf.for with the buffers that they start as, the arguments of a block at the
 * branch that ends it. Names are those of the printed module. For tests, and for people who wonder why two accesses
 * wait for each other. Changes nothing. */
#include "passes/pass.h"

#include "analysis/alias.h"
#include "nereid/dialects/ops.h"
#include "seam/context.h"
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

/* That `value` may be what `source` may be. */
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
    nereidMlirEmitRemark(mlirOperationGetLocation(op), "%s -> %s", name_of(printer, value), list);
}

static void print_op(printer_t *printer, MlirOperation op) {
  enum { BOUNDS = 3 };
  if (mlirOperationGetNumSuccessors(op) > 0) {
    MlirBlock block = mlirOperationGetBlock(op);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
      print_value(printer, op, mlirBlockGetArgument(block, i), mlirBlockGetArgument(block, i));
  }
  if (nereid_op_kind(op) == NEREID_OP_SCF_FOR) {
    MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
    for (intptr_t i = BOUNDS; i < mlirOperationGetNumOperands(op); ++i)
      print_value(printer, op, mlirBlockGetArgument(body, i - BOUNDS + 1), mlirOperationGetOperand(op, i));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    print_value(printer, op, mlirOperationGetResult(op, i), mlirOperationGetResult(op, i));
}

static bool print_function(printer_t *printer, MlirOperation function) {
  nereid_flow_graph_t graph;
  if (!nereid_flow_graph_build(function, printer->pass->scratch, &graph) ||
      !nereid_alias_run(&graph, NULL, printer->pass->scratch, &printer->alias))
    return false;
  for (size_t i = 0; i < graph.ops.size; ++i)
    print_op(printer, graph.ops.data[i]);
  return !printer->pass->scratch->failed;
}

MlirLogicalResult nereid_pass_test_print_alias(nereid_pass_t *pass) {
  printer_t printer = {.pass = pass};
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  printer.state = mlirAsmStateCreateForOperation(pass->op, flags);
  bool done = true;
  MlirBlock body = mlirModuleGetBody(mlirModuleFromOperation(pass->op));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); done && !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_op_kind(op) == NEREID_OP_TT_FUNC)
      done = print_function(&printer, op);
  mlirAsmStateDestroy(printer.state);
  mlirOpPrintingFlagsDestroy(flags);
  return done ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
