/* Runs a child process that cannot outlive its parent:
 *
 *   parent                        child (vfork: it borrows the parent's memory, whose pages need not be copied)
 *   block signals
 *   vfork ────────────────────►   default handlers, PR_SET_PDEATHSIG, is the parent still alive?, own process group,
 *   waits                         outputs to the log, signal mask as before, execve
 *   restore signals  ◄─────────
 *   poll(pidfd, cancellation, deadline) ── stop ──► kill(group, SIGKILL)
 *   waitpid
 *
 * posix_spawn cannot set the parent-death signal. The parent is the calling thread, which waits. */
#include "target/assembler/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  FALLBACK_STEP = 5, /* milliseconds between polls without a pidfd (before Linux 5.3) */
  NOT_RUN = 127,     /* exit status of a child that did not become the program */
};

typedef struct start {
  const char *const *arguments, *const *environment;
  int input, output; /* above 2, so that dup2 clears close-on-exec */
  pid_t parent;
  sigset_t mask;
  volatile int error; /* errno of the child's failure, through the shared memory of vfork */
} start_t;

/* Handlers would run in the parent's memory; execve drops them only later. */
static void drop_handlers(void) {
  const struct sigaction standard = {.sa_handler = SIG_DFL};
  struct sigaction now;
  for (int number = 1; number < NSIG; number++)
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)
      sigaction(number, &standard, NULL);
}

/* Async-signal-safe calls only, as after any vfork. */
static _Noreturn void become(start_t *start) {
  drop_handlers();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != start->parent) /* the parent ended before prctl */
    _exit(NOT_RUN);
  setpgid(0, 0);
  if (dup2(start->input, STDIN_FILENO) >= 0 && dup2(start->output, STDOUT_FILENO) >= 0 &&
      dup2(start->output, STDERR_FILENO) >= 0) {
    sigprocmask(SIG_SETMASK, &start->mask, NULL);
    execve(start->arguments[0], (char *const *)(uintptr_t)start->arguments,
           (char *const *)(uintptr_t)start->environment);
  }
  start->error = errno;
  _exit(NOT_RUN);
}

/* The child's id; -1 with `start->error` set when it did not start. */
static pid_t launch(start_t *start) {
  sigset_t all;
  start->parent = getpid();
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &start->mask);
  /* posix_spawn does the same internally, but cannot set the parent-death signal; `become` is async-signal-safe. */
  // NOLINTBEGIN(bugprone-unsafe-functions,clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork)
  const pid_t child = vfork();
  if (child == 0)
    become(start);
  // NOLINTEND(bugprone-unsafe-functions,clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork)
  if (child < 0)
    start->error = errno;
  pthread_sigmask(SIG_SETMASK, &start->mask, NULL);
  if (child > 0 && start->error) {
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
      ;
    return -1;
  }
  return child;
}

/* A descriptor of at least 3; -1 with errno. */
static int open_above(const char *path, int flags) {
  const int descriptor = open(path, flags | O_CLOEXEC, 0600);
  if (descriptor < 0 || descriptor > STDERR_FILENO)
    return descriptor;
  const int above = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(descriptor);
  return above;
}

static nereid_process_result_t describe(int state) {
  if (WIFEXITED(state))
    return (nereid_process_result_t){NEREID_PROCESS_EXITED, WEXITSTATUS(state)};
  return (nereid_process_result_t){NEREID_PROCESS_KILLED, WTERMSIG(state)};
}

static nereid_process_result_t reap(pid_t child) {
  int state = 0;
  while (waitpid(child, &state, 0) < 0)
    if (errno != EINTR)
      return (nereid_process_result_t){NEREID_PROCESS_UNKNOWN, 0};
  return describe(state);
}

/* Sleeps until the child ended, or a limit may be reached. True when the child ended. */
static bool sleep_once(pid_t child, int handle, const nereid_limits_t *limits) {
  struct pollfd events[2] = {{.fd = nereid_cancellation_descriptor(limits->cancellation), .events = POLLIN},
                             {.fd = handle, .events = POLLIN}};
  int remaining = nereid_limits_remaining(limits);
  if (handle < 0 && (remaining < 0 || remaining > FALLBACK_STEP))
    remaining = FALLBACK_STEP;
  poll(events, 2, remaining);
  if (handle >= 0)
    return events[1].revents != 0;
  siginfo_t ended = {.si_pid = 0};
  return waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == child;
}

/* Waits until the child has ended (not yet reaped) or a limit is reached. */
static nereid_status_t watch(pid_t child, const nereid_limits_t *limits) {
  nereid_status_t status = NEREID_OK;
  if (!limits || (!limits->cancellation && !limits->deadline))
    return NEREID_OK;
  const int handle = (int)syscall(SYS_pidfd_open, child, 0);
  while (status == NEREID_OK && !sleep_once(child, handle, limits))
    status = nereid_limits_check(limits);
  if (handle >= 0)
    close(handle);
  return status;
}

static nereid_process_result_t supervise(pid_t child, const nereid_limits_t *limits) {
  const nereid_status_t status = watch(child, limits);
  if (status == NEREID_OK)
    return reap(child);
  kill(-child, SIGKILL); /* not reaped yet, so the process id is not reused */
  kill(child, SIGKILL);
  reap(child);
  return (nereid_process_result_t){
      status == NEREID_ERROR_CANCELLED ? NEREID_PROCESS_CANCELLED : NEREID_PROCESS_TIMED_OUT, 0};
}

nereid_process_result_t nereid_process_run(const char *const *arguments, const char *const *environment,
                                           const char *log, const nereid_limits_t *limits) {
  start_t start = {.arguments = arguments, .environment = environment ? environment : (const char *const *)environ};
  start.input = open_above("/dev/null", O_RDONLY);
  start.output = open_above(log, O_WRONLY | O_CREAT | O_APPEND);
  pid_t child = -1;
  if (start.input >= 0 && start.output >= 0)
    child = launch(&start);
  else
    start.error = errno;
  if (start.input >= 0)
    close(start.input);
  if (start.output >= 0)
    close(start.output);
  if (child < 0)
    return (nereid_process_result_t){NEREID_PROCESS_NOT_STARTED, start.error};
  return supervise(child, limits);
}
