/* Formats messages of the backend into a bounded buffer and passes them to the sink.
 *
 * A message that is longer than the buffer (usually of an assembler) is truncated: the sink gets one call per
 * message. */
#include "target/report.h"

#include <stdarg.h>
#include <stdio.h>

static void emit(const nereid_report_t *report, nereid_report_level_t level, const char *file, unsigned line,
                 unsigned column, const char *format, va_list arguments) {
  char text[4096];
  if (!report || !report->emit)
    return;
  vsnprintf(text, sizeof text, format, arguments);
  report->emit(report->user_data, level, file, line, column, text);
}

nereid_status_t nereid_report(const nereid_report_t *report, nereid_status_t status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  emit(report, NEREID_REPORT_ERROR, NULL, 0, 0, format, arguments);
  va_end(arguments);
  return status;
}

void nereid_report_at(const nereid_report_t *report, nereid_report_level_t level, const char *file, unsigned line,
                      unsigned column, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  emit(report, level, file, line, column, format, arguments);
  va_end(arguments);
}
