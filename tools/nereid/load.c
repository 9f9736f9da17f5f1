/* The input of `nereid run`: an image and the metadata beside it. */
#include "tools/nereid/run.h"

#include "base/file.h"
#include "python-free-bindings/launch/image.h"
#include "tools/nereid/paths.h"

nereid_status_t tool_job_load_image(nereid_arena_t *arena, const char *path, tool_job_t *job,
                                    nereid_message_t *message) {
  nereid_status_t status = nereid_file_read(arena, path, &job->image, message);
  if (status)
    return status;
  if (nereid_image_kind(job->image) == NEREID_IMAGE_UNKNOWN)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "'%s' is neither a cubin nor PTX", path);
  const char *beside = tool_path_with_suffix(arena, path, ".json");
  if (!beside)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  return nereid_file_read(arena, beside, &job->description, message);
}
