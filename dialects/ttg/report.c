/* Errors about an encoding or type that is being made.
 *
 *   nereid_ttg_report(sink, "expects %d", 2)   ->   k.ttgir:3:5: error: expects 2
 *
 * The seam's entry takes one string; the text is put together on the stack. */
#include "dialects/ttg/report.h"

#include <stdarg.h>
#include <stdio.h>

MlirLogicalResult nereid_ttg_report(nereid_error_sink_t sink, const char *format, ...) {
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  nereidMlirErrorEmit(sink, mlirStringRefCreateFromCString(message));
  return mlirLogicalResultFailure();
}
