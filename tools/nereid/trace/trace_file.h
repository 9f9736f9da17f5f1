/* A trace as text, for another process: two builds of Nereid compare their pipelines. */
#ifndef NEREID_TOOLS_TRACE_FILE_H
#define NEREID_TOOLS_TRACE_FILE_H

#include "tools/nereid/trace/trace.h"

#include <stdio.h>

/* Writes the trace; errors of the file are the caller's to check. */
void tool_trace_write(const tool_trace_t *trace, FILE *file);

/* Reads a trace that this or another build wrote. Its strings are in `arena`. NEREID_ERROR_ARGUMENT: the text is not a
 * trace, or of another version; NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t tool_trace_read(nereid_arena_t *arena, nereid_view_t text, tool_trace_t *out_trace,
                                                nereid_message_t *message);

#endif
