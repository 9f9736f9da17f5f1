/* Runs independent jobs of one command in worker processes, with a progress line.
 *
 *   nereid compile: [12/40] 1 failed, 3 cached, about 0:35 left
 *
 * A job that crashes (in LLVM, in nvJitLink) ends its process only: it fails with a message, and the other jobs
 * continue. */
#ifndef NEREID_TOOLS_JOBS_H
#define NEREID_TOOLS_JOBS_H

#include "tools/nereid/jobs/job.h"

/* Runs all jobs and returns the highest exit code. A job whose process ends by itself has TOOL_CALL. After a signal
 * (tools/nereid/interrupt.h) no job starts, the workers end, and the call returns TOOL_CALL. */
int tool_jobs_run(const tool_jobs_t *jobs);

#endif
