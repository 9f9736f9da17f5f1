/* Diagnostics of a compilation on standard error, with the source line and a caret. */
#ifndef NEREID_TOOLS_CARET_H
#define NEREID_TOOLS_CARET_H

#include "nereid/compile.h"

typedef struct tool_source {
  const char *name;   /* name of the input, as passed to nereid_compile */
  nereid_view_t text; /* the input, borrowed; shown when a diagnostic refers to it */
  unsigned errors;    /* number of errors printed so far */
} tool_source_t;

/* A nereid_diagnostic_handler_t; `user_data` is a tool_source_t. */
void tool_print_diagnostic(void *user_data, const nereid_diagnostic_t *diagnostic);

#endif
