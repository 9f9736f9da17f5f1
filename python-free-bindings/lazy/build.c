/* Builds one configuration of a variant: compiles it and loads it into the device, on a thread of the pool.
 *
 * The module is loaded here and not at the first launch, which may be captured: the driver refuses to load modules on a
 * thread that captures a stream. */
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

static nereid_status_t compile(nereid_lazy_build_t *build, void *session, nereid_status_t session_status,
                               nereid_message_t *message) {
  const nereid_lazy_compiler_t *compiler = build->job.compiler;
  uint8_t properties[NEREID_LAZY_SPECIALIZED];
  nereid_lazy_request_t request;
  nereid_lazy_image_t image = {0};
  if (!compiler)
    return nereid_message_set(message, NEREID_ERROR_NOT_FOUND,
                              "configuration %zu of kernel '%s' is not in the store, and this process has no compiler",
                              build->configuration, build->kernel->options.name);
  if (session_status)
    return nereid_message_set(message, session_status, "the compiler's session could not be created: %s",
                              nereid_status_string(session_status));
  request_of(build, properties, &request);
  nereid_status_t status = compiler->compile(session, &request, &image, message);
  if (!status) {
    status = load(build, &image, message);
    compiler->release(&image);
  }
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
  build->state = !status                            ? NEREID_LAZY_BUILD_READY
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
    progress.done += build->variant->builds[i].state >= NEREID_LAZY_BUILD_READY;
  pthread_mutex_unlock(&kernel->lock);
  kernel->options.progress(kernel->options.user_data, &progress);
}

const char *nereid_lazy_build_state_name(const nereid_lazy_build_t *build) {
  static const char *const names[] = {"cancelled", "queued", "compiling", "ready", "failed"};
  return build->state == NEREID_LAZY_BUILD_READY ? build->is_stored ? "stored" : "compiled" : names[build->state];
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
                               : compile(build, session, session_status, &message);
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
