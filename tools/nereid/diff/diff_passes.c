/* The report on one input: an entry per pass that changed the IR, and the names of the passes that did not. */
#include "tools/nereid/diff/diff.h"

#include "base/json.h"

#include "base/vector.h"

bool diff_selects_pass(const diff_settings_t *settings, const char *pass) {
  return !settings->pass || nereid_view_equal(tool_pass_name(pass), nereid_view(settings->pass)) ||
         strcmp(pass, settings->pass) == 0;
}

/* Passes without a change, which are printed on one line before the next entry. */
typedef struct pending {
  NEREID_VECTOR(const tool_step_t *) steps;
  double milliseconds;
  size_t printed; /* entries of other passes */
} pending_t;

static bool is_filtered(const diff_view_t *view) {
  return view->filter.function || view->filter.op;
}

static void print_unchanged(const diff_view_t *view, pending_t *pending) {
  if (!pending->steps.size || is_filtered(view))
    return;
  fprintf(view->style.out, "unchanged by");
  for (size_t i = 0; i < pending->steps.size; ++i) {
    const nereid_view_t name = tool_pass_name(pending->steps.data[i]->pass);
    fprintf(view->style.out, "%s %.*s", i ? "," : "", (int)name.size, name.data);
  }
  fprintf(view->style.out, " (%.2f ms)\n", pending->milliseconds);
  pending->steps.size = 0;
  pending->milliseconds = 0;
}

static void print_head(const diff_view_t *view, const tool_step_t *step, const tool_diff_counts_t *counts) {
  fprintf(view->style.out, "%s%s%s  %s, %.2f ms: ", view->style.color ? "\033[1m" : "", step->pass,
          view->style.color ? "\033[0m" : "", tool_trace_stage_name(step->stage), step->milliseconds);
  tool_diff_print_counts(&view->style, counts);
}

/* Prints one pass as text; false when out of memory. */
static bool print_text(const diff_view_t *view, const tool_trace_t *trace, size_t i, pending_t *pending,
                       nereid_arena_t *arena) {
  const tool_step_t *step = &trace->steps[i];
  const tool_match_t *match = tool_match_create(arena, trace->steps[i - 1].after, step->after);
  const tool_rows_t *rows = match ? tool_rows_create(arena, match, &view->filter) : NULL;
  if (!rows)
    return false;
  const tool_diff_counts_t counts = tool_diff_count(match);
  if (!tool_diff_total(&counts)) {
    pending->milliseconds += step->milliseconds;
    return nereid_vector_push(view->arena, &pending->steps, step);
  }
  if (is_filtered(view) && !rows->n_selected)
    return true;
  print_unchanged(view, pending);
  ++pending->printed;
  print_head(view, step, &counts);
  tool_diff_print_rows(&view->style, rows);
  return true;
}

static bool print_json(const diff_view_t *view, const tool_trace_t *trace, size_t i, nereid_arena_t *arena) {
  const tool_step_t *step = &trace->steps[i];
  const tool_match_t *match = tool_match_create(arena, trace->steps[i - 1].after, step->after);
  const tool_rows_t *rows = match ? tool_rows_create(arena, match, &view->filter) : NULL;
  if (!rows)
    return false;
  const tool_diff_counts_t counts = tool_diff_count(match);
  fprintf(view->style.out, "  {\"stage\": \"%s\", \"pass\": ", tool_trace_stage_name(step->stage));
  nereid_json_print_string(view->style.out, nereid_view(step->pass));
  fprintf(view->style.out, ", \"milliseconds\": %.3f, ", step->milliseconds);
  tool_diff_print_json(view->style.out, &counts, rows);
  fputc('}', view->style.out);
  return true;
}

bool diff_print_passes(const diff_view_t *view, const tool_trace_t *trace) {
  const bool json = view->settings->json;
  pending_t pending = {.milliseconds = 0};
  bool done = true, first = true;
  if (json) {
    fputs("{\"version\": 1, \"input\": ", view->style.out);
    nereid_json_print_string(view->style.out, nereid_view(view->input));
    fputs(", \"passes\": [\n", view->style.out);
  }
  for (size_t i = 1; done && i < trace->n_steps; ++i) {
    if (!diff_selects_pass(view->settings, trace->steps[i].pass))
      continue;
    nereid_arena_t arena;
    nereid_arena_initialize(&arena);
    if (json && !first)
      fputs(",\n", view->style.out);
    first = false;
    done = json ? print_json(view, trace, i, &arena) : print_text(view, trace, i, &pending, &arena);
    nereid_arena_deinitialize(&arena);
  }
  if (json)
    fputs("\n]}\n", view->style.out);
  else
    print_unchanged(view, &pending);
  if (!json && is_filtered(view) && !pending.printed)
    fputs("no pass changes an operation that the options select\n", view->style.out);
  return done;
}
