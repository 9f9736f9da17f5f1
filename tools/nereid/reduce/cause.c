/* The cause of the property: a reduction must not drift to another defect.
 *
 *   input       numbers differ; without the optional passes they agree: the cause is an optional pass
 *   candidate   numbers differ, also without the optional passes: not kept
 *
 * With --pass the cause is that pass. A check is a compilation and a run, like a trial. */
#include "tools/nereid/reduce/reduction.h"

bool tool_cause_holds(const tool_reduction_t *it, nereid_view_t text, const run_settings_t *settings, double value) {
  tool_probe_request_t request = tool_trial_request(it);
  tool_case_t subject = tool_trial_case(it, text, settings);
  subject.plan = it->without_pass;
  if (!it->pass)
    request.mlir = 0;
  tool_probe_run(&subject, &request, it->without);
  return it->without->verdict == TOOL_VERDICT_CLEAN && (!tool_trial_compares(it) || it->without->value < value);
}

bool tool_cause_holds_best(const tool_reduction_t *it) {
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  const nereid_view_t text = tool_trial_print(&arena, it->best.module, true);
  const bool holds = text.size && tool_cause_holds(it, text, &it->best.settings, it->value);
  nereid_arena_deinitialize(&arena);
  return holds;
}

bool tool_cause_is_known(const tool_reduction_t *it) {
  if (it->test)
    return false;
  return it->pass || (tool_trial_request(it).mode == TOOL_PROBE_EMULATE && tool_cause_holds_best(it));
}

tool_reduction_state_t tool_reduction_save(const tool_reduction_t *it) {
  tool_reduction_state_t state = {.best = it->best,
                                  .n_ops = it->n_ops,
                                  .weight = it->weight,
                                  .n_kept = it->kept.size,
                                  .instructions = it->instructions,
                                  .value = it->value};
  state.best.module = mlirOperationClone(it->best.module);
  return state;
}

/* A case that was kept may be tried again, with a check of its cause. */
static void forget(tool_reduction_t *it, uint64_t hash) {
  for (size_t i = 0; i < it->seen.size; ++i)
    if (it->seen.data[i] == hash)
      it->seen.data[i] = 0;
}

void tool_reduction_restore(tool_reduction_t *it, const tool_reduction_state_t *state) {
  mlirOperationDestroy(it->best.module);
  it->best = state->best;
  it->n_ops = state->n_ops;
  it->weight = state->weight;
  for (size_t i = state->n_kept; i < it->kept.size; ++i)
    forget(it, it->kept.data[i]);
  it->kept.size = state->n_kept;
  it->instructions = state->instructions;
  it->value = state->value;
}
