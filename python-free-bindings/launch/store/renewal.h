/* Renewal of the leases of claims, so that a compilation may take longer than a lease. */
#ifndef NEREID_LAUNCH_STORE_RENEWAL_H
#define NEREID_LAUNCH_STORE_RENEWAL_H

#include "python-free-bindings/launch/store/server.h"

#include <pthread.h>

/* A lease that this process has on the server. */
typedef struct nereid_lease {
  nereid_store_key_t key;
  char token[NEREID_SERVER_TOKEN];
  /* Of the renewer: */
  int64_t due; /* milliseconds of CLOCK_MONOTONIC: the next renewal */
  struct nereid_lease *next;
} nereid_lease_t;

/* Renews leases on a thread, which starts with the first lease. */
typedef struct nereid_renewer {
  nereid_server_t *server; /* borrowed */
  int64_t interval;        /* milliseconds between renewals of a lease */
  pthread_mutex_t mutex;   /* protects the fields below */
  pthread_cond_t changed;
  pthread_t thread;
  bool has_thread, is_stopping;
  const nereid_lease_t *renewed; /* the lease whose renewal is in flight; null: none */
  nereid_lease_t *leases;        /* borrowed; a list */
} nereid_renewer_t;

/* Renewals of leases that expire after `lease` milliseconds. NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_renewer_initialize(nereid_renewer_t *renewer, nereid_server_t *server,
                                                          uint32_t lease);

/* Ends the thread, within the time limit of one command. All leases must have been removed. */
void nereid_renewer_deinitialize(nereid_renewer_t *renewer);

/* Renews a lease, borrowed until it is removed. A lease that has expired is not acquired again. Without a thread, which
 * the system may refuse, the lease expires. */
void nereid_renewer_add(nereid_renewer_t *renewer, nereid_lease_t *lease);

/* Ends the renewals of a lease; waits for one in flight, so that no renewal follows this call. */
void nereid_renewer_remove(nereid_renewer_t *renewer, nereid_lease_t *lease);

#endif
