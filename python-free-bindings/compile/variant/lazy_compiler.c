/* Nereid's compiler as the table of functions that lazy kernels call (nereid/kernel.h). The launch library has no LLVM,
 * so this file is in libnereid. */
#include "nereid/compile.h"
#include "nereid/kernel.h"

#include "base/arena.h"
#include "target/assembler/assemble.h"

#include <stdlib.h>

/* A session, and the first error of the compilation in progress. */
typedef struct lazy_session {
  nereid_compiler_t *compiler;
  bool can_assemble; /* else a GPU's driver compiles the PTX */
  nereid_message_t error;
} lazy_session_t;

static void keep_first_error(void *user_data, const nereid_diagnostic_t *diagnostic) {
  lazy_session_t *session = user_data;
  if (diagnostic->severity != NEREID_SEVERITY_ERROR || session->error.text[0])
    return;
  if (diagnostic->file && diagnostic->line)
    nereid_message_set(&session->error, NEREID_ERROR_PROGRAM, "%s:%u:%u: %s", diagnostic->file, diagnostic->line,
                       diagnostic->column, diagnostic->message);
  else
    nereid_message_set(&session->error, NEREID_ERROR_PROGRAM, "%s", diagnostic->message);
  for (char *at = session->error.text; *at; ++at)
    if (*at == '\n')
      *at = ' ';
}

static void destroy(void *handle) {
  lazy_session_t *session = handle;
  nereid_compiler_destroy(session->compiler);
  free(session);
}

static bool can_assemble(void) {
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  const bool can = nereid_assembler_find_ptxas(NULL, &arena) || nereid_assembler_has_nvjitlink(NULL, NULL);
  nereid_arena_deinitialize(&arena);
  return can;
}

static nereid_status_t create(void **out_session) {
  lazy_session_t *session = calloc(1, sizeof *session);
  const nereid_compiler_options_t options = {.size = sizeof options, .handler = keep_first_error, .user_data = session};
  if (!session)
    return NEREID_ERROR_MEMORY;
  session->can_assemble = can_assemble();
  nereid_status_t status = nereid_compiler_create(&options, &session->compiler);
  if (status)
    free(session);
  else
    *out_session = session;
  return status;
}

static nereid_compile_options_t options_of(const lazy_session_t *session, const nereid_lazy_request_t *request) {
  const bool ptx = request->ptx || !session->can_assemble;
  return (nereid_compile_options_t){.size = sizeof(nereid_compile_options_t),
                                    .target = request->target,
                                    .emit = ptx ? NEREID_STAGE_PTX : NEREID_STAGE_CUBIN,
                                    .num_warps = request->num_warps,
                                    .num_stages = request->num_stages,
                                    .num_ctas = request->num_ctas,
                                    .maxnreg = request->maxnreg,
                                    .kernel = request->function,
                                    .cancellation = request->cancellation,
                                    .grid = request->grid,
                                    .n_properties = request->n_properties,
                                    .properties = request->properties};
}

static nereid_status_t compile(void *handle, const nereid_lazy_request_t *request, nereid_lazy_image_t *out_image,
                               nereid_message_t *message) {
  lazy_session_t *session = handle;
  nereid_compile_options_t options = options_of(session, request);
  nereid_result_t *result;
  session->error.text[0] = 0;
  nereid_status_t status = nereid_compile(session->compiler, request->text, request->name, &options, &result);
  if (status)
    return nereid_message_set(message, status, "%s",
                              session->error.text[0] ? session->error.text : nereid_status_string(status));
  *out_image = (nereid_lazy_image_t){nereid_result_bytes(result), nereid_result_metadata(result), result};
  return NEREID_OK;
}

static void release(nereid_lazy_image_t *image) {
  nereid_result_destroy(image->owner);
  *image = (nereid_lazy_image_t){0};
}

const nereid_lazy_compiler_t *nereid_lazy_compiler(void) {
  static const nereid_lazy_compiler_t compiler = {nereid_compiler_version, create, destroy, compile, release};
  return &compiler;
}
