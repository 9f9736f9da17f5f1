/* From MLIR's llvm dialect, or from LLVM IR as text or bitcode, to PTX:
 *
 *   translate ─┐
 *   parse ─────┴─► prepare ─► optimize ─► emit
 *                  check against the target, name, link libdevice
 *
 * A backend holds one LLVM context and is used by one thread at a time. Every function below may end in a fatal error
 * of LLVM: callers run it inside nereid_recover_run and, if that returns NEREID_ERROR_INTERNAL, call
 * nereid_backend_abandon first. Modules belong to the caller and to the backend's context. */
#ifndef NEREID_TARGET_BACKEND_H
#define NEREID_TARGET_BACKEND_H

#include "base/arena.h"
#include "target/limits.h"
#include "target/target.h"

#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>
#include <mlir-c/IR.h>

typedef struct nereid_backend {
  LLVMContextRef context;       /* owned; made on first use */
  LLVMTargetMachineRef machine; /* owned; for `machine_target`, null until needed */
  LLVMTargetDataRef layout;     /* owned; of the target machine */
  nereid_target_t machine_target;
  const nereid_report_t *report; /* borrowed */
  const nereid_limits_t *limits; /* borrowed, of the compilation that runs; null: none */
  /* Called before each optional pass of the optimizer; false skips it. `name`: as in a pipeline. May be null. */
  bool (*select)(void *user_data, const char *name);
  void *select_data; /* borrowed, for `select` */
  unsigned errors;   /* errors that LLVM reported through its context so far */
} nereid_backend_t;

/* An empty backend that reports to `report`, which outlives it. */
void nereid_backend_initialize(nereid_backend_t *backend, const nereid_report_t *report);

/* Frees context and machine. */
void nereid_backend_deinitialize(nereid_backend_t *backend);

/* Forgets context, machine and every module in it without touching them; they stay allocated. The backend is as after
 * initialize. */
void nereid_backend_abandon(nereid_backend_t *backend);

/* Translates a builtin.module of the llvm and nvvm dialects. NEREID_ERROR_PROGRAM after a diagnostic with the reason.
 * The context of `module` needs nereidMlirRegisterLLVMTranslations. */
NEREID_MUST_USE nereid_status_t nereid_backend_translate(nereid_backend_t *backend, MlirOperation module,
                                                         LLVMModuleRef *out_module);

/* Reads LLVM IR, text or bitcode, called `name` in messages. NEREID_ERROR_PROGRAM: located error reported. */
NEREID_MUST_USE nereid_status_t nereid_backend_parse(nereid_backend_t *backend, nereid_view_t input, const char *name,
                                                     LLVMModuleRef *out_module);

/* Line and column, from 1, of the first line of `text`, LLVM IR, that contains `code` outside of comments; false when
 * there is none. */
bool nereid_backend_find_in_text(nereid_view_t text, nereid_view_t code, unsigned *out_line, unsigned *out_column);

typedef struct nereid_backend_input {
  const char *name;      /* name of the input in messages; null: the module was translated */
  nereid_view_t text;    /* the input when it was LLVM IR as text, else empty: gives messages their line */
  const char *libdevice; /* path of a libdevice; null: search */
  nereid_arena_t *scratch;
  /* The module has no source lines: an error in it returns only its status, so that the caller translates again with
   * lines and retries. */
  bool again;
} nereid_backend_input_t;

/* Prepares the module for `target`: sets triple, data layout and flush-to-zero flag; a module for another target,
 * and instructions and intrinsics that the target lacks, are located errors (NEREID_ERROR_PROGRAM); names that are
 * invalid in PTX are mapped; libdevice is linked if one of its functions is called (NEREID_ERROR_NOT_FOUND if it is
 * missing). */
NEREID_MUST_USE nereid_status_t nereid_backend_prepare(nereid_backend_t *backend, LLVMModuleRef module,
                                                       const nereid_target_t *target,
                                                       const nereid_backend_input_t *input);

/* Makes `machine` and `layout` those of `target`; nothing to do when they are already. */
NEREID_MUST_USE nereid_status_t nereid_backend_machine(nereid_backend_t *backend, const nereid_target_t *target);

/* Runs LLVM's optimizer with the target machine. When a limit is reached it skips the remaining optional passes, as
 * does emit, and returns NEREID_ERROR_CANCELLED or NEREID_ERROR_TIMEOUT. */
NEREID_MUST_USE nereid_status_t nereid_backend_optimize(nereid_backend_t *backend, LLVMModuleRef module);

/* The module as PTX, copied into `arena`. Requires prepare; the module is spent afterwards. */
NEREID_MUST_USE nereid_status_t nereid_backend_emit(nereid_backend_t *backend, LLVMModuleRef module,
                                                    nereid_arena_t *arena, nereid_view_t *out_ptx);

/* The module as text, copied into `arena`. */
NEREID_MUST_USE nereid_status_t nereid_backend_print(LLVMModuleRef module, nereid_arena_t *arena,
                                                     nereid_view_t *out_text);

#endif
