/* The report on two pipelines: the number of differences after each pass that both run, and the first pass after which
 * there are more than before it.
 *
 *   equal after: input, inline, canonicalize
 *   24 different after: tritongpu-pipeline
 *   the pipelines diverge at tritongpu-pipeline
 *
 * Passes correspond in order, by name. The differences are those of the IR of the second pipeline from that of the
 * first. Attributes of the module are shown but not counted: options are recorded there before any pass uses them. */
#include "tools/nereid/diff/diff.h"

#include "base/json.h"
#include "tools/nereid/diff/sequence.h"

typedef struct pair {
  size_t step[2];
} pair_t;

static uint64_t key_of(const tool_step_t *step) {
  const nereid_view_t name = step->pass ? tool_pass_name(step->pass) : nereid_view("input");
  return tool_hash(0, name.data, name.size);
}

/* Sets found[i] to the step of the second trace that corresponds to step i of the first one, or to UINT32_MAX. */
static uint32_t *align(nereid_arena_t *arena, const tool_trace_t traces[2]) {
  uint64_t *keys[2];
  for (int side = 0; side < 2; ++side) {
    keys[side] = nereid_arena_new(arena, uint64_t, traces[side].n_steps + 1);
    for (size_t i = 0; keys[side] && i < traces[side].n_steps; ++i)
      keys[side][i] = key_of(&traces[side].steps[i]);
  }
  uint32_t *found = nereid_arena_new(arena, uint32_t, traces[0].n_steps + 1);
  return found && keys[0] && keys[1] &&
                 tool_sequence_match(arena, keys[0], (uint32_t)traces[0].n_steps, keys[1], (uint32_t)traces[1].n_steps,
                                     UINT32_MAX, found)
             ? found
             : NULL;
}

static const char *name_of(const tool_step_t *step) {
  return step->pass ? step->pass : "input";
}

/* Compares the IR after two steps. Null when out of memory. */
static const tool_rows_t *compare(const diff_view_t *view, const tool_trace_t traces[2], const pair_t *pair,
                                  nereid_arena_t *arena, tool_diff_counts_t *out_counts) {
  const tool_match_t *match =
      tool_match_create(arena, traces[0].steps[pair->step[0]].after, traces[1].steps[pair->step[1]].after);
  if (!match)
    return NULL;
  *out_counts = tool_diff_count(match);
  out_counts->change[TOOL_CHANGE_EDITED] -= match->after->n_ops && match->change[0] == TOOL_CHANGE_EDITED;
  return tool_rows_create(arena, match, &view->filter);
}

/* The state of the report. */
typedef struct part {
  uint32_t worst;        /* the largest number of differences so far */
  bool parted;           /* end of the common part of the pipelines */
  char note[64];         /* note of the current line; empty: none */
  const char *separator; /* separator of JSON */
} part_t;

/* Prints a pass with a note. Consecutive passes with the same note share a line; an empty note ends the line. */
static void print_note(const diff_view_t *view, part_t *part, const tool_step_t *step, const char *note) {
  const nereid_view_t name = step && step->pass ? tool_pass_name(step->pass) : nereid_view("input");
  if (view->settings->json)
    return;
  if (*note && strcmp(part->note, note) == 0) {
    fprintf(view->style.out, ", %.*s", (int)name.size, name.data);
    return;
  }
  fputs(part->note[0] ? "\n" : "", view->style.out);
  if (*note)
    fprintf(view->style.out, "%s: %.*s", note, (int)name.size, name.data);
  snprintf(part->note, sizeof part->note, "%s", note);
}

static void print_one_sided(const diff_view_t *view, part_t *part, const tool_trace_t *trace, size_t first, size_t end,
                            const char *note) {
  for (size_t i = first; i < end; ++i)
    print_note(view, part, &trace->steps[i], note);
}

static void print_state(const diff_view_t *view, part_t *part, const tool_step_t *step, uint32_t differences,
                        bool parts) {
  char note[sizeof part->note] = "equal after";
  if (differences)
    snprintf(note, sizeof note, "%u different after", differences);
  print_note(view, part, step, note);
  if (!parts || view->settings->json)
    return;
  print_note(view, part, NULL, "");
  fprintf(view->style.out, "the pipelines diverge at %s\n", name_of(step));
}

static void print_json_state(const diff_view_t *view, const tool_step_t *step, bool parts, bool shown,
                             const tool_diff_counts_t *counts, const tool_rows_t *rows, const char **separator) {
  FILE *out = view->style.out;
  fprintf(out, "%s  {\"stage\": \"%s\", \"pass\": ", *separator, tool_trace_stage_name(step->stage));
  *separator = ",\n";
  nereid_json_print_string(out, nereid_view(name_of(step)));
  fprintf(out, ", \"differences\": %u, \"parts\": %s", tool_diff_total(counts), parts ? "true" : "false");
  if (shown) {
    fputs(", ", out);
    tool_diff_print_json(out, counts, rows);
  }
  fputc('}', out);
}

/* Prints one pair of steps. False when out of memory. */
static bool print_pair(const diff_view_t *view, const tool_trace_t traces[2], const pair_t *pair, part_t *part) {
  nereid_arena_t arena;
  tool_diff_counts_t counts;
  nereid_arena_initialize(&arena);
  const tool_step_t *step = &traces[0].steps[pair->step[0]];
  const tool_rows_t *rows = compare(view, traces, pair, &arena, &counts);
  if (rows) {
    const uint32_t differences = tool_diff_total(&counts);
    const bool parts = !part->parted && differences > part->worst;
    const bool shown = view->settings->pass ? step->pass && diff_selects_pass(view->settings, step->pass) : parts;
    part->parted |= parts;
    part->worst = differences > part->worst ? differences : part->worst;
    print_state(view, part, step, differences, parts);
    if (view->settings->json) {
      print_json_state(view, step, parts, shown, &counts, rows, &part->separator);
    } else if (shown && differences) {
      print_note(view, part, NULL, "");
      tool_diff_print_rows(&view->style, rows);
    }
  }
  nereid_arena_deinitialize(&arena);
  return rows != NULL;
}

bool diff_print_pair(const diff_view_t *view, const tool_trace_t traces[2], const char *const labels[2]) {
  static const char *const only[] = {"only in the first", "only in the second"};
  const uint32_t *found = align(view->arena, traces);
  part_t part = {.separator = ""};
  bool done = found != NULL;
  size_t next[2] = {0, 0};
  if (view->settings->json)
    fputs("{\"version\": 1, \"passes\": [\n", view->style.out);
  else
    fprintf(view->style.out, "- %s\n+ %s\n", labels[0], labels[1]);
  for (size_t i = 0; done && i <= traces[0].n_steps; ++i) {
    const bool is_end = i == traces[0].n_steps;
    if (!is_end && found[i] == UINT32_MAX)
      continue;
    const pair_t pair = {{i, is_end ? traces[1].n_steps : found[i]}};
    for (int side = 0; side < 2; ++side) {
      print_one_sided(view, &part, &traces[side], next[side], pair.step[side], only[side]);
      next[side] = pair.step[side] + 1;
    }
    done = is_end || print_pair(view, traces, &pair, &part);
  }
  print_note(view, &part, NULL, "");
  if (view->settings->json)
    fputs("\n]}\n", view->style.out);
  else if (!part.parted)
    fputs("the pipelines produce the same IR\n", view->style.out);
  return done;
}
