/* One candidate in a process: what the child does, and how the parent waits for it.
 *
 *   child: clean, verify, print, compile, run, judge ----------> found_t and tool_outcome_t, in shared memory
 *   parent: tool_trial_start --------------------- tool_trial_finish: the verdict
 *
 * A child cleans and verifies its candidate, too, so that a crash there, which may be the property itself, ends only
 * the child. */
#include "tools/nereid/reduce/reduction.h"

#include "tools/nereid/trace/snapshot.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIN_STEPS = 100000 };

bool tool_trial_initialize(tool_trial_t *trial, const tool_reduction_t *owner, size_t index) {
  void *memory =
      mmap(NULL, sizeof(tool_found_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *trial = (tool_trial_t){.owner = owner,
                          .index = index,
                          .found = memory == MAP_FAILED ? NULL : memory,
                          .outcome = tool_outcome_create(),
                          .process = {.child = -1, .pipe = -1}};
  nereid_arena_initialize(&trial->arena);
  return trial->found && trial->outcome;
}

void tool_trial_deinitialize(tool_trial_t *trial) {
  tool_outcome_destroy(trial->outcome);
  nereid_arena_deinitialize(&trial->arena);
  if (trial->found)
    munmap(trial->found, sizeof(tool_found_t));
}

/* --- the child --- */

nereid_view_t tool_trial_print(nereid_arena_t *arena, MlirOperation module, bool locations) {
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

bool tool_reduction_has_seen(const tool_reduction_t *it, uint64_t hash) {
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

/* Cleans, verifies and prints the candidate. Sets the stage; TOOL_STAGE_JUDGED: it is to be judged. */
static nereid_view_t print_candidate(tool_trial_t *trial) {
  tool_found_t *found = trial->found;
  const tool_reduction_t *it = trial->owner;
  const MlirOperation module = trial->candidate.module;
  found->stage = TOOL_STAGE_INVALID;
  if ((trial->edit && !(tool_edit_clean(module) && tool_edit_is_defined(module))) || !mlirOperationVerify(module))
    return nereid_view_of(NULL, 0);
  const nereid_view_t text = tool_trial_print(&trial->arena, module, it->locations);
  found->n_ops = tool_edit_count(module);
  found->weight = tool_edit_weigh(module);
  found->hash = hash_case(text, &trial->candidate.settings);
  const nereid_view_t located = tool_trial_print(&trial->arena, module, true);
  if (!text.size || !located.size || located.size > TOOL_TEXT_LIMIT)
    return text;
  memcpy(found->text, located.data, located.size);
  found->size = located.size;
  found->stage = trial->edit && trial->edit->shrinks && found->weight >= it->weight ? TOOL_STAGE_LARGER
                 : trial->edit && tool_reduction_has_seen(it, found->hash)          ? TOOL_STAGE_SEEN
                                                                                    : TOOL_STAGE_JUDGED;
  return text;
}

/* A candidate whose loops became endless ends soon. A fault may be the limit itself, which then is the user's. */
static void limit_steps(const tool_reduction_t *it, run_settings_t *settings) {
  const int64_t limit = MIN_STEPS + (int64_t)it->instructions;
  if (it->instructions && it->subject.property.kind != TOOL_PROPERTY_FAULT &&
      (!settings->steps || settings->steps > limit))
    settings->steps = limit;
}

tool_case_t tool_trial_case(const tool_reduction_t *it, nereid_view_t text, const run_settings_t *settings) {
  tool_case_t subject = it->subject;
  subject.input = text;
  subject.settings = *settings;
  limit_steps(it, &subject.settings);
  return subject;
}

static bool compiles_only(const tool_reduction_t *it) {
  const tool_property_kind_t kind = it->subject.property.kind;
  return kind == TOOL_PROPERTY_CRASH || kind == TOOL_PROPERTY_COMPILE_ERROR;
}

tool_probe_request_t tool_trial_request(const tool_reduction_t *it) {
  return (tool_probe_request_t){
      .mode = compiles_only(it) ? TOOL_PROBE_COMPILE : TOOL_PROBE_EMULATE, .mlir = SIZE_MAX, .llvm = SIZE_MAX};
}

bool tool_trial_compares(const tool_reduction_t *it) {
  return it->subject.property.kind == TOOL_PROPERTY_COUNTER && !it->subject.property.relation;
}

static void work(void *user_data) {
  tool_trial_t *trial = user_data;
  const tool_reduction_t *it = trial->owner;
  const tool_probe_request_t request = tool_trial_request(it);
  const nereid_view_t text = print_candidate(trial);
  if (trial->found->stage != TOOL_STAGE_JUDGED)
    return;
  if (it->test)
    run_test(trial, text);
  const tool_case_t subject = tool_trial_case(it, text, &trial->candidate.settings);
  tool_probe_judge(&subject, &request, trial->outcome);
}

/* --- the parent --- */

void tool_trial_start(tool_trial_t *trial) {
  trial->found->stage = TOOL_STAGE_EDITED;
  tool_outcome_clear(trial->outcome);
  trial->process = tool_process_start(work, trial, trial->owner->subject.time_limit);
}

/* Waits for the command of --test and stores what happened. */
static void finish_test(tool_trial_t *trial) {
  const tool_reduction_t *it = trial->owner;
  tool_outcome_t *outcome = trial->outcome;
  int status;
  const bool in_time = tool_process_wait(&trial->process, &status);
  if (trial->found->stage == TOOL_STAGE_JUDGED)
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

/* Checks the cause of a candidate with the property. The observation of the check replaces that of the candidate. */
static bool has_cause(tool_trial_t *trial) {
  const tool_reduction_t *it = trial->owner;
  const tool_outcome_t *without = it->without;
  const nereid_view_t text = nereid_view_of(trial->found->text, trial->found->size);
  const bool holds = tool_cause_holds(it, text, &trial->candidate.settings, trial->outcome->value);
  snprintf(trial->outcome->text, sizeof trial->outcome->text, "without %s: %.*s",
           it->pass ? it->pass : "optional passes", (int)sizeof without->text / 2, without->text);
  return holds;
}

/* A compilation that stops in another pass than that of the input shows another defect. */
static bool stops_elsewhere(const tool_trial_t *trial) {
  const tool_reduction_t *it = trial->owner;
  return trial->edit && compiles_only(it) &&
         !nereid_view_equal(tool_pass_name(trial->outcome->last_pass), nereid_view(it->stop));
}

/* Waits for the trial; returns whether it shows the property. */
bool tool_trial_finish(tool_trial_t *trial) {
  const tool_reduction_t *it = trial->owner;
  if (it->test)
    finish_test(trial);
  else
    tool_probe_finish(&it->subject, &trial->process, trial->outcome);
  const tool_verdict_t expected = tool_trial_compares(it) ? TOOL_VERDICT_CLEAN : TOOL_VERDICT_SHOWN;
  if (trial->found->stage != TOOL_STAGE_JUDGED || trial->outcome->verdict != expected ||
      (!it->test && stops_elsewhere(trial)))
    return false;
  return !it->checks_each || has_cause(trial);
}

void tool_trial_discard(tool_trial_t *trial) {
  tool_process_cancel(&trial->process);
  if (trial->owner->test && trial->found->stage == TOOL_STAGE_JUDGED)
    unlink(path_of_test(trial));
  mlirOperationDestroy(trial->candidate.module);
  nereid_arena_deinitialize(&trial->arena);
  nereid_arena_initialize(&trial->arena);
}
