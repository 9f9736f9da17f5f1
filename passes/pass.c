/* Registers the rows of passes.def as passes.
 *
 *   NEREID_PASS(f, "a", ...)  ->  a record for seam/pass.h whose run creates a nereid_pass_t and calls f
 *
 * The records are constant and live as long as the process. A run owns its arena, so that passes anchored on functions
 * may run on several threads. */
#include "passes/pass.h"

#include "dialects/ttg/module.h"
#include "passes/test/defects/defect.h"
#include "seam/context.h"
#include "seam/tools.h"

#include <mlir-c/Conversion.h>
#include <mlir-c/Dialect/LLVM.h>
#include <mlir-c/Transforms.h>

#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

/* In builds with assertions: runs `body` between checks of its contract. A failed pass has reported the reason, so a
 * missing requirement is reported only for a pass that succeeds without it. */
static MlirLogicalResult run_checked(nereid_pass_t *pass, const nereid_contract_t *contract, nereid_pass_run_t body) {
#ifdef NDEBUG
  (void)contract;
  return body(pass);
#else
  const nereid_properties_t before = nereid_properties_find(pass->op, contract->requires | contract->preserves);
  if (mlirLogicalResultIsFailure(body(pass)) ||
      !nereid_contract_verify(contract, pass->info->argument, &before, pass->op))
    return mlirLogicalResultFailure();
  return mlirLogicalResultSuccess();
#endif
}

static MlirLogicalResult run(MlirOperation op, MlirPass handle, const NereidMlirPassInfo *info,
                             const nereid_contract_t *contract, nereid_pass_run_t body) {
  nereid_arena_t scratch;
  nereid_arena_initialize(&scratch);
  nereid_pass_t pass = {op, mlirOperationGetContext(op), &scratch, info, handle};
  MlirLogicalResult result = run_checked(&pass, contract, body);
  if (scratch.failed) {
    mlirEmitError(mlirOperationGetLocation(op), "out of memory");
    result = mlirLogicalResultFailure();
  }
  nereid_arena_deinitialize(&scratch);
  return result;
}

#define NEREID_PASS_INT(name, value, text) {name, text, NereidMlirPassOptionInt, value, NULL},
#define NEREID_PASS_BOOL(name, value, text) {name, text, NereidMlirPassOptionBool, value, NULL},
#define NEREID_PASS_STRING(name, value, text) {name, text, NereidMlirPassOptionString, 0, value},
#define NEREID_PASS_NO_OPTIONS
#define NEREID_REQUIRES(set) (set)
#define NEREID_ESTABLISHES(set) (set)
#define NEREID_PRESERVES(set) (set)

/* A function that is in two rows is defined twice here, which is a compile error. */
#define NEREID_PASS(function, argument, anchor, summary, dialects, requires, establishes, preserves, options)          \
  static const nereid_contract_t contract_##function = {requires, establishes, preserves};                             \
  static MlirLogicalResult run_##function(MlirOperation op, MlirPass handle, void *info) {                             \
    return run(op, handle, info, &contract_##function, function);                                                      \
  }                                                                                                                    \
  static const NereidMlirPassOption options_##function[] = {options{NULL, NULL, NereidMlirPassOptionInt, 0, NULL}};    \
  static const NereidMlirPassInfo info_##function = {                                                                  \
      argument, anchor, summary, dialects, options_##function, run_##function, (void *)(uintptr_t)&info_##function};
#include "passes/passes.def"
#undef NEREID_PASS

static const struct {
  const NereidMlirPassInfo *info;
  const nereid_contract_t *contract;
} rows[] = {
#define NEREID_PASS(function, argument, anchor, summary, dialects, requires, establishes, preserves, options)          \
  {&info_##function, &contract_##function},
#include "passes/passes.def"
#undef NEREID_PASS
};

size_t nereid_passes_count(void) {
  return sizeof rows / sizeof *rows;
}

const NereidMlirPassInfo *nereid_passes_get(size_t index) {
  return rows[index].info;
}

const nereid_contract_t *nereid_passes_contract(size_t index) {
  return rows[index].contract;
}

static void register_all(void) {
  for (size_t i = 0; i < nereid_passes_count(); i++)
    nereidMlirPassRegister(nereid_passes_get(i));
  mlirRegisterTransformsPasses();
  mlirRegisterConversionSCFToControlFlowPass();
  mlirRegisterConversionLiftControlFlowToSCFPass();
  mlirRegisterConversionReconcileUnrealizedCastsPass();
  mlirRegisterConversionArithToLLVMConversionPass();
  mlirRegisterConversionConvertMathToLLVMPass();
  mlirRegisterConversionConvertControlFlowToLLVMPass();
  mlirRegisterConversionConvertIndexToLLVMPass();
  mlirRegisterConversionConvertFuncToLLVMPass();
  mlirRegisterConversionUBToLLVMConversionPass();
  mlirRegisterConversionConvertNVVMToLLVMPass();
  mlirRegisterLLVMNVVMOptimizeForTargetPass();
  nereidMlirRegisterArithPasses();
#ifdef NEREID_PLANTED_DEFECTS
  nereid_defects_register();
#endif
}

void nereid_passes_register(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_all);
}

/* The index of an option in its row, which identifies it in the seam. */
static intptr_t option_index(const nereid_pass_t *pass, const char *name, NereidMlirPassOptionKind kind) {
  intptr_t i = 0;
  while (pass->info->options[i].name && strcmp(pass->info->options[i].name, name) != 0)
    i++;
  assert(pass->info->options[i].name && pass->info->options[i].kind == kind);
  (void)kind;
  return i;
}

int64_t nereid_pass_option_int(const nereid_pass_t *pass, const char *name) {
  return nereidMlirPassGetIntOption(pass->handle, option_index(pass, name, NereidMlirPassOptionInt));
}

bool nereid_pass_option_bool(const nereid_pass_t *pass, const char *name) {
  return nereidMlirPassGetIntOption(pass->handle, option_index(pass, name, NereidMlirPassOptionBool)) != 0;
}

MlirStringRef nereid_pass_option_string(const nereid_pass_t *pass, const char *name) {
  return nereidMlirPassGetStringOption(pass->handle, option_index(pass, name, NereidMlirPassOptionString));
}

int32_t nereid_pass_capability(const nereid_pass_t *pass) {
  const int64_t given = nereid_pass_option_int(pass, "compute-capability");
  return given ? (int32_t)given : nereid_ttg_compute_capability(pass->op);
}

static nereid_pass_statistics_t listener; /* set by a tool before passes run; null in the library */

void nereid_pass_statistics_listen(nereid_pass_statistics_t function) {
  listener = function;
}

void nereid_pass_statistic_add(const nereid_pass_t *pass, const char *name, int64_t count) {
  if (listener)
    listener(pass->info->argument, name, count);
  nereidMlirOptimizationMetric(mlirOperationGetLocation(pass->op), pass->info->argument, name, count);
}

static void remark(const nereid_pass_t *pass, NereidMlirRemarkKind kind, MlirOperation op, const char *name,
                   const char *format, va_list arguments) {
  MlirLocation location = mlirOperationGetLocation(op);
  if (!nereidMlirRemarksEnabled(mlirOperationGetContext(op)))
    return;
  char text[1024];
  vsnprintf(text, sizeof text, format, arguments);
  nereidMlirOptimizationRemark(kind, location, pass->info->argument, name, text);
}

void nereid_pass_remark_passed(const nereid_pass_t *pass, MlirOperation op, const char *name, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  remark(pass, NereidMlirRemarkPassed, op, name, format, arguments);
  va_end(arguments);
}

void nereid_pass_remark_missed(const nereid_pass_t *pass, MlirOperation op, const char *name, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  remark(pass, NereidMlirRemarkMissed, op, name, format, arguments);
  va_end(arguments);
}
