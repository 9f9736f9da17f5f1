/* See call_graph_dot.h.
 *
 * The number of call paths can be exponential, so a function lists the offsets at which its frame starts, each with the
 * first path to it, up to a limit. */
#include "analysis/call_graph_dot.h"

#include "dialects/ir.h"

#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "analysis/axis/axis_info.h"
#include "analysis/call_graph.h"
#include "analysis/membar/membar.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <stdio.h>

enum { MAX_STARTS = 16 };

/* A start offset of a function's frame, and a path to it. */
typedef struct start {
  int64_t offset;
  const nereid_call_edge_t *edge; /* null: a kernel */
  size_t from;                    /* among the starts of the caller */
} start_t;

typedef struct function {
  start_t starts[MAX_STARTS];
  size_t n_starts;
  bool has_more;
} function_t;

typedef struct printer {
  const nereid_call_graph_t *graph;
  nereid_allocation_t allocation;
  nereid_axis_result_t axis;
  nereid_membar_t membar;
  nereid_arena_t *arena;
  function_t *functions; /* indexed by number */
  MlirStringCallback callback;
  void *user_data;
} printer_t;

/* --- frames --- */

static int64_t offset_of(MlirOperation op) {
  return nereid_ir_allocation_offset(op, -1);
}

static void add_start(function_t *function, start_t start) {
  for (size_t i = 0; i < function->n_starts; ++i)
    if (function->starts[i].offset == start.offset)
      return;
  if (function->n_starts == MAX_STARTS)
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

/* Prints the path to a start, from its end; recursion would need a stack as deep as the graph. */
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

static void print_argument_name(const printer_t *printer, size_t function, intptr_t i) {
  MlirRegion body = mlirOperationGetRegion(printer->graph->functions.data[function].op, 0);
  MlirLocation location = mlirValueGetLocation(mlirBlockGetArgument(mlirRegionGetFirstBlock(body), i));
  if (mlirLocationIsAName(location))
    print_escaped(printer, mlirIdentifierStr(mlirLocationNameGetName(location)));
  else
    print_number(printer, "argument ", i, "");
}

/* --- pending accesses --- */

enum { MAX_INTERVALS = 6, SPACE_BITS = 40 };

static void print_interval(const printer_t *printer, size_t function, bool writes, int64_t first, int64_t end) {
  const int64_t space = first >> SPACE_BITS, base = NEREID_SHARED_SPACE(space);
  print(printer, writes ? "writes " : "reads ");
  if (space)
    print_argument_name(printer, function, (intptr_t)space - 1);
  print_number(printer, space ? " [" : "[", first - base, ", ");
  print_number(printer, "", end - base, ")");
}

/* Prints the reads, or the writes, of a set as disjoint intervals. */
static size_t print_kind(const printer_t *printer, size_t function, const nereid_access_set_t *set, bool writes,
                         size_t printed) {
  int64_t first = -1, end = -1;
  for (size_t i = 0; i <= set->size; ++i) {
    const nereid_shared_access_t *access = i < set->size ? &set->data[i] : NULL;
    if (access && (access->kind != NEREID_SHARED_READ) != writes)
      continue;
    if (access && first >= 0 && access->first <= end) {
      end = access->end > end ? access->end : end;
      continue;
    }
    if (first >= 0 && printed <= MAX_INTERVALS) {
      print(printer, printed ? ", " : ": ");
      if (printed == MAX_INTERVALS)
        print(printer, "more");
      else
        print_interval(printer, function, writes, first, end);
      ++printed;
    }
    first = access ? access->first : -1;
    end = access ? access->end : -1;
  }
  return printed;
}

static void print_accesses(const printer_t *printer, size_t function, const char *when,
                           const nereid_access_set_t *set) {
  if (!set->size)
    return;
  print(printer, when);
  const size_t printed = print_kind(printer, function, set, true, 0);
  print_kind(printer, function, set, false, printed);
  print(printer, "\\l");
}

static void print_summary(const printer_t *printer, size_t function) {
  const nereid_membar_summary_t *summary = &printer->membar.functions[function].summary;
  print_accesses(printer, function, "before its first barrier", &summary->entry);
  print_accesses(printer, function, "after its last barrier", &summary->exit.pending);
  if (summary->entry.size && summary->exit.open)
    print(printer, "some path through it has no barrier\\l");
}

/* --- arguments --- */

static bool says_something(const nereid_axis_info_t *info) {
  bool has_facts = info->has_constant;
  for (int d = 0; d < info->rank; ++d)
    has_facts |= info->contiguity[d] || info->divisibility[d] || info->constancy[d];
  return has_facts;
}

static void print_arguments(const printer_t *printer, size_t function) {
  MlirOperation op = printer->graph->functions.data[function].op;
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, i);
    const nereid_axis_info_t *info = nereid_axis_info_get(&printer->axis, argument);
    const char *text = info && says_something(info) ? nereid_axis_info_format(info, printer->arena) : NULL;
    if (!text)
      continue;
    print_argument_name(printer, function, i);
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
  print_summary(printer, number);
  print_arguments(printer, number);
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
  if (!printer.functions || !nereid_allocation_run(&graph, nereid_scratch_bytes, arena, &printer.allocation) ||
      !nereid_membar_analyze(&graph, (nereid_membar_options_t){.mode = NEREID_MEMBAR_BARRIERS}, arena, &printer.membar))
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
