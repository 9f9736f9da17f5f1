/* Launches a lazy kernel.
 *
 *   properties of the arguments ── table ──→ decision ── nereid_kernel_launch        every call but the first of a key
 *                                     └─ none ── captured? the last winner, else the first valid build
 *                                              └ else  one thread tunes, the others wait; then as above */
#include "nereid/stream.h"
#include "python-free-bindings/lazy/lazy.h"

static const nereid_lazy_launch_t default_launch;

/* --- captures --- */

/* Gets the last winner of a variant; null: none. With the lock held. */
static const nereid_kernel_t *last_winner(const nereid_lazy_kernel_t *kernel, const nereid_variant_t *variant) {
  for (const nereid_decision_t *it = kernel->decisions; it; it = it->next)
    if (it->variant == variant)
      return it->winner;
  return NULL;
}

static nereid_status_t first_valid(nereid_lazy_kernel_t *kernel, nereid_variant_t *variant,
                                   const nereid_kernel_t **out_loaded, nereid_message_t *message) {
  nereid_status_t status = NEREID_OK;
  for (size_t i = 0; !status && i < kernel->n_configurations; ++i) {
    nereid_lazy_build_t *build = &variant->builds[i];
    status = nereid_lazy_build_wait(build, message);
    if (!status && build->state == NEREID_LAZY_BUILD_READY) {
      *out_loaded = build->loaded;
      return NEREID_OK;
    }
  }
  return status ? status
                : nereid_message_set(message, variant->builds->status, "configuration 0: %.440s",
                                     variant->builds->message.text);
}

/* Launches in a capture without a decision. */
static nereid_status_t launch_captured(nereid_lazy_kernel_t *kernel, const nereid_call_t *call,
                                       const nereid_lazy_properties_t *properties, nereid_message_t *message) {
  nereid_variant_t *variant;
  const nereid_kernel_t *loaded = NULL;
  nereid_status_t status = nereid_variant_get(kernel, properties, &variant, message);
  if (status)
    return status;
  pthread_mutex_lock(&kernel->lock);
  loaded = last_winner(kernel, variant);
  ++kernel->n_captured;
  pthread_mutex_unlock(&kernel->lock);
  if (!loaded)
    status = first_valid(kernel, variant, &loaded, message);
  return status ? status : nereid_kernel_launch(loaded, &call->launch->launch, call->n, call->arguments, message);
}

/* --- tuning --- */

/* Waits until no thread tunes, then claims the tuning. Returns the decision that another thread made meanwhile; null,
 * with `*out_status` OK: the caller tunes. */
static const nereid_decision_t *claim(nereid_lazy_kernel_t *kernel, uint64_t key,
                                      const nereid_lazy_properties_t *properties, nereid_status_t *out_status,
                                      nereid_message_t *message) {
  const nereid_decision_t *decision = NULL;
  *out_status = NEREID_OK;
  pthread_mutex_lock(&kernel->lock);
  while (!(decision = nereid_decision_find(kernel, key, properties)) && kernel->is_tuning && !*out_status) {
    if (nereid_cancellation_is_requested(kernel->cancellation))
      *out_status = nereid_message_set(message, NEREID_ERROR_CANCELLED, "a launch of kernel '%s' was cancelled",
                                       kernel->options.name);
    else
      nereid_lazy_wait_change(kernel);
  }
  if (!decision && !*out_status)
    kernel->is_tuning = true;
  pthread_mutex_unlock(&kernel->lock);
  return decision;
}

/* Ends the tuning: publishes a decision, or keeps a failed one for the report. */
static nereid_status_t settle(nereid_lazy_kernel_t *kernel, nereid_decision_t *decision, nereid_status_t status,
                              nereid_message_t *message) {
  nereid_decision_t *replaced = NULL;
  pthread_mutex_lock(&kernel->lock);
  if (!status && nereid_decision_publish(kernel, decision))
    status = nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  if (status && decision) {
    replaced = kernel->failure;
    kernel->failure = decision;
    decision->winner = NULL;
  }
  kernel->is_tuning = false;
  pthread_cond_broadcast(&kernel->changed);
  pthread_mutex_unlock(&kernel->lock);
  nereid_decision_destroy(replaced);
  return status;
}

/* Uses the last winner of the variant if the kernel has too many decisions. False: tune. */
static bool is_over_limit(nereid_lazy_kernel_t *kernel, const nereid_variant_t *variant,
                          const nereid_kernel_t **out_winner) {
  size_t n = 0;
  pthread_mutex_lock(&kernel->lock);
  for (const nereid_decision_t *it = kernel->decisions; it; it = it->next)
    ++n;
  *out_winner = n >= NEREID_LAZY_KEYS ? last_winner(kernel, variant) : NULL;
  pthread_mutex_unlock(&kernel->lock);
  return *out_winner != NULL;
}

/* Takes the winner from the store. False: it has none, or the image is not valid. */
static bool recall(nereid_lazy_kernel_t *kernel, nereid_variant_t *variant, nereid_decision_t *decision) {
  const double start = nereid_lazy_now();
  if (!nereid_stored_decision_get(kernel, decision))
    return false;
  nereid_lazy_build_t *build = &variant->builds[decision->configuration];
  if (nereid_lazy_build_wait(build, NULL) || build->state != NEREID_LAZY_BUILD_READY) {
    memset(decision->results, 0, kernel->n_configurations * sizeof *decision->results);
    return false;
  }
  decision->winner = build->loaded;
  decision->variant = variant;
  decision->reason = NEREID_REASON_STORE;
  decision->milliseconds = nereid_lazy_now() - start;
  return true;
}

/* Finds the winner, in the store or by timing. */
static nereid_status_t find_winner(nereid_lazy_kernel_t *kernel, nereid_variant_t *variant, const nereid_call_t *call,
                                   nereid_decision_t *decision, nereid_message_t *message) {
  if (recall(kernel, variant, decision))
    return NEREID_OK;
  nereid_status_t status = nereid_lazy_time(kernel, variant, call, decision, message);
  if (!status && decision->reason == NEREID_REASON_TUNED)
    nereid_stored_decision_put(kernel, decision);
  return status;
}

/* Tunes with the claim; releases it. `*out_winner` may be the winner of another key. */
static nereid_status_t tune(nereid_lazy_kernel_t *kernel, const nereid_call_t *call,
                            const nereid_lazy_properties_t *properties, const nereid_kernel_t **out_winner,
                            nereid_message_t *message) {
  nereid_variant_t *variant;
  nereid_decision_t *decision = NULL;
  nereid_status_t status = nereid_variant_get(kernel, properties, &variant, message);
  if (!status && is_over_limit(kernel, variant, out_winner)) {
    pthread_mutex_lock(&kernel->lock);
    kernel->is_tuning = false;
    pthread_cond_broadcast(&kernel->changed);
    pthread_mutex_unlock(&kernel->lock);
    return NEREID_OK;
  }
  if (!status)
    decision = nereid_decision_create(kernel, call->launch->key, properties);
  if (!status)
    status = decision ? find_winner(kernel, variant, call, decision, message)
                      : nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  status = settle(kernel, decision, status, message);
  if (!status && decision)
    *out_winner = decision->winner;
  return status;
}

/* Gets the winner for a call without a decision, whose stream is not being captured. */
static nereid_status_t resolve(nereid_lazy_kernel_t *kernel, const nereid_call_t *call,
                               const nereid_lazy_properties_t *properties, const nereid_kernel_t **out_winner,
                               nereid_message_t *message) {
  nereid_status_t status;
  const nereid_decision_t *decision = claim(kernel, call->launch->key, properties, &status, message);
  *out_winner = decision ? decision->winner : NULL;
  return decision || status ? status : tune(kernel, call, properties, out_winner, message);
}

static nereid_status_t launch_first(nereid_lazy_kernel_t *kernel, const nereid_call_t *call,
                                    const nereid_lazy_properties_t *properties, nereid_message_t *message) {
  const nereid_launch_t *launch = &call->launch->launch;
  const nereid_kernel_t *winner;
  if (nereid_stream_is_captured(kernel->device, launch->stream))
    return launch_captured(kernel, call, properties, message);
  nereid_status_t status = resolve(kernel, call, properties, &winner, message);
  return status ? status : nereid_kernel_launch(winner, launch, call->n, call->arguments, message);
}

nereid_status_t nereid_lazy_launch(nereid_lazy_kernel_t *kernel, const nereid_lazy_launch_t *launch, size_t n,
                                   const nereid_value_t *arguments, nereid_message_t *message) {
  const nereid_call_t call = {launch ? launch : &default_launch, n, arguments};
  const nereid_lazy_properties_t properties = nereid_lazy_properties(&kernel->options, n, arguments);
  const nereid_decision_t *decision = nereid_decision_find(kernel, call.launch->key, &properties);
  return decision ? nereid_kernel_launch(decision->winner, &call.launch->launch, n, arguments, message)
                  : launch_first(kernel, &call, &properties, message);
}

nereid_status_t nereid_lazy_tune(nereid_lazy_kernel_t *kernel, const nereid_lazy_launch_t *launch, size_t n,
                                 const nereid_value_t *arguments, nereid_message_t *message) {
  const nereid_call_t call = {launch ? launch : &default_launch, n, arguments};
  const nereid_lazy_properties_t properties = nereid_lazy_properties(&kernel->options, n, arguments);
  const nereid_kernel_t *winner;
  if (nereid_decision_find(kernel, call.launch->key, &properties))
    return NEREID_OK;
  if (nereid_stream_is_captured(kernel->device, call.launch->launch.stream))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "kernel '%s' cannot be tuned on a stream that is being captured", kernel->options.name);
  return resolve(kernel, &call, &properties, &winner, message);
}

nereid_status_t nereid_lazy_winner(const nereid_lazy_kernel_t *kernel, const nereid_lazy_launch_t *launch, size_t n,
                                   const nereid_value_t *arguments, size_t *out_configuration,
                                   const nereid_kernel_t **out_kernel, nereid_message_t *message) {
  const nereid_lazy_properties_t properties = nereid_lazy_properties(&kernel->options, n, arguments);
  const nereid_decision_t *decision = nereid_decision_find(kernel, launch ? launch->key : 0, &properties);
  if (!decision)
    return nereid_message_set(message, NEREID_ERROR_NOT_FOUND, "kernel '%s' was not tuned for this key yet",
                              kernel->options.name);
  if (out_configuration)
    *out_configuration = decision->configuration;
  if (out_kernel)
    *out_kernel = decision->winner;
  return NEREID_OK;
}
