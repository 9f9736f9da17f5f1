/* Passes of Nereid run on modules. To change one function only, the pass runs on a copy of the module without the
 * functions that this one does not reach; the functions of the copy then replace those of the module.
 *
 *   @f, @g, @h; @f calls @g      copy: @f, @g      pass      module: @f', @g', @h, attributes of the copy */
#include "tools/nereid-lsp-server/features/run_pass.h"

#include "base/map.h"
#include "base/vector.h"
#include "nereid/context.h"
#include "passes/pass.h"
#include "python-free-bindings/compile/scan.h"
#include "python-free-bindings/compile/session.h"
#include "seam/ir.h"
#include "seam/llvm.h"
#include "seam/tools.h"
#include "tools/nereid/diff/report_text.h"
#include "tools/nereid/trace/snapshot.h"

#include <mlir-c/BuiltinAttributes.h>
#include <stdlib.h>

typedef struct run {
  nereid_arena_t *arena;
  MlirContext context;
  nereid_message_t *message; /* text of the first error */
} run_t;

static MlirLogicalResult keep_first_error(MlirDiagnostic diagnostic, void *data) {
  run_t *run = data;
  nereid_text_builder_t text = {.arena = run->arena};
  if (mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticError || run->message->text[0])
    return mlirLogicalResultSuccess();
  mlirDiagnosticPrint(diagnostic, nereid_text_builder_append, &text);
  (void)nereid_message_set(run->message, NEREID_ERROR_PROGRAM, "%s", text.data ? text.data : "");
  return mlirLogicalResultSuccess();
}

static MlirStringRef symbol_of(MlirOperation op) {
  const MlirAttribute name = mlirOperationGetAttributeByName(op, mlirSymbolTableGetSymbolAttributeName());
  const bool has_name = !mlirAttributeIsNull(name) && mlirAttributeIsAString(name);
  return has_name ? mlirStringAttrGetValue(name) : (MlirStringRef){NULL, 0};
}

static MlirOperation first_of(MlirOperation module) {
  const MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  return mlirBlockIsNull(body) ? (MlirOperation){NULL} : mlirBlockGetFirstOperation(body);
}

static MlirOperation find_symbol(MlirOperation module, MlirStringRef name) {
  MlirOperation op = first_of(module);
  while (!mlirOperationIsNull(op) && !(name.length && mlirStringRefEqual(symbol_of(op), name)))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

/* --- reachable functions --- */

typedef struct reach {
  nereid_arena_t *arena;
  MlirOperation module;
  nereid_map_t seen;
  NEREID_VECTOR(MlirOperation) list;
} reach_t;

static void reach_function(reach_t *reach, MlirOperation function) {
  uintptr_t *slot = mlirOperationIsNull(function) ? NULL : nereid_map_insert(&reach->seen, function.ptr);
  if (slot && !*slot)
    *slot = nereid_vector_push(reach->arena, &reach->list, function);
}

static MlirWalkResult look_for_call(MlirOperation op, void *data) {
  reach_t *reach = data;
  const MlirAttribute callee = nereidMlirOperationIsCall(op) ? nereidMlirCallGetCallee(op) : (MlirAttribute){NULL};
  if (!mlirAttributeIsNull(callee))
    reach_function(reach, nereidMlirSymbolTableLookupNearestFrom(op, callee));
  return MlirWalkResultAdvance;
}

/* Erases the functions of `module` that `function` does not reach. */
static void isolate(nereid_arena_t *arena, MlirOperation module, MlirOperation function) {
  reach_t reach = {.arena = arena, .module = module};
  nereid_map_initialize(&reach.seen, arena);
  reach_function(&reach, function);
  for (size_t i = 0; i < reach.list.size; ++i)
    mlirOperationWalk(reach.list.data[i], look_for_call, &reach, MlirWalkPreOrder);
  for (MlirOperation op = first_of(module), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (nereidMlirOperationIsFunction(op) && !nereid_map_find(&reach.seen, op.ptr))
      nereidMlirOperationErase(op);
  }
}

/* --- merging --- */

static void copy_attributes(MlirOperation from, MlirOperation to) {
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(from); ++i) {
    const MlirNamedAttribute attribute = mlirOperationGetAttribute(from, i);
    mlirOperationSetAttributeByName(to, mlirIdentifierStr(attribute.name), attribute.attribute);
  }
}

/* Replaces the operations of `module` by those of `changed` with the same name, and appends new ones. An operation that
 * was in the copy (`was_copied`) and that the pass erased goes too. */
static void merge(MlirOperation module, MlirOperation changed, const nereid_map_t *was_copied) {
  const MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  copy_attributes(changed, module);
  for (MlirOperation op = first_of(module), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    const MlirOperation now = find_symbol(changed, symbol_of(op));
    if (!nereid_map_find(was_copied, op.ptr))
      continue;
    if (!mlirOperationIsNull(now)) {
      mlirOperationRemoveFromParent(now);
      mlirBlockInsertOwnedOperationBefore(body, op, now);
    }
    nereidMlirOperationErase(op);
  }
  for (MlirOperation op = first_of(changed), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!symbol_of(op).length || !mlirOperationIsNull(find_symbol(module, symbol_of(op))))
      continue;
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(body, op);
  }
}

/* The functions of `module` that the isolated copy has, too. */
static bool find_copied(nereid_arena_t *arena, MlirOperation module, MlirOperation copy, nereid_map_t *out) {
  nereid_map_initialize(out, arena);
  for (MlirOperation op = first_of(module); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (nereidMlirOperationIsFunction(op) && !mlirOperationIsNull(find_symbol(copy, symbol_of(op))) &&
        !nereid_map_insert(out, op.ptr))
      return false;
  return true;
}

/* --- passes --- */

static bool run_passes(const run_t *run, MlirOperation module, const char *pipeline) {
  nereid_text_builder_t error = {.arena = run->arena};
  const MlirPassManager manager = mlirPassManagerCreate(run->context);
  const char *text = nereid_arena_format(run->arena, "builtin.module(%s)", pipeline);
  const bool is_known = text && mlirLogicalResultIsSuccess(mlirParsePassPipeline(
                                    mlirPassManagerGetAsOpPassManager(manager), mlirStringRefCreateFromCString(text),
                                    nereid_text_builder_append, &error));
  if (!is_known && !run->message->text[0])
    (void)nereid_message_set(run->message, NEREID_ERROR_ARGUMENT, "'%.100s' is not a list of passes: %s", pipeline,
                             error.data ? error.data : "");
  const bool is_done = is_known && mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, module));
  mlirPassManagerDestroy(manager);
  if (is_known && !is_done && !run->message->text[0])
    (void)nereid_message_set(run->message, NEREID_ERROR_PROGRAM, "the pass failed");
  return is_done;
}

/* Runs the passes on the function and what it calls. */
static nereid_status_t run_on_function(const run_t *run, MlirOperation module, const char *pipeline,
                                       const char *function) {
  nereid_map_t copied;
  const MlirOperation copy = mlirOperationClone(module);
  const MlirOperation target = find_symbol(copy, mlirStringRefCreateFromCString(function));
  nereid_status_t status = NEREID_OK;
  if (mlirOperationIsNull(target) || !nereidMlirOperationIsFunction(target)) {
    status = nereid_message_set(run->message, NEREID_ERROR_ARGUMENT, "there is no function @%.100s", function);
  } else {
    isolate(run->arena, copy, target);
    if (!find_copied(run->arena, module, copy, &copied))
      status = nereid_message_set(run->message, NEREID_ERROR_MEMORY, "out of memory");
    else if (!run_passes(run, copy, pipeline))
      status = NEREID_ERROR_PROGRAM;
  }
  if (status == NEREID_OK) {
    merge(module, copy, &copied);
    if (!mlirOperationVerify(module)) /* such as a call from another function with types that the pass changed */
      status = NEREID_ERROR_PROGRAM;
  }
  mlirOperationDestroy(copy);
  return status;
}

/* --- output --- */

static const char *print_module(const run_t *run, MlirOperation module, nereid_view_t source) {
  nereid_text_builder_t text = {.arena = run->arena};
  const MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  const bool has_locations = memmem(source.data, source.size, "loc(", 4) != NULL;
  if (has_locations)
    mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
  mlirOpPrintingFlagsPrintNameLocAsPrefix(flags);
  mlirOperationPrintWithFlags(module, flags, nereid_text_builder_append, &text);
  mlirOpPrintingFlagsDestroy(flags);
  const bool has_end = text.size && text.data[text.size - 1] == '\n';
  nereid_text_builder_append(mlirStringRefCreateFromCString(has_end ? "" : "\n"), &text);
  return text.data;
}

static const char *print_diff(nereid_arena_t *arena, const tool_snapshot_t *before, const tool_snapshot_t *after) {
  const tool_match_t *match = before && after ? tool_match_create(arena, before, after) : NULL;
  const tool_filter_t all = {NULL, NULL};
  const tool_rows_t *rows = match ? tool_rows_create(arena, match, &all) : NULL;
  tool_aliases_t aliases = {.arena = arena};
  char *text = NULL;
  size_t size = 0;
  const tool_diff_style_t style = {
      .out = rows ? open_memstream(&text, &size) : NULL, .context = 2, .aliases = &aliases};
  if (!style.out)
    return NULL;
  const tool_diff_counts_t counts = tool_diff_count(match);
  const bool has_changes = tool_diff_total(&counts) > 0;
  if (has_changes) {
    tool_diff_print_counts(&style, &counts);
    tool_diff_print_rows(&style, rows);
  }
  const char *result = fclose(style.out) == 0 ? nereid_arena_copy(arena, nereid_view_of(text, size)) : NULL;
  free(text);
  return result;
}

static nereid_status_t run_all(run_t *run, nereid_view_t text, const char *pipeline, const char *function,
                               lsp_pass_run_t *out) {
  const MlirModule module = nereidMlirModuleCreateParse(run->context, mlirStringRefCreate(text.data, text.size),
                                                        mlirStringRefCreateFromCString("document"));
  if (mlirModuleIsNull(module))
    return NEREID_ERROR_PROGRAM;
  const MlirOperation op = mlirModuleGetOperation(module);
  const tool_snapshot_t *before = tool_snapshot_take(run->arena, op);
  nereid_status_t status = NEREID_OK;
  if (function)
    status = run_on_function(run, op, pipeline, function);
  else if (!run_passes(run, op, pipeline))
    status = NEREID_ERROR_PROGRAM;
  if (status == NEREID_OK) {
    out->diff = print_diff(run->arena, before, tool_snapshot_take(run->arena, op));
    out->text = print_module(run, op, text);
    if (!out->diff || !out->text)
      status = nereid_message_set(run->message, NEREID_ERROR_MEMORY, "out of memory");
  }
  mlirModuleDestroy(module);
  return status;
}

nereid_status_t lsp_pass_run(nereid_arena_t *arena, nereid_view_t text, const char *pipeline, const char *function,
                             lsp_pass_run_t *out, nereid_message_t *message) {
  unsigned line, column;
  const char *why = nereid_scan_find(text, false, &line, &column);
  if (why)
    return nereid_message_set(message, NEREID_ERROR_PROGRAM, "%s", why);
  run_t run = {.arena = arena, .context = nereid_context_create(), .message = message};
  nereidMlirContextPrintOpOnDiagnostic(run.context, false);
  (void)mlirContextAttachDiagnosticHandler(run.context, keep_first_error, &run, NULL);
  const nereid_status_t status = run_all(&run, text, pipeline, function, out);
  mlirContextDestroy(run.context);
  return status;
}
