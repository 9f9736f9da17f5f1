/* `nereid compile --remarks[=REGEX]`: prints the decisions of passes on standard error. */
#ifndef NEREID_TOOLS_COMPILE_REMARKS_H
#define NEREID_TOOLS_COMPILE_REMARKS_H

#include "tools/nereid/caret.h"
#include "tools/nereid/tool.h"

#include <regex.h>

typedef struct tool_remarks {
  bool is_filtered;
  regex_t filter; /* POSIX extended syntax; shared by all threads */
} tool_remarks_t;

/* Compiles the regular expression `text`; an empty one matches all remarks. False after an error on stderr. */
bool tool_remarks_open(tool_remarks_t *remarks, const tool_command_t *command, const char *text);
void tool_remarks_close(tool_remarks_t *remarks);

/* The data that one compilation passes to tool_print_remark. */
typedef struct tool_remarks_of_source {
  const tool_remarks_t *remarks;
  tool_source_t *source;
} tool_remarks_of_source_t;

/* A nereid_remark_handler_t; `user_data` is a tool_remarks_of_source_t. Prints the remark when the pass, the name of
 * the decision or the text matches. */
void tool_print_remark(void *user_data, const nereid_remark_t *remark);

#endif
