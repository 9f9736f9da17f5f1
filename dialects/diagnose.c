/* Reports errors in a program: printf into a located MLIR diagnostic.
 *
 *   nereid_diagnose(op, "expects %d", 2)   ->   k.ttgir:3:5: error: 'ttng.init_barrier' op expects 2
 *
 * MLIR's C API takes one string, so the text is formatted in a buffer on the stack and needs no allocation. */
#include "dialects/diagnose.h"

#include "seam/context.h"

#include <mlir-c/Diagnostics.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { message_limit = 1024 };

static void append_text(MlirStringRef piece, void *user_data) {
  nereid_text_t *text = user_data;
  size_t used = strlen(text->chars);
  size_t left = sizeof text->chars - 1 - used;
  size_t length = piece.length < left ? piece.length : left;
  if (!length) /* the data of an empty piece may be null */
    return;
  memcpy(text->chars + used, piece.data, length);
  text->chars[used + length] = '\0';
}

nereid_text_t nereid_text_of_type(MlirType type) {
  nereid_text_t text = {""};
  mlirTypePrint(type, append_text, &text);
  return text;
}

nereid_text_t nereid_text_of_attribute(MlirAttribute attribute) {
  nereid_text_t text = {""};
  mlirAttributePrint(attribute, append_text, &text);
  return text;
}

nereid_text_t nereid_text_of_string(MlirStringRef string) {
  nereid_text_t text = {""};
  append_text(string, &text);
  return text;
}

MlirLogicalResult nereid_diagnose_v(MlirOperation op, const char *format, va_list arguments) {
  char message[message_limit];
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  int used = snprintf(message, sizeof message, "'%.*s' op ", (int)name.length, name.data);
  size_t start = used < 0 || used >= message_limit ? 0 : (size_t)used;
  vsnprintf(message + start, sizeof message - start, format, arguments);
  mlirEmitError(mlirOperationGetLocation(op), message);
  return mlirLogicalResultFailure();
}

MlirLogicalResult nereid_diagnose(MlirOperation op, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  MlirLogicalResult failure = nereid_diagnose_v(op, format, arguments);
  va_end(arguments);
  return failure;
}

MlirLogicalResult nereid_diagnose_at(MlirLocation location, const char *format, ...) {
  char message[message_limit];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  mlirEmitError(location, message);
  return mlirLogicalResultFailure();
}

MlirLogicalResult nereid_diagnose_to(nereid_error_sink_t sink, const char *format, ...) {
  char message[message_limit];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  nereidMlirErrorEmit(sink, mlirStringRefCreateFromCString(message));
  return mlirLogicalResultFailure();
}

void nereid_remark_at(MlirLocation location, const char *format, ...) {
  char *message = NULL;
  va_list arguments;
  va_start(arguments, format);
  const int size = vasprintf(&message, format, arguments);
  va_end(arguments);
  if (size < 0)
    return;
  nereidMlirEmitWithNotes(MlirDiagnosticRemark, location, message, 0, NULL);
  free(message);
}
