/* What `nereid run` says and writes after a kernel ran. */
#ifndef NEREID_TOOLS_REPORT_H
#define NEREID_TOOLS_REPORT_H

#include "tools/nereid/run/engine.h"
#include "tools/nereid/tool.h"

/* One line: kernel, grid, threads, where. */
void tool_report_run(const tool_job_t *job, const char *where);

/* Median and spread of the timed runs, and GB/s: the bytes of every tensor argument, counted once, over the median. */
void tool_report_times(const tool_job_t *job);

/* Writes each NAME=FILE of `outputs`; all names are looked up before anything is written. */
NEREID_MUST_USE nereid_status_t tool_report_outputs(nereid_arena_t *arena, const tool_list_t *outputs,
                                                    const tool_job_t *job, nereid_message_t *message);

/* Compares the tensors of two runs of the same job, a line each. True when all are within their tolerance; `tolerance`
 * below 0: that of each type. */
bool tool_report_check(const tool_job_t *job, const tool_job_t *expected, const char *against, double tolerance);

#endif
