/* Variants of a kernel: the properties of arguments for which it is compiled.
 *
 *   launch(x = 0x7f00, n = 1000, s = 1)   →   x divisible, n divisible, s one   →   variant 1: 4 builds
 *   launch(x = 0x7f08, n = 1000, s = 1)   →   x generic, n divisible, s one     →   variant 2: 4 builds
 *
 * Variant 0 is the unspecialized IR. It is compiled before any argument is known, and serves a launch whose
 * arguments have exactly the properties that the IR states. */
#include "python-free-bindings/lazy/lazy.h"

#include <stdlib.h>
#include <time.h>

/* --- with the lock held --- */

void nereid_lazy_wait_change(nereid_lazy_kernel_t *kernel) {
  enum { NANOSECONDS = 20000000 };
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += NANOSECONDS;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&kernel->changed, &kernel->lock, &until);
}

static nereid_variant_t *find(nereid_lazy_kernel_t *kernel, const nereid_lazy_properties_t *properties) {
  nereid_variant_t *variant = kernel->variants;
  while (variant && !nereid_lazy_properties_equal(&variant->properties, properties))
    variant = variant->next;
  return variant;
}

nereid_variant_t *nereid_variant_add(nereid_lazy_kernel_t *kernel, const nereid_lazy_properties_t *properties) {
  nereid_variant_t *variant = calloc(1, sizeof *variant + kernel->n_configurations * sizeof *variant->builds);
  if (!variant)
    return NULL;
  variant->index = kernel->n_variants++;
  variant->properties = *properties;
  variant->next = kernel->variants;
  kernel->variants = variant;
  for (size_t i = 0; i < kernel->n_configurations; ++i) {
    nereid_lazy_build_t *build = &variant->builds[i];
    *build = (nereid_lazy_build_t){.job = {.run = nereid_lazy_build_run, .compiler = kernel->options.compiler},
                                   .kernel = kernel,
                                   .variant = variant,
                                   .configuration = i};
    if (kernel->configurations[i].status) {
      build->state = NEREID_LAZY_BUILD_FAILED;
      build->status = kernel->configurations[i].status;
      build->message = kernel->configurations[i].message;
    }
  }
  return variant;
}

/* --- without it --- */

void nereid_variant_queue(nereid_lazy_kernel_t *kernel, nereid_variant_t *variant) {
  for (size_t i = 0; i < kernel->n_configurations; ++i) {
    nereid_lazy_build_t *build = &variant->builds[i];
    pthread_mutex_lock(&kernel->lock);
    const bool is_missing = build->state == NEREID_LAZY_BUILD_NONE;
    if (is_missing) {
      build->state = NEREID_LAZY_BUILD_QUEUED;
      ++kernel->n_jobs;
    }
    pthread_mutex_unlock(&kernel->lock);
    if (is_missing)
      nereid_lazy_pool_add(kernel->pool, &build->job);
  }
}

/* Waits until the build is not in progress, and returns its state. Claims a stored one: the caller loads it. */
static nereid_lazy_build_state_t wait_state(nereid_lazy_build_t *build) {
  nereid_lazy_kernel_t *kernel = build->kernel;
  pthread_mutex_lock(&kernel->lock);
  while ((build->state == NEREID_LAZY_BUILD_QUEUED || build->state == NEREID_LAZY_BUILD_RUNNING) &&
         !nereid_cancellation_is_requested(kernel->cancellation))
    nereid_lazy_wait_change(kernel);
  const nereid_lazy_build_state_t state = build->state;
  if (state == NEREID_LAZY_BUILD_STORED)
    build->state = NEREID_LAZY_BUILD_RUNNING;
  pthread_mutex_unlock(&kernel->lock);
  return state;
}

nereid_status_t nereid_lazy_build_wait(nereid_lazy_build_t *build, nereid_message_t *message) {
  nereid_lazy_build_state_t state;
  while ((state = wait_state(build)) == NEREID_LAZY_BUILD_STORED)
    nereid_lazy_build_load(build);
  if (state == NEREID_LAZY_BUILD_READY || state == NEREID_LAZY_BUILD_FAILED)
    return NEREID_OK;
  return nereid_message_set(message, NEREID_ERROR_CANCELLED, "the compilation of kernel '%s' was cancelled",
                            build->kernel->options.name);
}

/* Whether the unspecialized IR can serve the properties; waits for its first valid build. */
static bool is_as_written(nereid_variant_t *written, const nereid_lazy_properties_t *properties) {
  for (size_t i = 0; i < written->builds->kernel->n_configurations; ++i) {
    nereid_lazy_build_t *build = &written->builds[i];
    if (!nereid_lazy_build_wait(build, NULL) && build->state == NEREID_LAZY_BUILD_READY)
      return nereid_lazy_states_properties(nereid_kernel_metadata(build->loaded), properties);
  }
  return false;
}

nereid_status_t nereid_variant_get(nereid_lazy_kernel_t *kernel, const nereid_lazy_properties_t *properties,
                                   nereid_variant_t **out_variant, nereid_message_t *message) {
  const nereid_lazy_properties_t generic = nereid_lazy_generic_properties(properties);
  nereid_variant_t *written = NULL;
  pthread_mutex_lock(&kernel->lock);
  nereid_variant_t *variant = find(kernel, properties);
  if (!variant)
    for (written = kernel->variants; written->next;)
      written = written->next;
  pthread_mutex_unlock(&kernel->lock);
  if (written && is_as_written(written, properties))
    variant = written;
  if (!variant) {
    pthread_mutex_lock(&kernel->lock);
    variant = find(kernel, properties);
    if (!variant && kernel->n_variants >= NEREID_LAZY_VARIANTS) {
      properties = &generic;
      variant = find(kernel, properties);
    }
    if (!variant)
      variant = nereid_variant_add(kernel, properties);
    pthread_mutex_unlock(&kernel->lock);
  }
  *out_variant = variant;
  if (!variant)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  nereid_variant_queue(kernel, variant);
  return NEREID_OK;
}
