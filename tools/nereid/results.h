/* Output of `nereid run`. */
#ifndef NEREID_TOOLS_RESULTS_H
#define NEREID_TOOLS_RESULTS_H

#include "tools/nereid/run/engine.h"
#include "tools/nereid/tool.h"

/* Prints one line: kernel, grid, threads, engine. */
void tool_results_run(const tool_job_t *job, const char *where);

/* Prints the median and spread of the timed runs, and GB/s: the bytes of all tensor arguments, counted once, divided by
 * the median. */
void tool_results_times(const tool_job_t *job);

/* Checks before a run that each of `outputs` is NAME=FILE, with a tensor of this name and a folder for the file. */
NEREID_MUST_USE nereid_status_t tool_results_check_outputs(const tool_list_t *outputs, const tool_job_t *job,
                                                           nereid_message_t *message);

/* Writes each NAME=FILE of `outputs`. */
NEREID_MUST_USE nereid_status_t tool_results_outputs(nereid_arena_t *arena, const tool_list_t *outputs,
                                                     const tool_job_t *job, nereid_message_t *message);

/* Compares the tensors of two runs of the same job and prints a line for each. Returns true when all are within their
 * tolerance; `tolerance` below 0: the tolerance of each type. */
bool tool_results_check(const tool_job_t *job, const tool_job_t *expected, const char *against, double tolerance);

#endif
