/* One compiler per key among all processes that share a server.
 *
 *   get ─ hit ──────────────────────────────────────────→ unit
 *    └─ miss ─ acquire the lease ─┬─ acquired ─ get again ┬─ hit: release ─→ unit
 *          ↑                      │                        └─ miss ──────────→ claim: the caller compiles
 *          └── sleep ── get ──────┴─ another process has it
 *
 * The second get after the lease is acquired is necessary: the previous owner stores its unit and releases its lease
 * between the first get and the acquisition. While the caller compiles, renewal.c renews the lease. */
#include "python-free-bindings/launch/store/store_state.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

enum {
  FIRST_SLEEP = 4, /* milliseconds; grows by half with each try */
  MAX_SLEEP = 100, /* milliseconds */
};

struct nereid_store_claim {
  nereid_store_t *store; /* borrowed */
  nereid_lease_t lease;
};

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Sleeps; a request to cancel ends the sleep. */
static void sleep_for(int milliseconds, const nereid_cancellation_t *cancellation) {
  struct pollfd stop = {.fd = nereid_cancellation_descriptor(cancellation), .events = POLLIN};
  poll(&stop, 1, milliseconds);
}

/* Reads the unit from either level, without counting it as a request of the caller. */
static nereid_status_t look(nereid_store_t *store, const nereid_store_key_t *key, nereid_store_unit_t **out_unit,
                            nereid_message_t *message) {
  const nereid_status_t status = nereid_store_get_from_folder(store, key, out_unit, message);
  return status == NEREID_ERROR_NOT_FOUND ? nereid_store_get_from_server(store, key, out_unit, message) : status;
}

/* Tries to acquire the lease. NEREID_OK: the unit, which appeared meanwhile; NEREID_ERROR_NOT_FOUND with a claim: the
 * caller compiles; without: another process has the lease (`*out_is_taken`), or the server failed. */
static nereid_status_t attempt(nereid_store_t *store, const nereid_store_key_t *key, nereid_store_unit_t **out_unit,
                               nereid_store_claim_t **out_claim, bool *out_is_taken, nereid_message_t *message) {
  nereid_message_t reason = {{0}};
  nereid_store_claim_t *claim = calloc(1, sizeof *claim);
  *out_is_taken = false;
  if (!claim)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  claim->store = store;
  claim->lease.key = *key;
  nereid_status_t status = nereid_server_acquire(store->server, key, claim->lease.token, &reason);
  if (status != NEREID_OK) {
    *out_is_taken = status == NEREID_ERROR_NOT_FOUND;
    if (!*out_is_taken)
      nereid_store_report(store, NEREID_STORE_SERVER, "%s; kernels may be compiled by several processes", reason.text);
    free(claim);
    return NEREID_ERROR_NOT_FOUND;
  }
  nereid_renewer_add(&store->renewer, &claim->lease);
  status = look(store, key, out_unit, message);
  if (status == NEREID_ERROR_NOT_FOUND)
    *out_claim = claim;
  else
    nereid_store_claim_release(claim);
  return status;
}

/* Waits for the unit or the lease until `deadline`. */
static nereid_status_t acquire(nereid_store_t *store, const nereid_store_key_t *key, int64_t deadline,
                               const nereid_cancellation_t *cancellation, nereid_store_unit_t **out_unit,
                               nereid_store_claim_t **out_claim, nereid_message_t *message) {
  bool is_taken;
  nereid_status_t status = attempt(store, key, out_unit, out_claim, &is_taken, message);
  if (is_taken)
    nereid_store_add(&store->waits);
  for (int64_t pause = FIRST_SLEEP; is_taken; pause = pause * 3 / 2 > MAX_SLEEP ? MAX_SLEEP : pause * 3 / 2) {
    const int64_t left = deadline - now();
    if (left <= 0)
      return NEREID_ERROR_NOT_FOUND;
    sleep_for((int)(left < pause ? left : pause), cancellation);
    if (nereid_cancellation_is_requested(cancellation))
      return NEREID_ERROR_CANCELLED;
    status = look(store, key, out_unit, message);
    if (status != NEREID_ERROR_NOT_FOUND)
      return status;
    status = attempt(store, key, out_unit, out_claim, &is_taken, message);
  }
  return status;
}

nereid_status_t nereid_store_claim(nereid_store_t *store, const nereid_store_key_t *key, uint32_t wait,
                                   const nereid_cancellation_t *cancellation, nereid_store_unit_t **out_unit,
                                   nereid_store_claim_t **out_claim, nereid_message_t *message) {
  if (!out_claim || !out_unit)
    return NEREID_ERROR_ARGUMENT;
  *out_claim = NULL;
  *out_unit = NULL;
  if (nereid_cancellation_is_requested(cancellation))
    return NEREID_ERROR_CANCELLED;
  nereid_status_t status = nereid_store_get(store, key, out_unit, message);
  if (status != NEREID_ERROR_NOT_FOUND || !store->server || store->read_only)
    return status;
  const int64_t limit = wait ? (int64_t)wait : 2 * (int64_t)store->lease;
  status = acquire(store, key, now() + limit, cancellation, out_unit, out_claim, message);
  if (status == NEREID_OK)
    nereid_store_add(&store->server_hits);
  return status;
}

void nereid_store_claim_release(nereid_store_claim_t *claim) {
  nereid_message_t reason = {{0}};
  if (!claim)
    return;
  nereid_renewer_remove(&claim->store->renewer, &claim->lease);
  if (nereid_server_release(claim->store->server, &claim->lease.key, claim->lease.token, &reason) == NEREID_ERROR_IO)
    nereid_store_report(claim->store, NEREID_STORE_SERVER, "%s; a lease remains until it expires", reason.text);
  free(claim);
}
