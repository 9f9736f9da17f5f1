/* Compares the IR before and after each pass, as `nereid diff --json` does. Changes of passes with more than a few
 * hundred of them, the lowering to LLVM, are counted but not listed: the links of the report show them better. */
#include "tools/nereid/report/pass_changes.h"

#include "base/json.h"

#include "tools/nereid/diff/report_text.h"
#include "tools/nereid/trace/trace.h"

#include <stdlib.h>

enum { MAX_CHANGES = 300 }; /* changes of one pass */

/* Prints the members of one pass. False when out of memory. */
static bool print_step(FILE *out, const tool_step_t *before, const tool_step_t *step, nereid_arena_t *arena) {
  static const tool_filter_t all = {NULL, NULL};
  const tool_match_t *match = tool_match_create(arena, before->after, step->after);
  const tool_rows_t *rows = match ? tool_rows_create(arena, match, &all) : NULL;
  if (!rows)
    return false;
  const tool_diff_counts_t counts = tool_diff_count(match);
  const bool lists = rows->n_selected <= MAX_CHANGES;
  for (size_t i = 0; i < rows->n_rows && !lists; ++i)
    rows->rows[i].selected = false;
  fprintf(out, "{\"stage\": \"%s\", \"pass\": ", tool_trace_stage_name(step->stage));
  nereid_json_print_string(out, nereid_view(step->pass));
  fprintf(out, ", \"milliseconds\": %.3f, \"listed\": %s, ", step->milliseconds, lists ? "true" : "false");
  tool_diff_print_json(out, &counts, rows);
  fputc('}', out);
  return true;
}

static bool print_steps(FILE *out, const tool_trace_t *trace) {
  bool done = true;
  const char *separator = "\n";
  fputc('[', out);
  for (size_t i = 1; done && i < trace->n_steps; ++i) {
    if (!trace->steps[i].pass)
      continue;
    nereid_arena_t arena;
    nereid_arena_initialize(&arena);
    fputs(separator, out);
    separator = ",\n";
    done = print_step(out, &trace->steps[i - 1], &trace->steps[i], &arena);
    nereid_arena_deinitialize(&arena);
  }
  fputs("\n]", out);
  return done;
}

bool report_add_passes(report_t *report, nereid_view_t input, const run_settings_t *settings) {
  const tool_trace_request_t request = {
      .text = input, .name = report->input, .plan = settings->plan, .options = tool_trace_options(settings)};
  nereid_message_t message = {""};
  tool_trace_t trace;
  char *text = NULL;
  size_t size = 0;
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  nereid_status_t status = tool_trace_run(&request, &arena, &trace, &message);
  FILE *out = status ? NULL : open_memstream(&text, &size);
  if (out) {
    status = print_steps(out, &trace) ? NEREID_OK : NEREID_ERROR_MEMORY;
    status = fclose(out) ? NEREID_ERROR_MEMORY : status;
  }
  if (!status && text)
    report->passes = nereid_arena_copy(report->arena, nereid_view_of(text, size));
  else
    report_add_message(report, "note", REPORT_INPUT, "the changes of passes are missing: %s",
                       message.text[0] ? message.text : nereid_status_string(status));
  free(text);
  nereid_arena_deinitialize(&arena);
  return !report->arena->failed;
}
