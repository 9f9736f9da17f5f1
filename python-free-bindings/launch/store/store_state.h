/* The internals of a store; private to this folder. */
#ifndef NEREID_LAUNCH_STORE_STATE_H
#define NEREID_LAUNCH_STORE_STATE_H

#include "python-free-bindings/launch/store/folder.h"
#include "python-free-bindings/launch/store/renewal.h"
#include "python-free-bindings/launch/store/server.h"

#include <stdatomic.h>

enum { NEREID_STORE_EVENTS = NEREID_STORE_SERVER + 1 };

struct nereid_store {
  nereid_folder_t folder;   /* `path` is null without one */
  nereid_server_t *server;  /* owned; null without one */
  nereid_renewer_t renewer; /* with a server only */
  bool read_only;
  uint32_t lease; /* milliseconds */
  nereid_store_handler_t handler;
  void *user_data;
  atomic_bool has_reported[NEREID_STORE_EVENTS];
  atomic_uint_fast64_t folder_hits, server_hits, misses, puts, damaged, failures, waits;
};

static inline void nereid_store_add(atomic_uint_fast64_t *counter) {
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* Counts and reports a problem that costs a miss. */
void nereid_store_report(nereid_store_t *store, nereid_store_event_t event, const char *format, ...)
    NEREID_PRINTF(3, 4);

/* As nereid_store_get, from one level and without counting. NEREID_ERROR_NOT_FOUND, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_store_get_from_folder(nereid_store_t *store, const nereid_store_key_t *key,
                                                             nereid_store_unit_t **out_unit, nereid_message_t *message);
NEREID_MUST_USE nereid_status_t nereid_store_get_from_server(nereid_store_t *store, const nereid_store_key_t *key,
                                                             nereid_store_unit_t **out_unit, nereid_message_t *message);

#endif
