/* What the files of `nereid run` share. */
#ifndef NEREID_TOOLS_RUN_H
#define NEREID_TOOLS_RUN_H

#include "tools/nereid/engine.h"
#include "tools/nereid/tool.h"

typedef struct run_settings {
  const char *grid, *engine, *check, *tolerance, *kernel;
  tool_list_t arguments, outputs;
  int64_t seed;
  bool bench;
} run_settings_t;

/* Reads a cubin or PTX file and the metadata beside it into job->image and job->description.
 * NEREID_ERROR_ARGUMENT: it is neither; NEREID_ERROR_IO. */
NEREID_MUST_USE nereid_status_t tool_job_load_image(nereid_arena_t *arena, const char *path, tool_job_t *job,
                                                    nereid_message_t *message);

#endif
