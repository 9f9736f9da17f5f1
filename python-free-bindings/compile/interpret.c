/* IR as text or bytecode to the interpreter: read as a compilation reads it, run, destroyed.
 *
 *   nereid_interpreter_run_text(compiler, text, ...)  =  nereid_read, then nereid_interpreter_run of its module */
#include "session.h"

#include "nereid/interpreter.h"
#include "target/recover.h"

#include <llvm-c/Core.h>
#include <stdlib.h>

static nereid_status_t read_input(void *argument) {
  nereid_compilation_t *compilation = argument;
  nereid_status_t status = nereid_read(compilation);
  if (status)
    return status;
  if (compilation->stage == NEREID_STAGE_TTIR || compilation->stage == NEREID_STAGE_TTGIR)
    return NEREID_OK;
  nereid_report_at(&compilation->compiler->report, NEREID_REPORT_ERROR, compilation->name, 0, 0,
                   "the interpreter runs tt and ttgir; this is at stage %s: pass the IR that it was compiled from",
                   nereid_stage_name(compilation->stage));
  return NEREID_ERROR_PROGRAM;
}

nereid_status_t nereid_interpreter_run_text(struct nereid_compiler *compiler, nereid_view_t input, const char *name,
                                            const char *kernel, const uint32_t grid[3], size_t n_arguments,
                                            const nereid_interpreter_argument_t *arguments,
                                            const nereid_interpreter_options_t *options, nereid_message_t *message) {
  char reason[1024] = "";
  nereid_compilation_t compilation = {.compiler = compiler,
                                      .input = input,
                                      .name = name && *name ? name : "input",
                                      .options = {.size = sizeof(nereid_compile_options_t)},
                                      .result = calloc(1, sizeof *compilation.result)};
  if (!compilation.result)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  nereid_arena_initialize(&compilation.result->arena);
  nereid_arena_initialize(&compilation.scratch);
  nereid_metadata_initialize(&compilation.metadata);
  nereid_status_t status = nereid_recover_run(read_input, &compilation, reason, sizeof reason);
  if (reason[0])
    nereid_session_abandon(&compilation, reason, false);
  if (status)
    status = nereid_message_set(message, status, "'%s' cannot be read as tensor IR", compilation.name);
  else
    status = nereid_interpreter_run(compilation.module, kernel, grid, n_arguments, arguments, options, message);
  if (!mlirOperationIsNull(compilation.module))
    mlirOperationDestroy(compilation.module);
  if (compilation.llvm)
    LLVMDisposeModule(compilation.llvm);
  nereid_arena_deinitialize(&compilation.scratch);
  nereid_result_destroy(compilation.result);
  return status;
}
