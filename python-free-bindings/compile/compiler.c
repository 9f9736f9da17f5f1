/* Sessions: the state that is kept between compilations. A context is created on first use; compile.c replaces it after
 * a fatal error in LLVM. */
#include "session.h"

#include "seam/context.h"
#include "seam/llvm.h"

#include <llvm/Config/llvm-config.h>
#include <stdlib.h>

const char *nereid_compiler_version(void) {
  return "nereid " NEREID_VERSION ", LLVM " LLVM_VERSION_STRING;
}

nereid_status_t nereid_compiler_create(const nereid_compiler_options_t *options, nereid_compiler_t **out_compiler) {
  nereid_compiler_options_t have = {.size = sizeof have};
  /* there is only one version so far: any other size is an error */
  if (!out_compiler || (options && options->size != sizeof have))
    return NEREID_ERROR_ARGUMENT;
  if (options)
    memcpy(&have, options, options->size);
  *out_compiler = NULL;
  nereid_compiler_t *compiler = calloc(1, sizeof *compiler);
  if (!compiler)
    return NEREID_ERROR_MEMORY;
  compiler->handler = have.handler;
  compiler->user_data = have.user_data;
  compiler->report = nereid_session_report(compiler);
  nereid_backend_initialize(&compiler->backend, &compiler->report);
  *out_compiler = compiler;
  return NEREID_OK;
}

void nereid_session_set_hooks(nereid_compiler_t *compiler, const nereid_session_hooks_t *hooks) {
  compiler->hooks = hooks;
}

void nereid_session_drop_context(nereid_compiler_t *compiler) {
  if (!mlirContextIsNull(compiler->context))
    mlirContextDestroy(compiler->context);
  compiler->context = (MlirContext){NULL};
  compiler->remarks = false;
}

void nereid_compiler_destroy(nereid_compiler_t *compiler) {
  if (!compiler)
    return;
  nereid_session_drop_context(compiler);
  nereid_backend_deinitialize(&compiler->backend);
  free(compiler);
}

/* Creates a single-threaded context: parallelism is one session per thread, and MLIR's own thread pool takes longer to
 * start than a small kernel to compile. */
MlirContext nereid_session_context(nereid_compiler_t *compiler, bool remarks) {
  if (compiler->remarks != remarks)
    nereid_session_drop_context(compiler);
  if (!mlirContextIsNull(compiler->context))
    return compiler->context;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  nereidMlirRegisterDialects(registry);
  nereidMlirRegisterLLVMTranslations(registry);
  compiler->context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  nereid_session_attach(compiler, compiler->context);
  if (remarks)
    nereid_session_enable_remarks(compiler, compiler->context);
  compiler->remarks = remarks;
  return compiler->context;
}
