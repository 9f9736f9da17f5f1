/* The progress of jobs on standard error. */
#ifndef NEREID_TOOLS_PROGRESS_H
#define NEREID_TOOLS_PROGRESS_H

#include "tools/nereid/jobs/job.h"

typedef struct tool_progress {
  const tool_jobs_t *jobs;
  tool_progress_kind_t kind; /* never AUTO on a terminal */
  size_t n_done, n_failed, n_cached;
  double started, printed; /* seconds of a monotonic clock */
  bool is_shown;           /* the line is on the terminal */
} tool_progress_t;

/* Parses "auto", "plain", "tty" or "none"; null is auto. False for another text. */
bool tool_progress_parse(const char *text, tool_progress_kind_t *out_kind);

void tool_progress_begin(tool_progress_t *progress, const tool_jobs_t *jobs);

/* Removes the line from the terminal, before other output. */
void tool_progress_clear(tool_progress_t *progress);

/* Counts a finished job and prints the progress. */
void tool_progress_add(tool_progress_t *progress, size_t job, bool failed, bool cached);

/* Removes the line. If jobs failed, prints their number. */
void tool_progress_end(tool_progress_t *progress);

#endif
