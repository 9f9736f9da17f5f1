/* The trace of the same compilation by another build of Nereid: it runs as a process,
 *
 *   OTHER diff IN --num-warps 8 --save-trace /dev/stdout
 *
 * and its output is read. */
#include "tools/nereid/diff/diff.h"

#include "python-free-bindings/compile/session.h"
#include "tools/nereid/trace/trace_file.h"

#include <stdlib.h>

/* Returns the command, quoted for the shell; null when out of memory. */
static const char *command_of(nereid_arena_t *arena, const diff_settings_t *settings, const char *input) {
  const diff_settings_t defaults = {.context = settings->context};
  diff_settings_t passed = *settings;
  tool_list_t words = {0};
  /* Options of the report, which the other build does not print. */
  passed.pass = passed.function = passed.op = passed.color = passed.other = NULL;
  passed.json = passed.no_pager = false;
  passed.save = "/dev/stdout";
  if (!tool_list_append(arena, &words, settings->other) || !tool_list_append(arena, &words, "diff") ||
      !tool_list_append(arena, &words, input) ||
      !tool_options_print(arena, &tool_command_diff, &passed, &defaults, NULL, &words))
    return NULL;
  const char *command = "";
  for (size_t i = 0; command && i < words.size; ++i) {
    const char *word = tool_words_quote(arena, words.items[i]);
    command = word ? nereid_arena_format(arena, "%s%s%s", command, i ? " " : "", word) : NULL;
  }
  return command;
}

static void read_all(FILE *file, nereid_text_builder_t *text) {
  char buffer[1 << 16];
  size_t size;
  while ((size = fread(buffer, 1, sizeof buffer, file)) > 0)
    nereid_text_builder_append(mlirStringRefCreate(buffer, size), text);
}

nereid_status_t diff_trace_other(nereid_arena_t *arena, const diff_settings_t *settings, const char *input,
                                 tool_trace_t *out_trace, nereid_message_t *message) {
  const char *command = command_of(arena, settings, input);
  nereid_text_builder_t text = {.arena = arena};
  *out_trace = (tool_trace_t){NULL, 0};
  if (!command)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  fflush(stdout);
  /* The program is the user's own.
   * NOLINTNEXTLINE(bugprone-command-processor,cert-env33-c,clang-analyzer-optin.taint.*) */
  FILE *output = popen(command, "r");
  if (!output)
    return nereid_message_set(message, NEREID_ERROR_IO, "--other-nereid: '%s' cannot be started", settings->other);
  read_all(output, &text);
  const int ended = pclose(output);
  if (!text.data || !text.size)
    return nereid_message_set(message, NEREID_ERROR_IO,
                              "--other-nereid: '%s' does not print a trace (exit status %d): it must be a build with "
                              "nereid diff --save-trace",
                              settings->other, WIFEXITED(ended) ? WEXITSTATUS(ended) : ended);
  return tool_trace_read(arena, nereid_view_of(text.data, text.size), out_trace, message);
}
