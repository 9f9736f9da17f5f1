/* Barriers of random programs, checked by an independent execution model (membar_machine.h): no run has a race, and
 * with any one barrier removed, or replaced by a warp barrier, some run has a race. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
/* cmocka requires the four above. */
#include <cmocka.h>

#include "membar_machine.h"
#include "membar_programs.h"

#include "nereid/context.h"
#include "passes/pass.h"

#include <mlir-c/Pass.h>

enum { PROGRAMS = 200, RUNS = 300, RUNS_WITHOUT = 4000, MAX_BARRIERS = 512 };

static MlirContext context;

static void print_text(MlirStringRef text, void *data) {
  (void)data;
  fwrite(text.data, 1, text.length, stderr);
}

static MlirLogicalResult print_diagnostic(MlirDiagnostic diagnostic, void *data) {
  mlirDiagnosticPrint(diagnostic, print_text, data);
  return mlirLogicalResultSuccess();
}

static int set_up(void **state) {
  (void)state;
  context = nereid_context_create();
  mlirContextAttachDiagnosticHandler(context, print_diagnostic, NULL, NULL);
  nereid_passes_register();
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  mlirContextDestroy(context);
  return 0;
}

static MlirModule prepare(const char *text, const char *passes) {
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  assert_false(mlirModuleIsNull(module));
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirOpPassManager list = mlirPassManagerGetAsOpPassManager(manager);
  assert_true(mlirLogicalResultIsSuccess(
      mlirOpPassManagerAddPipeline(list, mlirStringRefCreateFromCString(passes), print_text, NULL)));
  assert_true(mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module))));
  mlirPassManagerDestroy(manager);
  return module;
}

/* --- one program --- */

typedef struct barriers {
  MlirOperation ops[MAX_BARRIERS];
  int n;
} barriers_t;

/* Of all reachable functions: the last calls any of the others. */
static MlirWalkResult collect(MlirOperation op, void *data) {
  barriers_t *barriers = data;
  if (nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_BARRIER &&
      mlirAttributeIsNull(mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("given"))) &&
      barriers->n < MAX_BARRIERS)
    barriers->ops[barriers->n++] = op;
  return MlirWalkResultAdvance;
}

static MlirWalkResult mark_given(MlirOperation op, void *data) {
  (void)data;
  if (nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_BARRIER)
    mlirOperationSetDiscardableAttributeByName(op, mlirStringRefCreateFromCString("given"), mlirUnitAttrGet(context));
  return MlirWalkResultAdvance;
}

static MlirOperation kernel_of(MlirModule module) {
  MlirOperation last = {NULL};
  MlirBlock body = mlirModuleGetBody(module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    last = op;
  return last;
}

/* Whether some run without `barrier`, or with it weakened, has a race. */
static bool is_needed(MlirModule module, MlirOperation barrier, bool weakened) {
  for (uint64_t seed = 1; seed <= RUNS_WITHOUT; ++seed)
    if (has_race(mlirModuleGetOperation(module), kernel_of(module), barrier, weakened, seed * 7919, NULL))
      return true;
  return false;
}

typedef struct totals {
  int barriers, needed, of_ctas, strong; /* `strong`: a warp barrier would not suffice */
} totals_t;

static void try_program(uint64_t seed, bool branches, bool counting, bool copying, totals_t *totals) {
  static char text[PROGRAM_SIZE];
  program_state = seed;
  write_program(text, counting, copying);
  MlirModule module = prepare(text, branches ? "symbol-dce,convert-scf-to-cf,allocate-shared-memory"
                                             : "symbol-dce,allocate-shared-memory");
  mlirOperationWalk(mlirModuleGetOperation(module), mark_given, NULL, MlirWalkPreOrder);
  MlirPassManager manager = mlirPassManagerCreate(context);
  assert_true(mlirLogicalResultIsSuccess(
      mlirOpPassManagerAddPipeline(mlirPassManagerGetAsOpPassManager(manager),
                                   mlirStringRefCreateFromCString("test-print-membar"), print_text, NULL)));
  assert_true(mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module))));
  mlirPassManagerDestroy(manager);
  MlirOperation racing[2];
  for (uint64_t run = 1; run <= RUNS; ++run)
    if (has_race(mlirModuleGetOperation(module), kernel_of(module), (MlirOperation){NULL}, false, run * 104729,
                 racing)) {
      for (int i = 0; i < 2; ++i)
        mlirOperationSetDiscardableAttributeByName(racing[i], mlirStringRefCreateFromCString("races"),
                                                   mlirUnitAttrGet(context));
      mlirOperationPrint(mlirModuleGetOperation(module), print_text, NULL);
      fail_msg("program %llu, run %llu: two accesses in no order", (unsigned long long)seed, (unsigned long long)run);
    }
  static barriers_t barriers;
  barriers.n = 0;
  mlirOperationWalk(mlirModuleGetOperation(module), collect, &barriers, MlirWalkPreOrder);
  for (int i = 0; i < barriers.n; ++i) {
    const bool of_cta = !nereid_ttg_local_barrier_get_warp(barriers.ops[i]);
    const bool needed = is_needed(module, barriers.ops[i], false);
    totals->barriers += 1;
    totals->needed += needed;
    totals->of_ctas += of_cta;
    totals->strong += of_cta && is_needed(module, barriers.ops[i], true);
    if (!needed && getenv("MEMBAR_RANDOM_VERBOSE")) {
      mlirOperationSetDiscardableAttributeByName(barriers.ops[i], mlirStringRefCreateFromCString("idle"),
                                                 mlirUnitAttrGet(context));
      mlirOperationPrint(mlirModuleGetOperation(module), print_text, NULL);
    }
  }
  mlirModuleDestroy(module);
}

/* The minimum number of required barriers per 1,000, and of required CTA barriers. */
static void try_programs(bool counting, bool copying, int needed, int strong) {
  totals_t totals = {0};
  for (uint64_t seed = 1; seed <= PROGRAMS; ++seed)
    try_program(seed, seed % 2, counting, copying, &totals);
  print_message("%d barriers, %d needed; %d of CTAs, %d that one of each warp cannot replace\n", totals.barriers,
                totals.needed, totals.of_ctas, totals.strong);
  assert_true(totals.barriers > 500);
  assert_true(1000 * totals.needed >= needed * totals.barriers);
  assert_true(1000 * totals.strong >= strong * totals.of_ctas);
}

static void stores_and_loads(void **state) {
  (void)state;
  try_programs(false, false, 990, 990);
}

/* A caller's copies in flight are tracked for the whole buffer. */
static void copies(void **state) {
  (void)state;
  try_programs(false, true, 980, 980);
}

/* The analysis does not compare a constant index before a loop with a counter in the first iterations. */
static void rings(void **state) {
  (void)state;
  try_programs(true, true, 980, 980);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stores_and_loads), cmocka_unit_test(copies),
                                     cmocka_unit_test(rings)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
