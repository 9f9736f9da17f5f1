/* A bounded pool of background threads with one queue of jobs. */
#ifndef NEREID_LAZY_POOL_H
#define NEREID_LAZY_POOL_H

#include "nereid/kernel.h"

/* A job, embedded in the object that it works on. */
typedef struct nereid_job {
  struct nereid_job *next; /* next job in the queue */
  /* Runs on a thread of the pool, once. `session`: of the compiler; null when it cannot be created. */
  void (*run)(struct nereid_job *job, void *session, nereid_status_t session_status);
  const nereid_lazy_compiler_t *compiler; /* null: no session */
} nereid_job_t;

/* Appends a job, and starts a thread if all are busy. If no thread can be started, the job runs on the calling thread.
 * Jobs do not run concurrently with their own removal. */
void nereid_lazy_pool_add(nereid_lazy_pool_t *pool, nereid_job_t *job);

/* Removes the jobs for which `belongs` returns true and that did not begin; passes each to `drop`. */
void nereid_lazy_pool_remove(nereid_lazy_pool_t *pool, bool (*belongs)(const nereid_job_t *job, const void *owner),
                             void (*drop)(nereid_job_t *job), const void *owner);

#endif
