/* What the analyses cost and how that grows: processor time and memory of each on modules of module.c.
 *
 *   analysis [--ops SMALL,...,LARGE] [--functions N] [--growth LIMIT] [--seconds LIMIT]
 *
 * One line per analysis: milliseconds at every number of ops of one function and the MiB that it takes from its arena
 * at the largest; the growth from the first to the last number, relative to linear (1: exactly linear); milliseconds
 * over a chain and a fan of N functions. Times are the best of five, of the processor, so that a busy machine says the
 * same, and begin with empty caches, so that size counts and not what fits into them. Defaults: 10000,30000,100000 ops,
 * 1000 functions, growth at most 1.3, 1 second. Exit status 1 with "over" at each analysis that is over, 2 when
 * something cannot be run. */
#include "analysis/allocation.h"
#include "analysis/axis_info.h"
#include "analysis/membar.h"
#include "analysis/shared_alias.h"
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

enum { RUNS = 5, MAX_SIZES = 8 };

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

static bool run_axis_info(MlirOperation module, nereid_arena_t *arena) {
  nereid_axis_result_t result;
  return nereid_axis_info_run(module, arena, &result) == NEREID_OK;
}

static bool run_alias(MlirOperation module, nereid_arena_t *arena) {
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(mlirModuleFromOperation(module)));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    nereid_shared_alias_t alias;
    if (nereid_op_kind(op) == NEREID_OP_TT_FUNC && !nereid_shared_alias_run(op, arena, &alias))
      return false;
  }
  return true;
}

/* Callees stand in front of their callers. */
static bool run_allocation(MlirOperation module, nereid_arena_t *arena) {
  nereid_map_t frames;
  nereid_map_initialize(&frames, arena);
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(mlirModuleFromOperation(module)));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MlirAttribute name = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("sym_name"));
    nereid_frame_t *frame = nereid_arena_new(arena, nereid_frame_t, 1);
    uintptr_t *place = nereid_map_insert(&frames, name.ptr);
    if (!frame || !place || !nereid_allocation_run(op, &frames, arena, frame))
      return false;
    *place = (uintptr_t)frame;
  }
  return true;
}

static bool run_membar(MlirOperation module, nereid_arena_t *arena) {
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(mlirModuleFromOperation(module)));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (nereid_op_kind(op) == NEREID_OP_TT_FUNC && !nereid_membar_run(op, arena))
      return false;
  return true;
}

typedef struct analysis {
  const char *name;
  bool (*run)(MlirOperation module, nereid_arena_t *arena);
  bool cf;            /* runs on blocks, else on scf */
  const char *before; /* passes that it wants done; null: none */
} analysis_t;

static const analysis_t analyses[] = {
    {"bare walk", run_walk, false, NULL}, /* to compare with */
    {"axis info", run_axis_info, false, NULL},
    {"axis of cf", run_axis_info, true, NULL},
    {"alias", run_alias, false, NULL},
    {"allocation", run_allocation, false, NULL}, /* with alias and liveness */
    {"membar", run_membar, true, "allocate-shared-memory"},
};
enum { ANALYSES = sizeof analyses / sizeof *analyses };

/* --- measuring --- */

typedef struct cost {
  double seconds;
  double mebibytes; /* of the arena */
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

/* Pushes the module out of the caches: in there a small one would be walked several times as fast as a large one. */
static void empty_caches(void) {
  static volatile char other[64 << 20];
  for (size_t i = 0; i < sizeof other; i += 64)
    other[i]++;
}

/* The best of several runs, each on a module of its own: an analysis may change it. */
static bool measure(const analysis_t *analysis, MlirModule module, cost_t *out) {
  *out = (cost_t){.seconds = 1e30};
  for (int i = 0; i < RUNS; ++i) {
    MlirOperation clone = mlirOperationClone(mlirModuleGetOperation(module));
    nereid_arena_t arena;
    nereid_arena_initialize(&arena);
    empty_caches();
    const double start = now();
    const bool good = analysis->run(clone, &arena);
    const double seconds = now() - start;
    out->seconds = seconds < out->seconds ? seconds : out->seconds;
    out->mebibytes = (double)arena.allocated / (1 << 20);
    nereid_arena_deinitialize(&arena);
    mlirOperationDestroy(clone);
    if (!good)
      return fprintf(stderr, "analysis: %s failed\n", analysis->name), false;
  }
  return true;
}

static bool measure_form(MlirContext context, shape_t shape, size_t size, bool cf, cost_t costs[ANALYSES],
                         size_t *ops) {
  char *text = bench_module(shape, size, cf);
  MlirModule module = text ? mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text)) : (MlirModule){NULL};
  bool good = !mlirModuleIsNull(module);
  free(text);
  *ops = 0;
  if (good)
    mlirOperationWalk(mlirModuleGetOperation(module), count_op, ops, MlirWalkPreOrder);
  for (int a = 0; good && a < ANALYSES; ++a) {
    if (analyses[a].cf != cf)
      continue;
    good = !analyses[a].before || run_passes(module, analyses[a].before);
    good = good && measure(&analyses[a], module, &costs[a]);
  }
  mlirModuleDestroy(module);
  return good;
}

/* All analyses on one module; `ops`: how many it has, the loops being scf. */
static bool measure_all(MlirContext context, shape_t shape, size_t size, cost_t costs[ANALYSES], size_t *ops) {
  return measure_form(context, shape, size, true, costs, ops) && measure_form(context, shape, size, false, costs, ops);
}

/* --- the table --- */

typedef struct settings {
  size_t sizes[MAX_SIZES], n_sizes, functions;
  double growth, seconds; /* limits */
} settings_t;

typedef struct table {
  cost_t ops[MAX_SIZES][ANALYSES], deep[ANALYSES], wide[ANALYSES];
  size_t n_ops[MAX_SIZES], n_deep, n_wide; /* ops that the modules have */
} table_t;

static bool fill(const settings_t *settings, MlirContext context, table_t *table) {
  bool good = true;
  for (size_t i = 0; good && i < settings->n_sizes; ++i)
    good = measure_all(context, ONE, settings->sizes[i], table->ops[i], &table->n_ops[i]);
  return good && measure_all(context, DEEP, settings->functions, table->deep, &table->n_deep) &&
         measure_all(context, WIDE, settings->functions, table->wide, &table->n_wide);
}

/* Whether all analyses are within the limits. */
static bool print(const settings_t *settings, const table_t *table) {
  const size_t last = settings->n_sizes - 1;
  const double linear = (double)table->n_ops[last] / (double)table->n_ops[0];
  bool good = true;
  printf("%-12s", "ms at ops");
  for (size_t i = 0; i <= last; ++i)
    printf("%9zu", table->n_ops[i]);
  printf("%9s%8s%11s%9s\n", "MiB", "growth", "deep", "wide");
  for (int a = 0; a < ANALYSES; ++a) {
    const double growth = table->ops[last][a].seconds / table->ops[0][a].seconds / linear;
    const bool over = growth > settings->growth || table->ops[last][a].seconds > settings->seconds ||
                      table->deep[a].seconds > settings->seconds || table->wide[a].seconds > settings->seconds;
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
    else
      good = false;
  return good;
}

int main(int argc, char **argv) {
  settings_t settings = {{10000, 30000, 100000}, 3, 1000, 1.3, 1};
  static table_t table;
  if (!read_settings(argc, argv, &settings)) {
    fprintf(stderr, "usage: analysis [--ops SMALL,...,LARGE] [--functions N] [--growth LIMIT] [--seconds LIMIT]\n");
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
