/* Binding of `--arg NAME=SPEC` arguments to the slots of a job. */
#ifndef NEREID_TOOLS_BIND_H
#define NEREID_TOOLS_BIND_H

#include "tools/nereid/run/engine.h"
#include "tools/nereid/tool.h"

/* Fills job->slots and job->tensors for job->metadata. A descriptor's name fills its shapes and strides too. `seed` is
 * the seed of the random fills. NEREID_ERROR_ARGUMENT: an unknown or ambiguous name, an argument given twice or not at
 * all (the message lists all missing ones), a type, tile or range that does not fit, an integer that is not a multiple
 * of the parameter's divisibility; NEREID_ERROR_IO, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t tool_bind(nereid_arena_t *arena, const tool_list_t *arguments, uint64_t seed,
                                          tool_job_t *job, nereid_message_t *message);

/* Finds the tensor of argument NAME (or of a position); NEREID_ERROR_NOT_FOUND with a message when it is not a
 * tensor. */
NEREID_MUST_USE nereid_status_t tool_bind_find(const tool_job_t *job, nereid_view_t name, size_t *out_tensor,
                                               nereid_message_t *message);

#endif
