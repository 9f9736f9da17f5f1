/* A process for work that may crash, hang or change state:
 *
 *   parent: tool_process_start ---------------------- tool_process_wait: end of file, or the deadline and SIGKILL
 *   child:       work(user_data), _exit ------------->|
 *
 * The child holds the write end of a pipe, whose end of file is the end of the child and of all that it started. */
#include "tools/nereid/bisect/process.h"

#include "tools/nereid/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_in_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits for the end of the process, which closes the pipe; false when the time is over, or after an interrupt. */
static bool wait_for(int pipe, int64_t deadline) {
  enum { SLICE = 200 }; /* milliseconds between two looks for an interrupt */
  struct pollfd end = {.fd = pipe, .events = POLLIN};
  int ready = 0;
  int64_t rest = deadline - now_in_milliseconds();
  while (ready <= 0 && !tool_interrupt_is_caught()) {
    ready = poll(&end, 1, rest > SLICE ? SLICE : rest > 0 ? (int)rest : 0);
    rest = deadline - now_in_milliseconds();
    if (!ready && rest <= 0)
      break;
  }
  return ready > 0;
}

tool_process_t tool_process_start(tool_work_t work, void *user_data, int64_t time_limit) {
  int ends[2];
  tool_process_t process = {.child = -1, .pipe = -1, .deadline = now_in_milliseconds() + time_limit * 1000};
  if (pipe(ends))
    return process;
  fflush(stdout);
  fflush(stderr);
  process.child = fork();
  if (process.child == 0) {
    close(ends[0]);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    work(user_data);
    _exit(0);
  }
  close(ends[1]);
  process.pipe = ends[0];
  return process;
}

bool tool_process_wait(tool_process_t *process, int *out_status) {
  *out_status = 0;
  if (process->pipe < 0)
    return false;
  const bool in_time = process->child > 0 && wait_for(process->pipe, process->deadline);
  if (process->child > 0 && !in_time)
    kill(-process->child, SIGKILL);
  while (process->child > 0 && waitpid(process->child, out_status, 0) < 0 && errno == EINTR)
    ;
  close(process->pipe);
  process->pipe = -1;
  return in_time;
}

void tool_process_cancel(tool_process_t *process) {
  int status;
  process->deadline = 0;
  (void)tool_process_wait(process, &status);
}
