/* From `--arg NAME=SPEC` and a signature to the slots of a job. */
#ifndef NEREID_TOOLS_BIND_H
#define NEREID_TOOLS_BIND_H

#include "tools/nereid/run/engine.h"
#include "tools/nereid/tool.h"

/* Fills job->slots and job->tensors for job->metadata. A descriptor's name fills its shapes and strides too. `seed`
 * is of the random fills. NEREID_ERROR_ARGUMENT: a name that is not there or not unique, an argument given twice or
 * not at all (all that are missing are named), a type, tile or range that does not fit, an integer that is no multiple
 * of the parameter's divisibility; NEREID_ERROR_IO,
 * NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t tool_bind(nereid_arena_t *arena, const tool_list_t *arguments, uint64_t seed,
                                          tool_job_t *job, nereid_message_t *message);

/* The tensor that NAME (or a position) stands for; NEREID_ERROR_NOT_FOUND with a message when it is none. */
NEREID_MUST_USE nereid_status_t tool_bind_find(const tool_job_t *job, nereid_view_t name, size_t *out_tensor,
                                               nereid_message_t *message);

#endif
