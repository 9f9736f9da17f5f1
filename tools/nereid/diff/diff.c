/* nereid diff: shows the changes of each pass of a compilation, or the differences between two compilations.
 *
 *   nereid diff matmul.ttir                                  every pass
 *   nereid diff matmul.ttir --pass tritongpu-pipeline        one pass, all of it
 *   nereid diff matmul.ttir --with '--num-stages 4'          two sets of options: where do the pipelines diverge?
 *   nereid diff matmul.ttir edited.ttir                      two inputs
 *   nereid diff matmul.ttir --other-nereid old/bin/nereid    two builds */
#include "tools/nereid/diff/diff.h"

#include "base/file.h"
#include "tools/nereid/trace/trace_file.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#define AT(field) offsetof(diff_settings_t, field)

static const tool_option_t options[] = {
    {"--pass", "NAME", "show the changes of this pass only", TOOL_TEXT, AT(pass)},
    {"--function", "NAME", "show changes of this function only", TOOL_TEXT, AT(function)},
    {"--op", "REGEX", "show changed operations whose name or text matches", TOOL_TEXT, AT(op)},
    {"--with", "OPTIONS", "compare with a second compilation of the input, with these options of nereid diff",
     TOOL_TEXT, AT(with)},
    {"--other-nereid", "PATH", "compare with the compilation of the input by another build of nereid", TOOL_TEXT,
     AT(other)},
    {"--save-trace", "FILE", "write the IR after each pass to a file, for another build of nereid, instead of a report",
     TOOL_TEXT, AT(save)},
    {"--context", "N", "unchanged operations around a changed one (default: 1)", TOOL_NATURAL, AT(context)},
    {"--json", NULL, "print JSON (docs/diff.md)", TOOL_FLAG, AT(json)},
    {"--color", "WHEN", "always, never or auto (default: on a terminal, unless NO_COLOR is set)", TOOL_TEXT, AT(color)},
    {"--no-pager", NULL, "do not start $PAGER on a terminal", TOOL_FLAG, AT(no_pager)},
    TOOL_PLAN_OPTIONS(diff_settings_t, plan),
    {"--emit", "STAGE", "the last stage: ttir, ttgir or llvm (default: llvm)", TOOL_TEXT, AT(emit)},
    {"--target", "T", "target to compile for (default: the module's, else sm_90a)", TOOL_TEXT, AT(target)},
    {"--kernel", "NAME", "the public function to compile, when there are several", TOOL_TEXT, AT(kernel)},
    {"--num-warps", "N", "warps per CTA", TOOL_POSITIVE, AT(num_warps)},
    {"--num-stages", "N", "loop iterations in flight", TOOL_POSITIVE, AT(num_stages)},
    {"--num-ctas", "N", "CTAs per cluster", TOOL_POSITIVE, AT(num_ctas)},
    {"--no-fp-fusion", NULL, "do not contract multiply and add to fma", TOOL_FLAG, AT(no_fp_fusion)},
    {"--no-global-order", NULL, "no barriers between dependent accesses to global memory within a program", TOOL_FLAG,
     AT(no_global_order)},
    {"--no-warp-specialization", NULL, "do not divide loops between producer and consumer warps", TOOL_FLAG,
     AT(no_warp_specialization)},
    {"--specialize-calls", NULL, "clone functions for calls whose arguments have different known properties", TOOL_FLAG,
     AT(specialize_calls)},
};

static int run(int argc, char **argv);

const tool_command_t tool_command_diff = {
    "diff",  "IN [IN2]",          "shows the changes of each pass, or where two pipelines diverge",
    options, TOOL_COUNT(options), run};

enum { MAX_CHANGES = 60 }; /* changes of one pass, without --pass and --op */

static int check(const diff_settings_t *settings, tool_trace_request_t *out) {
  const nereid_stage_t stage = settings->emit ? nereid_stage_parse(settings->emit) : NEREID_STAGE_LLVM;
  if (stage == NEREID_STAGE_NONE || stage > NEREID_STAGE_LLVM) {
    tool_error(&tool_command_diff, "--emit: expected ttir, ttgir or llvm, not '%s'", settings->emit);
    return TOOL_CALL;
  }
  out->plan = settings->plan;
  out->options = (nereid_compile_options_t){.size = sizeof out->options,
                                            .target = settings->target,
                                            .emit = stage,
                                            .num_warps = (int32_t)settings->num_warps,
                                            .num_stages = (int32_t)settings->num_stages,
                                            .num_ctas = (int32_t)settings->num_ctas,
                                            .kernel = settings->kernel,
                                            .no_fp_fusion = settings->no_fp_fusion,
                                            .no_global_order = settings->no_global_order,
                                            .no_warp_specialization = settings->no_warp_specialization,
                                            .specialize_calls = settings->specialize_calls};
  return TOOL_CONTINUE;
}

/* Parses the text of --with on top of the settings of the command line. */
static int parse_with(nereid_arena_t *arena, diff_settings_t *settings) {
  assert(settings->with);
  tool_list_t words = {0}, operands = {0};
  if (!tool_list_append(arena, &words, "diff") || !tool_words_split(arena, settings->with, &words))
    return TOOL_CALL;
  settings->with = NULL;
  const int code =
      tool_options_parse(arena, &tool_command_diff, (int)words.size, (char **)words.items, settings, &operands);
  if (code == TOOL_CONTINUE && operands.size) {
    tool_error(&tool_command_diff, "--with: expected options, not '%s'", operands.items[0]);
    return TOOL_CALL;
  }
  return code;
}

static bool wants_color(const diff_settings_t *settings) {
  const char *no_color = getenv("NO_COLOR");
  if (settings->color && strcmp(settings->color, "auto") != 0)
    return strcmp(settings->color, "always") == 0;
  return !settings->json && isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

/* Starts the pager on a terminal; returns stdout when there is none. */
static FILE *open_output(const diff_settings_t *settings, bool *out_is_pager) {
  const char *pager = getenv("PAGER");
  *out_is_pager = false;
  fflush(stdout);
  if (settings->json || settings->no_pager || !isatty(STDOUT_FILENO))
    return stdout;
  /* The command is the user's own. NOLINTNEXTLINE(bugprone-command-processor,clang-analyzer-optin.taint.*) */
  FILE *out = popen(pager && *pager ? pager : "less -FRX", "w");
  *out_is_pager = out != NULL;
  return out ? out : stdout;
}

static bool print(diff_view_t *view, const tool_trace_t traces[2], size_t n, const char *const labels[2]) {
  bool is_pager;
  tool_aliases_t aliases = {.arena = view->arena};
  const diff_settings_t *settings = view->settings;
  view->style = (tool_diff_style_t){.color = wants_color(settings),
                                    .context = (int)settings->context,
                                    .limit = settings->pass || settings->op ? 0 : MAX_CHANGES,
                                    .aliases = &aliases};
  view->style.out = open_output(settings, &is_pager);
  const bool done = n == 1 ? diff_print_passes(view, traces) : diff_print_pair(view, traces, labels);
  if (is_pager)
    pclose(view->style.out);
  return done;
}

static bool has_pass(const diff_settings_t *settings, const tool_trace_t *trace) {
  for (size_t i = 1; i < trace->n_steps; ++i)
    if (diff_selects_pass(settings, trace->steps[i].pass))
      return true;
  return false;
}

static int save(const tool_trace_t *trace, const char *path) {
  FILE *file = fopen(path, "w");
  if (file)
    tool_trace_write(trace, file);
  const bool failed = !file || ferror(file);
  if ((file && fclose(file)) || failed) {
    tool_error(&tool_command_diff, "'%s' cannot be written", path);
    return TOOL_CALL;
  }
  return TOOL_DONE;
}

/* Traces one or two compilations and prints the report. A compilation that fails is reported up to the pass that
 * failed, and its exit code is returned. */
static int report(nereid_arena_t *arena, diff_view_t *view, const tool_trace_request_t requests[2], size_t n,
                  const char *const labels[2]) {
  tool_trace_t traces[2];
  int code = TOOL_DONE;
  for (size_t i = 0; i < n; ++i) {
    nereid_message_t message = {""};
    const nereid_status_t status = i && view->settings->other
                                       ? diff_trace_other(arena, view->settings, view->input, &traces[1], &message)
                                       : tool_trace_run(&requests[i], arena, &traces[i], &message);
    if (status)
      code = tool_failed(&tool_command_diff, status, &message);
    if (status && status != NEREID_ERROR_PROGRAM)
      return code;
  }
  if (!traces[0].n_steps || (n > 1 && !traces[1].n_steps)) {
    if (code == TOOL_DONE)
      tool_error(&tool_command_diff, "no pass runs from the stage of '%s' to %s", view->input,
                 nereid_stage_name(requests[0].options.emit));
    return code == TOOL_DONE ? TOOL_CALL : code;
  }
  if (view->settings->save)
    return code == TOOL_DONE ? save(&traces[0], view->settings->save) : code;
  if (view->settings->pass && !has_pass(view->settings, &traces[0])) {
    tool_error(&tool_command_diff, "--pass: no pass '%s' runs", view->settings->pass);
    return TOOL_CALL;
  }
  if (print(view, traces, n, labels))
    return code;
  tool_error(&tool_command_diff, "out of memory");
  return TOOL_CALL;
}

static int run_inputs(nereid_arena_t *arena, diff_settings_t *settings, const tool_list_t *inputs) {
  diff_settings_t second = *settings;
  tool_trace_request_t requests[2] = {{.name = inputs->items[0]}, {.name = inputs->items[inputs->size - 1]}};
  const size_t n = settings->with || settings->other ? 2 : inputs->size;
  int code = check(settings, &requests[0]);
  if (code == TOOL_CONTINUE && settings->with)
    code = parse_with(arena, &second);
  if (code == TOOL_CONTINUE)
    code = check(&second, &requests[1]);
  for (size_t i = 0; code == TOOL_CONTINUE && i < n; ++i) {
    nereid_message_t message = {""};
    const nereid_status_t status = nereid_file_read(arena, requests[i].name, &requests[i].text, &message);
    if (status)
      code = tool_failed(&tool_command_diff, status, &message);
  }
  if (code != TOOL_CONTINUE)
    return code;
  regex_t op;
  const char *const labels[] = {inputs->items[0], settings->with    ? settings->with
                                                  : settings->other ? settings->other
                                                                    : requests[1].name};
  diff_view_t view = {.settings = settings, .input = inputs->items[0], .arena = arena};
  view.filter.function = settings->function;
  if (settings->op && regcomp(&op, settings->op, REG_EXTENDED | REG_NOSUB)) {
    tool_error(&tool_command_diff, "--op: expected a POSIX extended regular expression, not '%s'", settings->op);
    return TOOL_CALL;
  }
  view.filter.op = settings->op ? &op : NULL;
  code = report(arena, &view, requests, n, labels);
  if (settings->op)
    regfree(&op);
  return code;
}

static int run(int argc, char **argv) {
  nereid_arena_t arena;
  diff_settings_t settings = {.context = 1};
  tool_list_t operands = {0};
  nereid_arena_initialize(&arena);
  int code = tool_options_parse(&arena, &tool_command_diff, argc, argv, &settings, &operands);
  const size_t others = (operands.size == 2) + (settings.with != NULL) + (settings.other != NULL);
  if (code == TOOL_CONTINUE && (operands.size < 1 || operands.size > 2 || others > 1 || (others && settings.save))) {
    tool_error(&tool_command_diff,
               "expected one input, two inputs, or one input with one of --with, --other-nereid and "
               "--save-trace; see nereid diff --help");
    code = TOOL_CALL;
  }
  if (code == TOOL_CONTINUE)
    code = run_inputs(&arena, &settings, &operands);
  nereid_arena_deinitialize(&arena);
  return code;
}
