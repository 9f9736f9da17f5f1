/* A bounded pool of background threads.
 *
 *   add ──→ queue (first in, first out) ──→ thread 0 ── session of a compiler, kept between jobs
 *                                           thread 1 ── ...
 *
 * Threads are started when a job finds all of them busy, and end with the pool: an idle pool costs nothing before its
 * first job. */
#include "python-free-bindings/lazy/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEFAULT_LIMIT = 16, LIMIT = 256 };

struct nereid_lazy_pool {
  pthread_mutex_t lock; /* protects the fields below */
  pthread_cond_t added; /* signalled for a new job, and at the end */
  nereid_job_t *first, **end;
  uint32_t limit, n_threads, n_idle;
  bool ends;
  pthread_t threads[LIMIT];
};

/* A compiler's session of one thread. */
typedef struct session {
  const nereid_lazy_compiler_t *compiler; /* null: none */
  void *handle;
} session_t;

static void close_session(session_t *session) {
  if (session->compiler)
    session->compiler->destroy(session->handle);
  *session = (session_t){NULL, NULL};
}

static void run_job(nereid_job_t *job, session_t *session) {
  nereid_status_t status = NEREID_OK;
  if (job->compiler && session->compiler != job->compiler) {
    close_session(session);
    status = job->compiler->create(&session->handle);
    if (!status)
      session->compiler = job->compiler;
  }
  job->run(job, job->compiler && !status ? session->handle : NULL, status);
}

static nereid_job_t *take(nereid_lazy_pool_t *pool) {
  nereid_job_t *job = pool->first;
  pool->first = job->next;
  if (!pool->first)
    pool->end = &pool->first;
  return job;
}

static void *work(void *argument) {
  nereid_lazy_pool_t *pool = argument;
  session_t session = {NULL, NULL};
  pthread_mutex_lock(&pool->lock);
  while (pool->first || !pool->ends) {
    if (!pool->first) {
      ++pool->n_idle;
      pthread_cond_wait(&pool->added, &pool->lock);
      --pool->n_idle;
      continue;
    }
    nereid_job_t *job = take(pool);
    pthread_mutex_unlock(&pool->lock);
    run_job(job, &session);
    pthread_mutex_lock(&pool->lock);
  }
  pthread_mutex_unlock(&pool->lock);
  close_session(&session);
  return NULL;
}

nereid_status_t nereid_lazy_pool_create(uint32_t threads, nereid_lazy_pool_t **out_pool, nereid_message_t *message) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  *out_pool = NULL;
  nereid_lazy_pool_t *pool = calloc(1, sizeof *pool);
  if (!pool || pthread_mutex_init(&pool->lock, NULL)) {
    free(pool);
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  }
  if (pthread_cond_init(&pool->added, NULL)) {
    pthread_mutex_destroy(&pool->lock);
    free(pool);
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  }
  if (!threads)
    threads = processors < 1 ? 1 : processors > DEFAULT_LIMIT ? DEFAULT_LIMIT : (uint32_t)processors;
  pool->limit = threads > LIMIT ? LIMIT : threads;
  pool->end = &pool->first;
  *out_pool = pool;
  return NEREID_OK;
}

void nereid_lazy_pool_destroy(nereid_lazy_pool_t *pool) {
  if (!pool)
    return;
  pthread_mutex_lock(&pool->lock);
  pool->ends = true;
  pthread_cond_broadcast(&pool->added);
  pthread_mutex_unlock(&pool->lock);
  for (uint32_t i = 0; i < pool->n_threads; ++i)
    pthread_join(pool->threads[i], NULL);
  pthread_cond_destroy(&pool->added);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
}

void nereid_lazy_pool_add(nereid_lazy_pool_t *pool, nereid_job_t *job) {
  pthread_mutex_lock(&pool->lock);
  job->next = NULL;
  *pool->end = job;
  pool->end = &job->next;
  uint32_t waiting = 0;
  for (const nereid_job_t *at = pool->first; at; at = at->next)
    ++waiting;
  if (waiting > pool->n_idle && pool->n_threads < pool->limit &&
      pthread_create(&pool->threads[pool->n_threads], NULL, work, pool) == 0)
    ++pool->n_threads;
  const bool alone = pool->n_threads == 0;
  if (alone) { /* no thread can be started: the queue has this job only */
    pool->first = NULL;
    pool->end = &pool->first;
  }
  pthread_cond_signal(&pool->added);
  pthread_mutex_unlock(&pool->lock);
  if (alone) {
    session_t session = {NULL, NULL};
    run_job(job, &session);
    close_session(&session);
  }
}

void nereid_lazy_pool_remove(nereid_lazy_pool_t *pool, bool (*belongs)(const nereid_job_t *job, const void *owner),
                             void (*drop)(nereid_job_t *job), const void *owner) {
  nereid_job_t *removed = NULL;
  pthread_mutex_lock(&pool->lock);
  nereid_job_t **at = &pool->first;
  while (*at) {
    nereid_job_t *job = *at;
    if (!belongs(job, owner)) {
      at = &job->next;
      continue;
    }
    *at = job->next;
    job->next = removed;
    removed = job;
  }
  pool->end = at;
  pthread_mutex_unlock(&pool->lock);
  for (nereid_job_t *next; removed; removed = next) {
    next = removed->next;
    drop(removed);
  }
}
