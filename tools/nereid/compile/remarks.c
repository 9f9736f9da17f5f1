/* Prints remarks of passes:
 *
 *   gelu.py:10:12: remark: [Passed] access-width | convert-triton-gpu-to-llvm | 128 bits at a time: the widest access
 *       x = tl.load(x_ptr + offsets)
 *           ^ */
#include "tools/nereid/compile/remarks.h"

bool tool_remarks_open(tool_remarks_t *remarks, const tool_command_t *command, const char *text) {
  char reason[256];
  remarks->is_filtered = *text != 0;
  const int code = *text ? regcomp(&remarks->filter, text, REG_EXTENDED | REG_NOSUB) : 0;
  if (!code)
    return true;
  regerror(code, &remarks->filter, reason, sizeof reason);
  tool_error(command, "--remarks=%s: expected a POSIX extended regular expression: %s", text, reason);
  remarks->is_filtered = false;
  return false;
}

void tool_remarks_close(tool_remarks_t *remarks) {
  if (remarks->is_filtered)
    regfree(&remarks->filter);
}

static bool matches(const tool_remarks_t *remarks, const char *text) {
  return text && regexec(&remarks->filter, text, 0, NULL, 0) == 0;
}

void tool_print_remark(void *user_data, const nereid_remark_t *remark) {
  static const char *const kinds[] = {"Passed", "Missed", "Failed", "Analysis"};
  const tool_remarks_of_source_t *context = user_data;
  const tool_remarks_t *remarks = context->remarks;
  if (remarks->is_filtered && !matches(remarks, remark->pass) && !matches(remarks, remark->name) &&
      !matches(remarks, remark->text))
    return;
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  const char *text = remark->pass ? nereid_arena_format(&arena, "[%s] %s | %s | %s", kinds[remark->kind], remark->name,
                                                        remark->pass, remark->text)
                                  : remark->text;
  const nereid_diagnostic_t diagnostic = {.severity = NEREID_SEVERITY_REMARK,
                                          .file = remark->file,
                                          .line = remark->line,
                                          .column = remark->column,
                                          .message = text};
  if (text)
    tool_print_diagnostic(context->source, &diagnostic);
  nereid_arena_deinitialize(&arena);
}
