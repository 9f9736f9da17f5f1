/* The input of `nereid run`: an image and the metadata beside it, or anything that compiles to one.
 *
 * PTX without metadata is completed from the IR beside it. Without an assembler a GPU still runs PTX: the driver
 * compiles it. */
#include "tools/nereid/run.h"

#include "base/file.h"
#include "python-free-bindings/launch/image.h"
#include "target/assemble.h"
#include "tools/nereid/caret.h"

#include <unistd.h>

static bool can_assemble(nereid_arena_t *arena) {
  return nereid_assembler_find_ptxas(NULL, arena) || nereid_assembler_has_nvjitlink(NULL, NULL);
}

static nereid_status_t keep_result(nereid_arena_t *arena, const nereid_result_t *result, tool_job_t *job,
                                   nereid_message_t *message) {
  nereid_view_t bytes = nereid_result_bytes(result), description = nereid_result_metadata(result);
  bool image = nereid_result_stage(result) >= NEREID_STAGE_PTX;
  job->image = nereid_view_of(image ? nereid_arena_copy(arena, bytes) : NULL, image ? bytes.size : 0);
  job->description = nereid_view_of(nereid_arena_copy(arena, description), description.size);
  return arena->failed ? nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory") : NEREID_OK;
}

nereid_status_t tool_job_compile(nereid_arena_t *arena, const run_settings_t *settings, nereid_stage_t stage,
                                 const char *target, tool_job_t *job, nereid_message_t *message) {
  tool_source_t source = {.name = job->source_name, .text = job->source};
  const nereid_compiler_options_t how = {
      .size = sizeof how, .handler = tool_print_diagnostic, .user_data = &source, .one_shot = true};
  const nereid_compile_options_t options = {
      .size = sizeof options,
      .target = settings->target ? settings->target : target,
      .emit = stage == NEREID_STAGE_CUBIN && !can_assemble(arena) ? NEREID_STAGE_PTX : stage,
      .num_warps = (int32_t)settings->num_warps,
      .num_stages = (int32_t)settings->num_stages,
      .num_ctas = (int32_t)settings->num_ctas,
      .ptxas_options = settings->ptxas_options,
      .kernel = settings->kernel,
      .allow_later = stage == NEREID_STAGE_TTIR,
  };
  nereid_compiler_t *compiler = NULL;
  nereid_result_t *result = NULL;
  nereid_status_t status = nereid_compiler_create(&how, &compiler);
  if (!status)
    status = nereid_compile(compiler, job->source, job->source_name, &options, &result);
  if (!status)
    status = keep_result(arena, result, job, message);
  nereid_result_destroy(result);
  nereid_compiler_destroy(compiler);
  job->said = source.errors > 0;
  return status;
}

nereid_status_t tool_job_load(nereid_arena_t *arena, const run_settings_t *settings, const char *path,
                              nereid_view_t input, nereid_stage_t stage, const char *target, tool_job_t *job,
                              nereid_message_t *message) {
  nereid_image_kind_t kind = nereid_image_kind(input);
  const char *beside = nereid_file_beside(arena, path, ".json");
  if (!beside)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  if (stage == NEREID_STAGE_TTIR && (kind == NEREID_IMAGE_CUBIN || kind == NEREID_IMAGE_PTX)) {
    nereid_status_t status = tool_job_read_beside(arena, path, job, message);
    return status ? status : tool_job_compile(arena, settings, stage, target, job, message);
  }
  if (kind == NEREID_IMAGE_CUBIN || (kind == NEREID_IMAGE_PTX && access(beside, R_OK) == 0)) {
    job->image = input;
    return nereid_file_read(arena, beside, &job->description, message);
  }
  job->source = input;
  job->source_name = strcmp(path, "-") == 0 ? "<stdin>" : path;
  nereid_status_t status = tool_job_compile(arena, settings, stage, target, job, message);
  return status || kind != NEREID_IMAGE_PTX ? status : tool_job_complete(arena, settings, path, job, message);
}
