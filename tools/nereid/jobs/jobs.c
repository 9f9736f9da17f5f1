/* Distributes jobs among worker processes: an idle worker receives the next job, a worker that crashed is replaced. */
#include "tools/nereid/jobs/jobs.h"

#include "tools/nereid/interrupt.h"
#include "tools/nereid/jobs/progress.h"
#include "tools/nereid/jobs/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { MAX_WORKERS = 1024 };

typedef struct pool {
  const tool_jobs_t *jobs;
  tool_worker_t *workers;
  struct pollfd *events; /* one per worker, and the cancellation */
  size_t n_workers;
  size_t next; /* the first job that was not assigned */
  tool_progress_t progress;
  int code;
} pool_t;

static void finish_job(pool_t *pool, tool_worker_t *worker, tool_job_result_t result) {
  if (tool_worker_has_errors(worker))
    tool_progress_clear(&pool->progress);
  tool_worker_print_errors(worker);
  if (result.code > pool->code)
    pool->code = result.code;
  tool_progress_add(&pool->progress, worker->job, result.code != TOOL_DONE, result.cached);
}

/* Reports the job of a worker that has ended, unless a signal ended all. */
static void bury(pool_t *pool, tool_worker_t *worker) {
  const tool_jobs_t *jobs = pool->jobs;
  tool_progress_clear(&pool->progress);
  tool_worker_print_errors(worker);
  const int status = tool_worker_end(worker);
  if (tool_interrupt_is_caught())
    return;
  const char *name = jobs->name(jobs->data, worker->job);
  if (WIFSIGNALED(status))
    tool_error(jobs->command, "%s: the process crashed: %s (signal %d); report this input, or exclude it", name,
               strsignal(WTERMSIG(status)), WTERMSIG(status));
  else
    tool_error(jobs->command, "%s: the process ended before the job, with exit status %d", name, WEXITSTATUS(status));
  pool->code = TOOL_CALL;
  tool_progress_add(&pool->progress, worker->job, true, false);
}

/* Assigns jobs to idle workers, starting processes as needed. False when none can be started and none is active. */
static bool assign(pool_t *pool) {
  bool is_any_active = false;
  for (size_t i = 0; i < pool->n_workers; i++) {
    tool_worker_t *worker = &pool->workers[i];
    if (!worker->is_active && pool->next < pool->jobs->n &&
        (worker->process || tool_worker_start(pool->jobs, pool->workers, pool->n_workers, i))) {
      const size_t job = pool->next++;
      if (!tool_worker_assign(worker, job))
        bury(pool, worker);
    }
    is_any_active |= worker->is_active;
  }
  return is_any_active || pool->next >= pool->jobs->n;
}

static bool is_any_active(const pool_t *pool) {
  for (size_t i = 0; i < pool->n_workers; i++)
    if (pool->workers[i].is_active)
      return true;
  return false;
}

/* Waits for a result, the end of a worker or a signal. */
static void wait_for_one(pool_t *pool, const nereid_cancellation_t *cancellation) {
  for (size_t i = 0; i < pool->n_workers; i++)
    pool->events[i] = (struct pollfd){pool->workers[i].is_active ? pool->workers[i].channel : -1, POLLIN, 0};
  pool->events[pool->n_workers] = (struct pollfd){nereid_cancellation_descriptor(cancellation), POLLIN, 0};
  if (poll(pool->events, (nfds_t)pool->n_workers + 1, -1) <= 0)
    return;
  for (size_t i = 0; i < pool->n_workers; i++) {
    tool_worker_t *worker = &pool->workers[i];
    tool_job_result_t result;
    if (!worker->is_active || !pool->events[i].revents)
      continue;
    if (tool_worker_read(worker, &result))
      finish_job(pool, worker, result);
    else
      bury(pool, worker);
  }
}

/* Ends all workers; after a signal also those with a job, which clean up first. */
static void end_all(pool_t *pool) {
  for (size_t i = 0; i < pool->n_workers; i++)
    if (pool->workers[i].process && pool->workers[i].is_active)
      kill(pool->workers[i].process, SIGTERM);
  for (size_t i = 0; i < pool->n_workers; i++)
    if (pool->workers[i].process && tool_worker_end(&pool->workers[i]) != 0 && !tool_interrupt_is_caught())
      pool->code = TOOL_CALL; /* it could not write all of standard output */
}

static bool allocate(pool_t *pool) {
  const int64_t n = pool->jobs->workers > MAX_WORKERS ? MAX_WORKERS : pool->jobs->workers;
  pool->n_workers = (size_t)n > pool->jobs->n ? pool->jobs->n : (size_t)n;
  pool->workers = calloc(pool->n_workers, sizeof *pool->workers);
  pool->events = calloc(pool->n_workers + 1, sizeof *pool->events);
  return pool->workers && pool->events;
}

static void run_all(pool_t *pool) {
  const nereid_cancellation_t *cancellation = tool_interrupt_begin();
  while (!tool_interrupt_is_caught()) {
    if (!assign(pool)) {
      tool_error(pool->jobs->command, "cannot start a process: %s", strerror(errno));
      pool->code = TOOL_CALL;
      break;
    }
    if (!is_any_active(pool))
      break;
    wait_for_one(pool, cancellation);
  }
  end_all(pool);
  tool_interrupt_end();
}

int tool_jobs_run(const tool_jobs_t *jobs) {
  pool_t pool = {.jobs = jobs, .code = TOOL_DONE};
  if (jobs->n == 0)
    return TOOL_DONE;
  tool_progress_begin(&pool.progress, jobs);
  if (allocate(&pool)) {
    run_all(&pool);
  } else {
    tool_error(jobs->command, "out of memory");
    pool.code = TOOL_CALL;
  }
  tool_progress_end(&pool.progress);
  free(pool.workers);
  free(pool.events);
  return tool_interrupt_is_caught() ? TOOL_CALL : pool.code;
}
