/* nereid bisect: finds the pass at fault.
 *
 *   $ nereid bisect k.ttir --grid 4 --arg x=f32[1024]:rand --arg y=f32[1024]:zeros --arg n=1000
 *   numbers: 24 of 1024 elements of y differ ..., element 1001 most: 0 instead of 0.25
 *   tritongpu-pipeline (pass 23 of 48, ttgir) is the first pass after which this holds
 *
 * The passes run in order. A position k is a compilation in which the first k passes run, and of the later ones only
 * those that every kernel needs (required.c). The search is for adjacent positions, the first without and the second
 * with the property; both are probed. If the property holds without any optional pass, the IR after each pass of the
 * whole compilation is interpreted instead. */
#include "tools/nereid/bisect/evidence.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct bisect_settings {
  run_settings_t run; /* the first member, for TOOL_JOB_OPTIONS */
  tool_plan_options_t plan;
  const char *what, *output;
  int64_t time_limit, context;
  bool all, verbose;
} bisect_settings_t;

static const tool_option_t options[] = {
    {"--what", "PROPERTY",
     "numbers (default), race, fault, crash, compile-error, counter=NAME, counter=NAME>N or counter=NAME<N", TOOL_TEXT,
     offsetof(bisect_settings_t, what)},
    TOOL_JOB_OPTIONS,
    TOOL_PLAN_OPTIONS(bisect_settings_t, plan),
    {"--all", NULL, "probe every position instead of searching, and list all changes of the property", TOOL_FLAG,
     offsetof(bisect_settings_t, all)},
    {"--timeout", "SECONDS", "stop a probe after this time (default: 120)", TOOL_INTEGER,
     offsetof(bisect_settings_t, time_limit)},
    {"-o", "FILE", "write the IR before the pass to this file (default: NAME.before-PASS.STAGE)", TOOL_TEXT,
     offsetof(bisect_settings_t, output)},
    {"--context", "N", "unchanged operations around a changed one (default: 1)", TOOL_INTEGER,
     offsetof(bisect_settings_t, context)},
    {"--verbose", NULL, "print each probe on standard error", TOOL_FLAG, offsetof(bisect_settings_t, verbose)},
};

static int run(int argc, char **argv);

const tool_command_t tool_command_bisect = {
    "bisect", "IN", "finds the pass that makes a kernel wrong, racy, slow or not compile", options, TOOL_COUNT(options),
    run};

/* The dimension along which positions count. */
typedef enum axis { AXIS_MLIR, AXIS_LLVM, AXIS_INTERPRETER } axis_t;

typedef struct bisection {
  const bisect_settings_t *settings;
  nereid_arena_t *arena;
  tool_case_t subject;
  tool_outcome_t *outcome;
  axis_t axis;
  char **names;          /* the passes of the whole compilation */
  size_t n_mlir, n_llvm; /* numbers of them */
  size_t n_unknown;
} bisection_t;

/* --- probes --- */

static const char *verdict_name(tool_verdict_t verdict) {
  static const char *const names[] = {"", "no", "yes", "unknown"};
  return names[verdict];
}

static tool_verdict_t probe(bisection_t *it, tool_probe_mode_t mode, size_t mlir, size_t llvm) {
  const tool_probe_request_t request = {.mode = mode, .mlir = mlir, .llvm = llvm};
  tool_probe_run(&it->subject, &request, it->outcome);
  it->n_unknown += it->outcome->verdict == TOOL_VERDICT_UNKNOWN;
  return it->outcome->verdict;
}

static tool_probe_mode_t mode_of(const bisection_t *it) {
  const tool_property_kind_t kind = it->subject.property.kind;
  return kind == TOOL_PROPERTY_CRASH || kind == TOOL_PROPERTY_COMPILE_ERROR ? TOOL_PROBE_COMPILE : TOOL_PROBE_EMULATE;
}

/* Probes position k of the axis. */
static tool_verdict_t ask(void *user_data, size_t k) {
  bisection_t *it = user_data;
  const tool_verdict_t verdict = it->axis == AXIS_MLIR   ? probe(it, mode_of(it), k, SIZE_MAX)
                                 : it->axis == AXIS_LLVM ? probe(it, mode_of(it), SIZE_MAX, k)
                                                         : probe(it, TOOL_PROBE_INTERPRET, k, SIZE_MAX);
  const size_t first = it->axis == AXIS_LLVM ? it->n_mlir : 0;
  const char *after = k ? it->names[first + k - 1] : it->axis == AXIS_LLVM ? "LLVM's required passes" : "the input";
  if (it->settings->verbose)
    fprintf(stderr, "probe %zu, after %s: %s: %s\n", k, after, verdict_name(verdict), it->outcome->text);
  else if (verdict == TOOL_VERDICT_UNKNOWN)
    fprintf(stderr, "skipped: position %zu, after %s: %s\n", k, after, it->outcome->text);
  return verdict;
}

/* Stores the names of the passes of the probe that ran last. */
static bool keep_names(bisection_t *it) {
  const tool_outcome_t *outcome = it->outcome;
  char *text = nereid_arena_copy(it->arena, nereid_view_of(outcome->names, outcome->names_size));
  it->n_mlir = outcome->n_began;
  it->n_llvm = outcome->n_llvm;
  it->names = nereid_arena_new(it->arena, char *, it->n_mlir + it->n_llvm + 1);
  if (!text || !it->names)
    return false;
  size_t n = 0;
  for (char *end; n < it->n_mlir + it->n_llvm && (end = strchr(text, '\n')); text = end + 1) {
    *end = 0;
    it->names[n++] = text;
  }
  it->n_llvm = n > it->n_mlir ? n - it->n_mlir : 0;
  return true;
}

/* --- results --- */

static const char *what(const bisection_t *it) {
  return it->settings->what ? it->settings->what : "numbers";
}

/* Prints the observation and the first lines of its details: one race, one diagnostic. */
static void print_observation(const bisection_t *it, const char *prefix) {
  enum { MAX_LINES = 3 };
  printf("%s%s\n", prefix, it->outcome->text);
  const char *line = it->outcome->detail;
  for (int n = 0; *line && n < MAX_LINES; ++n) {
    const size_t length = strcspn(line, "\n");
    printf("    %.*s\n", (int)length, line);
    line += length + (line[length] == '\n');
  }
}

/* Reports pass number `index` of the axis, from 0, with what supports it. `without`: position index was probed. */
static int report(bisection_t *it, size_t index, const tool_search_t *search) {
  const bool in_llvm = it->axis == AXIS_LLVM;
  const char *pass = it->names[(in_llvm ? it->n_mlir : 0) + index];
  (void)ask(it, index + 1); /* the evidence at the position found */
  printf("%s: pass %zu of %zu%s is the first after which %s\n", pass, index + 1, in_llvm ? it->n_llvm : it->n_mlir,
         in_llvm ? " of LLVM's optimizer" : "",
         it->axis == AXIS_INTERPRETER ? "the interpreter shows the property" : "the property holds");
  print_observation(it, "  with it: ");
  const tool_verdict_t before = ask(it, search->clean);
  printf("  without it: %s\n", it->outcome->text);
  if (search->clean + 1 < search->shown)
    printf("  %zu positions before it could not be probed: the pass may be one of the %zu that end with it\n",
           search->shown - search->clean - 1, search->shown - search->clean);
  if (before != TOOL_VERDICT_CLEAN)
    puts("  the result of the search could not be repeated: the property is not deterministic");
  if (in_llvm)
    return TOOL_DONE;
  fflush(stdout);
  const bool full = it->axis == AXIS_INTERPRETER;
  tool_evidence_print_changes(&it->subject, index, full, it->settings->context);
  tool_evidence_write_ir(&it->subject, it->arena, it->settings->output, pass, index, full, it->outcome);
  return TOOL_DONE;
}

static int search_axis(bisection_t *it, axis_t axis, size_t first, size_t last) {
  it->axis = axis;
  const tool_search_t found = tool_search_run(first, last, ask, it);
  return report(it, found.shown - 1, &found);
}

/* Reports a fault of a pass that every compilation needs, and which the interpreter does not find. */
static int report_required(const bisection_t *it, size_t last_good) {
  printf("the property holds without any optional pass, and the interpreter does not show it up to %s:\n"
         "one of the required passes after it is at fault, LLVM's code generator, or the emulator:\n",
         last_good ? it->names[last_good - 1] : "the input");
  for (size_t i = last_good; i < it->n_mlir; ++i)
    if (tool_pass_is_required(it->names[i]))
      printf("  %s\n", it->names[i]);
  return TOOL_DONE;
}

/* Searches the IR of the whole compilation with the interpreter: as far as it can run the IR. */
static int search_required(bisection_t *it) {
  const tool_property_kind_t kind = it->subject.property.kind;
  it->axis = AXIS_INTERPRETER;
  if (kind != TOOL_PROPERTY_NUMBERS && kind != TOOL_PROPERTY_FAULT)
    return report_required(it, 0);
  size_t last = it->n_mlir;
  tool_verdict_t verdict = TOOL_VERDICT_UNKNOWN;
  while (last > 0 && (verdict = ask(it, last)) == TOOL_VERDICT_UNKNOWN)
    --last;
  if (verdict == TOOL_VERDICT_SHOWN && ask(it, 0) == TOOL_VERDICT_CLEAN)
    return search_axis(it, AXIS_INTERPRETER, 0, last);
  return report_required(it, last);
}

/* --- properties of the compilation --- */

/* A compilation that fails names its pass itself; the probe without it confirms that. */
static int find_compilation_fault(bisection_t *it) {
  const char *pass = nereid_arena_copy(it->arena, nereid_view(it->outcome->last_pass));
  const bool in_llvm = it->outcome->in_llvm;
  size_t index = 0;
  print_observation(it, "");
  if (!pass || !*pass) {
    printf("%s: before the first pass\n", what(it));
    return TOOL_DONE;
  }
  if (in_llvm) {
    index = it->n_llvm ? it->n_llvm - 1 : 0;
    printf("%s: LLVM's optimizer or code generator, from its pass %s on\n", what(it), pass);
    it->axis = AXIS_LLVM;
    if (ask(it, index) == TOOL_VERDICT_CLEAN)
      printf("  without %s: %s\n", pass, it->outcome->text);
    return TOOL_DONE;
  }
  while (index + 1 < it->n_mlir && strcmp(it->names[index], pass) != 0)
    ++index;
  printf("%s: the compiler stops in pass %zu, %s\n", what(it), index + 1, pass);
  it->axis = AXIS_MLIR;
  if (!tool_pass_is_required(pass)) {
    (void)ask(it, index);
    printf("  without it: %s\n", it->outcome->text);
  }
  tool_evidence_write_ir(&it->subject, it->arena, it->settings->output, pass, index, false, it->outcome);
  return TOOL_DONE;
}

/* --- counters, and all positions --- */

/* Prints the counter without each pass that changes the IR, and reports the pass that increases it most. A prefix of
 * the passes says little about a counter: a pass may only prepare what a later one gains. */
static int find_cost(bisection_t *it, double value) {
  const char *counter = it->subject.property.counter;
  bool *changed = nereid_arena_new(it->arena, bool, it->n_mlir + 1);
  size_t found = 0;
  double best = value;
  if (!changed)
    return TOOL_CALL;
  printf("%-48s %s = %.10g\n", "all passes", counter, value);
  tool_evidence_find_changes(&it->subject, changed, it->n_mlir);
  for (size_t i = 0; i < it->n_mlir; ++i) {
    const tool_probe_request_t request = {
        .mode = TOOL_PROBE_EMULATE, .mlir = SIZE_MAX, .llvm = SIZE_MAX, .omitted = i + 1};
    if (!changed[i] || tool_pass_is_required(it->names[i]))
      continue;
    tool_probe_run(&it->subject, &request, it->outcome);
    if (it->outcome->verdict == TOOL_VERDICT_UNKNOWN) {
      fprintf(stderr, "skipped: without %s: %s\n", it->names[i], it->outcome->text);
    } else if (it->outcome->value < value || it->outcome->value > value) {
      printf("without %-40s %s = %.10g\n", it->names[i], counter, it->outcome->value);
      found = it->outcome->value < best ? i + 1 : found;
      best = it->outcome->value < best ? it->outcome->value : best;
    }
  }
  if (!found) {
    printf("no optional pass increases %s\n", counter);
    return TOOL_DONE;
  }
  printf("%s: pass %zu of %zu increases %s most, from %.10g to %.10g\n", it->names[found - 1], found, it->n_mlir,
         counter, best, value);
  fflush(stdout);
  tool_evidence_print_changes(&it->subject, found - 1, true, it->settings->context);
  tool_evidence_write_ir(&it->subject, it->arena, it->settings->output, it->names[found - 1], found - 1, true,
                         it->outcome);
  return TOOL_DONE;
}

/* Prints each position where the property begins or ends to hold. */
static int list_all(bisection_t *it) {
  tool_verdict_t previous = TOOL_VERDICT_UNASKED;
  tool_search_t first = {0, 0, 0};
  size_t changes = 0;
  it->axis = AXIS_MLIR;
  for (size_t k = 0; k <= it->n_mlir; ++k) {
    const tool_verdict_t verdict = ask(it, k);
    if (verdict == TOOL_VERDICT_UNKNOWN)
      continue;
    if (previous != TOOL_VERDICT_UNASKED && verdict != previous) {
      printf("%s: the property %s after it: %s\n", it->names[k - 1],
             verdict == TOOL_VERDICT_SHOWN ? "holds" : "no longer holds", it->outcome->text);
      first = changes++ ? first : (tool_search_t){.clean = k - 1, .shown = k};
    }
    previous = verdict;
  }
  if (changes > 1)
    printf("the property comes and goes: %zu changes\n", changes);
  return changes ? report(it, first.shown - 1, &first) : search_required(it);
}

/* --- the command --- */

static int not_shown(const bisection_t *it) {
  printf("the kernel does not show the property '%s': %s\n", what(it), it->outcome->text);
  if (it->outcome->detail[0])
    print_observation(it, "");
  return TOOL_PROGRAM;
}

static int bisect(bisection_t *it) {
  const tool_property_t *property = &it->subject.property;
  const bool compiles = mode_of(it) == TOOL_PROBE_EMULATE;
  const tool_verdict_t all = probe(it, mode_of(it), SIZE_MAX, SIZE_MAX);
  const double value = it->outcome->value;
  if (!keep_names(it))
    return TOOL_CALL;
  if (property->kind == TOOL_PROPERTY_COUNTER && !property->relation && all != TOOL_VERDICT_UNKNOWN)
    return find_cost(it, value);
  if (all != TOOL_VERDICT_SHOWN)
    return not_shown(it);
  if (!compiles)
    return find_compilation_fault(it);
  printf("%s: %s\n", what(it), it->outcome->text);
  if (it->settings->all)
    return list_all(it);
  const tool_verdict_t no_llvm = probe(it, mode_of(it), SIZE_MAX, 0);
  if (no_llvm == TOOL_VERDICT_CLEAN && it->n_llvm)
    return search_axis(it, AXIS_LLVM, 0, it->n_llvm);
  it->axis = AXIS_MLIR;
  if (ask(it, 0) != TOOL_VERDICT_SHOWN)
    return search_axis(it, AXIS_MLIR, 0, it->n_mlir);
  return property->kind == TOOL_PROPERTY_COUNTER ? find_cost(it, value) : search_required(it);
}

static nereid_status_t prepare(nereid_arena_t *arena, const bisect_settings_t *settings, const char *path,
                               tool_case_t *subject, nereid_message_t *message) {
  *subject = (tool_case_t){.settings = settings->run,
                           .plan = settings->plan,
                           .path = path,
                           .tolerance = -1,
                           .time_limit = settings->time_limit};
  nereid_status_t status =
      tool_property_parse(settings->what ? settings->what : "numbers", &subject->property, message);
  if (!status)
    status = nereid_file_read(arena, path, &subject->input, message);
  const tool_property_kind_t kind = subject->property.kind;
  if (!status && kind != TOOL_PROPERTY_CRASH && kind != TOOL_PROPERTY_COMPILE_ERROR)
    status = tool_case_expect(arena, subject, message);
  return status;
}

static int run_input(nereid_arena_t *arena, const bisect_settings_t *settings, const char *path) {
  bisection_t it = {.settings = settings, .arena = arena, .outcome = tool_outcome_create()};
  nereid_message_t message = {""};
  if (!it.outcome) {
    tool_error(&tool_command_bisect, "out of memory");
    return TOOL_CALL;
  }
  const nereid_status_t status = prepare(arena, settings, path, &it.subject, &message);
  const int code = status ? tool_failed(&tool_command_bisect, status, &message) : bisect(&it);
  tool_outcome_destroy(it.outcome);
  return code;
}

static int run(int argc, char **argv) {
  nereid_arena_t arena;
  bisect_settings_t settings = {.run.shared = -1, .time_limit = 120, .context = 1};
  tool_list_t operands = {0};
  nereid_arena_initialize(&arena);
  int code = tool_options_parse(&arena, &tool_command_bisect, argc, argv, &settings, &operands);
  if (code == TOOL_CONTINUE && operands.size != 1) {
    tool_error(&tool_command_bisect, "expected one input; see nereid bisect --help");
    code = TOOL_CALL;
  }
  if (code == TOOL_CONTINUE &&
      (settings.time_limit < 1 || settings.time_limit > 86400 || settings.context < 0 || settings.context > 1000)) {
    tool_error(&tool_command_bisect, "--timeout or --context is out of range");
    code = TOOL_CALL;
  }
  nereid_message_t message = {""};
  if (code == TOOL_CONTINUE) {
    const nereid_status_t status = tool_record_open(&arena, &operands.items[0], &settings.run, &message);
    code =
        status ? tool_failed(&tool_command_bisect, status, &message) : run_input(&arena, &settings, operands.items[0]);
  }
  nereid_arena_deinitialize(&arena);
  return code;
}
