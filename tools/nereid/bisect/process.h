/* Child processes with a time limit. */
#ifndef NEREID_TOOLS_PROCESS_H
#define NEREID_TOOLS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Runs in the child. Results are passed in memory that the processes share. */
typedef void (*tool_work_t)(void *user_data);

typedef struct tool_process {
  pid_t child;      /* -1: could not be started */
  int pipe;         /* read end; -1: not started, or waited for */
  int64_t deadline; /* milliseconds of the monotonic clock */
} tool_process_t;

/* Starts `work` in a child, in a process group of its own, which ends with this process at the latest. `time_limit` is
 * in seconds. */
tool_process_t tool_process_start(tool_work_t work, void *user_data, int64_t time_limit);

/* Waits for the end of the child and of the processes that it started. Past its deadline, and after an interrupt
 * (tools/nereid/interrupt.h), they are killed, and the result is false. `out_status` is the status of waitpid. */
bool tool_process_wait(tool_process_t *process, int *out_status);

/* Kills the child; nothing if it was waited for. */
void tool_process_cancel(tool_process_t *process);

#endif
