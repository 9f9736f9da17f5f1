/* Runs another program under limits, so that it never outlives the call or this process. */
#ifndef NEREID_TARGET_PROCESS_H
#define NEREID_TARGET_PROCESS_H

#include "target/limits.h"

typedef enum nereid_process_end {
  NEREID_PROCESS_EXITED,      /* `code` is the exit status */
  NEREID_PROCESS_KILLED,      /* killed by another process; `code` is the signal */
  NEREID_PROCESS_CANCELLED,   /* stopped: the caller requested it */
  NEREID_PROCESS_TIMED_OUT,   /* stopped: its deadline passed */
  NEREID_PROCESS_NOT_STARTED, /* `code` is errno */
  NEREID_PROCESS_UNKNOWN,     /* it ended, but this process ignores SIGCHLD, so its status is lost */
} nereid_process_end_t;

typedef struct nereid_process_result {
  nereid_process_end_t end;
  int code;
} nereid_process_result_t;

/* Runs `arguments[0]`, a path, with null-terminated `arguments` and `environment` (null: that of this process),
 * standard input from /dev/null and both outputs appended to the file `log`, and waits for its end. When a limit is
 * reached, the program and its child processes are killed. It is also killed when the calling thread or this process
 * ends. Thread safe; installs no signal handler. */
nereid_process_result_t nereid_process_run(const char *const *arguments, const char *const *environment,
                                           const char *log, const nereid_limits_t *limits);

#endif
