/* test-liveness: prints the live shared-memory buffers at each operation as remarks.
 *
 *   %1 = ttg.local_alloc            remark: live: %0,%1
 *   tt.call @f(%0)                  remark: live: %0,%1,frame
 *
 * Names are those of the printed module; "frame" is the frame of a call that stays live after the call. Operations
 * without live buffers have no remark. For tests. Does not change the IR. */
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "passes/pass.h"

#include "analysis/allocation/liveness.h"
#include "analysis/call_graph.h"

#include "mlir-c/BuiltinAttributes.h"

typedef struct printer {
  nereid_arena_t *arena;
  MlirAsmState state;
  nereid_map_t results, ends; /* of functions, by name */
  nereid_flow_graph_t graph;
  nereid_alias_t alias;
  nereid_liveness_t liveness;
  const char *line;
} printer_t;

static void append(MlirStringRef part, void *data) {
  printer_t *printer = data;
  printer->line =
      nereid_arena_format(printer->arena, "%s%.*s", printer->line ? printer->line : "", (int)part.length, part.data);
}

static bool lives_at(const nereid_live_t *live, uint32_t time) {
  for (uint32_t r = 0; r < live->count; ++r)
    if (live->ranges[r].first <= time && time <= live->ranges[r].last)
      return true;
  return false;
}

static void add_name(printer_t *printer, MlirValue value) {
  if (printer->line)
    append(mlirStringRefCreateFromCString(","), printer);
  mlirValuePrintAsOperand(value, printer->state, append, printer);
}

/* Prints buffers by number, then "frame" once per call whose frame stays live. */
static void print_op(printer_t *printer, uint32_t position) {
  const uint32_t time = nereid_liveness_time(&printer->liveness, position);
  printer->line = NULL;
  for (uint32_t b = 0; b < printer->alias.buffers.size; ++b)
    if (lives_at(&printer->liveness.buffers[b], time))
      add_name(printer, printer->alias.buffers.data[b].value);
  for (uint32_t p = 0; printer->liveness.calls.size && p < printer->graph.ops.size; ++p) {
    const uintptr_t *frame = nereid_map_find(&printer->liveness.calls, printer->graph.ops.data[p].ptr);
    if (frame && lives_at((const nereid_live_t *)*frame, time))
      append(mlirStringRefCreateFromCString(printer->line ? ",frame" : "frame"), printer);
  }
  if (printer->line)
    nereid_remark_at(mlirOperationGetLocation(printer->graph.ops.data[position]), "live: %s", printer->line);
}

static bool print_function(printer_t *printer, const nereid_call_function_t *called) {
  MlirOperation function = called->op;
  nereid_arena_t *arena = printer->arena;
  MlirAttribute name = nereid_ir_attribute(function, NEREID_ATTR_SYMBOL_NAME);
  nereid_alias_results_t *results = nereid_arena_new(arena, nereid_alias_results_t, 1);
  nereid_liveness_end_t *end = nereid_arena_new(arena, nereid_liveness_end_t, 1);
  uintptr_t *place_of_results = nereid_map_insert(&printer->results, name.ptr);
  uintptr_t *place_of_end = nereid_map_insert(&printer->ends, name.ptr);
  if (!results || !end || !place_of_results || !place_of_end ||
      !nereid_flow_graph_build(function, arena, &printer->graph) ||
      !nereid_alias_run(&printer->graph, &printer->results, arena, &printer->alias) ||
      !nereid_alias_results(&printer->graph, &printer->alias, arena, results) ||
      !nereid_liveness_run(&printer->graph, &printer->alias, called->n_callers > 0, &printer->ends, arena,
                           &printer->liveness))
    return false;
  *end = printer->liveness.end;
  *place_of_results = (uintptr_t)results;
  *place_of_end = (uintptr_t)end;
  for (uint32_t p = 0; p < printer->graph.ops.size; ++p)
    print_op(printer, p);
  return !arena->failed;
}

MlirLogicalResult nereid_pass_test_liveness(nereid_pass_t *pass) {
  printer_t printer = {.arena = pass->scratch};
  nereid_call_graph_t calls;
  if (nereid_call_graph_build(pass->op, pass->scratch, &calls) != NEREID_OK)
    return mlirLogicalResultFailure();
  nereid_map_initialize(&printer.results, pass->scratch);
  nereid_map_initialize(&printer.ends, pass->scratch);
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  printer.state = mlirAsmStateCreateForOperation(pass->op, flags);
  bool done = true;
  for (size_t i = 0; done && i < calls.functions.size; ++i)
    done = print_function(&printer, nereid_call_graph_callees_first(&calls, i));
  mlirAsmStateDestroy(printer.state);
  mlirOpPrintingFlagsDestroy(flags);
  return done ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
