/* The order of trials.
 *
 *   parent   clone best, edit | clone best, edit | wait for the first: no | wait for the second: yes, parse its text
 *   child 1                   | clean, verify, print, compile, run, judge
 *   child 2                                      | clean, verify, print, compile, run, judge
 *
 * Verdicts are used in the order of the edits: a trial that started while an earlier one succeeded is discarded.
 * Therefore the number of jobs does not change the result. */
#include "tools/nereid/reduce/reduction.h"

#include "seam/llvm.h"
#include "tools/nereid/interrupt.h"

#include <mlir-c/Diagnostics.h>
#include <stdio.h>

enum { LONG_RUN = 50000000 };

bool tool_reduction_initialize(tool_reduction_t *it) {
  bool good = true;
  it->without = tool_outcome_create();
  it->trials = nereid_arena_new(it->arena, tool_trial_t, it->jobs);
  for (size_t i = 0; it->trials && i < it->jobs; ++i)
    good &= tool_trial_initialize(&it->trials[i], it, i);
  return good && it->trials && it->without;
}

void tool_reduction_deinitialize(tool_reduction_t *it) {
  tool_outcome_destroy(it->without);
  for (size_t i = 0; it->trials && i < it->jobs; ++i)
    tool_trial_deinitialize(&it->trials[i]);
}

static bool is_over(const tool_reduction_t *it) {
  return it->failed || tool_interrupt_is_caught() || (it->limit && it->n_tried >= it->limit);
}

static void print_trial(const tool_reduction_t *it, const tool_trial_t *trial, bool kept) {
  static const char *const stages[] = {"not valid", "not valid", "not smaller", "known", ""};
  const char *observation = trial->outcome->text;
  if (it->verbose)
    fprintf(stderr, "%s %zu.%zu: %zu operations: %s%s\n", trial->edit->name, trial->place.position,
            trial->place.variant, trial->found->n_ops, stages[trial->found->stage],
            kept                                       ? "kept"
            : trial->found->stage == TOOL_STAGE_JUDGED ? observation
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
  const nereid_view_t text = tool_trial_print(&arena, it->best.module, it->locations);
  it->failed |= !text.size || !it->keep(it->keep_data, text, &it->best.settings);
  nereid_arena_deinitialize(&arena);
}

/* Makes the trial's case the best one. False: its text cannot be read again. */
static bool keep(tool_reduction_t *it, const tool_trial_t *trial) {
  const tool_found_t *found = trial->found;
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
  it->value = trial->outcome->value;
  (void)nereid_vector_push(it->arena, &it->kept, found->hash);
  if (!it->has_cause || it->checks_each)
    write_best(it);
  return true;
}

/* Counts a finished trial, in the order of edits. */
static void count_trial(tool_reduction_t *it, const tool_trial_t *trial) {
  if (trial->found->stage != TOOL_STAGE_JUDGED || tool_reduction_has_seen(it, trial->found->hash))
    return;
  ++it->n_tried;
  (void)nereid_vector_push(it->arena, &it->seen, trial->found->hash);
}

/* Stores what the input shows. */
static void store_input(tool_reduction_t *it, const tool_trial_t *trial) {
  const nereid_view_t stop = tool_pass_name(trial->outcome->last_pass);
  snprintf(it->stop, sizeof it->stop, "%.*s", (int)stop.size, stop.data);
  it->n_ops = tool_edit_count(it->best.module);
  it->weight = tool_edit_weigh(it->best.module);
  it->instructions = trial->outcome->instructions;
  it->value = trial->outcome->value;
}

bool tool_reduction_begin(tool_reduction_t *it) {
  tool_trial_t *trial = &it->trials[0];
  it->checks_each = it->pass != NULL;
  trial->edit = NULL;
  trial->candidate = (tool_candidate_t){&trial->arena, mlirOperationClone(it->best.module), it->best.settings};
  tool_trial_start(trial);
  const bool shown = tool_trial_finish(trial);
  snprintf(it->text, sizeof it->text, "%s%s%.*s", trial->outcome->text, trial->outcome->detail[0] ? "\n" : "",
           (int)strcspn(trial->outcome->detail, "\n"), trial->outcome->detail);
  count_trial(it, trial);
  store_input(it, trial);
  if (shown)
    it->failed |= !it->keep(it->keep_data, nereid_view_of(trial->found->text, trial->found->size), &it->best.settings);
  tool_trial_discard(trial);
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
    tool_trial_start(trial);
  return result == TOOL_EDIT_DONE;
}

/* Waits for the trial and keeps its case if it shows the property. */
static bool use(tool_reduction_t *it, tool_trial_t *trial) {
  bool kept = tool_trial_finish(trial) && !is_over(it);
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
      tool_trial_discard(&it->trials[(first + i) % it->jobs]);
    first = (first + (discards ? n : 1)) % it->jobs;
    n -= discards ? n : 1;
  }
}

/* The same with a check that the best case still has the cause of the input. If it has not, the edit is made again,
 * with a check of each case. A check of all cases that are kept would double their cost. */
static bool try_checked(tool_reduction_t *it, const tool_edit_t *edit, size_t size) {
  if (!it->has_cause)
    return try_edit(it, edit, size);
  const tool_reduction_state_t before = tool_reduction_save(it);
  bool changed = try_edit(it, edit, size);
  if (changed && !tool_cause_holds_best(it)) {
    tool_reduction_restore(it, &before);
    it->checks_each = true;
    changed = try_edit(it, edit, size);
    it->checks_each = false;
    return changed;
  }
  mlirOperationDestroy(before.best.module);
  if (changed)
    write_best(it);
  return changed;
}

static bool try_sizes(tool_reduction_t *it, const tool_edit_t *edit) {
  const size_t half = (it->n_ops + 1) / 2;
  bool changed = false;
  if (!edit->smallest)
    return try_checked(it, edit, 1);
  for (size_t size = half < edit->largest ? half : edit->largest; size >= edit->smallest && !is_over(it); size /= 2)
    changed |= try_checked(it, edit, size);
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
  it->has_cause = tool_cause_is_known(it);
  it->checks_each = false;
  shorten_run(it);
  while (!is_over(it) && try_edits(it))
    ;
  mlirContextDetachDiagnosticHandler(context, handler);
}
