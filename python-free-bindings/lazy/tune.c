/* Finds the fastest configuration of a variant on the arguments of a launch.
 *
 *   every build ends ── prune ── first round: warm-up, a run, and `runs` - 1 more unless it is far slower than the best
 *                             ── second round: configurations within 5 % of the best, in turn, `runs` times
 *
 * A run is: restore the saved arguments, flush the L2 cache, launch between two marks of the timer. The second round
 * alternates between the remaining configurations, so that a change of the clock rate affects all of them. The time of
 * a configuration is the median of its runs. Builds end before the first run: compilation does not spend the budget,
 * and does not disturb the host side of a run. */
#include "nereid/stream.h"
#include "python-free-bindings/lazy/lazy.h"

#include <stdlib.h>
#include <time.h>

enum { DEFAULT_BUDGET = 5000, DEFAULT_RUNS = 10, MAX_RUNS = 1000 };

static const double default_early_stop = 1.25, close_to_best = 1.05;

/* A configuration that can run. */
typedef struct candidate {
  size_t configuration;
  const nereid_lazy_build_t *build;
  double *samples; /* in order of the runs; room for two rounds */
  size_t n_samples;
} candidate_t;

typedef struct tuning {
  nereid_lazy_kernel_t *kernel;
  nereid_variant_t *variant;
  const nereid_call_t *call;
  nereid_decision_t *decision;
  nereid_arena_t scratch; /* holds the candidates */
  size_t n_candidates;
  candidate_t *candidates;
  uint32_t runs;
  double early_stop;
  double deadline; /* milliseconds of nereid_lazy_now */
  double best;     /* the least median so far; 0: none */
  size_t n_done;   /* configurations done, for the progress */
  nereid_saved_t saved;
  nereid_timer_t timer;
  nereid_status_t failure; /* status of the first configuration that failed */
  nereid_message_t failure_message;
  nereid_message_t *message;
} tuning_t;

static nereid_measured_t *result_of(tuning_t *it, size_t configuration) {
  return &it->decision->results[configuration];
}

static nereid_status_t check_cancellation(const tuning_t *it) {
  if (!nereid_cancellation_is_requested(it->kernel->cancellation))
    return NEREID_OK;
  return nereid_message_set(it->message, NEREID_ERROR_CANCELLED, "tuning of kernel '%s' was cancelled",
                            it->kernel->options.name);
}

/* Records that a configuration was not timed. */
static void skip(tuning_t *it, size_t configuration, nereid_outcome_t outcome, nereid_status_t status,
                 const char *message) {
  nereid_measured_t *result = result_of(it, configuration);
  result->outcome = outcome;
  result->status = status;
  result->message = message && *message ? nereid_arena_copy(&it->decision->arena, nereid_view(message)) : NULL;
  if (status && !it->failure) {
    it->failure = status;
    nereid_message_set(&it->failure_message, status, "%s", message);
  }
}

static void report(tuning_t *it, size_t configuration) {
  const nereid_lazy_options_t *options = &it->kernel->options;
  const nereid_measured_t *result = result_of(it, configuration);
  const nereid_lazy_progress_t progress = {.tuning = true,
                                           .configuration = configuration,
                                           .done = ++it->n_done,
                                           .total = it->kernel->n_configurations,
                                           .status = result->status,
                                           .state = nereid_outcome_name(result->outcome),
                                           .time = result->time,
                                           .message = result->message};
  if (options->progress)
    options->progress(options->user_data, &progress);
}

/* --- candidates --- */

/* Waits for every build, and lists those that are valid and not pruned. */
static nereid_status_t collect(tuning_t *it) {
  const nereid_lazy_options_t *options = &it->kernel->options;
  for (size_t i = 0; i < it->kernel->n_configurations; ++i) {
    nereid_lazy_build_t *build = &it->variant->builds[i];
    nereid_status_t status = nereid_lazy_build_wait(build, it->message);
    if (status)
      return status;
    if (build->state == NEREID_LAZY_BUILD_FAILED)
      skip(it, i, NEREID_OUTCOME_NOT_BUILT, build->status, build->message.text);
    else if (options->prune && options->prune(options->user_data, i, nereid_kernel_metadata(build->loaded), it->call->n,
                                              it->call->arguments))
      skip(it, i, NEREID_OUTCOME_PRUNED, NEREID_OK, NULL);
    else
      it->candidates[it->n_candidates++].build = build;
    if (result_of(it, i)->outcome)
      report(it, i);
  }
  for (size_t i = 0; i < it->n_candidates; ++i)
    it->candidates[i].configuration = it->candidates[i].build->configuration;
  return NEREID_OK;
}

/* --- runs --- */

/* Enqueues a run. `run` is its place in the timer. A failed launch is stored in `out_launch`, other errors are
 * returned. */
static nereid_status_t enqueue(tuning_t *it, const candidate_t *candidate, size_t run, nereid_status_t *out_launch,
                               nereid_message_t *launch_message) {
  const nereid_launch_t *launch = &it->call->launch->launch;
  nereid_status_t status = nereid_saved_restore(&it->saved, it->message);
  *out_launch = NEREID_OK;
  if (!status)
    status = nereid_saved_flush(&it->saved, it->message);
  if (!status)
    status = nereid_timer_start(&it->timer, run, launch->stream, it->message);
  if (status)
    return status;
  *out_launch =
      nereid_kernel_launch(candidate->build->loaded, launch, it->call->n, it->call->arguments, launch_message);
  return nereid_timer_stop(&it->timer, run, launch->stream, it->message);
}

/* Runs a candidate `n` times, and appends the times to its samples if `keep`. NEREID_ERROR_DEVICE after a fault. */
static nereid_status_t run(tuning_t *it, candidate_t *candidate, size_t n, bool keep) {
  nereid_message_t problem = {""};
  nereid_status_t launched = NEREID_OK, status = check_cancellation(it);
  for (size_t i = 0; !status && !launched && i < n; ++i)
    status = enqueue(it, candidate, i, &launched, &problem);
  if (!status && launched) {
    skip(it, candidate->configuration, NEREID_OUTCOME_NOT_LAUNCHED, launched, problem.text);
    return NEREID_OK;
  }
  if (!status)
    status = nereid_stream_synchronize(it->kernel->device, it->call->launch->launch.stream, it->message);
  for (size_t i = 0; !status && keep && i < n; ++i)
    status = nereid_timer_read(&it->timer, i, &candidate->samples[candidate->n_samples++], it->message);
  return status;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void take_median(tuning_t *it, const candidate_t *candidate) {
  nereid_measured_t *result = result_of(it, candidate->configuration);
  const size_t n = candidate->n_samples;
  qsort(candidate->samples, n, sizeof *candidate->samples, by_value);
  result->time = n % 2 ? candidate->samples[n / 2] : (candidate->samples[n / 2 - 1] + candidate->samples[n / 2]) / 2;
  result->runs = (uint32_t)n;
}

static bool is_timed(tuning_t *it, const candidate_t *candidate) {
  return result_of(it, candidate->configuration)->outcome == NEREID_OUTCOME_TIMED;
}

/* Returns how many more runs, of this wall time in milliseconds, the budget and the options permit. */
static size_t count_more(const tuning_t *it, double wall) {
  const double n = (it->deadline - nereid_lazy_now()) / (wall > 1e-3 ? wall : 1e-3);
  const size_t remaining = it->runs - 1;
  return n <= 0 ? 0 : n < (double)remaining ? (size_t)n : remaining;
}

/* The first round of a candidate. */
static nereid_status_t time_first(tuning_t *it, candidate_t *candidate) {
  nereid_measured_t *result = result_of(it, candidate->configuration);
  nereid_status_t status = NEREID_OK;
  double start;
  if (!it->kernel->is_emulated)
    status = run(it, candidate, 1, false); /* the driver loads code lazily, and clocks rise */
  start = nereid_lazy_now();
  if (!status && !result->outcome)
    status = run(it, candidate, 1, true);
  if (status || result->outcome)
    return status;
  const size_t n_more = count_more(it, nereid_lazy_now() - start);
  if (nereid_lazy_now() > it->deadline && !it->best) {
    skip(it, candidate->configuration, NEREID_OUTCOME_TOO_SLOW, NEREID_OK, "its first run took longer than the budget");
    return NEREID_OK;
  }
  result->outcome = NEREID_OUTCOME_TIMED;
  if (it->best && candidate->samples[0] > it->early_stop * it->best)
    result->outcome = NEREID_OUTCOME_STOPPED;
  else if (n_more)
    status = run(it, candidate, n_more, true);
  if (result->outcome == NEREID_OUTCOME_NOT_LAUNCHED)
    return status;
  take_median(it, candidate);
  if (!it->best || result->time < it->best)
    it->best = result->time;
  return status;
}

static nereid_status_t first_round(tuning_t *it) {
  nereid_status_t status = NEREID_OK;
  for (size_t i = 0; !status && i < it->n_candidates; ++i) {
    candidate_t *candidate = &it->candidates[i];
    if (i && nereid_lazy_now() > it->deadline)
      skip(it, candidate->configuration, NEREID_OUTCOME_LEFT_OUT, NEREID_OK, "the budget was spent");
    else
      status = time_first(it, candidate);
    if (!status)
      report(it, candidate->configuration);
  }
  return status;
}

static bool is_close(tuning_t *it, const candidate_t *candidate) {
  return is_timed(it, candidate) && result_of(it, candidate->configuration)->time <= close_to_best * it->best;
}

/* Times those that are close to the best again, in turn. The emulator's times do not vary. */
static nereid_status_t second_round(tuning_t *it) {
  nereid_status_t status = NEREID_OK;
  size_t n_close = 0;
  for (size_t i = 0; i < it->n_candidates; ++i)
    n_close += is_close(it, &it->candidates[i]);
  if (n_close < 2 || it->runs < 2 || it->kernel->is_emulated)
    return NEREID_OK;
  for (uint32_t k = 0; !status && k < it->runs; ++k)
    for (size_t i = 0; !status && i < it->n_candidates && nereid_lazy_now() < it->deadline; ++i)
      if (is_close(it, &it->candidates[i]))
        status = run(it, &it->candidates[i], 1, true);
  for (size_t i = 0; !status && i < it->n_candidates; ++i)
    if (is_timed(it, &it->candidates[i]))
      take_median(it, &it->candidates[i]);
  return status;
}

/* --- the winner --- */

static nereid_status_t none_left(tuning_t *it) {
  const nereid_lazy_options_t *options = &it->kernel->options;
  for (size_t i = 0; !it->failure && i < it->kernel->n_configurations; ++i)
    if (result_of(it, i)->outcome == NEREID_OUTCOME_TOO_SLOW)
      return nereid_message_set(it->message, NEREID_ERROR_TIMEOUT,
                                "kernel '%s': no configuration completed a run within the budget of %u ms; "
                                "configuration %zu was the first",
                                options->name, options->budget ? options->budget : DEFAULT_BUDGET, i);
  if (!it->failure)
    return nereid_message_set(it->message, NEREID_ERROR_ARGUMENT, "kernel '%s': every configuration was pruned",
                              options->name);
  for (size_t i = 0; i < it->kernel->n_configurations; ++i)
    if (result_of(it, i)->status)
      return nereid_message_set(it->message, it->failure, "configuration %zu: %.440s", i, it->failure_message.text);
  return it->failure;
}

static nereid_status_t choose(tuning_t *it, nereid_outcome_t among) {
  const candidate_t *winner = NULL;
  for (size_t i = 0; i < it->n_candidates; ++i) {
    const candidate_t *candidate = &it->candidates[i];
    if (result_of(it, candidate->configuration)->outcome == among &&
        (!winner || result_of(it, candidate->configuration)->time < result_of(it, winner->configuration)->time))
      winner = candidate;
  }
  if (!winner)
    return none_left(it);
  it->decision->winner = winner->build->loaded;
  it->decision->configuration = winner->configuration;
  return NEREID_OK;
}

/* Waits until no other kernel is timed on the device. */
static nereid_status_t lock_device(const tuning_t *it) {
  const struct timespec pause = {.tv_nsec = 1000000};
  nereid_status_t status = check_cancellation(it);
  while (!status && pthread_mutex_trylock(&it->kernel->device->tuning)) {
    nanosleep(&pause, NULL);
    status = check_cancellation(it);
  }
  return status;
}

static nereid_status_t time_all(tuning_t *it) {
  const nereid_lazy_options_t *options = &it->kernel->options;
  nereid_status_t status = nereid_saved_initialize(&it->saved, it->kernel, it->call, it->message);
  if (status)
    return status;
  status = nereid_timer_initialize(&it->timer, it->kernel->device, it->runs, it->message);
  it->deadline = nereid_lazy_now() + (options->budget ? options->budget : DEFAULT_BUDGET);
  if (!status)
    status = first_round(it);
  if (!status)
    status = second_round(it);
  if (!status)
    status = choose(it, NEREID_OUTCOME_TIMED);
  nereid_timer_deinitialize(&it->timer);
  nereid_message_t problem;
  nereid_status_t restored = nereid_saved_restore(&it->saved, &problem);
  nereid_saved_deinitialize(&it->saved);
  if (!status && restored)
    status = nereid_message_set(it->message, restored, "%s", problem.text);
  return status;
}

static nereid_status_t time_alone(tuning_t *it) {
  skip(it, it->candidates->configuration, NEREID_OUTCOME_ALONE, NEREID_OK, NULL);
  it->decision->reason = NEREID_REASON_ALONE;
  report(it, it->candidates->configuration);
  return choose(it, NEREID_OUTCOME_ALONE);
}

static nereid_status_t time_candidates(tuning_t *it) {
  if (!it->n_candidates)
    return none_left(it);
  if (it->n_candidates == 1)
    return time_alone(it);
  nereid_status_t status = lock_device(it);
  if (status)
    return status;
  status = time_all(it);
  pthread_mutex_unlock(&it->kernel->device->tuning);
  return status;
}

nereid_status_t nereid_lazy_time(nereid_lazy_kernel_t *kernel, nereid_variant_t *variant, const nereid_call_t *call,
                                 nereid_decision_t *decision, nereid_message_t *message) {
  const nereid_lazy_options_t *options = &kernel->options;
  const double start = nereid_lazy_now();
  tuning_t it = {.kernel = kernel,
                 .variant = variant,
                 .call = call,
                 .decision = decision,
                 .runs = options->runs         ? options->runs
                         : kernel->is_emulated ? 1
                                               : DEFAULT_RUNS,
                 .early_stop = options->early_stop > 0 ? options->early_stop : default_early_stop,
                 .message = message};
  if (it.runs > MAX_RUNS)
    it.runs = MAX_RUNS;
  decision->variant = variant;
  nereid_arena_initialize(&it.scratch);
  it.candidates = nereid_arena_new(&it.scratch, candidate_t, kernel->n_configurations);
  for (size_t i = 0; it.candidates && i < kernel->n_configurations; ++i)
    it.candidates[i].samples = nereid_arena_new(&it.scratch, double, 2 * it.runs);
  nereid_status_t status = it.scratch.failed ? nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory")
                                             : nereid_lazy_check_memory(kernel, call, message);
  if (!status)
    status = collect(&it);
  if (!status)
    status = time_candidates(&it);
  nereid_arena_deinitialize(&it.scratch);
  decision->milliseconds = nereid_lazy_now() - start;
  decision->status = status;
  return status;
}
