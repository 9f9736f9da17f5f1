/* Smaller launches that show a property, for kernels that take the emulator too long. */
#ifndef NEREID_TOOLS_LAUNCH_H
#define NEREID_TOOLS_LAUNCH_H

#include "tools/nereid/bisect/probe.h"

enum { TOOL_GIVEN_LAUNCH_TIME = 5 }; /* seconds of the given launch before smaller ones are tried */

typedef struct tool_launch {
  nereid_arena_t *arena;   /* memory of the settings */
  tool_case_t *subject;    /* case with the given launch */
  tool_outcome_t *outcome; /* outcome of the last probe */
  int64_t time_limit;      /* seconds per probe */
  bool verbose;            /* probes on standard error */
} tool_launch_t;

/* Probes a launch for at most `limit` seconds, with the results of the interpreter, which are computed in the same
 * process. */
tool_verdict_t tool_launch_probe(const tool_launch_t *it, const tool_case_t *subject,
                                 const tool_probe_request_t *request, int64_t limit);

/* Replaces the launch of the subject by a smaller one with the property. False: there is none. The last outcome may be
 * that of a part of the pipeline. */
bool tool_launch_shrink(const tool_launch_t *it, tool_probe_mode_t mode);

#endif
