/* Detects the stage of the input from its content, and reads it.
 *
 *   first token                          language      stage
 *   .version                             PTX           ptx
 *   ; source_filename target define @ %  LLVM IR       ll
 *   anything else                        MLIR          by its content: tt with layouts or ttg.num-warps is ttgir, tt
 *                                                      without is ttir, llvm is llvm
 *
 * The first token only selects a parser; the stage is determined from the parsed module. */
#include "session.h"

#include "dialects/ttg/module.h"
#include "dialects/ttng/descriptor_type.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "python-free-bindings/compile/scan.h"
#include "seam/context.h"
#include "seam/llvm.h"
#include "seam/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Diagnostics.h>

typedef enum language {
  LANGUAGE_MLIR,
  LANGUAGE_LLVM,
  LANGUAGE_PTX,
} language_t;

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Skips spaces and the comments of all three languages. */
static nereid_view_t skip_comments(nereid_view_t text) {
  const char *at = text.data, *end = at + text.size;
  while (at < end) {
    bool line = *at == ';' || (end - at > 1 && at[0] == '/' && at[1] == '/');
    if (is_blank(*at)) {
      at++;
    } else if (line) {
      const char *stop = memchr(at, '\n', (size_t)(end - at));
      at = stop ? stop : end;
    } else if (end - at > 3 && at[0] == '/' && at[1] == '*') {
      for (at += 2; at < end && !(at[-1] == '*' && at[0] == '/'); at++)
        ;
      at += at < end;
    } else {
      break;
    }
  }
  return nereid_view_of(at, (size_t)(end - at));
}

static bool starts_with(nereid_view_t text, const char *prefix) {
  return nereid_view_starts_with(text, nereid_view(prefix));
}

/* Returns whether a line is LLVM metadata (`!0 = !{…}`, `!llvm.ident = …`, `!x = distinct …`) and not an MLIR alias
 * (`!alias = !tt.ptr<f32>`). */
static bool is_metadata(nereid_view_t text) {
  const char *stop = memchr(text.data, '\n', text.size), *equals = memchr(text.data, '=', text.size);
  if (!equals || (stop && equals > stop))
    return false;
  nereid_view_t value = skip_comments(nereid_view_of(equals + 1, text.size - (size_t)(equals + 1 - text.data)));
  return starts_with(value, "!{") || starts_with(value, "distinct") || starts_with(value, "!DI");
}

static language_t find_language(nereid_view_t text) {
  static const char *const llvm[] = {"source_filename", "target ",      "define ", "declare ", "@", "%", "$",
                                     "module asm",      "attributes #", "^"};
  nereid_view_t rest = skip_comments(text);
  if (starts_with(rest, ".version") || starts_with(rest, ".target") || starts_with(rest, ".entry") ||
      starts_with(rest, ".visible"))
    return LANGUAGE_PTX;
  for (size_t i = 0; i < sizeof llvm / sizeof *llvm; i++)
    if (starts_with(rest, llvm[i]))
      return LANGUAGE_LLVM;
  return starts_with(rest, "!") && is_metadata(rest) ? LANGUAGE_LLVM : LANGUAGE_MLIR;
}

static bool is_bitcode(nereid_view_t input) {
  return starts_with(input, "BC\xC0\xDE") || starts_with(input, "\xDE\xC0\x17\x0B");
}

/* --- MLIR --- */

typedef struct content {
  bool tt, layouts, llvm; /* operations of tt, ttg or ttng; types with a layout; llvm functions */
  bool any;
} content_t;

static bool has_dialect(MlirStringRef name, const char *prefix) {
  return nereid_view_starts_with(nereid_view_of(name.data, name.length), nereid_view(prefix));
}

/* Returns whether the type is a tensor with an encoding, a buffer, or a descriptor of one. */
static bool has_layout(MlirType type) {
  if (nereid_ttng_is_descriptor_type(type))
    type = nereid_ttng_descriptor_block(type);
  return nereid_ttg_memdesc_type_isa(type) ||
         (mlirTypeIsARankedTensor(type) && !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)));
}

/* Checks results and the arguments of functions: every other value with a layout derives from them. */
static bool has_layouts(MlirOperation op) {
  bool found = false;
  for (intptr_t i = 0; !found && i < mlirOperationGetNumResults(op); ++i)
    found = has_layout(mlirValueGetType(mlirOperationGetResult(op, i)));
  MlirBlock entry =
      mlirOperationGetNumRegions(op) ? mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)) : (MlirBlock){NULL};
  for (intptr_t i = 0; !found && !mlirBlockIsNull(entry) && i < mlirBlockGetNumArguments(entry); ++i)
    found = has_layout(mlirValueGetType(mlirBlockGetArgument(entry, i)));
  return found;
}

static MlirWalkResult look(MlirOperation op, void *user_data) {
  content_t *content = user_data;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  if (has_dialect(name, "builtin."))
    return MlirWalkResultAdvance;
  content->any = true;
  content->tt |= has_dialect(name, "tt.") || has_dialect(name, "ttng.") ||
                 (has_dialect(name, "ttg.") && !nereid_ttg_is_warp_specialize(op)); /* it stays at the llvm stage */
  content->layouts |= has_layouts(op);
  content->llvm |= has_dialect(name, "llvm.");
  return content->tt && content->layouts ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static nereid_status_t find_mlir_stage(nereid_compilation_t *compilation) {
  content_t content = {0};
  int64_t warps;
  MlirLocation location = mlirOperationGetLocation(compilation->module);
  mlirOperationWalk(compilation->module, look, &content, MlirWalkPreOrder);
  if (!content.any) {
    mlirEmitError(location, "the module is empty: expected a tt.func or an llvm.func");
    return NEREID_ERROR_PROGRAM;
  }
  if (!content.tt && !content.llvm) {
    mlirEmitError(location, "the module has no function of tt or llvm: expected a tt.func or an llvm.func");
    return NEREID_ERROR_PROGRAM;
  }
  bool layouts = content.layouts || nereid_settings_integer(compilation->module, "ttg.num-warps", &warps);
  compilation->stage = !content.tt ? NEREID_STAGE_LLVM : layouts ? NEREID_STAGE_TTGIR : NEREID_STAGE_TTIR;
  return NEREID_OK;
}

/* Without `read_only`, Triton 3.9 waits for the writes of stores, too. */
static MlirWalkResult wait_for_writes(MlirOperation op, void *user_data) {
  (void)user_data;
  if (nereid_op_kind(op) == NEREID_OP_TTNG_ASYNC_TMA_STORE_WAIT && !nereid_ttng_async_tma_store_wait_get_read_only(op))
    mlirOperationSetAttributeByName(op, mlirStringRefCreateFromCString("writes"),
                                    mlirUnitAttrGet(mlirOperationGetContext(op)));
  return MlirWalkResultAdvance;
}

static nereid_status_t read_mlir(nereid_compilation_t *compilation) {
  MlirStringRef text = mlirStringRefCreate(compilation->input.data, compilation->input.size);
  MlirContext context = nereid_session_context(compilation->compiler,
                                               compilation->options.remarks || compilation->options.remark_handler);
  nereidMlirContextSetTritonMinor(context, 6, false); /* reading later text raises it */
  MlirModule module = nereidMlirModuleCreateParse(context, text, mlirStringRefCreateFromCString(compilation->name));
  if (mlirModuleIsNull(module))
    return NEREID_ERROR_PROGRAM;
  compilation->module = mlirModuleGetOperation(module);
  /* Set by Triton 3.9 on every ttgir; passes may add what it spells otherwise. */
  if (!mlirAttributeIsNull(
          mlirOperationGetAttributeByName(compilation->module, mlirStringRefCreateFromCString("ttng.two-ctas")))) {
    nereidMlirContextSetTritonMinor(context, 9, false);
    mlirOperationWalk(compilation->module, wait_for_writes, NULL, MlirWalkPreOrder);
  }
  return find_mlir_stage(compilation);
}

/* --- the others --- */

static nereid_status_t read_llvm(nereid_compilation_t *compilation) {
  compilation->stage = NEREID_STAGE_LL;
  return nereid_backend_parse(&compilation->compiler->backend, compilation->input, compilation->name,
                              &compilation->llvm);
}

static nereid_status_t read_ptx(nereid_compilation_t *compilation) {
  nereid_view_t input = compilation->input;
  compilation->stage = NEREID_STAGE_PTX;
  compilation->ptx = nereid_view_of(nereid_arena_copy(&compilation->result->arena, input), input.size);
  return compilation->ptx.data ? NEREID_OK : NEREID_ERROR_MEMORY;
}

static nereid_status_t refuse(nereid_compilation_t *compilation, const char *why) {
  nereid_report_at(&compilation->compiler->report, NEREID_REPORT_ERROR, compilation->name, 0, 0, "%s", why);
  return NEREID_ERROR_PROGRAM;
}

/* Checks the constructs of a text that parsers do not survive; false after a located error. */
static bool scan_text(nereid_compilation_t *compilation, bool is_llvm) {
  unsigned line, column;
  const char *why = nereid_scan_find(compilation->input, is_llvm, &line, &column);
  if (why)
    nereid_report_at(&compilation->compiler->report, NEREID_REPORT_ERROR, compilation->name, line, column, "%s", why);
  return !why;
}

/* Skips the UTF-8 byte order mark, which editors write and parsers reject. */
static void skip_byte_order_mark(nereid_compilation_t *compilation) {
  static const char mark[] = "\xEF\xBB\xBF";
  const size_t size = sizeof mark - 1;
  if (starts_with(compilation->input, mark))
    compilation->input = nereid_view_of(compilation->input.data + size, compilation->input.size - size);
}

nereid_status_t nereid_read(nereid_compilation_t *compilation) {
  skip_byte_order_mark(compilation);
  nereid_view_t input = compilation->input;
  if (!input.size)
    return refuse(compilation, "the input is empty: expected MLIR, LLVM IR or PTX");
  if (is_bitcode(input))
    return read_llvm(compilation);
  if (starts_with(input, "ML\xEFR"))
    return read_mlir(compilation);
  if (starts_with(input, "\x7f"
                         "ELF"))
    return refuse(compilation, "the input is a cubin, which cannot be compiled: expected MLIR, LLVM IR or PTX");
  if (memchr(input.data, 0, input.size))
    return refuse(compilation, "neither text nor bytecode: expected MLIR, LLVM IR or PTX");
  if (skip_comments(input).size == 0)
    return refuse(compilation, "the input is empty: expected MLIR, LLVM IR or PTX");
  switch (find_language(input)) {
  case LANGUAGE_PTX:
    return read_ptx(compilation);
  case LANGUAGE_LLVM:
    return scan_text(compilation, true) ? read_llvm(compilation) : NEREID_ERROR_PROGRAM;
  default:
    return scan_text(compilation, false) ? read_mlir(compilation) : NEREID_ERROR_PROGRAM;
  }
}
