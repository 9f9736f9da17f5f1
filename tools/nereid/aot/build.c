/* Compiles kernels x configurations x targets, each in a job:
 *
 *   job 5    matmul.ttir: matmul, configuration big, sm_90a    →  FOLDER/5.image, FOLDER/5.json */
#include "tools/nereid/aot/build.h"

#include "base/file.h"
#include "tools/nereid/caret.h"
#include "tools/nereid/define.h"
#include "tools/nereid/interrupt.h"
#include "tools/nereid/jobs/jobs.h"

#include <stdio.h>

typedef struct build {
  tool_aot_plan_t *plan;
  const nereid_compile_options_t *options;
  const char *folder;
  size_t n_jobs;
  char name[512]; /* name of a job in messages */
} build_t;

/* Returns the image of a job and its kernel. */
static tool_aot_image_t *find_image(tool_aot_plan_t *plan, size_t job, tool_aot_kernel_t **out_kernel) {
  for (size_t i = 0; i < plan->n_kernels; i++) {
    const size_t n = plan->kernels[i].n_configurations * plan->n_targets;
    *out_kernel = &plan->kernels[i];
    if (job < n)
      return &plan->kernels[i].images[job];
    job -= n;
  }
  return NULL;
}

static const char *name_of(void *data, size_t job) {
  build_t *build = data;
  tool_aot_kernel_t *kernel;
  const tool_aot_image_t *image = find_image(build->plan, job, &kernel);
  snprintf(build->name, sizeof build->name, "%s: %s%sconfiguration %s, %s", kernel->input,
           kernel->symbol ? kernel->symbol : "", kernel->symbol ? ", " : "", image->configuration->name,
           image->target->name);
  return build->name;
}

/* --- one compilation, in a worker --- */

/* Sets the property of all arguments; those that cannot have it keep what the IR states. */
static nereid_status_t set_property(nereid_arena_t *arena, nereid_property_t property,
                                    nereid_compile_options_t *options, nereid_message_t *message) {
  enum { ARGUMENTS = 512 }; /* at least as many as a kernel can have */
  if (property == NEREID_PROPERTY_AS_WRITTEN)
    return NEREID_OK;
  uint8_t *properties = nereid_arena_new(arena, uint8_t, ARGUMENTS);
  if (!properties)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  memset(properties, (int)property, ARGUMENTS);
  options->properties = properties;
  options->n_properties = ARGUMENTS;
  return NEREID_OK;
}

/* Replaces constants of the configuration in the grid; a constant that the grid does not mention is for the IR. */
static nereid_status_t define_in_grid(nereid_arena_t *arena, const tool_aot_kernel_t *kernel,
                                      const tool_list_t *constants, const char **out_grid, nereid_message_t *message) {
  tool_list_t used = {.items = nereid_arena_new(arena, const char *, constants->size)};
  nereid_view_t text = nereid_view(kernel->grid);
  *out_grid = kernel->grid;
  for (size_t i = 0; used.items && kernel->grid && i < constants->size; i++) {
    const char *name = nereid_arena_copy(arena, nereid_view_of(constants->items[i], strcspn(constants->items[i], "=")));
    if (name && strstr(kernel->grid, name))
      used.items[used.size++] = constants->items[i];
  }
  if (arena->failed)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  if (!kernel->grid || !strstr(kernel->grid, "${"))
    return NEREID_OK;
  nereid_status_t status = tool_define(arena, "--grid", &used, &text, message);
  if (!status)
    *out_grid = nereid_arena_copy(arena, text);
  return status || *out_grid ? status : nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
}

static nereid_status_t write_files(const build_t *build, size_t job, const nereid_result_t *result,
                                   nereid_arena_t *arena, nereid_message_t *message) {
  const char *image = nereid_arena_format(arena, "%s/%zu.image", build->folder, job);
  const char *text = nereid_arena_format(arena, "%s/%zu.json", build->folder, job);
  if (!image || !text)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  nereid_status_t status = nereid_file_write(image, nereid_result_bytes(result), message);
  return status ? status : nereid_file_write(text, nereid_result_metadata(result), message);
}

static nereid_status_t compile(const build_t *build, size_t job, tool_source_t *source, nereid_arena_t *arena,
                               bool *out_is_stored, nereid_message_t *message) {
  tool_aot_kernel_t *kernel;
  const tool_aot_image_t *image = find_image(build->plan, job, &kernel);
  const tool_aot_configuration_t *configuration = image->configuration;
  const nereid_compiler_options_t how = {.size = sizeof how, .handler = tool_print_diagnostic, .user_data = source};
  nereid_compile_options_t options = *build->options;
  nereid_compiler_t *compiler = NULL;
  nereid_result_t *result = NULL;
  *source = (tool_source_t){.name = kernel->input, .text = kernel->source};
  options.target = image->target->arch;
  options.emit = image->target->is_ptx ? NEREID_STAGE_PTX : NEREID_STAGE_CUBIN;
  options.kernel = kernel->symbol;
  options.num_warps = configuration->num_warps;
  options.num_stages = configuration->num_stages;
  options.num_ctas = configuration->num_ctas;
  options.maxnreg = configuration->maxnreg;
  options.cancellation = tool_interrupt_begin();
  nereid_status_t status = tool_define(arena, kernel->input, &configuration->constants, &source->text, message);
  if (!status)
    status = define_in_grid(arena, kernel, &configuration->constants, &options.grid, message);
  if (!status)
    status = set_property(arena, configuration->property, &options, message);
  if (!status)
    status = nereid_compiler_create(&how, &compiler);
  if (!status)
    status = nereid_compile(compiler, source->text, source->name, &options, &result);
  *out_is_stored = !status && nereid_result_is_stored(result);
  if (!status)
    status = write_files(build, job, result, arena, message);
  nereid_result_destroy(result);
  nereid_compiler_destroy(compiler);
  tool_interrupt_end();
  return status;
}

static tool_job_result_t run_job(void *data, size_t job) {
  tool_source_t source = {0};
  nereid_message_t message = {""};
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  bool is_stored = false;
  nereid_status_t status = compile(data, job, &source, &arena, &is_stored, &message);
  nereid_arena_deinitialize(&arena);
  if (!status || tool_interrupt_is_caught())
    return (tool_job_result_t){.code = status ? TOOL_CALL : TOOL_DONE, .cached = is_stored};
  const bool is_reported = source.errors > 0 || status == NEREID_ERROR_PROGRAM;
  tool_error(&tool_command_aot, "%s: %s", name_of(data, job),
             message.text[0] ? message.text
             : is_reported   ? "not compiled"
                             : nereid_status_string(status));
  return (tool_job_result_t){.code = status == NEREID_ERROR_PROGRAM ? TOOL_PROGRAM : TOOL_CALL};
}

/* --- results --- */

static nereid_status_t read_files(nereid_arena_t *arena, const build_t *build, size_t job, nereid_message_t *message) {
  tool_aot_kernel_t *kernel = NULL; /* gcc at -O2 does not see that find_image sets it */
  tool_aot_image_t *image = find_image(build->plan, job, &kernel);
  const char *bytes = nereid_arena_format(arena, "%s/%zu.image", build->folder, job);
  const char *text = nereid_arena_format(arena, "%s/%zu.json", build->folder, job);
  if (!bytes || !text)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  nereid_status_t status = nereid_file_read(arena, bytes, &image->bytes, message);
  if (!status)
    status = nereid_file_read(arena, text, &image->text, message);
  if (!status)
    status = nereid_metadata_parse(arena, image->text, &image->metadata, message);
  if (!status && !kernel->name)
    kernel->name = image->metadata.name;
  return status;
}

int tool_aot_build(nereid_arena_t *arena, tool_aot_plan_t *plan, const nereid_compile_options_t *options,
                   const char *folder, int64_t workers, tool_progress_kind_t progress) {
  build_t build = {.plan = plan, .options = options, .folder = folder};
  for (size_t i = 0; i < plan->n_kernels; i++)
    build.n_jobs += plan->kernels[i].n_configurations * plan->n_targets;
  const int code = tool_jobs_run(&(tool_jobs_t){.command = &tool_command_aot,
                                                .n = build.n_jobs,
                                                .workers = workers,
                                                .progress = progress,
                                                .name = name_of,
                                                .run = run_job,
                                                .data = &build});
  nereid_message_t message;
  nereid_status_t status = NEREID_OK;
  for (size_t i = 0; code == TOOL_DONE && !status && i < build.n_jobs; i++)
    status = read_files(arena, &build, i, &message);
  if (code != TOOL_DONE)
    return code;
  return status ? tool_failed(&tool_command_aot, status, &message) : TOOL_CONTINUE;
}
