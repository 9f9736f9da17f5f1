/* Errors in a program, for the verifiers of all dialects: printf into a located MLIR diagnostic.
 *
 *   return nereid_diagnose(op, "expects a barrier of type 1xi64, got %s", nereid_text_of_type(type).chars);
 *
 * A message states the expectation and the actual value; its location is that of the operation. */
#ifndef NEREID_DIALECTS_DIAGNOSE_H
#define NEREID_DIALECTS_DIAGNOSE_H

#include "base/status.h"
#include "seam/hooks.h"

#include <mlir-c/IR.h>
#include <mlir-c/Support.h>

#include <stdarg.h>

/* An attribute or type as text, truncated to 255 bytes; returned by value for use in an argument list. */
typedef struct nereid_text {
  char chars[256];
} nereid_text_t;

nereid_text_t nereid_text_of_type(MlirType type);
nereid_text_t nereid_text_of_attribute(MlirAttribute attribute);
nereid_text_t nereid_text_of_string(MlirStringRef string);

/* Emits the error "'<operation name>' op <message>" at the operation's location. Always returns failure. The message is
 * truncated to 1,023 bytes. */
MlirLogicalResult nereid_diagnose(MlirOperation op, const char *format, ...) NEREID_PRINTF(2, 3);

MlirLogicalResult nereid_diagnose_v(MlirOperation op, const char *format, va_list arguments);

/* Emits the error <message> at `location`. Always returns failure. */
MlirLogicalResult nereid_diagnose_at(MlirLocation location, const char *format, ...) NEREID_PRINTF(2, 3);

/* Reports the error <message> to `sink`, the diagnostic sink of an attribute's or type's verifier. Always returns
 * failure. */
MlirLogicalResult nereid_diagnose_to(nereid_error_sink_t sink, const char *format, ...) NEREID_PRINTF(2, 3);

/* Emits the remark <message> at `location`. Safe on any thread. */
void nereid_remark_at(MlirLocation location, const char *format, ...) NEREID_PRINTF(2, 3);

#endif
