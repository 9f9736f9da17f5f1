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

bool nereid_progress_pass(void *user_data, const char *pass, size_t index, size_t count) {
  nereid_compilation_t *compilation = user_data;
  compilation->progress.pass = pass;
  compilation->progress.pass_index = index;
  compilation->progress.n_passes = count;
  call_handler(compilation);
  compilation->progress.pass = NULL;
  compilation->progress.pass_index = compilation->progress.n_passes = 0;
  return nereid_limits_check(&compilation->limits) == NEREID_OK;
}
