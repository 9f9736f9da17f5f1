/* Runs one compilation, and recovers the session after a fatal error in LLVM.
 *
 *   create ── compile ── compile ── (fatal error: the contexts of LLVM and MLIR are leaked)
 *   ── compile with new contexts ── destroy */
#include "session.h"

#include "target/recover.h"

#include <llvm-c/Core.h>
#include <stdlib.h>

/* The contexts of MLIR and LLVM never free types, attributes, constants and locations. They are replaced after this
 * many compilations (2 ms), so that a long-running service does not accumulate them. */
enum { CONTEXT_USES = 1000 };

/* sizeof(nereid_compile_options_t) of the first version. */
enum { FIRST_SIZE = offsetof(nereid_compile_options_t, cancellation) };

static nereid_status_t run(void *argument) {
  nereid_compilation_t *compilation = argument;
  nereid_status_t status = nereid_settings_check(compilation);
  if (status == NEREID_OK)
    status = nereid_stages_run(compilation);
  return status;
}

/* Leaks the state that LLVM was using. MLIR's context is leaked too, because the fatal error may have come from MLIR
 * or the translation, which cannot be determined. */
void nereid_session_abandon(nereid_compilation_t *compilation, const char *reason, bool is_stopped) {
  nereid_compiler_t *compiler = compilation->compiler;
  const char *stage = nereid_stage_name(compilation->stage);
  if (is_stopped) /* LLVM may fail on code for which optional passes were skipped */
    ;
  else if (stage)
    nereid_report_at(&compiler->report, NEREID_REPORT_ERROR, compilation->name, 0, 0,
                     "fatal error in LLVM: %s (after stage %s); %s probably does not support an instruction", reason,
                     stage, compilation->settings.target.name[0] ? compilation->settings.target.name : "the target");
  else
    nereid_report_at(&compiler->report, NEREID_REPORT_ERROR, compilation->name, 0, 0,
                     "fatal error in LLVM while the input is read: %s", reason);
  nereid_backend_abandon(&compiler->backend);
  compiler->context = (MlirContext){NULL};
  compiler->remarks = false;
  compilation->module = (MlirOperation){NULL};
  compilation->llvm = NULL;
}

/* Returns the status of a stopped compilation, which may have failed as a pass or as a fatal error in LLVM. */
static nereid_status_t report_stop(nereid_compilation_t *compilation, nereid_status_t stop) {
  const nereid_progress_t *progress = &compilation->progress;
  if (stop == NEREID_ERROR_TIMEOUT)
    nereid_report_at(&compilation->compiler->report, NEREID_REPORT_ERROR, compilation->name, 0, 0,
                     "the time limit of %g s passed in stage %s", compilation->options.time_limit / 1000.0,
                     progress->stage);
  return stop;
}

static void clean_up(nereid_compilation_t *compilation) {
  if (!mlirOperationIsNull(compilation->module))
    mlirOperationDestroy(compilation->module);
  if (compilation->llvm)
    LLVMDisposeModule(compilation->llvm);
}

static nereid_status_t compile(nereid_compilation_t *compilation) {
  char reason[1024] = "";
  if (++compilation->compiler->uses > CONTEXT_USES) {
    compilation->compiler->uses = 1;
    nereid_session_drop_context(compilation->compiler);
    nereid_backend_deinitialize(&compilation->compiler->backend);
  }
  compilation->compiler->backend.limits = &compilation->limits;
  const nereid_session_hooks_t *hooks = compilation->compiler->hooks;
  compilation->compiler->backend.select = hooks ? hooks->llvm_pass : NULL;
  compilation->compiler->backend.select_data = hooks ? hooks->pipeline.user_data : NULL;
  compilation->compiler->remark_handler = compilation->options.remark_handler;
  compilation->compiler->remark_data = compilation->options.remark_data;
  nereid_status_t status = nereid_recover_run(run, compilation, reason, sizeof reason);
  const nereid_status_t stop = nereid_limits_check(&compilation->limits);
  if (reason[0])
    nereid_session_abandon(compilation, reason, stop != NEREID_OK);
  compilation->compiler->backend.limits = NULL;
  compilation->compiler->remark_handler = NULL;
  if (status != NEREID_OK && stop != NEREID_OK)
    status = report_stop(compilation, stop);
  if (status == NEREID_OK && (compilation->scratch.failed || compilation->result->arena.failed))
    status = NEREID_ERROR_MEMORY;
  clean_up(compilation);
  return status;
}

nereid_status_t nereid_compile(nereid_compiler_t *compiler, nereid_view_t input, const char *name,
                               const nereid_compile_options_t *options, nereid_result_t **out_result) {
  nereid_compilation_t compilation = {.compiler = compiler,
                                      .input = input,
                                      .name = name && *name ? name : "input",
                                      .options = {.size = sizeof *options}};
  if (!out_result)
    return NEREID_ERROR_ARGUMENT;
  *out_result = NULL;
  if (!compiler || (!input.data && input.size) ||
      (options && (options->size < FIRST_SIZE || options->size > sizeof compilation.options)))
    return NEREID_ERROR_ARGUMENT;
  if (options)
    memcpy(&compilation.options, options, options->size);
  compilation.start = nereid_limits_now();
  compilation.limits =
      (nereid_limits_t){compilation.options.cancellation, nereid_limits_deadline(compilation.options.time_limit)};
  compilation.result = calloc(1, sizeof *compilation.result);
  if (!compilation.result)
    return NEREID_ERROR_MEMORY;
  nereid_arena_initialize(&compilation.result->arena);
  nereid_arena_initialize(&compilation.scratch);
  nereid_metadata_initialize(&compilation.metadata);
  nereid_stored_t stored = {.is_open = false};
  compiler->warnings = 0;
  nereid_status_t status = nereid_stored_begin(&compilation, &stored);
  if (status == NEREID_ERROR_NOT_FOUND) {
    status = compile(&compilation);
    nereid_stored_end(&compilation, &stored, status);
  }
  nereid_arena_deinitialize(&compilation.scratch);
  if (status == NEREID_OK)
    *out_result = compilation.result;
  else
    nereid_result_destroy(compilation.result);
  return status;
}
