/* One worker process of tool_jobs_run. */
#ifndef NEREID_TOOLS_WORKER_H
#define NEREID_TOOLS_WORKER_H

#include "tools/nereid/jobs/job.h"

#include <sys/types.h>

typedef struct tool_worker {
  pid_t process;  /* 0: none */
  int channel;    /* socket: job indices to the worker, results from it; -1: none */
  int errors;     /* file with the worker's standard error of the current job */
  size_t job;     /* the current one */
  bool is_active; /* it has a job */
} tool_worker_t;

/* Starts worker `index` of `workers`, whose channels the new process closes. False when there is no process or file
 * left; errno is set. */
bool tool_worker_start(const tool_jobs_t *jobs, tool_worker_t *workers, size_t n_workers, size_t index);

/* Assigns a job. False when the process has ended. */
bool tool_worker_assign(tool_worker_t *worker, size_t job);

/* Reads the result of the current job. False when the process has ended. */
bool tool_worker_read(tool_worker_t *worker, tool_job_result_t *out_result);

/* Returns whether the current job printed to standard error. */
bool tool_worker_has_errors(const tool_worker_t *worker);

/* Copies what the current job printed to this process's standard error. */
void tool_worker_print_errors(tool_worker_t *worker);

/* Closes the channel, which ends an idle worker, and waits for the process. Returns its wait status; 0 when this
 * process ignores SIGCHLD. */
int tool_worker_end(tool_worker_t *worker);

/* Returns whether standard error of the command is a terminal, also in a worker. */
bool tool_worker_is_on_terminal(void);

#endif
