/* Runs the kernel of a report on the emulator. */
#ifndef NEREID_TOOLS_EXECUTION_H
#define NEREID_TOOLS_EXECUTION_H

#include "tools/nereid/report/model.h"

/* Runs the job, whose arguments are bound, and stores its counters by line of REPORT_PTX; then again with asynchronous
 * operations in flight until their wait, for races and the timeline. Faults and races become messages. False when out
 * of memory. */
bool report_execute(report_t *report, const tool_job_t *job);

/* Adds the cost of each line to its primary parent, from PTX up to the source. False when out of memory. */
bool report_propagate_costs(report_t *report);

#endif
