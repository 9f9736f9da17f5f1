/* A worker process: receives job indices, runs the jobs, sends results.
 *
 *   command                          worker
 *      |-------- 3 -------------------->|  run(data, 3), standard error to a file
 *      |<------- {code, cached} --------|
 *      |  prints the file
 *      |-------- end of file ---------->|  exit
 *
 * Processes, not threads: a crash in LLVM or in an assembler that is loaded as a library ends one job, not the command.
 * The files keep the messages of one job together. */
#include "tools/nereid/jobs/worker.h"

#include "tools/nereid/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static bool stderr_is_terminal; /* whether the command's standard error is a terminal; set in a worker */
static bool is_worker;

bool tool_worker_is_on_terminal(void) {
  return is_worker ? stderr_is_terminal : isatty(STDERR_FILENO);
}

/* Receives the next job. False at the end of the channel and after a signal. */
static bool receive(int channel, size_t *out_job) {
  ssize_t size;
  do
    size = recv(channel, out_job, sizeof *out_job, 0);
  while (size < 0 && errno == EINTR && !tool_interrupt_is_caught());
  return size == (ssize_t)sizeof *out_job && !tool_interrupt_is_caught();
}

static void serve(const tool_jobs_t *jobs, int channel) {
  size_t job;
  int code = TOOL_DONE;
  while (receive(channel, &job)) {
    const tool_job_result_t result = jobs->run(jobs->data, job);
    fflush(stdout);
    fflush(stderr);
    if (ferror(stdout))
      code = TOOL_CALL;
    if (send(channel, &result, sizeof result, MSG_NOSIGNAL) < 0)
      break;
  }
  tool_interrupt_finish();
  exit(code);
}

/* Becomes the worker. A worker whose command ends receives SIGTERM, which removes temporary files. */
static void become(const tool_jobs_t *jobs, const tool_worker_t *workers, size_t n_workers, int channel, int errors,
                   pid_t parent) {
  for (size_t i = 0; i < n_workers; i++)
    if (workers[i].process) {
      close(workers[i].channel);
      close(workers[i].errors);
    }
  stderr_is_terminal = tool_worker_is_on_terminal();
  is_worker = true;
  tool_interrupt_forget();
  if (dup2(errors, STDERR_FILENO) < 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != parent)
    exit(TOOL_CALL);
  serve(jobs, channel);
}

bool tool_worker_start(const tool_jobs_t *jobs, tool_worker_t *workers, size_t n_workers, size_t index) {
  int ends[2], errors = memfd_create("nereid-errors", MFD_CLOEXEC);
  sigset_t all, before;
  const pid_t parent = getpid();
  if (errors < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
    if (errors >= 0)
      close(errors);
    return false;
  }
  fflush(NULL); /* else the worker would write the contents of the buffers a second time */
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before); /* until the worker has its own state of signals */
  const pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    workers[index].process = 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    become(jobs, workers, n_workers, ends[1], errors, parent);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  close(ends[1]);
  if (process > 0) {
    workers[index] = (tool_worker_t){.process = process, .channel = ends[0], .errors = errors};
    return true;
  }
  close(ends[0]);
  close(errors);
  return false;
}

bool tool_worker_assign(tool_worker_t *worker, size_t job) {
  worker->job = job;
  worker->is_active = send(worker->channel, &job, sizeof job, MSG_NOSIGNAL) == (ssize_t)sizeof job;
  return worker->is_active;
}

bool tool_worker_read(tool_worker_t *worker, tool_job_result_t *out_result) {
  ssize_t size;
  do
    size = recv(worker->channel, out_result, sizeof *out_result, 0);
  while (size < 0 && errno == EINTR);
  worker->is_active = false;
  return size == (ssize_t)sizeof *out_result;
}

bool tool_worker_has_errors(const tool_worker_t *worker) {
  return lseek(worker->errors, 0, SEEK_END) > 0;
}

void tool_worker_print_errors(tool_worker_t *worker) {
  char text[4096];
  ssize_t size;
  lseek(worker->errors, 0, SEEK_SET);
  while ((size = read(worker->errors, text, sizeof text)) > 0)
    fwrite(text, 1, (size_t)size, stderr);
  fflush(stderr);
  if (ftruncate(worker->errors, 0) == 0)
    lseek(worker->errors, 0, SEEK_SET); /* the worker shares the position */
}

int tool_worker_end(tool_worker_t *worker) {
  int status = 0;
  pid_t ended;
  close(worker->channel);
  do
    ended = waitpid(worker->process, &status, 0);
  while (ended < 0 && errno == EINTR);
  close(worker->errors);
  worker->process = 0;
  return ended < 0 ? 0 : status;
}
