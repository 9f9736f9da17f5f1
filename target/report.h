/* Reports of code below the compile API: a message, its location and its severity.
 *
 * LLVM IR and PTX input has no MLIR location; its messages use a report instead of mlirEmitError and reach the same
 * sink of the session. */
#ifndef NEREID_TARGET_REPORT_H
#define NEREID_TARGET_REPORT_H

#include "base/status.h"

typedef enum nereid_report_level {
  NEREID_REPORT_ERROR = 0,
  NEREID_REPORT_WARNING = 1,
  NEREID_REPORT_REMARK = 2,
  NEREID_REPORT_NOTE = 3, /* a note of the previous message */
} nereid_report_level_t;

/* `file` may be null and `line`, `column` 0: not located. Strings live for the call. */
typedef void (*nereid_report_emit_t)(void *user_data, nereid_report_level_t level, const char *file, unsigned line,
                                     unsigned column, const char *message);

typedef struct nereid_report {
  nereid_report_emit_t emit; /* null: messages are dropped */
  void *user_data;           /* borrowed */
} nereid_report_t;

/* Formats and reports a message without a location. Returns `status`, for `return nereid_report(...)`. */
nereid_status_t nereid_report(const nereid_report_t *report, nereid_status_t status, const char *format, ...)
    NEREID_PRINTF(3, 4);

/* The same with a location and severity. */
void nereid_report_at(const nereid_report_t *report, nereid_report_level_t level, const char *file, unsigned line,
                      unsigned column, const char *format, ...) NEREID_PRINTF(6, 7);

#endif
