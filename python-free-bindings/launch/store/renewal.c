/* Renewal of the leases of claims.
 *
 *   claim ── add ──→ list ── every third of the lease ──→ server: begins the expiry again if the token is still ours
 *   release ─ remove ─┘
 *
 * The thread belongs to the process that compiles: when the process dies or is stopped, its renewals end and the lease
 * expires. A renewal that fails is tried again after another third, so a lease survives one failure of the server. */
#include "python-free-bindings/launch/store/renewal.h"

#include <signal.h>
#include <time.h>

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

nereid_status_t nereid_renewer_initialize(nereid_renewer_t *renewer, nereid_server_t *server, uint32_t lease) {
  pthread_condattr_t attributes;
  *renewer = (nereid_renewer_t){.server = server, .interval = lease / 3 ? lease / 3 : 1};
  if (pthread_mutex_init(&renewer->mutex, NULL))
    return NEREID_ERROR_MEMORY;
  bool is_good = pthread_condattr_init(&attributes) == 0;
  if (is_good) {
    is_good = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(&renewer->changed, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
  }
  if (!is_good)
    pthread_mutex_destroy(&renewer->mutex);
  return is_good ? NEREID_OK : NEREID_ERROR_MEMORY;
}

void nereid_renewer_deinitialize(nereid_renewer_t *renewer) {
  pthread_mutex_lock(&renewer->mutex);
  renewer->is_stopping = true;
  pthread_cond_broadcast(&renewer->changed);
  pthread_mutex_unlock(&renewer->mutex);
  if (renewer->has_thread)
    pthread_join(renewer->thread, NULL);
  pthread_cond_destroy(&renewer->changed);
  pthread_mutex_destroy(&renewer->mutex);
}

/* Returns the lease that is renewed next; null without leases. */
static nereid_lease_t *first_due(const nereid_renewer_t *renewer) {
  nereid_lease_t *first = renewer->leases;
  for (nereid_lease_t *lease = first; lease; lease = lease->next)
    if (lease->due < first->due)
      first = lease;
  return first;
}

static void remove_from_list(nereid_renewer_t *renewer, const nereid_lease_t *lease) {
  nereid_lease_t **at = &renewer->leases;
  while (*at && *at != lease)
    at = &(*at)->next;
  if (*at)
    *at = lease->next;
}

/* Renews a lease; with the mutex, which it releases during the command. */
static void renew(nereid_renewer_t *renewer, nereid_lease_t *lease) {
  renewer->renewed = lease;
  pthread_mutex_unlock(&renewer->mutex);
  const nereid_status_t status = nereid_server_renew(renewer->server, &lease->key, lease->token, NULL);
  pthread_mutex_lock(&renewer->mutex);
  lease->due = now() + renewer->interval;
  if (status == NEREID_ERROR_NOT_FOUND) /* it has expired; another process may have acquired it */
    remove_from_list(renewer, lease);
  renewer->renewed = NULL;
  pthread_cond_broadcast(&renewer->changed);
}

static void *work(void *argument) {
  nereid_renewer_t *renewer = argument;
  pthread_mutex_lock(&renewer->mutex);
  while (!renewer->is_stopping) {
    nereid_lease_t *lease = first_due(renewer);
    if (!lease)
      pthread_cond_wait(&renewer->changed, &renewer->mutex);
    else if (lease->due > now()) {
      const struct timespec due = {.tv_sec = lease->due / 1000, .tv_nsec = lease->due % 1000 * 1000000};
      pthread_cond_timedwait(&renewer->changed, &renewer->mutex, &due);
    } else
      renew(renewer, lease);
  }
  pthread_mutex_unlock(&renewer->mutex);
  return NULL;
}

/* Starts the thread, which receives no signals of the program. */
static bool start(nereid_renewer_t *renewer) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  const bool is_started = pthread_create(&renewer->thread, NULL, work, renewer) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return is_started;
}

void nereid_renewer_add(nereid_renewer_t *renewer, nereid_lease_t *lease) {
  pthread_mutex_lock(&renewer->mutex);
  lease->due = now() + renewer->interval;
  lease->next = renewer->leases;
  renewer->leases = lease;
  if (!renewer->has_thread)
    renewer->has_thread = start(renewer);
  pthread_cond_broadcast(&renewer->changed);
  pthread_mutex_unlock(&renewer->mutex);
}

void nereid_renewer_remove(nereid_renewer_t *renewer, nereid_lease_t *lease) {
  pthread_mutex_lock(&renewer->mutex);
  while (renewer->renewed == lease)
    pthread_cond_wait(&renewer->changed, &renewer->mutex);
  remove_from_list(renewer, lease);
  pthread_mutex_unlock(&renewer->mutex);
}
