/* See call_graph_dot.h.
 *
 * The number of ways through a graph may grow without end, so a function shows the places at which its frame starts,
 * each with the first way that leads there, and no more than a person reads. */
#include "analysis/call_graph_dot.h"

#include "analysis/allocation.h"
#include "analysis/axis_info.h"
#include "analysis/call_graph.h"
#include "analysis/scratch.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <stdio.h>

enum { MOST_STARTS = 16 };

/* A place where a function's frame starts, and how one comes there. */
typedef struct start {
  int64_t offset;
  const nereid_call_edge_t *edge; /* null: a kernel */
  size_t from;                    /* among the starts of the caller */
} start_t;

typedef struct function {
  start_t starts[MOST_STARTS];
  size_t n_starts;
  bool has_more;
} function_t;

typedef struct printer {
  const nereid_call_graph_t *graph;
  nereid_allocation_t allocation;
  nereid_axis_result_t axis;
  nereid_arena_t *arena;
  function_t *functions; /* by number */
  MlirStringCallback callback;
  void *user_data;
} printer_t;

/* --- frames --- */

static int64_t offset_of(MlirOperation op) {
  MlirAttribute offset = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("allocation.offset"));
  return mlirAttributeIsNull(offset) ? -1 : mlirIntegerAttrGetValueInt(offset);
}

static void add_start(function_t *function, start_t start) {
  for (size_t i = 0; i < function->n_starts; ++i)
    if (function->starts[i].offset == start.offset)
      return;
  if (function->n_starts == MOST_STARTS)
    function->has_more = true;
  else
    function->starts[function->n_starts++] = start;
}

static void find_starts(printer_t *printer) {
  const nereid_call_graph_t *graph = printer->graph;
  for (size_t i = 0; i < graph->functions.size; ++i) {
    const nereid_call_function_t *function = nereid_call_graph_callers_first(graph, i);
    function_t *facts = &printer->functions[function - graph->functions.data];
    if (function->is_kernel)
      add_start(facts, (start_t){0});
    for (size_t c = 0; c < function->n_callers; ++c) {
      const nereid_call_edge_t *edge = nereid_call_graph_caller(graph, function, c);
      const function_t *caller = &printer->functions[edge->caller];
      const int64_t offset = offset_of(edge->call);
      for (size_t s = 0; s < caller->n_starts; ++s)
        add_start(facts, (start_t){caller->starts[s].offset + (offset < 0 ? 0 : offset), edge, s});
      facts->has_more |= caller->has_more;
    }
  }
}

/* --- text --- */

static void print(const printer_t *printer, const char *text) {
  printer->callback(mlirStringRefCreateFromCString(text), printer->user_data);
}

static void print_number(const printer_t *printer, const char *before, int64_t number, const char *after) {
  char text[128];
  snprintf(text, sizeof text, "%s%lld%s", before, (long long)number, after);
  print(printer, text);
}

/* In a string of Graphviz: quotes and backslashes are escaped. */
static void print_escaped(const printer_t *printer, MlirStringRef text) {
  for (size_t i = 0; i < text.length; ++i) {
    if (text.data[i] == '"' || text.data[i] == '\\')
      print(printer, "\\");
    printer->callback(mlirStringRefCreate(text.data + i, 1), printer->user_data);
  }
}

static void print_name(const printer_t *printer, size_t function) {
  print_escaped(printer, nereid_tt_func_get_sym_name(printer->graph->functions.data[function].op));
}

/* The way to a start, from its end; depth-first would need a stack as deep as the graph. */
static void print_way(const printer_t *printer, size_t function, size_t start) {
  NEREID_VECTOR(size_t) way = {0};
  while (nereid_vector_push(printer->arena, &way, function)) {
    const start_t *at = &printer->functions[function].starts[start];
    if (!at->edge)
      break;
    function = at->edge->caller;
    start = at->from;
  }
  for (size_t i = way.size; i > 0; --i) {
    print_name(printer, way.data[i - 1]);
    print(printer, i > 1 ? " > " : "\\l");
  }
}

static int64_t frame_bytes(const printer_t *printer, size_t number) {
  return printer->allocation.frames[number].bytes;
}

static void print_starts(const printer_t *printer, size_t number) {
  const function_t *facts = &printer->functions[number];
  for (size_t s = 0; s < facts->n_starts && frame_bytes(printer, number); ++s) {
    print_number(printer, "starts at ", facts->starts[s].offset, ": ");
    print_way(printer, number, s);
  }
  if (facts->has_more && frame_bytes(printer, number))
    print(printer, "and elsewhere\\l");
}

static bool says_something(const nereid_axis_info_t *info) {
  bool says = info->has_constant;
  for (int d = 0; d < info->rank; ++d)
    says |= info->contiguity[d] || info->divisibility[d] || info->constancy[d];
  return says;
}

static void print_arguments(const printer_t *printer, MlirOperation function) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, i);
    const nereid_axis_info_t *info = nereid_axis_info_get(&printer->axis, argument);
    const char *text = info && says_something(info) ? nereid_axis_info_format(info, printer->arena) : NULL;
    MlirLocation location = mlirValueGetLocation(argument);
    if (!text)
      continue;
    if (mlirLocationIsAName(location))
      print_escaped(printer, mlirIdentifierStr(mlirLocationNameGetName(location)));
    else
      print_number(printer, "argument ", i, "");
    print(printer, ": ");
    print_escaped(printer, mlirStringRefCreateFromCString(text));
    print(printer, "\\l");
  }
}

static void print_function(const printer_t *printer, size_t number) {
  const nereid_call_function_t *function = &printer->graph->functions.data[number];
  print(printer, "  \"");
  print_name(printer, number);
  print(printer, "\" [label=\"");
  print_name(printer, number);
  print(printer, function->is_kernel ? ", kernel\\l" : "\\l");
  if (frame_bytes(printer, number))
    print_number(printer, "frame of ", frame_bytes(printer, number), " bytes\\l");
  print_starts(printer, number);
  print_arguments(printer, function->op);
  print(printer, "\"];\n");
}

static void print_edge(const printer_t *printer, const nereid_call_edge_t *edge) {
  print(printer, "  \"");
  print_name(printer, edge->caller);
  print(printer, "\" -> \"");
  print_name(printer, edge->callee);
  print(printer, "\" [label=\"");
  if (offset_of(edge->call) >= 0 && frame_bytes(printer, edge->callee))
    print_number(printer, "frame at ", offset_of(edge->call), "");
  print(printer, "\"];\n");
}

nereid_status_t nereid_call_graph_dot(MlirOperation module, nereid_arena_t *arena, MlirStringCallback callback,
                                      void *user_data) {
  nereid_call_graph_t graph;
  printer_t printer = {.graph = &graph, .arena = arena, .callback = callback, .user_data = user_data};
  nereid_status_t status = nereid_call_graph_build(module, arena, &graph);
  if (status == NEREID_OK)
    status = nereid_axis_info_run(module, arena, &printer.axis);
  if (status != NEREID_OK)
    return status;
  printer.functions = nereid_arena_new(arena, function_t, graph.functions.size);
  if (!printer.functions || !nereid_allocation_run(&graph, nereid_scratch_bytes, arena, &printer.allocation))
    return NEREID_ERROR_MEMORY;
  find_starts(&printer);
  print(&printer, "digraph calls {\n  node [shape=box, fontname=monospace];\n");
  for (size_t i = 0; i < graph.functions.size; ++i)
    if (graph.functions.data[i].has_body)
      print_function(&printer, i);
  for (size_t i = 0; i < graph.edges.size; ++i)
    print_edge(&printer, &graph.edges.data[i]);
  print(&printer, "}\n");
  return arena->failed ? NEREID_ERROR_MEMORY : NEREID_OK;
}
