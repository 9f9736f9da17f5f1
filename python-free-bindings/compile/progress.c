/* Reports progress and checks for cancellation between stages and passes. */
#include "session.h"

static void call_handler(nereid_compilation_t *compilation) {
  nereid_progress_t *progress = &compilation->progress;
  if (!compilation->options.progress)
    return;
  progress->milliseconds = (double)(nereid_limits_now() - compilation->start) / 1e6;
  compilation->options.progress(compilation->options.progress_data, progress);
}

nereid_status_t nereid_progress_stage(nereid_compilation_t *compilation, const char *name, size_t index, size_t count) {
  compilation->progress = (nereid_progress_t){.stage = name, .stage_index = index, .n_stages = count};
  call_handler(compilation);
  return nereid_limits_check(&compilation->limits);
}

bool nereid_progress_pass(void *user_data, MlirOperation module, const nereid_pipeline_position_t *position) {
  nereid_compilation_t *compilation = user_data;
  const nereid_session_hooks_t *hooks = compilation->compiler->hooks;
  if (hooks && hooks->pipeline.checkpoint && !hooks->pipeline.checkpoint(hooks->pipeline.user_data, module, position))
    return false;
  if (!position->pass)
    return true;
  compilation->progress.pass = position->pass;
  compilation->progress.pass_index = position->index;
  compilation->progress.n_passes = position->count;
  call_handler(compilation);
  compilation->progress.pass = NULL;
  compilation->progress.pass_index = compilation->progress.n_passes = 0;
  return nereid_limits_check(&compilation->limits) == NEREID_OK;
}
