/* Loads the input of `nereid run`: an image with the metadata next to it, or a source that is compiled to an image.
 *
 * PTX without metadata is completed from the IR next to it. Without an assembler a GPU can still run PTX, because the
 * driver compiles it. */
#include "tools/nereid/run/run.h"

#include "base/file.h"
#include "python-free-bindings/launch/image/image.h"
#include "tools/nereid/define.h"

#include <unistd.h>

/* Skips a UTF-8 byte order mark, which editors write and PTX readers reject. */
static nereid_view_t skip_byte_order_mark(nereid_view_t text) {
  static const char mark[] = "\xEF\xBB\xBF";
  const size_t size = nereid_view_starts_with(text, nereid_view(mark)) ? sizeof mark - 1 : 0;
  return nereid_view_of(text.data + size, text.size - size);
}

nereid_status_t tool_job_load(nereid_arena_t *arena, const run_settings_t *settings, const char *path,
                              nereid_view_t input, nereid_stage_t stage, const char *target, tool_job_t *job,
                              nereid_message_t *message) {
  input = skip_byte_order_mark(input);
  nereid_image_kind_t kind = nereid_image_kind(input);
  const char *beside = nereid_file_beside(arena, path, ".json");
  if (!beside)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  if (settings->abi && kind != NEREID_IMAGE_PTX)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--abi applies to PTX only; '%s' is not PTX", path);
  const bool alone = settings->abi && strcmp(settings->abi, "ptx") == 0; /* ignore the IR next to it */
  if (stage == NEREID_STAGE_TTIR && (kind == NEREID_IMAGE_CUBIN || kind == NEREID_IMAGE_PTX)) {
    nereid_status_t status = tool_job_read_beside(arena, path, job, message);
    return status ? status : tool_job_compile(arena, settings, stage, target, job, message);
  }
  if (kind == NEREID_IMAGE_CUBIN || (kind == NEREID_IMAGE_PTX && !alone && access(beside, R_OK) == 0)) {
    job->image = input;
    return nereid_file_read(arena, beside, &job->description, message);
  }
  job->source = input;
  job->source_name = strcmp(path, "-") == 0 ? "<stdin>" : path;
  nereid_status_t status = kind == NEREID_IMAGE_PTX
                               ? NEREID_OK
                               : tool_define(arena, job->source_name, &settings->defines, &job->source, message);
  job->reported = status == NEREID_ERROR_PROGRAM;
  if (!status)
    status = tool_job_compile(arena, settings, stage, target, job, message);
  return status || kind != NEREID_IMAGE_PTX ? status : tool_job_complete(arena, settings, path, job, message);
}
