/* Creates and destroys lazy kernels.
 *
 *   options ── copied ── configuration i: placeholders replaced ── variant 0: builds queued */
#include "base/file.h"
#include "base/target_facts.h"
#include "python-free-bindings/lazy/lazy.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* sizeof(nereid_lazy_options_t) of the first version. */
enum { FIRST_SIZE = sizeof(nereid_lazy_options_t) };

static nereid_status_t no_memory(nereid_message_t *message) {
  return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
}

static nereid_status_t check(const nereid_lazy_options_t *options, nereid_message_t *message) {
  const uint32_t known = NEREID_LAZY_SPECIALIZE_DIVISIBLE | NEREID_LAZY_SPECIALIZE_ONE | NEREID_LAZY_SPECIALIZE_NULL;
  if (!options || options->size != FIRST_SIZE)
    return nereid_message_set(
        message, NEREID_ERROR_ARGUMENT,
        "`size` of a lazy kernel's options is %zu: set it to sizeof(nereid_lazy_options_t), which "
        "is %zu",
        options ? options->size : 0, (size_t)FIRST_SIZE);
  if (!options->path == !options->text.size)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "a lazy kernel requires either `text` or `path`");
  if (options->n_configurations > NEREID_LAZY_CONFIGURATIONS)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "%zu configurations; the limit is %d",
                              options->n_configurations, (int)NEREID_LAZY_CONFIGURATIONS);
  if (options->specialize & ~known)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "unknown bits in `specialize`: 0x%x",
                              options->specialize & ~known);
  if (!options->compiler && !options->store)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "a lazy kernel requires a compiler, such as nereid_lazy_compiler(), or a store");
  return NEREID_OK;
}

/* --- copies --- */

/* A copy in the kernel's arena; null for null, and when out of memory (which the arena records). */
static const char *copy(nereid_lazy_kernel_t *kernel, const char *text) {
  return text ? nereid_arena_copy(&kernel->arena, nereid_view(text)) : NULL;
}

static void copy_configuration(nereid_lazy_kernel_t *kernel, const nereid_lazy_configuration_t *from,
                               nereid_lazy_configuration_t *to) {
  nereid_constant_t *constants = nereid_arena_new(&kernel->arena, nereid_constant_t, from->n_constants);
  *to = *from;
  to->constants = constants;
  for (size_t i = 0; constants && i < from->n_constants; ++i)
    constants[i] = (nereid_constant_t){copy(kernel, from->constants[i].name), copy(kernel, from->constants[i].value)};
}

static nereid_status_t copy_options(nereid_lazy_kernel_t *kernel, const nereid_lazy_options_t *options,
                                    nereid_message_t *message) {
  nereid_lazy_options_t *own = &kernel->options;
  nereid_status_t status = NEREID_OK;
  *own = *options;
  own->name = copy(kernel, options->name ? options->name : options->path ? options->path : "kernel");
  own->path = copy(kernel, options->path);
  own->function = copy(kernel, options->function);
  own->grid = copy(kernel, options->grid);
  own->target = NULL;
  if (options->path)
    status = nereid_file_read(&kernel->arena, options->path, &own->text, message);
  else
    own->text.data = nereid_arena_copy(&kernel->arena, options->text);
  own->configurations = NULL;
  kernel->n_configurations = options->n_configurations ? options->n_configurations : 1;
  kernel->configurations = nereid_arena_new(&kernel->arena, nereid_configured_t, kernel->n_configurations);
  for (size_t i = 0; kernel->configurations && i < options->n_configurations; ++i)
    copy_configuration(kernel, &options->configurations[i], &kernel->configurations[i].options);
  return !status && kernel->arena.failed ? no_memory(message) : status;
}

/* --- configurations --- */

/* Replaces the placeholders of the grid and of the text, which share the constants: a constant may be used by one of
 * them only. The grid is put before the text as a line of its own. */
static nereid_status_t configure(nereid_lazy_kernel_t *kernel, nereid_configured_t *configured) {
  const nereid_lazy_options_t *options = &kernel->options;
  const char *grid = options->grid ? options->grid : "";
  nereid_constants_place_t place;
  nereid_message_t problem;
  nereid_view_t both = {0};
  const char *text = nereid_arena_format(&kernel->arena, "%s\n%.*s", grid, (int)options->text.size, options->text.data);
  if (!text)
    return NEREID_ERROR_MEMORY;
  nereid_status_t status = nereid_constants_substitute(
      &kernel->arena, nereid_view_of(text, strlen(grid) + 1 + options->text.size), configured->options.n_constants,
      configured->options.constants, &both, &place, &problem);
  if (status == NEREID_ERROR_PROGRAM && place.line > 1)
    return nereid_message_set(&configured->message, status, "%s:%u:%u: %.400s", options->name, place.line - 1,
                              place.column, problem.text);
  if (status)
    return nereid_message_set(&configured->message, status, "%s: %.400s",
                              status == NEREID_ERROR_PROGRAM ? "the grid" : options->name, problem.text);
  const char *newline = memchr(both.data, '\n', both.size);
  const size_t size = (size_t)(newline - both.data);
  configured->text = nereid_view_of(newline + 1, both.size - size - 1);
  configured->grid = options->grid ? nereid_arena_copy(&kernel->arena, nereid_view_of(both.data, size)) : NULL;
  return NEREID_OK;
}

static nereid_status_t configure_all(nereid_lazy_kernel_t *kernel, nereid_message_t *message) {
  if (kernel->options.grid && strchr(kernel->options.grid, '\n'))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the grid of kernel '%s' has a newline",
                              kernel->options.name);
  if (kernel->options.text.size > INT32_MAX)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the text of kernel '%s' is larger than 2 GiB",
                              kernel->options.name);
  for (size_t i = 0; i < kernel->n_configurations; ++i)
    kernel->configurations[i].status = configure(kernel, &kernel->configurations[i]);
  return kernel->arena.failed ? no_memory(message) : NEREID_OK;
}

static nereid_status_t choose_target(nereid_lazy_kernel_t *kernel, const char *target, nereid_message_t *message) {
  const int capability = (int)kernel->device->info.capability;
  const int size = target ? snprintf(kernel->target, sizeof kernel->target, "%s", target)
                          : snprintf(kernel->target, sizeof kernel->target, "sm_%d%s", capability,
                                     capability == NEREID_SM_90 ? "a" : "");
  return size < (int)sizeof kernel->target
             ? NEREID_OK
             : nereid_message_set(message, NEREID_ERROR_ARGUMENT, "unknown target '%s'", target);
}

/* --- the kernel --- */

static nereid_status_t initialize_threads(nereid_lazy_kernel_t *kernel, nereid_message_t *message) {
  nereid_status_t status = NEREID_OK;
  if (!kernel->options.cancellation)
    status = nereid_cancellation_create(&kernel->own_cancellation);
  if (status)
    return nereid_message_set(message, status, "a cancellation token cannot be created: %s",
                              nereid_status_string(status));
  kernel->cancellation = kernel->options.cancellation ? kernel->options.cancellation : kernel->own_cancellation;
  kernel->pool = kernel->options.pool;
  if (kernel->pool)
    return NEREID_OK;
  const size_t limit = kernel->n_configurations < 16 ? kernel->n_configurations : 0;
  nereid_lazy_pool_t *pool;
  status = nereid_lazy_pool_create(limit && limit < (size_t)sysconf(_SC_NPROCESSORS_ONLN) ? (uint32_t)limit : 0, &pool,
                                   message);
  kernel->owns_pool = !status;
  kernel->pool = status ? NULL : pool;
  return status;
}

/* Creates lock and condition, whose clock is monotonic. */
static nereid_status_t initialize_lock(nereid_lazy_kernel_t *kernel) {
  pthread_condattr_t attributes;
  if (pthread_mutex_init(&kernel->lock, NULL))
    return NEREID_ERROR_MEMORY;
  bool good = pthread_condattr_init(&attributes) == 0;
  if (good) {
    good = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
           pthread_cond_init(&kernel->changed, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
  }
  if (!good)
    pthread_mutex_destroy(&kernel->lock);
  return good ? NEREID_OK : NEREID_ERROR_MEMORY;
}

static nereid_status_t initialize(nereid_lazy_kernel_t *kernel, const nereid_lazy_options_t *options,
                                  nereid_message_t *message) {
  const nereid_lazy_properties_t as_written = {{0, 0}};
  nereid_status_t status = nereid_decision_table_initialize(kernel);
  if (status)
    return no_memory(message);
  status = copy_options(kernel, options, message);
  if (!status)
    status = configure_all(kernel, message);
  if (!status)
    status = choose_target(kernel, options->target, message);
  if (!status)
    status = initialize_threads(kernel, message);
  if (!status && !nereid_variant_add(kernel, &as_written))
    status = no_memory(message);
  if (status)
    return status;
  nereid_stored_initialize(kernel);
  nereid_variant_queue(kernel, kernel->variants);
  return NEREID_OK;
}

nereid_status_t nereid_lazy_create(nereid_device_t *device, const nereid_lazy_options_t *options,
                                   nereid_lazy_kernel_t **out_kernel, nereid_message_t *message) {
  *out_kernel = NULL;
  nereid_status_t status = check(options, message);
  if (status)
    return status;
  nereid_lazy_kernel_t *kernel = calloc(1, sizeof *kernel);
  if (!kernel || initialize_lock(kernel)) {
    free(kernel);
    return no_memory(message);
  }
  kernel->device = device;
  kernel->is_emulated = device->emulated != NULL;
  nereid_arena_initialize(&kernel->arena);
  status = initialize(kernel, options, message);
  if (status)
    nereid_lazy_destroy(kernel);
  else
    *out_kernel = kernel;
  return status;
}

static bool belongs(const nereid_job_t *job, const void *owner) {
  return ((const nereid_lazy_build_t *)job)->kernel == owner;
}

static void drop(nereid_job_t *job) {
  nereid_lazy_build_t *build = (nereid_lazy_build_t *)job;
  pthread_mutex_lock(&build->kernel->lock);
  build->state = NEREID_LAZY_BUILD_NONE;
  --build->kernel->n_jobs;
  pthread_mutex_unlock(&build->kernel->lock);
}

/* Ends the jobs of the kernel. */
static void stop(nereid_lazy_kernel_t *kernel) {
  nereid_cancellation_request(kernel->own_cancellation);
  if (kernel->pool)
    nereid_lazy_pool_remove(kernel->pool, belongs, drop, kernel);
  pthread_mutex_lock(&kernel->lock);
  while (kernel->n_jobs)
    nereid_lazy_wait_change(kernel);
  pthread_mutex_unlock(&kernel->lock);
  if (kernel->owns_pool)
    nereid_lazy_pool_destroy(kernel->pool);
  nereid_cancellation_destroy(kernel->own_cancellation);
}

void nereid_lazy_destroy(nereid_lazy_kernel_t *kernel) {
  if (!kernel)
    return;
  stop(kernel);
  nereid_decision_destroy(kernel->failure);
  for (nereid_decision_t *decision = kernel->decisions, *next; decision; decision = next) {
    next = decision->next;
    nereid_decision_destroy(decision);
  }
  for (nereid_variant_t *variant = kernel->variants, *next; variant; variant = next) {
    next = variant->next;
    for (size_t i = 0; i < kernel->n_configurations; ++i) {
      nereid_module_unload(variant->builds[i].module);
      nereid_store_unit_destroy(variant->builds[i].unit);
    }
    free(variant);
  }
  nereid_decision_table_deinitialize(kernel);
  pthread_cond_destroy(&kernel->changed);
  pthread_mutex_destroy(&kernel->lock);
  nereid_arena_deinitialize(&kernel->arena);
  free(kernel);
}

nereid_status_t nereid_lazy_wait(nereid_lazy_kernel_t *kernel, nereid_message_t *message) {
  const nereid_lazy_properties_t as_written = {{0, 0}};
  nereid_variant_t *variant;
  size_t n_ready = 0;
  nereid_status_t status = nereid_variant_get(kernel, &as_written, &variant, message);
  for (size_t i = 0; !status && i < kernel->n_configurations; ++i) {
    status = nereid_lazy_build_wait(&variant->builds[i], message);
    n_ready += !status && variant->builds[i].state == NEREID_LAZY_BUILD_READY;
  }
  if (status || n_ready)
    return status;
  return nereid_message_set(message, variant->builds->status, "configuration 0: %.440s", variant->builds->message.text);
}
