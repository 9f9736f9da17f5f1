/* The LLVM context of a session and its basic steps: translate, parse, optimize, emit.
 *
 *   llvm.func @k(…) attributes {nvvm.kernel}   →   define ptx_kernel void @k(…)   →   .visible .entry k(…)
 *
 * The optimizer always gets the target machine: without one, jump threading treats the GPU as a CPU and moves code
 * across points where a warp has to be converged (bar, shfl, ldmatrix then run with half a warp). */
#include "target/backend.h"

#include "seam/llvm.h"
#include "target/loop_branches.h"
#include "target/loop_offsets.h"
#include "target/pass_list.h"
#include "target/ptx/callseq.h"
#include "target/ptx/inlined_lines.h"
#include "target/ptx/wait_copies.h"
#include "target/recover.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <mlir-c/Target/LLVMIR.h>
#include <stdio.h>
#include <stdlib.h>

static const char triple[] = "nvptx64-nvidia-cuda";

void nereid_backend_initialize(nereid_backend_t *backend, const nereid_report_t *report) {
  *backend = (nereid_backend_t){.report = report};
}

static void drop_machine(nereid_backend_t *backend) {
  if (backend->layout)
    LLVMDisposeTargetData(backend->layout);
  if (backend->machine)
    LLVMDisposeTargetMachine(backend->machine);
  backend->layout = NULL;
  backend->machine = NULL;
}

void nereid_backend_deinitialize(nereid_backend_t *backend) {
  drop_machine(backend);
  if (backend->context)
    LLVMContextDispose(backend->context);
  nereid_backend_initialize(backend, backend->report);
}

void nereid_backend_abandon(nereid_backend_t *backend) {
  nereid_backend_initialize(backend, backend->report);
}

/* Messages of LLVM. With a handler installed LLVM neither prints nor exits on an error. Remarks and notes of its passes
 * are not useful to the author of a kernel. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *user_data) {
  nereid_backend_t *backend = user_data;
  LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
  if (severity != LLVMDSError && severity != LLVMDSWarning)
    return;
  char *text = LLVMGetDiagInfoDescription(info);
  backend->errors += severity == LLVMDSError;
  nereid_report_at(backend->report, severity == LLVMDSError ? NEREID_REPORT_ERROR : NEREID_REPORT_WARNING, NULL, 0, 0,
                   "LLVM: %s", text);
  LLVMDisposeMessage(text);
}

static LLVMContextRef context_of(nereid_backend_t *backend) {
  nereid_target_initialize();
  if (!backend->context) {
    backend->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(backend->context, on_diagnostic, backend);
  }
  return backend->context;
}

nereid_status_t nereid_backend_translate(nereid_backend_t *backend, MlirOperation module, LLVMModuleRef *out_module) {
  *out_module = mlirTranslateModuleToLLVMIR(module, context_of(backend));
  return *out_module ? NEREID_OK : NEREID_ERROR_PROGRAM;
}

/* LLVM returns a parse error as text, "NAME:LINE:COLUMN: error: MESSAGE\n<source>\n<caret>\n". */
static void report_parse_error(const nereid_report_t *report, const char *name, const char *text) {
  unsigned line = 0, column = 0;
  size_t prefix = strlen(name);
  int used = 0;
  const char *message = text;
  // A number too large is none of LLVM's. NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion,cert-err34-c)
  if (strncmp(text, name, prefix) == 0 && sscanf(text + prefix, ":%u:%u: error: %n", &line, &column, &used) == 2)
    message = text + prefix + used;
  else if (strncmp(text, name, prefix) == 0 && strncmp(text + prefix, ": error: ", 9) == 0)
    message = text + prefix + 9;
  nereid_report_at(report, NEREID_REPORT_ERROR, name, line, column, "%.*s", (int)strcspn(message, "\n"), message);
}

/* The parser accepts IR that would crash passes: an instruction that uses itself, mismatched types. The first line of
 * the verifier's message has the rule, the second one the instruction, as LLVM prints it. */
static bool verify(nereid_backend_t *backend, LLVMModuleRef module, nereid_view_t input, const char *name) {
  char *message = NULL;
  bool valid = !LLVMVerifyModule(module, LLVMReturnStatusAction, &message);
  if (!valid) {
    const int rule = (int)strcspn(message, "\n"), mark = rule > 0 && message[rule - 1] == '!';
    const char *place = message + rule + strspn(message + rule, "\n ");
    const nereid_view_t code = nereid_view_of(place, strcspn(place, "\n"));
    unsigned line = 0, column = 0;
    if (code.size)
      (void)nereid_backend_find_in_text(input, code, &line, &column);
    nereid_report_at(backend->report, NEREID_REPORT_ERROR, name, line, column, "%.*s%s%.*s", rule - mark, message,
                     code.size ? ": " : "", (int)code.size, code.data);
  }
  LLVMDisposeMessage(message);
  return valid;
}

nereid_status_t nereid_backend_parse(nereid_backend_t *backend, nereid_view_t input, const char *name,
                                     LLVMModuleRef *out_module) {
  char *message = NULL;
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(input.data, input.size, name);
  unsigned errors = backend->errors;
  *out_module = NULL;
  if (LLVMParseIRInContext(context_of(backend), buffer, out_module, &message)) {
    if (errors == backend->errors)
      report_parse_error(backend->report, name, message ? message : "unreadable LLVM IR");
    LLVMDisposeMessage(message);
    return NEREID_ERROR_PROGRAM;
  }
  if (LLVMGetModuleDebugMetadataVersion(*out_module) != LLVMDebugMetadataVersion())
    LLVMStripModuleDebugInfo(*out_module);
  if (verify(backend, *out_module, input, name))
    return NEREID_OK;
  LLVMDisposeModule(*out_module);
  *out_module = NULL;
  return NEREID_ERROR_PROGRAM;
}

nereid_status_t nereid_backend_machine(nereid_backend_t *backend, const nereid_target_t *target) {
  LLVMTargetRef llvm_target = NULL;
  char *message = NULL, features[16];
  if (backend->machine && backend->machine_target.capability == target->capability &&
      backend->machine_target.architecture_only == target->architecture_only &&
      backend->machine_target.ptx_version == target->ptx_version)
    return NEREID_OK;
  drop_machine(backend);
  if (LLVMGetTargetFromTriple(triple, &llvm_target, &message)) {
    nereid_report(backend->report, NEREID_ERROR_INTERNAL, "LLVM: %s", message);
    LLVMDisposeMessage(message);
    return NEREID_ERROR_INTERNAL;
  }
  snprintf(features, sizeof features, "+ptx%u", target->ptx_version);
  backend->machine = LLVMCreateTargetMachine(llvm_target, triple, target->name, features, LLVMCodeGenLevelAggressive,
                                             LLVMRelocDefault, LLVMCodeModelDefault);
  backend->layout = LLVMCreateTargetDataLayout(backend->machine);
  backend->machine_target = *target;
  return NEREID_OK;
}

static bool is_narrow_float(LLVMValueRef value) {
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
  return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
}

/* Whether the vectorizer can form an instruction on pairs from this one. The code generator itself pairs conversions
 * whose results are packed into a vector. */
static bool is_pairable(LLVMValueRef instruction) {
  LLVMUseRef use = LLVMGetFirstUse(instruction);
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
  case LLVMFDiv:
  case LLVMFNeg:
  case LLVMCall:
    return is_narrow_float(instruction);
  case LLVMFCmp:
    return is_narrow_float(LLVMGetOperand(instruction, 0));
  case LLVMFPTrunc:
    return is_narrow_float(instruction) && use && !LLVMIsAInsertElementInst(LLVMGetUser(use));
  default:
    return false;
  }
}

static bool has_pairs(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        if (is_pairable(i))
          return true;
  return false;
}

/* Whether the module defines functions that others may call. */
static bool has_calls(LLVMModuleRef module) {
  int defined = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    defined += !LLVMIsDeclaration(f);
  return defined > 1;
}

static bool is_stopped(const nereid_backend_t *backend) {
  return nereid_limits_check(backend->limits) != NEREID_OK;
}

static bool is_skipped_in_code_generator(void *user_data, const char *name) {
  (void)name;
  return is_stopped(user_data);
}

static bool is_skipped_in_optimizer(void *user_data, const char *name) {
  const nereid_backend_t *backend = user_data;
  return is_stopped(backend) || (backend->select && !backend->select(backend->select_data, name));
}

/* Makes LLVM call `is_skipped` before each optional pass, and omit the passes named in `skipped`. A fatal error before
 * `remove_gate` leaks the gate, like all other state. */
static nereidLlvmPassGateRef install_gate(nereid_backend_t *backend, LLVMModuleRef module, const char *const *skipped,
                                          nereidLlvmPassGateSkip is_skipped) {
  nereidLlvmPassGateRef gate =
      nereidLlvmPassGateCreate(skipped, backend->limits || backend->select ? is_skipped : NULL, backend);
  nereidLlvmContextSetPassGate(LLVMGetModuleContext(module), gate);
  return gate;
}

static void remove_gate(LLVMModuleRef module, nereidLlvmPassGateRef gate) {
  nereidLlvmContextSetPassGate(LLVMGetModuleContext(module), NULL);
  nereidLlvmPassGateDispose(gate);
}

static bool run_passes(nereid_backend_t *backend, LLVMModuleRef module, const char *passes,
                       LLVMPassBuilderOptionsRef options) {
  LLVMErrorRef error = LLVMRunPasses(module, passes, backend->machine, options);
  if (!error)
    return true;
  char *message = LLVMGetErrorMessage(error);
  nereid_report(backend->report, NEREID_ERROR_INTERNAL, "LLVM: %s", message);
  LLVMDisposeErrorMessage(message);
  return false;
}

nereid_status_t nereid_backend_optimize(nereid_backend_t *backend, LLVMModuleRef module) {
  static const char *const none[] = {NULL};
  unsigned errors = backend->errors;
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  nereidLlvmPassGateRef gate = install_gate(backend, module, none, is_skipped_in_optimizer);
  bool good = run_passes(backend, module, nereid_target_first_passes(has_calls(module)), options) &&
              run_passes(backend, module, nereid_target_last_passes(has_pairs(module)), options);
  remove_gate(module, gate);
  LLVMDisposePassBuilderOptions(options);
  if (!good)
    return NEREID_ERROR_INTERNAL;
  return backend->errors == errors ? nereid_limits_check(backend->limits) : NEREID_ERROR_PROGRAM;
}

/* LLVM's code generator without the omitted passes. */
static bool emit(nereid_backend_t *backend, LLVMModuleRef module, char **message, LLVMMemoryBufferRef *buffer) {
  nereidLlvmPassGateRef gate =
      install_gate(backend, module, nereid_target_skipped_passes(), is_skipped_in_code_generator);
  bool good = !LLVMTargetMachineEmitToMemoryBuffer(backend->machine, module, LLVMAssemblyFile, message, buffer);
  remove_gate(module, gate);
  return good;
}

nereid_status_t nereid_backend_emit(nereid_backend_t *backend, LLVMModuleRef module, nereid_arena_t *arena,
                                    nereid_view_t *out_ptx) {
  unsigned errors = backend->errors;
  char *message = NULL;
  LLVMMemoryBufferRef buffer = NULL;
  nereid_inlined_lines_t lines;
  if (!nereid_inlined_lines_collect(&lines, module, arena) || !nereid_target_share_loop_offsets(module, arena) ||
      !nereid_target_branch_to_headers(module, arena))
    return NEREID_ERROR_MEMORY;
  LLVMSetTargetMachineAsmVerbosity(backend->machine, lines.enabled);
  if (!emit(backend, module, &message, &buffer)) {
    nereid_report(backend->report, NEREID_ERROR_INTERNAL, "LLVM: %s", message ? message : "no PTX was emitted");
    LLVMDisposeMessage(message);
    return NEREID_ERROR_INTERNAL;
  }
  nereid_view_t ptx = nereid_view_of(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
  char *copy = nereid_arena_copy(arena, ptx);
  *out_ptx = nereid_view_of(copy, copy ? nereid_target_renumber_calls(copy, ptx.size) : 0);
  if (copy)
    nereid_target_copy_after_waits(copy, out_ptx->size);
  LLVMDisposeMemoryBuffer(buffer);
  if (backend->errors != errors)
    return NEREID_ERROR_PROGRAM;
  if (is_stopped(backend))
    return nereid_limits_check(backend->limits);
  if (copy)
    *out_ptx = nereid_inlined_lines_write(&lines, *out_ptx);
  return out_ptx->data ? NEREID_OK : NEREID_ERROR_MEMORY;
}

nereid_status_t nereid_backend_print(LLVMModuleRef module, nereid_arena_t *arena, nereid_view_t *out_text) {
  char *text = LLVMPrintModuleToString(module);
  *out_text = nereid_view(nereid_arena_copy(arena, nereid_view(text)));
  LLVMDisposeMessage(text);
  return out_text->data ? NEREID_OK : NEREID_ERROR_MEMORY;
}
