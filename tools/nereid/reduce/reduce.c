/* nereid reduce: finds a small case that still shows a property.
 *
 *   $ nereid reduce k.ttir --grid 4 --arg ... --what race -o small.ttir      58 operations -> 9
 *   $ nereid reduce k.ttir --test ./shows-it.sh -o small.ttir                exit status 0 of ./shows-it.sh FILE
 *
 * A case is a module and the options of its run; edits make either of them simpler (edit.h). The output file begins
 * with the command line that shows the property. It is written after each step, so that an interrupted reduction can
 * be continued from it. */
#include "tools/nereid/bisect/launch.h"
#include "tools/nereid/define.h"
#include "tools/nereid/interrupt.h"
#include "tools/nereid/jobs/processors.h"
#include "tools/nereid/reduce/reduction.h"

#include "base/file.h"
#include "nereid/context.h"
#include "seam/llvm.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

typedef struct reduce_settings {
  run_settings_t run; /* the first member, for TOOL_JOB_OPTIONS */
  tool_plan_options_t plan;
  const char *what, *test, *pass, *output;
  int64_t time_limit, limit, jobs; /* 0: the default */
  bool verbose, resume;
} reduce_settings_t;

static const tool_option_t options[] = {
    {"--what", "PROPERTY", "numbers (default), race, fault, crash, compile-error, counter=NAME>N or counter=NAME<N",
     TOOL_TEXT, offsetof(reduce_settings_t, what)},
    {"--test", "COMMAND", "instead: a candidate shows the property if COMMAND FILE exits with 0", TOOL_TEXT,
     offsetof(reduce_settings_t, test)},
    {"--pass", "NAME", "the property must be absent without this pass; with counter=NAME the pass must increase it",
     TOOL_TEXT, offsetof(reduce_settings_t, pass)},
    {"-o", "FILE", "the smallest module so far (default: NAME.reduced.STAGE in the current folder)", TOOL_TEXT,
     offsetof(reduce_settings_t, output)},
    {"-j", "N", "candidates at a time (default: the number of processors); the result is the same", TOOL_INTEGER,
     offsetof(reduce_settings_t, jobs)},
    {"--resume", NULL, "continue with the output file of an earlier call, and the options in its first line", TOOL_FLAG,
     offsetof(reduce_settings_t, resume)},
    TOOL_JOB_OPTIONS,
    TOOL_PLAN_OPTIONS(reduce_settings_t, plan),
    {"--timeout", "SECONDS", "stop a candidate after this time (default: 20 times that of the input, at least 5)",
     TOOL_INTEGER, offsetof(reduce_settings_t, time_limit)},
    {"--candidates", "N", "stop after this many candidates (default: no limit)", TOOL_INTEGER,
     offsetof(reduce_settings_t, limit)},
    {"--verbose", NULL, "print each candidate on standard error", TOOL_FLAG, offsetof(reduce_settings_t, verbose)},
};

static int run(int argc, char **argv);

const tool_command_t tool_command_reduce = {
    "reduce", "IN", "finds a small case that still shows a property", options, TOOL_COUNT(options), run};

extern const tool_command_t tool_command_bisect;

enum { DEFAULT_TIME_LIMIT = 600, TIME_FACTOR = 20, MIN_TIME_LIMIT = 5 };

static const reduce_settings_t defaults = {.run.shared = -1};

typedef struct reducer {
  reduce_settings_t settings;
  const char *path, *output; /* paths of the input and of the result */
  const char *line;          /* command line of the result */
  nereid_arena_t *arena;
  tool_reduction_t reduction;
} reducer_t;

/* --- the output --- */

/* The line of the output file with a command that continues with --pass, which nereid bisect does not need. */
static const char *continue_line(const reducer_t *it) {
  if (!it->settings.pass)
    return "";
  const char *output = tool_words_quote(it->arena, it->output), *pass = tool_words_quote(it->arena, it->settings.pass);
  return output && pass
             ? nereid_arena_format(it->arena, "// nereid reduce %s -o %s --resume --pass %s\n", output, output, pass)
             : NULL;
}

/* The command that shows the property of the output file. */
static const char *command_line(reducer_t *it, const run_settings_t *settings) {
  const bool bisects = !it->settings.test;
  reduce_settings_t all = {
      .run = *settings, .plan = it->settings.plan, .what = it->settings.what, .test = it->settings.test};
  tool_list_t words = {0};
  if (!tool_options_print(it->arena, &tool_command_reduce, &all, &defaults, bisects ? &tool_command_bisect : NULL,
                          &words))
    return NULL;
  const char *line = nereid_arena_format(it->arena, "nereid %s %s", bisects ? "bisect" : "reduce",
                                         tool_words_quote(it->arena, it->output));
  for (size_t i = 0; line && i < words.size; ++i) {
    const char *word = tool_words_quote(it->arena, words.items[i]);
    line = word ? nereid_arena_format(it->arena, "%s %s", line, word) : NULL;
  }
  return line;
}

/* Writes "// nereid bisect small.ttir ...", with --pass "// nereid reduce small.ttir ...", and the module. */
static bool write_case(void *user_data, nereid_view_t text, const run_settings_t *settings) {
  reducer_t *it = user_data;
  nereid_message_t message = {""};
  it->line = command_line(it, settings);
  const char *next = continue_line(it);
  const char *all = it->line && next
                        ? nereid_arena_format(it->arena, "// %s\n%s%.*s", it->line, next, (int)text.size, text.data)
                        : NULL;
  const nereid_status_t status = all ? nereid_file_write(it->output, nereid_view(all), &message) : NEREID_ERROR_MEMORY;
  if (status)
    (void)tool_failed(&tool_command_reduce, status, &message);
  return status == NEREID_OK;
}

/* Parses the options of a line "// nereid COMMAND FILE OPTIONS" and sets the start of the next one. */
static nereid_status_t read_line(const reducer_t *it, const char **at, const char *end, reduce_settings_t *out,
                                 nereid_message_t *message) {
  static const char prefix[] = "// nereid ";
  const char *start = *at, *line_end = memchr(start, '\n', (size_t)(end - start));
  tool_list_t words = {0}, operands = {0};
  if (!line_end || (size_t)(line_end - start) < sizeof prefix || strncmp(start, prefix, sizeof prefix - 1) != 0)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--resume: '%s' is not an output of nereid reduce",
                              it->output);
  start += sizeof prefix - 1;
  *at = line_end + 1;
  const char *line = nereid_arena_format(it->arena, "%.*s", (int)(line_end - start), start);
  if (!line || !tool_words_split(it->arena, line, &words))
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  if (tool_options_parse(it->arena, &tool_command_reduce, (int)words.size, (char **)words.items, out, &operands) !=
      TOOL_CONTINUE)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--resume: a line of options in '%s' is malformed",
                              it->output);
  return NEREID_OK;
}

/* Reads the options of an earlier output from its first line, and --pass from the second one, if it has options. */
static nereid_status_t read_options(reducer_t *it, nereid_message_t *message) {
  nereid_view_t text;
  reduce_settings_t earlier = defaults, continued = defaults;
  nereid_status_t status = nereid_file_read(it->arena, it->output, &text, message);
  const char *at = text.data, *end = status ? NULL : text.data + text.size;
  if (!status)
    status = read_line(it, &at, end, &earlier, message);
  if (!status && end - at > 2 && strncmp(at, "//", 2) == 0)
    status = read_line(it, &at, end, &continued, message);
  if (status)
    return status;
  it->settings.run = earlier.run;
  it->settings.plan = earlier.plan;
  it->settings.what = earlier.what;
  it->settings.test = earlier.test;
  it->settings.pass = it->settings.pass ? it->settings.pass : continued.pass;
  it->path = it->output;
  return NEREID_OK;
}

/* --- the input --- */

static nereid_status_t set_output(reducer_t *it, nereid_message_t *message) {
  const char *slash = strrchr(it->path, '/'), *base = slash ? slash + 1 : it->path, *dot = strrchr(base, '.');
  it->output = it->settings.output ? it->settings.output
                                   : nereid_arena_format(it->arena, "%.*s.reduced%s", (int)strcspn(base, "."), base,
                                                         dot ? dot : ".ttir");
  return it->output ? NEREID_OK : nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
}

/* The pipeline of a reproducer that MLIR wrote at a crash: mlir_reproducer: { pipeline: "builtin.module(...)" }. */
static void read_reproducer(reducer_t *it, nereid_view_t input) {
  static const char key[] = "mlir_reproducer", field[] = "pipeline: \"";
  const char *end = input.data + input.size, *at = memmem(input.data, input.size, key, sizeof key - 1);
  at = at ? memmem(at, (size_t)(end - at), field, sizeof field - 1) : NULL;
  const char *text = at ? at + sizeof field - 1 : NULL, *quote = text ? memchr(text, '"', (size_t)(end - text)) : NULL;
  if (quote && !it->settings.plan.pipeline)
    it->settings.plan.pipeline = nereid_arena_copy(it->arena, nereid_view_of(text, (size_t)(quote - text)));
}

static nereid_status_t prepare(reducer_t *it, nereid_message_t *message) {
  tool_property_t property;
  nereid_view_t input;
  nereid_status_t status = tool_record_open(it->arena, &it->path, &it->settings.run, message);
  if (!status)
    status = set_output(it, message);
  if (!status && it->settings.resume)
    status = read_options(it, message);
  if (!status)
    status = tool_property_parse(it->settings.what ? it->settings.what : "numbers", &property, message);
  if (!status && property.kind == TOOL_PROPERTY_COUNTER && !property.relation && !it->settings.pass)
    status = nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                                "--what: a reduction needs a limit, counter=%s>N, or --pass", property.counter);
  if (!status && it->settings.pass && it->settings.test)
    status = nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--pass: the command of --test decides alone");
  if (!status)
    status = tool_plan_validate(&it->settings.plan, it->arena, message);
  if (!status)
    status = nereid_file_read(it->arena, it->path, &input, message);
  if (!status)
    status = tool_case_check_input(it->path, input, message);
  if (!status)
    status = tool_define(it->arena, it->path, &it->settings.run.defines, &input, message);
  if (status)
    return status;
  it->settings.run.defines.size = 0; /* candidates have no placeholders */
  read_reproducer(it, input);
  const char *slash = strrchr(it->output, '/'), *dot = strrchr(slash ? slash : it->output, '.');
  it->reduction = (tool_reduction_t){
      .arena = it->arena,
      .subject = {.settings = it->settings.run,
                  .plan = it->settings.plan,
                  .property = property,
                  .path = it->path,
                  .input = input,
                  .tolerance = -1,
                  .time_limit = it->settings.time_limit ? it->settings.time_limit : DEFAULT_TIME_LIMIT,
                  .expects = true},
      .test = it->settings.test,
      .pass = it->settings.pass,
      .without_pass = it->settings.plan,
      .scratch = it->output,
      .suffix = dot ? dot : "",
      .jobs = (size_t)it->settings.jobs,
      .limit = (size_t)it->settings.limit,
      .verbose = it->settings.verbose,
      .keep = write_case,
      .keep_data = it,
  };
  const bool good = !it->settings.pass || tool_plan_take_out(it->arena, &it->reduction.without_pass, it->settings.pass);
  return good && tool_reduction_initialize(&it->reduction)
             ? NEREID_OK
             : nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
}

static MlirModule parse(MlirContext context, const reducer_t *it, nereid_view_t text) {
  return nereidMlirModuleCreateParse(context, mlirStringRefCreate(text.data, text.size),
                                     mlirStringRefCreateFromCString(it->path));
}

/* Parses what the compiler printed; options that only the compiler recorded there are those of the settings. */
static MlirModule parse_dump(MlirContext context, const reducer_t *it, nereid_view_t text) {
  static const char name[] = "nereid.options";
  const nereid_view_t input = it->reduction.subject.input;
  const MlirModule module = parse(context, it, text);
  if (!mlirModuleIsNull(module) && !memmem(input.data, input.size, name, sizeof name - 1))
    (void)tool_edit_remove_options(mlirModuleGetOperation(module));
  return module;
}

/* Reads the input as the compiler does, which selects the kernel and gives its arguments names. Other MLIR is read as
 * it is, for properties that do not run it. */
static MlirModule read_module(reducer_t *it, MlirContext context, tool_outcome_t *outcome) {
  const tool_case_t *subject = &it->reduction.subject;
  const char *dump = nereid_arena_format(it->arena, "%s.input", it->output);
  const tool_probe_request_t request = {.mode = TOOL_PROBE_DUMP, .dump = dump};
  const tool_property_kind_t kind = subject->property.kind;
  const bool runs = !it->settings.test && kind != TOOL_PROPERTY_CRASH && kind != TOOL_PROPERTY_COMPILE_ERROR;
  nereid_message_t message = {""};
  nereid_view_t text = {0};
  if (!dump)
    return (MlirModule){NULL};
  tool_probe_run(subject, &request, outcome);
  const bool good =
      outcome->verdict == TOOL_VERDICT_CLEAN && nereid_file_read(it->arena, dump, &text, &message) == NEREID_OK;
  unlink(dump);
  if (good)
    return parse_dump(context, it, text);
  return runs ? (MlirModule){NULL} : parse(context, it, subject->input);
}

/* --- the command --- */

static int report(const reducer_t *it, size_t before) {
  const tool_reduction_t *reduction = &it->reduction;
  printf("%zu operations -> %zu, with %zu candidates, %zu of them kept: %s\n", before, reduction->n_ops,
         reduction->n_tried, reduction->kept.size, it->output);
  if (!it->settings.test)
    printf("the property: %s\n", it->settings.what ? it->settings.what : "numbers");
  printf("shown by: %s\n", it->line);
  if (tool_interrupt_is_caught())
    printf("interrupted: continue with nereid reduce %s -o %s --resume\n", it->path, it->output);
  fflush(stdout); /* the signal ends the process */
  return reduction->failed ? TOOL_CALL : TOOL_DONE;
}

/* Replaces the launch of the input by a smaller one with the property. */
static void shrink_launch(reducer_t *it) {
  tool_reduction_t *reduction = &it->reduction;
  const tool_launch_t launch = {.arena = it->arena,
                                .subject = &reduction->subject,
                                .outcome = reduction->without,
                                .time_limit = reduction->subject.time_limit,
                                .verbose = it->settings.verbose};
  if (tool_launch_shrink(&launch, TOOL_PROBE_EMULATE))
    reduction->best.settings = reduction->subject.settings;
}

/* Returns whether smaller launches are tried for an input that takes long. The values of counters depend on them. */
static bool shrinks(const reducer_t *it) {
  const tool_property_kind_t kind = it->reduction.subject.property.kind;
  return !it->settings.test && !it->settings.time_limit && kind != TOOL_PROPERTY_COUNTER &&
         tool_trial_request(&it->reduction).mode == TOOL_PROBE_EMULATE;
}

/* Tries the input: with a smaller launch if it takes long, and without locations, which nothing after it needs, before
 * it is tried with them. Sets the time limit of the candidates. */
static bool begin(reducer_t *it) {
  tool_reduction_t *reduction = &it->reduction;
  const int64_t given = reduction->subject.time_limit;
  time_t start = time(NULL);
  reduction->subject.time_limit = shrinks(it) ? TOOL_GIVEN_LAUNCH_TIME : given;
  bool shown = tool_reduction_begin(reduction);
  reduction->subject.time_limit = given;
  if (!shown && shrinks(it) && reduction->trials[0].outcome->timed_out && !tool_interrupt_is_caught()) {
    shrink_launch(it);
    start = time(NULL);
    shown = tool_reduction_begin(reduction);
  }
  if (!shown && !tool_interrupt_is_caught()) {
    reduction->locations = true;
    shown = tool_reduction_begin(reduction);
  }
  const int64_t limit = TIME_FACTOR * (int64_t)(time(NULL) - start);
  if (!it->settings.time_limit)
    reduction->subject.time_limit = limit > MIN_TIME_LIMIT ? limit : MIN_TIME_LIMIT;
  return shown;
}

static int reduce(reducer_t *it) {
  tool_reduction_t *reduction = &it->reduction;
  (void)tool_interrupt_begin();
  const bool shown = begin(it);
  const size_t before = reduction->n_ops;
  if (shown && !reduction->failed)
    tool_reduction_run(reduction);
  tool_interrupt_end();
  if (shown)
    return report(it, before);
  printf("%s%s\n",
         tool_interrupt_is_caught() ? "interrupted before the input was tried"
                                    : "the input does not show the property: ",
         tool_interrupt_is_caught() ? "" : reduction->text);
  fflush(stdout);
  return TOOL_PROGRAM;
}

static int run_input(reducer_t *it, MlirContext context) {
  nereid_message_t message = {""};
  const nereid_status_t status = prepare(it, &message);
  if (status)
    return tool_failed(&tool_command_reduce, status, &message);
  tool_outcome_t *outcome = tool_outcome_create();
  const MlirModule module = outcome ? read_module(it, context, outcome) : (MlirModule){NULL};
  int code = TOOL_PROGRAM;
  if (mlirModuleIsNull(module)) {
    tool_error(&tool_command_reduce, "'%s' is not MLIR of the stages ttir or ttgir: %s", it->path,
               outcome ? outcome->text : "out of memory");
  } else {
    it->reduction.best = (tool_candidate_t){it->arena, mlirModuleGetOperation(module), it->settings.run};
    code = reduce(it);
    mlirOperationDestroy(it->reduction.best.module);
  }
  tool_outcome_destroy(outcome);
  return code;
}

static int check(reduce_settings_t *settings, const tool_list_t *operands) {
  const int64_t processors = tool_processors();
  if (operands->size != 1 || settings->time_limit < 0 || settings->time_limit > 86400 || settings->limit < 0 ||
      settings->jobs < 0 || settings->jobs > TOOL_MAX_JOBS) {
    tool_error(&tool_command_reduce,
               "expected one input, and -j, --timeout and --candidates in their range; see nereid reduce --help");
    return TOOL_CALL;
  }
  if (!settings->jobs)
    settings->jobs = processors > TOOL_MAX_JOBS ? TOOL_MAX_JOBS : processors;
  return TOOL_CONTINUE;
}

static int run(int argc, char **argv) {
  nereid_arena_t arena;
  tool_list_t operands = {0};
  reducer_t it = {.settings = defaults, .arena = &arena};
  nereid_arena_initialize(&arena);
  int code = tool_options_parse(&arena, &tool_command_reduce, argc, argv, &it.settings, &operands);
  if (code == TOOL_CONTINUE)
    code = check(&it.settings, &operands);
  if (code == TOOL_CONTINUE) {
    const MlirContext context = nereid_context_create();
    it.path = operands.items[0];
    code = run_input(&it, context);
    tool_reduction_deinitialize(&it.reduction);
    mlirContextDestroy(context);
  }
  nereid_arena_deinitialize(&arena);
  return code;
}
