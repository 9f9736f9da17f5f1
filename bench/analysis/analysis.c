/* Measures the processor time and memory of each analysis on modules of module.c, and their growth.
 *
 *   analysis [--ops SMALL,...,LARGE] [--functions N] [--growth LIMIT] [--seconds LIMIT] [--only NAME]
 *
 * Prints one line per analysis: milliseconds for each op count of one function, and the MiB of its arena at the
 * largest; the growth from the first to the last count, relative to linear (1: exactly linear); milliseconds for a
 * chain and a fan of N functions. Times are processor times, the best of seven, and start with cold caches, so that
 * they measure size rather than cache capacity. Several small functions are measured together, with the op count of
 * the largest in total. Other load on the memory bus affects the results. Defaults: 10000,30000,100000 ops, 1000
 * functions, growth at most 1.3, 1 second. Exit status 1, with "over" at each analysis that exceeds a limit; 2 if
 * something cannot run. */
#include "analysis/allocation/allocation.h"
#include "analysis/allocation/liveness.h"
#include "analysis/allocation/scratch.h"
#include "analysis/axis/axis_info.h"
#include "analysis/call_graph.h"
#include "analysis/membar/membar.h"
#include "module.h"
#include "passes/pass.h"
#include "seam/context.h"

#include "nereid/dialects/ops.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/Pass.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { RUNS = 7, MAX_SIZES = 8, MAX_COPIES = 64 };

/* --- the analyses --- */

static MlirWalkResult count_op(MlirOperation op, void *data) {
  (void)op;
  ++*(size_t *)data;
  return MlirWalkResultAdvance;
}

static bool run_walk(MlirOperation module, nereid_arena_t *arena) {
  size_t *ops = nereid_arena_new(arena, size_t, 1);
  if (ops)
    mlirOperationWalk(module, count_op, ops, MlirWalkPreOrder);
  return ops != NULL;
}

static bool run_call_graph(MlirOperation module, nereid_arena_t *arena) {
  nereid_call_graph_t graph;
  return nereid_call_graph_build(module, arena, &graph) == NEREID_OK;
}

static bool run_axis_info(MlirOperation module, nereid_arena_t *arena) {
  nereid_axis_result_t result;
  return nereid_axis_info_run(module, arena, &result) == NEREID_OK;
}

/* Analyzes every function without callee information: `liveness` with alias, or alias alone. */
static bool run_functions(MlirOperation module, bool liveness, nereid_arena_t *arena) {
  nereid_call_graph_t calls;
  if (nereid_call_graph_build(module, arena, &calls) != NEREID_OK)
    return false;
  for (size_t i = 0; i < calls.functions.size; ++i) {
    const nereid_call_function_t *function = nereid_call_graph_callees_first(&calls, i);
    nereid_flow_graph_t graph;
    nereid_alias_t alias;
    nereid_liveness_t live;
    if (!nereid_flow_graph_build(function->op, arena, &graph) || !nereid_alias_run(&graph, NULL, arena, &alias))
      return false;
    if (liveness && !nereid_liveness_run(&graph, &alias, function->n_callers > 0, NULL, arena, &live))
      return false;
  }
  return true;
}

static bool run_alias(MlirOperation module, nereid_arena_t *arena) {
  return run_functions(module, false, arena);
}

static bool run_liveness(MlirOperation module, nereid_arena_t *arena) {
  return run_functions(module, true, arena);
}

static bool run_allocation(MlirOperation module, nereid_arena_t *arena) {
  nereid_call_graph_t calls;
  nereid_allocation_t allocation;
  return nereid_call_graph_build(module, arena, &calls) == NEREID_OK &&
         nereid_allocation_run(&calls, nereid_scratch_bytes, arena, &allocation);
}

static bool run_membar(MlirOperation module, nereid_arena_t *arena) {
  nereid_call_graph_t calls;
  return nereid_call_graph_build(module, arena, &calls) == NEREID_OK &&
         nereid_membar_run(&calls, (nereid_membar_options_t){.mode = NEREID_MEMBAR_BARRIERS}, arena);
}

typedef struct analysis {
  const char *name;
  bool (*run)(MlirOperation module, nereid_arena_t *arena);
  bool cf;            /* runs on cf blocks, else on scf */
  const char *before; /* passes to run first; null: none */
  bool changes;       /* modifies the module */
  bool compares;      /* not an analysis: a memory-bound reference, without limits */
} analysis_t;

static const analysis_t analyses[] = {
    {"bare walk", run_walk, false, NULL, false, true},
    {"call graph", run_call_graph, false, NULL, false, false},
    {"axis info", run_axis_info, false, NULL, false, false},
    {"axis of cf", run_axis_info, true, NULL, false, false},
    {"alias", run_alias, false, NULL, false, false},           /* including the call graph */
    {"liveness", run_liveness, false, NULL, false, false},     /* including alias */
    {"allocation", run_allocation, false, NULL, false, false}, /* including liveness */
    {"membar", run_membar, true, "allocate-shared-memory", true, false},
};
enum { ANALYSES = sizeof analyses / sizeof *analyses };

/* --- measuring --- */

typedef struct settings {
  size_t sizes[MAX_SIZES], n_sizes, functions;
  double growth, seconds; /* limits */
  const char *only;       /* the analysis to measure; null: all */
} settings_t;

static bool is_wanted(const settings_t *settings, int a) {
  return !settings->only || strcmp(settings->only, analyses[a].name) == 0;
}

typedef struct cost {
  double seconds;
  double mebibytes; /* size of the arena */
} cost_t;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void print_text(MlirStringRef text, void *data) {
  fwrite(text.data, 1, text.length, data);
}

static MlirLogicalResult print_diagnostic(MlirDiagnostic diagnostic, void *data) {
  (void)data;
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError) {
    mlirDiagnosticPrint(diagnostic, print_text, stderr);
    fputc('\n', stderr);
  }
  return mlirLogicalResultSuccess();
}

static bool run_passes(MlirModule module, const char *text) {
  MlirPassManager manager = mlirPassManagerCreate(mlirModuleGetContext(module));
  MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  bool good = mlirLogicalResultIsSuccess(
      mlirOpPassManagerAddPipeline(passes, mlirStringRefCreateFromCString(text), print_text, stderr));
  good = good && mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module)));
  mlirPassManagerDestroy(manager);
  return good;
}

/* Evicts the module from the caches; otherwise a small module would run several times as fast as a large one. */
static void empty_caches(void) {
  static volatile char other[64 << 20];
  for (size_t i = 0; i < sizeof other; i += 64)
    other[i]++;
}

/* Allocators return scattered blocks after many frees, so modules are parsed again instead of cloned. */
static MlirModule make_module(MlirContext context, const analysis_t *analysis, const char *text) {
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  if (!mlirModuleIsNull(module) && analysis->before && !run_passes(module, analysis->before)) {
    mlirModuleDestroy(module);
    module.ptr = NULL;
  }
  return module;
}

/* Modules with the same text. Small modules are measured in many copies, so that each measurement takes as much time
 * and memory as the largest one: preemption, caches and page faults affect all alike. */
typedef struct batch {
  MlirModule modules[MAX_COPIES];
  nereid_arena_t arenas[MAX_COPIES]; /* kept until all runs are done */
  size_t count;
} batch_t;

static void destroy_batch(batch_t *batch) {
  for (size_t i = 0; i < batch->count; ++i)
    if (!mlirModuleIsNull(batch->modules[i]))
      mlirModuleDestroy(batch->modules[i]);
}

static bool make_batch(MlirContext context, const analysis_t *analysis, const char *text, batch_t *batch) {
  bool good = true;
  for (size_t i = 0; i < batch->count; ++i) {
    batch->modules[i] = good ? make_module(context, analysis, text) : (MlirModule){NULL};
    good = !mlirModuleIsNull(batch->modules[i]);
  }
  return good;
}

/* Runs the analysis on each module; returns the time per module. */
static bool run_batch(const analysis_t *analysis, batch_t *batch, cost_t *out) {
  bool good = true;
  for (size_t i = 0; i < batch->count; ++i)
    nereid_arena_initialize(&batch->arenas[i]);
  empty_caches();
  const double start = now();
  for (size_t i = 0; good && i < batch->count; ++i)
    good = analysis->run(mlirModuleGetOperation(batch->modules[i]), &batch->arenas[i]);
  *out = (cost_t){(now() - start) / (double)batch->count, (double)batch->arenas[0].allocated / (1 << 20)};
  for (size_t i = 0; i < batch->count; ++i)
    nereid_arena_deinitialize(&batch->arenas[i]);
  return good;
}

/* Returns the best of several runs on `copies` modules of the text. `ops`: receives the op count of one module. */
static bool measure(MlirContext context, const analysis_t *analysis, const char *text, size_t copies, cost_t *out,
                    size_t *ops) {
  static batch_t batch;
  batch.count = copies;
  bool good = make_batch(context, analysis, text, &batch);
  *out = (cost_t){.seconds = 1e30};
  for (int i = 0; good && i < RUNS; ++i) {
    cost_t cost;
    if (i > 0 && analysis->changes) {
      destroy_batch(&batch);
      good = make_batch(context, analysis, text, &batch);
    }
    good = good && run_batch(analysis, &batch, &cost);
    if (good && cost.seconds < out->seconds)
      *out = cost;
  }
  *ops = 0;
  if (good)
    mlirOperationWalk(mlirModuleGetOperation(batch.modules[0]), count_op, ops, MlirWalkPreOrder);
  else
    fprintf(stderr, "analysis: %s failed\n", analysis->name);
  destroy_batch(&batch);
  return good;
}

/* Measures all analyses on `copies` modules of one shape with scf loops; `ops`: receives the op count of one module. */
static bool measure_all(MlirContext context, const settings_t *settings, shape_t shape, size_t size, size_t copies,
                        cost_t costs[ANALYSES], size_t *ops) {
  bool good = true;
  for (int a = 0; good && a < ANALYSES; ++a) {
    size_t count;
    if (!is_wanted(settings, a))
      continue;
    char *text = bench_module(shape, size, analyses[a].cf);
    good = text &&
           measure(context, &analyses[a], text, copies, &costs[a], analyses[a].cf && !settings->only ? &count : ops);
    free(text);
  }
  return good;
}

/* --- the table --- */

typedef struct table {
  cost_t ops[MAX_SIZES][ANALYSES], deep[ANALYSES], wide[ANALYSES];
  size_t n_ops[MAX_SIZES], n_deep, n_wide; /* op counts of the modules */
} table_t;

static bool fill(const settings_t *settings, MlirContext context, table_t *table) {
  const size_t largest = settings->sizes[settings->n_sizes - 1];
  bool good = true;
  for (size_t i = 0; good && i < settings->n_sizes; ++i) {
    const size_t copies = (largest + settings->sizes[i] / 2) / settings->sizes[i];
    good = measure_all(context, settings, ONE, settings->sizes[i],
                       copies < 1            ? 1
                       : copies > MAX_COPIES ? MAX_COPIES
                                             : copies,
                       table->ops[i], &table->n_ops[i]);
  }
  return good && measure_all(context, settings, DEEP, settings->functions, 1, table->deep, &table->n_deep) &&
         measure_all(context, settings, WIDE, settings->functions, 1, table->wide, &table->n_wide);
}

/* Prints the table; returns whether all analyses are within the limits. */
static bool print(const settings_t *settings, const table_t *table) {
  const size_t last = settings->n_sizes - 1;
  const double linear = (double)table->n_ops[last] / (double)table->n_ops[0];
  bool good = true;
  printf("%-12s", "ms at ops");
  for (size_t i = 0; i <= last; ++i)
    printf("%9zu", table->n_ops[i]);
  printf("%9s%8s%11s%9s\n", "MiB", "growth", "deep", "wide");
  for (int a = 0; a < ANALYSES; ++a) {
    if (!is_wanted(settings, a))
      continue;
    const double growth = table->ops[last][a].seconds / table->ops[0][a].seconds / linear;
    const bool over = (growth > settings->growth && !analyses[a].compares) ||
                      table->ops[last][a].seconds > settings->seconds || table->deep[a].seconds > settings->seconds ||
                      table->wide[a].seconds > settings->seconds;
    printf("%-12s", analyses[a].name);
    for (size_t i = 0; i <= last; ++i)
      printf("%9.2f", table->ops[i][a].seconds * 1e3);
    printf("%9.1f%8.2f%11.2f%9.2f%s\n", table->ops[last][a].mebibytes, growth, table->deep[a].seconds * 1e3,
           table->wide[a].seconds * 1e3, over ? "  over" : "");
    good = good && !over;
  }
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("deep, wide: %zu functions, %zu and %zu ops; peak of the process with its modules: %.0f MiB\n",
         settings->functions, table->n_deep, table->n_wide, (double)usage.ru_maxrss / 1024);
  return good;
}

static bool read_sizes(settings_t *settings, const char *text) {
  char *end;
  for (settings->n_sizes = 0; settings->n_sizes < MAX_SIZES; text = end + 1) {
    settings->sizes[settings->n_sizes] = strtoul(text, &end, 10);
    if (settings->sizes[settings->n_sizes++] < 100 || (*end && *end != ','))
      return false;
    if (!*end)
      return true;
  }
  return false;
}

static bool read_settings(int argc, char **argv, settings_t *settings) {
  bool good = argc % 2 == 1;
  for (int i = 1; good && i + 1 < argc; i += 2)
    if (strcmp(argv[i], "--ops") == 0)
      good = read_sizes(settings, argv[i + 1]);
    else if (strcmp(argv[i], "--functions") == 0)
      good = (settings->functions = strtoul(argv[i + 1], NULL, 10)) > 0;
    else if (strcmp(argv[i], "--growth") == 0)
      good = (settings->growth = strtod(argv[i + 1], NULL)) > 0;
    else if (strcmp(argv[i], "--seconds") == 0)
      good = (settings->seconds = strtod(argv[i + 1], NULL)) > 0;
    else if (strcmp(argv[i], "--only") == 0)
      settings->only = argv[i + 1];
    else
      good = false;
  return good;
}

int main(int argc, char **argv) {
  settings_t settings = {{10000, 30000, 100000}, 3, 1000, 1.3, 1, NULL};
  static table_t table;
  if (!read_settings(argc, argv, &settings)) {
    fprintf(
        stderr,
        "usage: analysis [--ops SMALL,...,LARGE] [--functions N] [--growth LIMIT] [--seconds LIMIT] [--only NAME]\n");
    return 2;
  }
  nereid_passes_register();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  nereidMlirRegisterDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextAttachDiagnosticHandler(context, print_diagnostic, NULL, NULL);
  const bool ran = fill(&settings, context, &table);
  const bool good = ran && print(&settings, &table);
  mlirContextDestroy(context);
  return good ? 0 : ran ? 1 : 2;
}
