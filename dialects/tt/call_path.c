/* Finds the call path from a kernel to an operation; see call_path.h. Each call is looked up in the module, which may
 * be invalid: a cycle ends when the limit of notes is reached. */
#include "dialects/tt/call_path.h"

#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinAttributes.h>

#include <stdio.h>

typedef struct search {
  MlirStringRef callee;
  MlirOperation call; /* null: none so far */
} search_t;

static MlirWalkResult find_call(MlirOperation op, void *user_data) {
  search_t *search = user_data;
  if (nereid_op_kind(op) != NEREID_OP_TT_CALL || !mlirStringRefEqual(nereid_tt_call_get_callee(op), search->callee))
    return MlirWalkResultAdvance;
  search->call = op;
  return MlirWalkResultInterrupt;
}

void nereid_tt_call_path_find(MlirOperation op, nereid_tt_call_path_t *out) {
  out->length = 0;
  for (MlirOperation function = nereid_ir_function_of(op); out->length < NEREID_TT_CALL_PATH_LENGTH;) {
    MlirOperation module = mlirOperationIsNull(function) ? function : mlirOperationGetParentOperation(function);
    if (mlirOperationIsNull(module))
      return;
    search_t search = {nereid_tt_func_get_sym_name(function), {NULL}};
    mlirOperationWalk(module, find_call, &search, MlirWalkPreOrder);
    function = mlirOperationIsNull(search.call) ? search.call : nereid_ir_function_of(search.call);
    if (mlirOperationIsNull(function))
      return;
    char *text = out->texts[out->length];
    snprintf(text, NEREID_TT_CALL_PATH_TEXT, "@%.140s is called here, by @%.140s",
             nereid_text_of_string(search.callee).chars,
             nereid_text_of_string(nereid_tt_func_get_sym_name(function)).chars);
    out->notes[out->length++] = (NereidMlirNote){mlirOperationGetLocation(search.call), text};
  }
}

MlirLogicalResult nereid_tt_diagnose_call(MlirOperation op, const char *format, ...) {
  char message[1024];
  nereid_tt_call_path_t path;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  const int used = snprintf(message, sizeof message, "'%.*s' op ", (int)name.length, name.data);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message + used, sizeof message - (size_t)used, format, arguments);
  va_end(arguments);
  nereid_tt_call_path_find(op, &path);
  nereidMlirEmitWithNotes(MlirDiagnosticError, mlirOperationGetLocation(op), message, path.length, path.notes);
  return mlirLogicalResultFailure();
}
