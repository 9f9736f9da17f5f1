/* nereid reduce: finds a small module that still shows a property.
 *
 *   $ nereid reduce k.ttir --grid 4 --arg ... --what race -o small.ttir      58 operations -> 9
 *   $ nereid reduce k.ttir --test ./shows-it.sh -o small.ttir                exit status 0 of ./shows-it.sh FILE
 *
 * Edits are tried in a fixed order: halves of the operations, quarters and so on down to single ones, loops, extents of
 * tensors. A candidate is kept if it is valid, smaller, and still shows the property. For `numbers` each candidate is
 * compared with the interpreter's results of the same candidate. The output is written after each step, so that an
 * interrupted reduction can be continued from it. */
#include "tools/nereid/bisect/probe.h"
#include "tools/nereid/interrupt.h"
#include "tools/nereid/reduce/edit.h"

#include "base/file.h"
#include "nereid/context.h"
#include "seam/llvm.h"

#include <mlir-c/Diagnostics.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct reduce_settings {
  run_settings_t run; /* the first member, for TOOL_JOB_OPTIONS */
  tool_plan_options_t plan;
  const char *what, *test, *output;
  int64_t time_limit, limit;
  bool verbose;
} reduce_settings_t;

static const tool_option_t options[] = {
    {"--what", "PROPERTY", "numbers (default), race, fault, crash, compile-error, counter=NAME>N or counter=NAME<N",
     TOOL_TEXT, offsetof(reduce_settings_t, what)},
    {"--test", "COMMAND", "instead: a candidate shows the property if COMMAND FILE exits with 0", TOOL_TEXT,
     offsetof(reduce_settings_t, test)},
    {"-o", "FILE", "the smallest module so far (default: NAME.reduced.STAGE in the current folder)", TOOL_TEXT,
     offsetof(reduce_settings_t, output)},
    TOOL_JOB_OPTIONS,
    TOOL_PLAN_OPTIONS(reduce_settings_t, plan),
    {"--timeout", "SECONDS", "stop a candidate after this time (default: 60)", TOOL_INTEGER,
     offsetof(reduce_settings_t, time_limit)},
    {"--candidates", "N", "stop after this many candidates (default: no limit)", TOOL_INTEGER,
     offsetof(reduce_settings_t, limit)},
    {"--verbose", NULL, "print each candidate on standard error", TOOL_FLAG, offsetof(reduce_settings_t, verbose)},
};

static int run(int argc, char **argv);

const tool_command_t tool_command_reduce = {
    "reduce", "IN", "finds a small module that still shows a property", options, TOOL_COUNT(options), run};

typedef struct reduction {
  const reduce_settings_t *settings;
  nereid_arena_t *arena;
  tool_case_t subject;
  tool_outcome_t *outcome;
  const char *output;
  MlirContext context;
  MlirOperation module; /* the smallest so far; owned */
  size_t n_ops, n_tried, n_kept;
} reduction_t;

/* --- candidates --- */

static nereid_view_t print_module(nereid_arena_t *arena, MlirOperation module) {
  nereid_text_builder_t text = {.arena = arena};
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsPrintNameLocAsPrefix(flags);
  mlirOperationPrintWithFlags(module, flags, nereid_text_builder_append, &text);
  mlirOpPrintingFlagsDestroy(flags);
  nereid_text_builder_append(mlirStringRefCreateFromCString("\n"), &text);
  return nereid_view_of(text.data, text.data ? text.size : 0);
}

/* Runs the command of --test on a file with the module. */
static bool passes_test(const reduction_t *it, nereid_view_t text) {
  nereid_arena_t arena;
  nereid_message_t message = {""};
  int status = 1;
  nereid_arena_initialize(&arena);
  const char *path = nereid_arena_format(&arena, "%s.candidate", it->output);
  if (path && nereid_file_write(path, text, &message) == NEREID_OK) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      execlp(it->settings->test, it->settings->test, path, (char *)NULL);
      _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
      status = 1;
    unlink(path);
  }
  nereid_arena_deinitialize(&arena);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool shows(reduction_t *it, nereid_view_t text) {
  const tool_property_kind_t kind = it->subject.property.kind;
  const bool compiles = kind == TOOL_PROPERTY_CRASH || kind == TOOL_PROPERTY_COMPILE_ERROR;
  const tool_probe_request_t request = {
      .mode = compiles ? TOOL_PROBE_COMPILE : TOOL_PROBE_EMULATE, .mlir = SIZE_MAX, .llvm = SIZE_MAX};
  ++it->n_tried;
  if (it->settings->test)
    return passes_test(it, text);
  it->subject.input = text;
  tool_probe_run(&it->subject, &request, it->outcome);
  return it->outcome->verdict == TOOL_VERDICT_SHOWN;
}

/* Diagnostics of invalid candidates are no news for the user. */
static MlirLogicalResult swallow(MlirDiagnostic diagnostic, void *data) {
  (void)diagnostic;
  (void)data;
  return mlirLogicalResultSuccess();
}

static bool is_over(const reduction_t *it) {
  return tool_interrupt_is_caught() || (it->settings->limit && (int64_t)it->n_tried >= it->settings->limit);
}

/* Keeps `candidate` if it is valid and shows the property; destroys it or the old module. */
static bool consider(reduction_t *it, MlirOperation candidate, const char *edit) {
  nereid_arena_t arena;
  nereid_message_t message = {""};
  nereid_arena_initialize(&arena);
  const nereid_view_t text = mlirOperationVerify(candidate) ? print_module(&arena, candidate) : nereid_view_of(NULL, 0);
  const bool kept = text.size && shows(it, text) && nereid_file_write(it->output, text, &message) == NEREID_OK;
  const size_t n_ops = tool_edit_count(candidate);
  if (it->settings->verbose)
    fprintf(stderr, "%s: %zu operations: %s\n", edit, n_ops, kept ? "kept" : text.size ? "no" : "invalid");
  nereid_arena_deinitialize(&arena);
  mlirOperationDestroy(kept ? it->module : candidate);
  it->module = kept ? candidate : it->module;
  it->n_ops = kept ? n_ops : it->n_ops;
  it->n_kept += kept;
  return kept;
}

/* --- the edits --- */

static bool clean(reduction_t *it) {
  const MlirOperation candidate = mlirOperationClone(it->module);
  const bool good = tool_edit_clean(candidate) && tool_edit_count(candidate) < it->n_ops;
  if (good)
    return consider(it, candidate, "canonicalize");
  mlirOperationDestroy(candidate);
  return false;
}

/* Tries to remove one group of operations; single ones with every kind of replacement. */
static bool remove_group(reduction_t *it, size_t first, size_t end) {
  const int kinds = end - first == 1 ? TOOL_REPLACEMENT_COUNT : 1;
  for (int kind = 0; kind < kinds && !is_over(it); ++kind) {
    const MlirOperation candidate = mlirOperationClone(it->module);
    const bool smaller = tool_edit_remove(candidate, it->arena, first, end, (tool_replacement_t)kind) &&
                         tool_edit_clean(candidate) && tool_edit_count(candidate) < it->n_ops;
    if (!smaller)
      mlirOperationDestroy(candidate);
    else if (consider(it, candidate, "remove"))
      return true;
  }
  return false;
}

/* Removes operations in groups of `size`, the last group first: later operations only use earlier ones. */
static bool remove_groups(reduction_t *it, size_t size) {
  bool changed = false;
  for (size_t end = it->n_ops; end > 0 && !is_over(it);) {
    const size_t first = end > size ? end - size : 0;
    changed |= remove_group(it, first, end);
    end = first < it->n_ops ? first : it->n_ops;
  }
  return changed;
}

static bool run_loops_once(reduction_t *it) {
  bool changed = false;
  for (size_t i = 0; !is_over(it); ++i) {
    const MlirOperation candidate = mlirOperationClone(it->module);
    if (!tool_edit_run_loop_once(candidate, it->arena, i)) {
      mlirOperationDestroy(candidate);
      break;
    }
    changed |= tool_edit_clean(candidate) && consider(it, candidate, "run loop once");
  }
  return changed;
}

static bool halve_extents(reduction_t *it) {
  bool changed = false;
  for (int64_t size = INT64_MAX; !is_over(it) && (size = tool_edit_find_extent(it->module, size)) > 1;) {
    const MlirOperation candidate = mlirOperationClone(it->module);
    tool_edit_halve(candidate, size);
    changed |= consider(it, candidate, "halve extent");
  }
  return changed;
}

static void reduce_all(reduction_t *it) {
  bool changed = true;
  clean(it);
  while (changed && !is_over(it)) {
    changed = false;
    for (size_t size = it->n_ops / 2; size > 0 && !is_over(it); size /= 2)
      changed |= remove_groups(it, size);
    changed |= run_loops_once(it);
    changed |= halve_extents(it);
  }
}

/* --- the command --- */

static int report(const reduction_t *it, size_t before) {
  printf("%zu operations -> %zu, with %zu candidates, %zu of them kept: %s\n", before, it->n_ops, it->n_tried,
         it->n_kept, it->output);
  if (!it->settings->test)
    printf("the property: %s\n", it->settings->what ? it->settings->what : "numbers");
  if (tool_interrupt_is_caught())
    puts("interrupted: continue with the file as the input");
  return TOOL_DONE;
}

static int reduce(reduction_t *it) {
  nereid_arena_t arena;
  it->n_ops = tool_edit_count(it->module);
  const size_t before = it->n_ops;
  nereid_arena_initialize(&arena);
  const nereid_view_t text = print_module(&arena, it->module);
  const bool shown = shows(it, text);
  nereid_message_t message = {""};
  const nereid_status_t status = shown ? nereid_file_write(it->output, text, &message) : NEREID_OK;
  nereid_arena_deinitialize(&arena);
  if (!shown) {
    printf("the input does not show the property: %s\n",
           it->settings->test ? "the command of --test fails" : it->outcome->text);
    return TOOL_PROGRAM;
  }
  if (status)
    return tool_failed(&tool_command_reduce, status, &message);
  (void)tool_interrupt_begin();
  const MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(it->context, swallow, NULL, NULL);
  reduce_all(it);
  mlirContextDetachDiagnosticHandler(it->context, handler);
  tool_interrupt_end();
  return report(it, before);
}

static nereid_status_t prepare(reduction_t *it, const char *path, nereid_message_t *message) {
  const reduce_settings_t *settings = it->settings;
  it->subject = (tool_case_t){.settings = settings->run,
                              .plan = settings->plan,
                              .path = path,
                              .tolerance = -1,
                              .time_limit = settings->time_limit,
                              .expects = true};
  nereid_status_t status =
      tool_property_parse(settings->what ? settings->what : "numbers", &it->subject.property, message);
  if (!status && it->subject.property.kind == TOOL_PROPERTY_COUNTER && !it->subject.property.relation)
    status = nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--what: a reduction needs a limit: counter=%s>N",
                                it->subject.property.counter);
  if (!status)
    status = nereid_file_read(it->arena, path, &it->subject.input, message);
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
  it->output = settings->output ? settings->output
                                : nereid_arena_format(it->arena, "%.*s.reduced%s", (int)strcspn(base, "."), base,
                                                      dot ? dot : ".ttir");
  return status ? status : it->output ? NEREID_OK : NEREID_ERROR_MEMORY;
}

/* Reads the input as the compiler does, which selects the kernel and gives its arguments names. */
static MlirModule read_module(reduction_t *it) {
  const tool_probe_request_t request = {.mode = TOOL_PROBE_DUMP, .dump = it->output};
  nereid_message_t message = {""};
  nereid_view_t text;
  tool_probe_run(&it->subject, &request, it->outcome);
  if (it->outcome->verdict != TOOL_VERDICT_CLEAN || nereid_file_read(it->arena, it->output, &text, &message))
    return (MlirModule){NULL};
  return nereidMlirModuleCreateParse(it->context, mlirStringRefCreate(text.data, text.size),
                                     mlirStringRefCreateFromCString(it->subject.path));
}

static int run_input(reduction_t *it, const char *path) {
  nereid_message_t message = {""};
  const nereid_status_t status = prepare(it, path, &message);
  if (status)
    return tool_failed(&tool_command_reduce, status, &message);
  const MlirModule module = read_module(it);
  if (mlirModuleIsNull(module)) {
    tool_error(&tool_command_reduce, "'%s' is not MLIR of the stages ttir or ttgir: %s", path, it->outcome->text);
    return TOOL_PROGRAM;
  }
  it->module = mlirModuleGetOperation(module);
  const int code = reduce(it);
  mlirOperationDestroy(it->module);
  return code;
}

static int run(int argc, char **argv) {
  nereid_arena_t arena;
  reduce_settings_t settings = {.run.shared = -1, .time_limit = 60};
  tool_list_t operands = {0};
  nereid_arena_initialize(&arena);
  int code = tool_options_parse(&arena, &tool_command_reduce, argc, argv, &settings, &operands);
  if (code == TOOL_CONTINUE &&
      (operands.size != 1 || settings.time_limit < 1 || settings.time_limit > 86400 || settings.limit < 0)) {
    tool_error(&tool_command_reduce, "expected one input, and --timeout and --candidates in their range; see nereid "
                                     "reduce --help");
    code = TOOL_CALL;
  }
  if (code == TOOL_CONTINUE) {
    reduction_t it = {.settings = &settings, .arena = &arena, .outcome = tool_outcome_create()};
    it.context = nereid_context_create();
    code = it.outcome ? run_input(&it, operands.items[0]) : TOOL_CALL;
    mlirContextDestroy(it.context);
    tool_outcome_destroy(it.outcome);
  }
  nereid_arena_deinitialize(&arena);
  return code;
}
