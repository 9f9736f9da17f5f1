/* Prints a stage as bytes.
 *
 * MLIR is printed with locations, and values are named after their name locations, so that a dump resembles its source
 * and compiles to the same result. */
#include "session.h"

#include "passes/ttir/respell.h"

#include <llvm-c/Core.h>

void nereid_text_builder_append(MlirStringRef part, void *data) {
  nereid_text_builder_t *text = data;
  if (text->arena->failed)
    return;
  if (text->size + part.length + 1 > text->capacity) {
    size_t capacity = (text->size + part.length + 128) * 2;
    char *larger = nereid_arena_new(text->arena, char, capacity);
    if (!larger)
      return;
    if (text->size)
      memcpy(larger, text->data, text->size);
    text->data = larger;
    text->capacity = capacity;
  }
  memcpy(text->data + text->size, part.data, part.length);
  text->size += part.length;
  text->data[text->size] = 0;
}

/* Grows in the scratch arena and is copied once: arenas do not free, and the result's arena is kept. */
static nereid_status_t print_mlir(nereid_compilation_t *compilation, nereid_view_t *out_bytes) {
  if (compilation->triton_minor && compilation->stage <= NEREID_STAGE_TTGIR &&
      !nereid_respell(compilation->module, compilation->triton_minor, &compilation->scratch))
    return compilation->scratch.failed ? NEREID_ERROR_MEMORY : NEREID_ERROR_PROGRAM;
  nereid_text_builder_t text = {.arena = &compilation->scratch};
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
  mlirOpPrintingFlagsPrintNameLocAsPrefix(flags);
  mlirOpPrintingFlagsAssumeVerified(flags);
  mlirOperationPrintWithFlags(compilation->module, flags, nereid_text_builder_append, &text);
  mlirOpPrintingFlagsDestroy(flags);
  nereid_text_builder_append(mlirStringRefCreateFromCString(text.size && text.data[text.size - 1] == '\n' ? "" : "\n"),
                             &text);
  if (compilation->scratch.failed)
    return NEREID_ERROR_MEMORY;
  out_bytes->data = nereid_arena_copy(&compilation->result->arena, nereid_view_of(text.data, text.size));
  out_bytes->size = text.size;
  return out_bytes->data ? NEREID_OK : NEREID_ERROR_MEMORY;
}

nereid_status_t nereid_print_stage(nereid_compilation_t *compilation, nereid_view_t *out_bytes) {
  switch (compilation->stage) {
  case NEREID_STAGE_LL:
    return nereid_backend_print(compilation->llvm, &compilation->result->arena, out_bytes);
  case NEREID_STAGE_PTX:
    *out_bytes = compilation->ptx;
    return NEREID_OK;
  case NEREID_STAGE_CUBIN:
    *out_bytes = compilation->cubin;
    return NEREID_OK;
  default:
    return print_mlir(compilation, out_bytes);
  }
}
