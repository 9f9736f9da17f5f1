/* The jobs of one command, and the result of one. */
#ifndef NEREID_TOOLS_JOB_H
#define NEREID_TOOLS_JOB_H

#include "tools/nereid/tool.h"

/* Progress on standard error. */
typedef enum tool_progress_kind {
  TOOL_PROGRESS_AUTO,  /* TTY on a terminal, else a line every ten seconds */
  TOOL_PROGRESS_PLAIN, /* a line after each job */
  TOOL_PROGRESS_TTY,   /* one line that is replaced after each job */
  TOOL_PROGRESS_NONE,
} tool_progress_kind_t;

typedef struct tool_job_result {
  int code;    /* exit code of the job: TOOL_DONE, TOOL_PROGRAM, TOOL_CALL */
  bool cached; /* the result was not computed by this job */
} tool_job_result_t;

typedef struct tool_jobs {
  const tool_command_t *command; /* for messages */
  size_t n;                      /* number of jobs */
  int64_t workers;               /* processes, at least 1 */
  tool_progress_kind_t progress;
  /* Returns the name of a job for messages, valid until the next call. */
  const char *(*name)(void *data, size_t index);
  /* Runs a job, in a worker process: memory that it changes is its own, standard output and standard error are the
   * command's. The text that it prints to standard error appears at once when the job has ended. */
  tool_job_result_t (*run)(void *data, size_t index);
  void *data;
} tool_jobs_t;

#endif
