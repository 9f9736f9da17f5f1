/* The changes come from a trace of the same compilation. The IR before the pass is written by a probe that stops there;
 * with nereid-opt and the text of the pass it reproduces what the pass did. */
#include "tools/nereid/bisect/evidence.h"

#include "tools/nereid/diff/report_text.h"

#include <stdio.h>
#include <unistd.h>

typedef struct prefix {
  size_t seen, limit;
} prefix_t;

static bool keep(void *user_data, const char *pass) {
  prefix_t *prefix = user_data;
  return prefix->seen++ < prefix->limit || tool_pass_is_required(pass);
}

static void print_step(nereid_arena_t *arena, const tool_step_t steps[2], int64_t context, FILE *out, bool json) {
  const tool_match_t *match = tool_match_create(arena, steps[0].after, steps[1].after);
  const tool_filter_t filter = {NULL, NULL};
  const tool_rows_t *rows = match ? tool_rows_create(arena, match, &filter) : NULL;
  if (!rows)
    return;
  const tool_diff_counts_t counts = tool_diff_count(match);
  tool_aliases_t aliases = {.arena = arena};
  const tool_diff_style_t style = {
      .out = out, .color = isatty(fileno(out)) != 0, .context = (int)context, .limit = 20, .aliases = &aliases};
  fputs(json ? "{" : "changes of the pass: ", out);
  if (json) {
    tool_diff_print_json(out, &counts, rows);
    fputs("}", out);
    return;
  }
  tool_diff_print_counts(&style, &counts);
  tool_diff_print_rows(&style, rows);
}

/* Traces the compilation of a prefix of the passes. */
static nereid_status_t trace_prefix(const tool_case_t *subject, size_t limit, nereid_arena_t *arena,
                                    tool_trace_t *out_trace) {
  const run_settings_t *settings = &subject->settings;
  prefix_t prefix = {.limit = limit};
  nereid_message_t message = {""};
  const tool_trace_request_t request = {.text = subject->input,
                                        .name = subject->path,
                                        .plan = subject->plan,
                                        .keep = keep,
                                        .keep_data = &prefix,
                                        .options = tool_trace_options(settings)};
  return tool_trace_run(&request, arena, out_trace, &message);
}

void tool_evidence_find_changes(const tool_case_t *subject, bool *out_changed, size_t n) {
  nereid_arena_t arena;
  tool_trace_t trace;
  nereid_arena_initialize(&arena);
  const nereid_status_t status = trace_prefix(subject, SIZE_MAX, &arena, &trace);
  for (size_t i = 0; i < n; ++i) {
    const tool_match_t *match = status == NEREID_OK && i + 1 < trace.n_steps
                                    ? tool_match_create(&arena, trace.steps[i].after, trace.steps[i + 1].after)
                                    : NULL;
    const tool_diff_counts_t counts = match ? tool_diff_count(match) : (tool_diff_counts_t){{0}, {0}, {0}, {0}};
    out_changed[i] = !match || tool_diff_total(&counts) > 0;
  }
  nereid_arena_deinitialize(&arena);
}

void tool_evidence_print_changes(const tool_case_t *subject, size_t index, bool full, int64_t context, FILE *out,
                                 bool json) {
  nereid_arena_t arena;
  tool_trace_t trace;
  nereid_arena_initialize(&arena);
  const nereid_status_t status = trace_prefix(subject, full ? SIZE_MAX : index + 1, &arena, &trace);
  if (index + 1 < trace.n_steps)
    print_step(&arena, &trace.steps[index], context, out, json);
  else if (status == NEREID_OK && !json)
    fputs("changes of the pass: none in the IR of MLIR\n", out);
  nereid_arena_deinitialize(&arena);
}

/* "matmul.before-tritongpu-pipeline" in the current folder. */
static const char *path_of(nereid_arena_t *arena, const char *input, const char *pass) {
  const char *slash = strrchr(input, '/'), *base = slash ? slash + 1 : input;
  const size_t stem = strcspn(base, ".");
  const nereid_view_t name = tool_pass_name(pass);
  return nereid_arena_format(arena, "%.*s.before-%.*s", (int)stem, base, (int)name.size, name.data);
}

const char *tool_evidence_write_ir(const tool_case_t *subject, nereid_arena_t *arena, const char *output,
                                   const char *pass, size_t index, bool full, tool_outcome_t *outcome) {
  const tool_probe_request_t request = {.mode = TOOL_PROBE_DUMP,
                                        .mlir = index,
                                        .llvm = full ? SIZE_MAX : 0,
                                        .dump = output ? output : path_of(arena, subject->path, pass),
                                        .adds_suffix = !output};
  tool_probe_run(subject, &request, outcome);
  return outcome->verdict == TOOL_VERDICT_CLEAN ? nereid_arena_copy(arena, nereid_view(outcome->text)) : NULL;
}
