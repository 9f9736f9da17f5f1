/* Builds one configuration of a variant: on a thread of the pool, reads its image from the store, or compiles it and
 * loads it into the device.
 *
 *   QUEUED → RUNNING → READY                         compiled, loaded, stored
 *                    → STORED → RUNNING → READY      loaded when a launch needs it: most configurations lose
 *
 * Loading is also allowed during a capture of the launching thread, whose mode is relaxed for that time. */
#include "python-free-bindings/lazy/lazy.h"

static nereid_status_t load(nereid_lazy_build_t *build, const nereid_lazy_image_t *image, nereid_message_t *message) {
  nereid_status_t status =
      nereid_module_load(build->kernel->device, image->image, image->metadata, &build->module, message);
  return status ? status : nereid_module_kernel(build->module, NULL, &build->loaded, message);
}

static void request_of(const nereid_lazy_build_t *build, uint8_t properties[NEREID_LAZY_SPECIALIZED],
                       nereid_lazy_request_t *out_request) {
  const nereid_lazy_kernel_t *kernel = build->kernel;
  const nereid_configured_t *configured = &kernel->configurations[build->configuration];
  for (size_t i = 0; i < NEREID_LAZY_SPECIALIZED; ++i)
    properties[i] = (uint8_t)nereid_lazy_property(&build->variant->properties, i);
  *out_request = (nereid_lazy_request_t){
      .text = configured->text,
      .name = kernel->options.name,
      .function = kernel->options.function,
      .grid = configured->grid,
      .target = kernel->target,
      .ptx = kernel->is_emulated,
      .num_warps = configured->options.num_warps,
      .num_stages = configured->options.num_stages,
      .num_ctas = configured->options.num_ctas,
      .maxnreg = configured->options.maxnreg,
      .n_properties = NEREID_LAZY_SPECIALIZED,
      .properties = properties,
      .cancellation = kernel->cancellation,
  };
}

static nereid_status_t compile(nereid_lazy_build_t *build, void *session, nereid_message_t *message) {
  const nereid_lazy_compiler_t *compiler = build->job.compiler;
  uint8_t properties[NEREID_LAZY_SPECIALIZED];
  nereid_lazy_request_t request;
  nereid_lazy_image_t image = {0};
  request_of(build, properties, &request);
  nereid_status_t status = compiler->compile(session, &request, &image, message);
  if (status == NEREID_ERROR_PROGRAM)
    nereid_stored_put_failure(build, message);
  if (status)
    return status;
  status = load(build, &image, message);
  if (!status)
    nereid_stored_put(build, &image);
  compiler->release(&image);
  return status;
}

/* Sets the build's unit, or its module. */
static nereid_status_t make(nereid_lazy_build_t *build, void *session, nereid_status_t session_status,
                            nereid_message_t *message) {
  nereid_store_claim_t *claim = NULL;
  nereid_status_t status = NEREID_ERROR_NOT_FOUND;
  if (build->kernel->options.store && !build->skips_store)
    status = nereid_stored_claim(build, &build->unit, &claim, message);
  if (status != NEREID_ERROR_NOT_FOUND)
    return status;
  if (!build->job.compiler)
    status =
        nereid_message_set(message, NEREID_ERROR_NOT_FOUND,
                           "configuration %zu of kernel '%s' is not in the store, and this process has no compiler",
                           build->configuration, build->kernel->options.name);
  else if (session_status)
    status = nereid_message_set(message, session_status, "the compiler's session could not be created: %s",
                                nereid_status_string(session_status));
  else
    status = compile(build, session, message);
  nereid_store_claim_release(claim);
  return status;
}

/* Stores the result and returns the name of the state. A cancelled build can be queued again. */
static const char *finish(nereid_lazy_build_t *build, nereid_status_t status, const nereid_message_t *message) {
  nereid_lazy_kernel_t *kernel = build->kernel;
  if (status) {
    nereid_module_unload(build->module);
    build->module = NULL;
    build->loaded = NULL;
  }
  pthread_mutex_lock(&kernel->lock);
  build->status = status;
  if (status)
    build->message = *message;
  build->is_stored |= build->unit != NULL;
  build->state = build->unit                        ? NEREID_LAZY_BUILD_STORED
                 : !status                          ? NEREID_LAZY_BUILD_READY
                 : status == NEREID_ERROR_CANCELLED ? NEREID_LAZY_BUILD_NONE
                                                    : NEREID_LAZY_BUILD_FAILED;
  const char *state = nereid_lazy_build_state_name(build);
  pthread_cond_broadcast(&kernel->changed);
  pthread_mutex_unlock(&kernel->lock);
  return state;
}

static void report(const nereid_lazy_build_t *build, const char *state, double milliseconds, nereid_status_t status,
                   const nereid_message_t *message) {
  nereid_lazy_kernel_t *kernel = build->kernel;
  nereid_lazy_progress_t progress = {.configuration = build->configuration,
                                     .total = kernel->n_configurations,
                                     .status = status,
                                     .state = state,
                                     .time = milliseconds,
                                     .message = status ? message->text : NULL};
  if (!kernel->options.progress)
    return;
  pthread_mutex_lock(&kernel->lock);
  for (size_t i = 0; i < kernel->n_configurations; ++i)
    progress.done += build->variant->builds[i].state >= NEREID_LAZY_BUILD_STORED;
  pthread_mutex_unlock(&kernel->lock);
  kernel->options.progress(kernel->options.user_data, &progress);
}

void nereid_lazy_build_run(nereid_job_t *job, void *session, nereid_status_t session_status) {
  nereid_lazy_build_t *build = (nereid_lazy_build_t *)job;
  nereid_lazy_kernel_t *kernel = build->kernel;
  nereid_message_t message = {""};
  const double start = nereid_lazy_now();
  pthread_mutex_lock(&kernel->lock);
  build->state = NEREID_LAZY_BUILD_RUNNING;
  pthread_mutex_unlock(&kernel->lock);
  const int mode = nereid_device_relax_capture(kernel->device);
  nereid_status_t status = nereid_cancellation_is_requested(kernel->cancellation)
                               ? NEREID_ERROR_CANCELLED
                               : make(build, session, session_status, &message);
  nereid_device_restore_capture(kernel->device, mode);
  const double milliseconds = nereid_lazy_now() - start;
  build->milliseconds = milliseconds;
  const char *state = finish(build, status, &message);
  report(build, state, milliseconds, status, &message);
  pthread_mutex_lock(&kernel->lock);
  --kernel->n_jobs; /* the kernel may be destroyed from here on */
  pthread_cond_broadcast(&kernel->changed);
  pthread_mutex_unlock(&kernel->lock);
}

void nereid_lazy_build_load(nereid_lazy_build_t *build) {
  nereid_lazy_kernel_t *kernel = build->kernel;
  const nereid_store_content_t content = nereid_store_unit_content(build->unit);
  const nereid_lazy_image_t image = {.image = content.image, .metadata = content.metadata};
  nereid_message_t message = {""};
  const int mode = nereid_device_relax_capture(kernel->device);
  nereid_status_t status = load(build, &image, &message);
  nereid_device_restore_capture(kernel->device, mode);
  nereid_store_unit_destroy(build->unit);
  build->unit = NULL;
  if (!status || !build->job.compiler) {
    (void)finish(build, status, &message);
    return;
  }
  build->skips_store = true; /* compile it instead */
  build->is_stored = false;
  nereid_module_unload(build->module);
  build->module = NULL;
  pthread_mutex_lock(&kernel->lock);
  build->state = NEREID_LAZY_BUILD_QUEUED;
  ++kernel->n_jobs;
  pthread_mutex_unlock(&kernel->lock);
  nereid_lazy_pool_add(kernel->pool, &build->job);
}
