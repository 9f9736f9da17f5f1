/* Trials in processes.
 *
 *   parent   clone best, edit | clone best, edit | wait for the first: no | wait for the second: yes, parse its text
 *   child 1                   | clean, verify, print, compile, run, judge
 *   child 2                                      | clean, verify, print, compile, run, judge
 *
 * A child cleans and verifies its candidate, too, so that a crash there, which may be the property itself, ends only
 * the child. Verdicts are used in the order of the edits: a trial that started while an earlier one succeeded is
 * discarded. Therefore the number of jobs does not change the result. */
#include "tools/nereid/reduce/reduction.h"

#include "seam/llvm.h"
#include "tools/nereid/interrupt.h"
#include "tools/nereid/trace/snapshot.h"

#include <mlir-c/Diagnostics.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_LIMIT = 64 << 20, LONG_RUN = 50000000, MIN_STEPS = 100000 };

typedef enum stage { STAGE_EDITED, STAGE_INVALID, STAGE_LARGER, STAGE_SEEN, STAGE_JUDGED } stage_t;

/* What a child finds, in memory that the processes share. */
typedef struct found {
  stage_t stage;
  uint64_t hash;
  size_t n_ops, weight, size;
  char text[TEXT_LIMIT]; /* of the module, with locations: they name the kernel's arguments */
} found_t;

struct tool_trial {
  const tool_reduction_t *owner;
  const tool_edit_t *edit; /* null: the case itself */
  tool_edit_place_t place;
  nereid_arena_t arena;
  tool_candidate_t candidate;
  size_t index;
  found_t *found;
  tool_outcome_t *outcome;
  tool_process_t process;
};

bool tool_reduction_initialize(tool_reduction_t *it) {
  it->trials = nereid_arena_new(it->arena, tool_trial_t, it->jobs);
  for (size_t i = 0; it->trials && i < it->jobs; ++i) {
    tool_trial_t *trial = &it->trials[i];
    void *memory =
        mmap(NULL, sizeof(found_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *trial = (tool_trial_t){.owner = it,
                            .index = i,
                            .found = memory == MAP_FAILED ? NULL : memory,
                            .outcome = tool_outcome_create(),
                            .process = {.child = -1, .pipe = -1}};
    nereid_arena_initialize(&trial->arena);
    if (!trial->found || !trial->outcome)
      return false;
  }
  it->without = tool_outcome_create();
  return it->trials && it->without;
}

void tool_reduction_deinitialize(tool_reduction_t *it) {
  tool_outcome_destroy(it->without);
  for (size_t i = 0; it->trials && i < it->jobs; ++i) {
    tool_outcome_destroy(it->trials[i].outcome);
    nereid_arena_deinitialize(&it->trials[i].arena);
    if (it->trials[i].found)
      munmap(it->trials[i].found, sizeof(found_t));
  }
}

/* --- the child --- */

static nereid_view_t print_module(nereid_arena_t *arena, MlirOperation module, bool locations) {
  nereid_text_builder_t text = {.arena = arena};
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsPrintNameLocAsPrefix(flags);
  if (locations)
    mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
  mlirOperationPrintWithFlags(module, flags, nereid_text_builder_append, &text);
  mlirOpPrintingFlagsDestroy(flags);
  nereid_text_builder_append(mlirStringRefCreateFromCString("\n"), &text);
  return nereid_view_of(text.data, text.data ? text.size : 0);
}

/* A case is its text and its options. */
static uint64_t hash_case(nereid_view_t text, const run_settings_t *settings) {
  const int64_t numbers[] = {settings->num_warps, settings->num_stages, settings->num_ctas};
  uint64_t hash = tool_hash(0, text.data, text.size);
  hash = tool_hash(hash, numbers, sizeof numbers);
  hash = settings->grid ? tool_hash(hash, settings->grid, strlen(settings->grid)) : hash;
  for (size_t i = 0; i < settings->arguments.size; ++i)
    hash = tool_hash(hash, settings->arguments.items[i], strlen(settings->arguments.items[i]) + 1);
  return hash;
}

static bool is_seen(const tool_reduction_t *it, uint64_t hash) {
  for (size_t i = 0; i < it->seen.size; ++i)
    if (it->seen.data[i] == hash)
      return true;
  return false;
}

static const char *path_of_test(tool_trial_t *trial) {
  return nereid_arena_format(&trial->arena, "%s.candidate-%zu%s", trial->owner->scratch, trial->index + 1,
                             trial->owner->suffix);
}

/* Writes the file of a trial in place: the parent, which may kill this process at any time, removes it by its name. */
static bool write_test(const char *path, nereid_view_t text) {
  FILE *file = fopen(path, "w");
  if (!file)
    return false;
  const bool is_written = fwrite(text.data, 1, text.size, file) == text.size;
  return fclose(file) == 0 && is_written;
}

/* Replaces the process by the command; its exit status is the verdict. */
static void run_test(tool_trial_t *trial, nereid_view_t text) {
  const char *path = path_of_test(trial);
  if (path && write_test(path, text))
    execlp(trial->owner->test, trial->owner->test, path, (char *)NULL);
  _exit(127);
}

/* Cleans, verifies and prints the candidate. Sets the stage; STAGE_JUDGED: it is to be judged. */
static nereid_view_t print_candidate(tool_trial_t *trial) {
  found_t *found = trial->found;
  const tool_reduction_t *it = trial->owner;
  const MlirOperation module = trial->candidate.module;
  found->stage = STAGE_INVALID;
  if ((trial->edit && !tool_edit_clean(module)) || !mlirOperationVerify(module))
    return nereid_view_of(NULL, 0);
  const nereid_view_t text = print_module(&trial->arena, module, it->locations);
  found->n_ops = tool_edit_count(module);
  found->weight = tool_edit_weigh(module);
  found->hash = hash_case(text, &trial->candidate.settings);
  const nereid_view_t located = print_module(&trial->arena, module, true);
  if (!text.size || !located.size || located.size > TEXT_LIMIT)
    return text;
  memcpy(found->text, located.data, located.size);
  found->size = located.size;
  found->stage = trial->edit && trial->edit->shrinks && found->weight >= it->weight ? STAGE_LARGER
                 : trial->edit && is_seen(it, found->hash)                          ? STAGE_SEEN
                                                                                    : STAGE_JUDGED;
  return text;
}

/* A candidate whose loops became endless ends soon. A fault may be the limit itself, which then is the user's. */
static void limit_steps(const tool_reduction_t *it, run_settings_t *settings) {
  const int64_t limit = MIN_STEPS + (int64_t)it->instructions;
  if (it->instructions && it->subject.property.kind != TOOL_PROPERTY_FAULT &&
      (!settings->steps || settings->steps > limit))
    settings->steps = limit;
}

static tool_probe_request_t request_of(const tool_reduction_t *it) {
  const tool_property_kind_t kind = it->subject.property.kind;
  const bool compiles = kind == TOOL_PROPERTY_CRASH || kind == TOOL_PROPERTY_COMPILE_ERROR;
  return (tool_probe_request_t){
      .mode = compiles ? TOOL_PROBE_COMPILE : TOOL_PROBE_EMULATE, .mlir = SIZE_MAX, .llvm = SIZE_MAX};
}

/* A counter without a limit is compared with that of the other passes. */
static bool has_limit(const tool_property_t *property) {
  return property->kind != TOOL_PROPERTY_COUNTER || property->relation;
}

static void work(void *user_data) {
  tool_trial_t *trial = user_data;
  const tool_reduction_t *it = trial->owner;
  const tool_probe_request_t request = request_of(it);
  tool_case_t subject = it->subject;
  const nereid_view_t text = print_candidate(trial);
  if (trial->found->stage != STAGE_JUDGED)
    return;
  if (it->test)
    run_test(trial, text);
  subject.input = text;
  subject.settings = trial->candidate.settings;
  limit_steps(it, &subject.settings);
  tool_probe_judge(&subject, &request, trial->outcome);
}

/* --- the parent --- */

static bool is_over(const tool_reduction_t *it) {
  return it->failed || tool_interrupt_is_caught() || (it->limit && it->n_tried >= it->limit);
}

static void start(tool_trial_t *trial) {
  trial->found->stage = STAGE_EDITED;
  tool_outcome_clear(trial->outcome);
  trial->process = tool_process_start(work, trial, trial->owner->subject.time_limit);
}

/* Waits for the command of --test and stores what happened. */
static void finish_test(tool_trial_t *trial) {
  const tool_reduction_t *it = trial->owner;
  tool_outcome_t *outcome = trial->outcome;
  int status;
  const bool in_time = tool_process_wait(&trial->process, &status);
  if (trial->found->stage == STAGE_JUDGED)
    unlink(path_of_test(trial));
  if (!in_time)
    snprintf(outcome->text, sizeof outcome->text, "%s takes more than %lld s", it->test,
             (long long)it->subject.time_limit);
  else if (WIFEXITED(status))
    snprintf(outcome->text, sizeof outcome->text, "%s ends with exit status %d", it->test, WEXITSTATUS(status));
  else
    snprintf(outcome->text, sizeof outcome->text, "%s ends by signal %d", it->test, WTERMSIG(status));
  outcome->verdict = in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? TOOL_VERDICT_SHOWN : TOOL_VERDICT_CLEAN;
}

/* Runs the candidate without the pass. Returns whether the property is absent then, or its counter is less. */
static bool is_due_to_pass(tool_trial_t *trial) {
  const tool_reduction_t *it = trial->owner;
  const tool_probe_request_t request = request_of(it);
  tool_case_t subject = it->subject;
  tool_outcome_t *outcome = it->without;
  subject.plan = it->without_pass;
  subject.input = nereid_view_of(trial->found->text, trial->found->size);
  subject.settings = trial->candidate.settings;
  limit_steps(it, &subject.settings);
  tool_probe_run(&subject, &request, outcome);
  const bool less = !has_limit(&subject.property) ? outcome->value < trial->outcome->value : true;
  snprintf(trial->outcome->text, sizeof trial->outcome->text, "without %s: %.*s", it->pass,
           (int)sizeof outcome->text / 2, outcome->text);
  return outcome->verdict == TOOL_VERDICT_CLEAN && less;
}

/* Waits for the trial; returns whether it shows the property. */
static bool finish(tool_trial_t *trial) {
  const tool_reduction_t *it = trial->owner;
  if (it->test)
    finish_test(trial);
  else
    tool_probe_finish(&it->subject, &trial->process, trial->outcome);
  const tool_verdict_t expected = has_limit(&it->subject.property) ? TOOL_VERDICT_SHOWN : TOOL_VERDICT_CLEAN;
  return trial->found->stage == STAGE_JUDGED && trial->outcome->verdict == expected &&
         (!it->pass || is_due_to_pass(trial));
}

static void discard(tool_trial_t *trial) {
  tool_process_cancel(&trial->process);
  if (trial->owner->test && trial->found->stage == STAGE_JUDGED)
    unlink(path_of_test(trial));
  mlirOperationDestroy(trial->candidate.module);
  nereid_arena_deinitialize(&trial->arena);
  nereid_arena_initialize(&trial->arena);
}

static void print_trial(const tool_reduction_t *it, const tool_trial_t *trial, bool kept) {
  static const char *const stages[] = {"not valid", "not valid", "not smaller", "known", ""};
  const char *observation = trial->outcome->text;
  if (it->verbose)
    fprintf(stderr, "%s %zu.%zu: %zu operations: %s%s\n", trial->edit->name, trial->place.position,
            trial->place.variant, trial->found->n_ops, stages[trial->found->stage],
            kept                                  ? "kept"
            : trial->found->stage == STAGE_JUDGED ? observation
                                                  : "");
}

/* Copies the settings that edits change. */
static void keep_settings(tool_reduction_t *it, const run_settings_t *from) {
  run_settings_t *to = &it->best.settings;
  const tool_list_t arguments = from->arguments;
  *to = *from;
  to->grid = from->grid ? nereid_arena_copy(it->arena, nereid_view(from->grid)) : NULL;
  to->arguments = (tool_list_t){0};
  for (size_t i = 0; i < arguments.size; ++i) {
    const char *item = nereid_arena_copy(it->arena, nereid_view(arguments.items[i]));
    it->failed |= !item || !tool_list_append(it->arena, &to->arguments, item);
  }
}

static void write_best(tool_reduction_t *it) {
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  const nereid_view_t text = print_module(&arena, it->best.module, it->locations);
  it->failed |= !text.size || !it->keep(it->keep_data, text, &it->best.settings);
  nereid_arena_deinitialize(&arena);
}

/* Makes the trial's case the best one. False: its text cannot be read again. */
static bool keep(tool_reduction_t *it, const tool_trial_t *trial) {
  const found_t *found = trial->found;
  const nereid_view_t text = nereid_view_of(found->text, found->size);
  const MlirModule module =
      nereidMlirModuleCreateParse(mlirOperationGetContext(it->best.module), mlirStringRefCreate(text.data, text.size),
                                  mlirStringRefCreateFromCString("candidate"));
  if (mlirModuleIsNull(module))
    return false;
  mlirOperationDestroy(it->best.module);
  it->best.module = mlirModuleGetOperation(module);
  keep_settings(it, &trial->candidate.settings);
  it->n_ops = found->n_ops;
  it->weight = found->weight;
  it->instructions = trial->outcome->instructions;
  ++it->n_kept;
  write_best(it);
  return true;
}

/* Counts a finished trial, in the order of edits. */
static void count_trial(tool_reduction_t *it, const tool_trial_t *trial) {
  if (trial->found->stage != STAGE_JUDGED || is_seen(it, trial->found->hash))
    return;
  ++it->n_tried;
  (void)nereid_vector_push(it->arena, &it->seen, trial->found->hash);
}

bool tool_reduction_begin(tool_reduction_t *it) {
  tool_trial_t *trial = &it->trials[0];
  trial->edit = NULL;
  trial->candidate = (tool_candidate_t){&trial->arena, mlirOperationClone(it->best.module), it->best.settings};
  start(trial);
  const bool shown = finish(trial);
  snprintf(it->text, sizeof it->text, "%s%s%.*s", trial->outcome->text, trial->outcome->detail[0] ? "\n" : "",
           (int)strcspn(trial->outcome->detail, "\n"), trial->outcome->detail);
  count_trial(it, trial);
  it->n_ops = tool_edit_count(it->best.module);
  it->weight = tool_edit_weigh(it->best.module);
  it->instructions = trial->outcome->instructions;
  if (shown)
    it->failed |= !it->keep(it->keep_data, nereid_view_of(trial->found->text, trial->found->size), &it->best.settings);
  discard(trial);
  return shown;
}

/* --- the edits --- */

static void advance(const tool_edit_t *edit, tool_edit_place_t *place) {
  if (++place->variant < edit->variants)
    return;
  place->variant = 0;
  ++place->position;
}

/* Edits a copy at the first place from `next` on at which the edit applies, and starts its process. False: there is no
 * such place. */
static bool start_next(tool_reduction_t *it, tool_trial_t *trial, const tool_edit_t *edit, tool_edit_place_t *next) {
  tool_edit_result_t result = TOOL_EDIT_SKIP;
  while (result == TOOL_EDIT_SKIP && !is_over(it)) {
    trial->edit = edit;
    trial->place = *next;
    trial->candidate = (tool_candidate_t){&trial->arena, mlirOperationClone(it->best.module), it->best.settings};
    result = edit->apply(&trial->candidate, next);
    if (result != TOOL_EDIT_DONE) {
      mlirOperationDestroy(trial->candidate.module);
      nereid_arena_deinitialize(&trial->arena);
      nereid_arena_initialize(&trial->arena);
    }
    if (result != TOOL_EDIT_END)
      advance(edit, next);
  }
  if (result == TOOL_EDIT_DONE)
    start(trial);
  return result == TOOL_EDIT_DONE;
}

/* Waits for the trial and keeps its case if it shows the property. */
static bool use(tool_reduction_t *it, tool_trial_t *trial) {
  bool kept = finish(trial) && !is_over(it);
  count_trial(it, trial);
  kept = kept && keep(it, trial);
  print_trial(it, trial, kept);
  return kept;
}

/* Tries one edit at all its places. After a success it continues at the same position, with what is there now. */
static bool try_edit(tool_reduction_t *it, const tool_edit_t *edit, size_t size) {
  tool_edit_place_t next = {.size = size};
  size_t first = 0, n = 0; /* the trials in flight: a ring */
  bool changed = false;
  for (;;) {
    while (n < it->jobs && start_next(it, &it->trials[(first + n) % it->jobs], edit, &next))
      ++n;
    if (!n)
      return changed;
    const bool kept = use(it, &it->trials[first]), discards = kept || is_over(it);
    changed |= kept;
    if (kept)
      next = (tool_edit_place_t){.position = it->trials[first].place.position, .size = size};
    for (size_t i = 0; i < (discards ? n : 1); ++i)
      discard(&it->trials[(first + i) % it->jobs]);
    first = (first + (discards ? n : 1)) % it->jobs;
    n -= discards ? n : 1;
  }
}

static bool try_sizes(tool_reduction_t *it, const tool_edit_t *edit) {
  const size_t half = (it->n_ops + 1) / 2;
  bool changed = false;
  if (!edit->smallest)
    return try_edit(it, edit, 1);
  for (size_t size = half < edit->largest ? half : edit->largest; size >= edit->smallest && !is_over(it); size /= 2)
    changed |= try_edit(it, edit, size);
  return changed;
}

/* A command of --test receives no options of the run, and a compilation does not need them. */
static bool is_useful(const tool_reduction_t *it, const tool_edit_t *edit) {
  return !(edit->launch && it->test);
}

static bool try_edits(tool_reduction_t *it) {
  bool changed = false;
  for (const tool_edit_t *edit = tool_edits; edit->name && !is_over(it); ++edit)
    changed |= is_useful(it, edit) && try_sizes(it, edit);
  return changed;
}

/* Tries the edits that make the run shorter while it takes longer than the compilation. */
static void shorten_run(tool_reduction_t *it) {
  for (const tool_edit_t *edit = tool_edits; edit->name && !is_over(it); ++edit)
    if (edit->shortens && is_useful(it, edit) && it->instructions > LONG_RUN)
      (void)try_sizes(it, edit);
}

/* Diagnostics of invalid candidates are no news for the user. */
static MlirLogicalResult swallow(MlirDiagnostic diagnostic, void *data) {
  (void)diagnostic;
  (void)data;
  return mlirLogicalResultSuccess();
}

void tool_reduction_run(tool_reduction_t *it) {
  const MlirContext context = mlirOperationGetContext(it->best.module);
  const MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(context, swallow, NULL, NULL);
  shorten_run(it);
  while (!is_over(it) && try_edits(it))
    ;
  mlirContextDetachDiagnosticHandler(context, handler);
}
