/* The levels of a store.
 *
 *   get:  folder ── hit ──→ unit
 *           └─ miss or damaged ──→ NEREID_ERROR_NOT_FOUND
 *
 * A damaged file is not removed here: between the read and the removal another process may have replaced it by a good
 * one. The put of the process that compiles replaces it. */
#include "nereid/store.h"

#include "python-free-bindings/launch/store/folder.h"
#include "python-free-bindings/launch/store/unit.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t default_limit = (uint64_t)4 << 30;

struct nereid_store {
  nereid_folder_t folder;
  nereid_store_handler_t handler;
  void *user_data;
  atomic_bool has_reported[3]; /* by event */
  atomic_uint_fast64_t folder_hits, server_hits, misses, puts, damaged, failures, waits;
};

static void count(atomic_uint_fast64_t *counter) {
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* Counts and reports a problem that costs a miss. */
static void report(nereid_store_t *store, nereid_store_event_t event, const char *format, ...) NEREID_PRINTF(3, 4);
static void report(nereid_store_t *store, nereid_store_event_t event, const char *format, ...) {
  char text[sizeof(nereid_message_t) + 128];
  va_list arguments;
  count(event == NEREID_STORE_DAMAGED ? &store->damaged : &store->failures);
  const bool is_again = atomic_exchange(&store->has_reported[event], true);
  if (!store->handler || (is_again && event != NEREID_STORE_DAMAGED))
    return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  store->handler(store->user_data, event, text);
}

nereid_status_t nereid_store_open(const nereid_store_options_t *options, nereid_store_t **out_store,
                                  nereid_message_t *message) {
  if (!out_store)
    return NEREID_ERROR_ARGUMENT;
  *out_store = NULL;
  if (!options || options->size != sizeof *options)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the options of a store have a wrong size");
  if (options->redis)
    return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED, "this build has no Redis client");
  if (!options->folder || !*options->folder)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "a store requires a folder or a server");
  nereid_store_t *store = calloc(1, sizeof *store);
  if (!store)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  store->handler = options->handler;
  store->user_data = options->user_data;
  const nereid_status_t status = nereid_folder_open(options->folder, options->limit ? options->limit : default_limit,
                                                    options->read_only, &store->folder, message);
  if (status == NEREID_OK)
    *out_store = store;
  else
    nereid_store_close(store);
  return status;
}

void nereid_store_close(nereid_store_t *store) {
  if (!store)
    return;
  nereid_folder_close(&store->folder);
  free(store);
}

static nereid_status_t check(const nereid_store_t *store, const nereid_store_key_t *key, nereid_message_t *message) {
  if (store && key)
    return NEREID_OK;
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "%s is null", store ? "the key" : "the store");
}

/* Reads a unit of the folder; reports damage and failures. */
static nereid_status_t get_from_folder(nereid_store_t *store, const nereid_store_key_t *key,
                                       nereid_store_unit_t **out_unit, nereid_message_t *message) {
  char *bytes, text[NEREID_STORE_KEY_LETTERS + 1];
  size_t size;
  nereid_message_t reason = {{0}};
  nereid_status_t status = nereid_folder_read(&store->folder, key, !store->folder.read_only, &bytes, &size, &reason);
  if (status == NEREID_ERROR_IO)
    report(store, NEREID_STORE_FOLDER, "%s; the store's folder is not used", reason.text);
  if (status == NEREID_OK) {
    status = nereid_unit_create(key, bytes, size, out_unit, &reason);
    nereid_store_key_print(key, text);
    if (status == NEREID_ERROR_IO)
      report(store, NEREID_STORE_DAMAGED, "the unit %s of '%s' is %s; it is ignored, and the next put replaces it",
             text, store->folder.path, reason.text);
  }
  if (status == NEREID_ERROR_MEMORY)
    return nereid_message_set(message, status, "out of memory");
  return status == NEREID_OK ? NEREID_OK : NEREID_ERROR_NOT_FOUND;
}

nereid_status_t nereid_store_get(nereid_store_t *store, const nereid_store_key_t *key, nereid_store_unit_t **out_unit,
                                 nereid_message_t *message) {
  nereid_status_t status = check(store, key, message);
  if (!out_unit)
    return NEREID_ERROR_ARGUMENT;
  *out_unit = NULL;
  if (status)
    return status;
  status = get_from_folder(store, key, out_unit, message);
  if (status == NEREID_OK)
    count(&store->folder_hits);
  else if (status == NEREID_ERROR_NOT_FOUND)
    count(&store->misses);
  return status;
}

static nereid_status_t check_writable(const nereid_store_t *store, nereid_message_t *message) {
  if (store->folder.read_only)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the store was opened read-only");
  return NEREID_OK;
}

static nereid_status_t check_size(const nereid_store_t *store, size_t size, nereid_message_t *message) {
  if (size <= store->folder.limit / 2)
    return NEREID_OK;
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                            "a unit of %zu bytes is larger than half of the store's limit, %llu bytes", size,
                            (unsigned long long)store->folder.limit);
}

nereid_status_t nereid_store_put(nereid_store_t *store, const nereid_store_key_t *key,
                                 const nereid_store_content_t *content, nereid_message_t *message) {
  nereid_store_unit_t unit;
  nereid_status_t status = check(store, key, message);
  if (!status && !content)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the content is null");
  if (!status)
    status = check_writable(store, message);
  if (!status)
    status = nereid_unit_encode(key, content, &unit, message);
  if (status)
    return status;
  status = check_size(store, unit.size, message);
  if (!status)
    status = nereid_folder_write(&store->folder, key, nereid_view_of(unit.bytes, unit.size), message);
  count(status ? &store->failures : &store->puts);
  free(unit.bytes);
  return status;
}

nereid_status_t nereid_store_remove(nereid_store_t *store, const nereid_store_key_t *key, nereid_message_t *message) {
  nereid_status_t status = check(store, key, message);
  if (!status)
    status = check_writable(store, message);
  return status ? status : nereid_folder_remove(&store->folder, key, message);
}

nereid_status_t nereid_store_claim(nereid_store_t *store, const nereid_store_key_t *key, uint32_t wait,
                                   const nereid_cancellation_t *cancellation, nereid_store_unit_t **out_unit,
                                   nereid_store_claim_t **out_claim, nereid_message_t *message) {
  (void)wait;
  if (!out_claim)
    return NEREID_ERROR_ARGUMENT;
  *out_claim = NULL;
  if (nereid_cancellation_is_requested(cancellation))
    return NEREID_ERROR_CANCELLED;
  return nereid_store_get(store, key, out_unit, message);
}

void nereid_store_claim_release(nereid_store_claim_t *claim) {
  (void)claim;
}

/* --- the assembler --- */

enum { MAX_ASSEMBLER = 63 };

static bool is_printable(const char *text) {
  const size_t size = strlen(text);
  for (size_t i = 0; i < size; ++i)
    if (text[i] < ' ' || text[i] > '~')
      return false;
  return size > 0 && size <= MAX_ASSEMBLER;
}

nereid_status_t nereid_store_assembler(nereid_store_t *store, char out_text[MAX_ASSEMBLER + 1],
                                       nereid_message_t *message) {
  if (!store || !out_text)
    return NEREID_ERROR_ARGUMENT;
  nereid_status_t status = nereid_folder_read_text(&store->folder, "assembler", out_text, MAX_ASSEMBLER + 1, message);
  if (status == NEREID_OK && is_printable(out_text))
    return NEREID_OK;
  out_text[0] = '\0';
  return nereid_message_set(message, NEREID_ERROR_NOT_FOUND, "the store does not contain the version of an assembler");
}

nereid_status_t nereid_store_set_assembler(nereid_store_t *store, const char *text, nereid_message_t *message) {
  char recorded[MAX_ASSEMBLER + 1];
  if (!store || !text || !is_printable(text))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "an assembler's name has 1 to %d printable letters, such as \"ptxas 13.0.88\"",
                              MAX_ASSEMBLER);
  if (nereid_store_assembler(store, recorded, NULL) == NEREID_OK && strcmp(recorded, text) == 0)
    return NEREID_OK;
  const nereid_status_t status = check_writable(store, message);
  return status ? status : nereid_folder_write_text(&store->folder, "assembler", nereid_view(text), message);
}

/* --- maintenance --- */

nereid_status_t nereid_store_walk(nereid_store_t *store, nereid_store_visitor_t visitor, void *user_data,
                                  nereid_message_t *message) {
  if (!store || !visitor)
    return NEREID_ERROR_ARGUMENT;
  return nereid_folder_walk(&store->folder, visitor, user_data, message);
}

nereid_status_t nereid_store_inspect(nereid_store_t *store, const nereid_store_key_t *key,
                                     nereid_store_unit_t **out_unit, nereid_message_t *message) {
  char *bytes;
  size_t size;
  nereid_status_t status = check(store, key, message);
  if (!out_unit)
    return NEREID_ERROR_ARGUMENT;
  *out_unit = NULL;
  if (!status)
    status = nereid_folder_read(&store->folder, key, false, &bytes, &size, message);
  return status ? status : nereid_unit_create(key, bytes, size, out_unit, message);
}

nereid_status_t nereid_store_collect(nereid_store_t *store, uint64_t limit, nereid_store_usage_t *out_usage,
                                     nereid_message_t *message) {
  if (!store)
    return NEREID_ERROR_ARGUMENT;
  const nereid_status_t status = check_writable(store, message);
  return status ? status : nereid_folder_collect(&store->folder, limit, out_usage, message);
}

nereid_store_counts_t nereid_store_counts(const nereid_store_t *store) {
  return (nereid_store_counts_t){.folder_hits = atomic_load(&store->folder_hits),
                                 .server_hits = atomic_load(&store->server_hits),
                                 .misses = atomic_load(&store->misses),
                                 .puts = atomic_load(&store->puts),
                                 .damaged = atomic_load(&store->damaged),
                                 .failures = atomic_load(&store->failures),
                                 .waits = atomic_load(&store->waits)};
}
