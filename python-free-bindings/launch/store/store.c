/* The levels of a store.
 *
 *   get:  folder ── hit ──→ unit                       put:  folder and server
 *           └─ miss or damaged ── server ── hit ──→ unit, also to the folder
 *                                   └─ miss, damaged, away ──→ NEREID_ERROR_NOT_FOUND
 *
 * A damaged file is not removed here: between the read and the removal another process may have replaced it by a good
 * one. The put of the process that compiles replaces it. */
#include "python-free-bindings/launch/store/store_state.h"
#include "python-free-bindings/launch/store/unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t default_limit = (uint64_t)4 << 30;
enum { DEFAULT_LEASE = 60000 }; /* milliseconds */

void nereid_store_report(nereid_store_t *store, nereid_store_event_t event, const char *format, ...) {
  char text[sizeof(nereid_message_t) + 128];
  va_list arguments;
  nereid_store_add(event == NEREID_STORE_DAMAGED ? &store->damaged : &store->failures);
  const bool is_again = atomic_exchange(&store->has_reported[event], true);
  if (!store->handler || (is_again && event != NEREID_STORE_DAMAGED))
    return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  store->handler(store->user_data, event, text);
}

/* Sets the server and the renewer of its leases, or none. */
static nereid_status_t open_server(const nereid_store_options_t *options, nereid_store_t *store,
                                   nereid_message_t *message) {
  nereid_server_t *server;
  nereid_status_t status = nereid_server_open(options, &server, message);
  if (status)
    return status;
  status = nereid_renewer_initialize(&store->renewer, server, store->lease);
  if (status) {
    nereid_server_close(server);
    return nereid_message_set(message, status, "out of memory");
  }
  store->server = server;
  return NEREID_OK;
}

static nereid_status_t open_levels(const nereid_store_options_t *options, nereid_store_t *store,
                                   nereid_message_t *message) {
  nereid_status_t status = NEREID_OK;
  store->folder.limit = options->limit ? options->limit : default_limit;
  if (options->folder && *options->folder)
    status = nereid_folder_open(options->folder, store->folder.limit, options->read_only, &store->folder, message);
  if (status == NEREID_OK && options->redis && *options->redis)
    status = open_server(options, store, message);
  if (status == NEREID_OK && !store->folder.path && !store->server)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "a store requires a folder or a server");
  return status;
}

nereid_status_t nereid_store_open(const nereid_store_options_t *options, nereid_store_t **out_store,
                                  nereid_message_t *message) {
  if (!out_store)
    return NEREID_ERROR_ARGUMENT;
  *out_store = NULL;
  if (!options || options->size != sizeof *options)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the options of a store have a wrong size");
  nereid_store_t *store = calloc(1, sizeof *store);
  if (!store)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  store->handler = options->handler;
  store->user_data = options->user_data;
  store->read_only = options->read_only;
  store->lease = options->lease ? options->lease : DEFAULT_LEASE;
  const nereid_status_t status = open_levels(options, store, message);
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
  if (store->server)
    nereid_renewer_deinitialize(&store->renewer);
  nereid_server_close(store->server);
  free(store);
}

static nereid_status_t check(const nereid_store_t *store, const nereid_store_key_t *key, nereid_message_t *message) {
  if (store && key)
    return NEREID_OK;
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "%s is null", store ? "the key" : "the store");
}

/* Checks the bytes of a unit, which it then owns; reports damage. */
static nereid_status_t accept(nereid_store_t *store, const nereid_store_key_t *key, char *bytes, size_t size,
                              const char *where, nereid_store_unit_t **out_unit) {
  char text[NEREID_STORE_KEY_LETTERS + 1];
  nereid_message_t reason = {{0}};
  const nereid_status_t status = nereid_unit_create(key, bytes, size, out_unit, &reason);
  nereid_store_key_print(key, text);
  if (status == NEREID_ERROR_IO)
    nereid_store_report(store, NEREID_STORE_DAMAGED,
                        "the unit %s of %s is %s; it is ignored, and the next put replaces it", text, where,
                        reason.text);
  return status;
}

/* Only errors of memory are errors of the call. */
static nereid_status_t finish_get(nereid_status_t status, nereid_message_t *message) {
  if (status == NEREID_ERROR_MEMORY)
    return nereid_message_set(message, status, "out of memory");
  return status == NEREID_OK ? NEREID_OK : NEREID_ERROR_NOT_FOUND;
}

nereid_status_t nereid_store_get_from_folder(nereid_store_t *store, const nereid_store_key_t *key,
                                             nereid_store_unit_t **out_unit, nereid_message_t *message) {
  char *bytes;
  size_t size;
  nereid_message_t reason = {{0}};
  if (!store->folder.path)
    return NEREID_ERROR_NOT_FOUND;
  nereid_status_t status = nereid_folder_read(&store->folder, key, !store->read_only, &bytes, &size, &reason);
  if (status == NEREID_ERROR_IO)
    nereid_store_report(store, NEREID_STORE_FOLDER, "%s; the store continues without it", reason.text);
  if (status == NEREID_OK)
    status = accept(store, key, bytes, size, store->folder.path, out_unit);
  return finish_get(status, message);
}

/* Writes a unit to the folder, and keeps the folder below its limit. */
static nereid_status_t write_to_folder(nereid_store_t *store, const nereid_store_key_t *key, nereid_view_t bytes,
                                       nereid_message_t *message) {
  const nereid_status_t status = nereid_folder_write(&store->folder, key, bytes, message);
  if (status == NEREID_OK)
    nereid_folder_limit(&store->folder, bytes.size);
  return status;
}

/* Copies a unit of the server to the folder. */
static void promote(nereid_store_t *store, const nereid_store_key_t *key, const nereid_store_unit_t *unit) {
  nereid_message_t reason = {{0}};
  if (!store->folder.path || store->read_only || unit->size > store->folder.limit / 2)
    return;
  if (write_to_folder(store, key, nereid_view_of(unit->bytes, unit->size), &reason))
    nereid_store_report(store, NEREID_STORE_FOLDER, "%s; units of the server are not copied to the folder",
                        reason.text);
}

nereid_status_t nereid_store_get_from_server(nereid_store_t *store, const nereid_store_key_t *key,
                                             nereid_store_unit_t **out_unit, nereid_message_t *message) {
  char *bytes, text[NEREID_STORE_KEY_LETTERS + 1];
  size_t size;
  nereid_message_t reason = {{0}};
  if (!store->server)
    return NEREID_ERROR_NOT_FOUND;
  nereid_status_t status = nereid_server_get(store->server, key, &bytes, &size, &reason);
  nereid_store_key_print(key, text);
  if (status == NEREID_ERROR_IO)
    nereid_store_report(store, NEREID_STORE_SERVER, "%s; the store continues without it", reason.text);
  if (status == NEREID_ERROR_PROGRAM)
    nereid_store_report(store, NEREID_STORE_DAMAGED, "the value %s of the server is %s; it is ignored", text,
                        reason.text);
  if (status == NEREID_OK)
    status = accept(store, key, bytes, size, "the server", out_unit);
  if (status == NEREID_OK)
    promote(store, key, *out_unit);
  return finish_get(status, message);
}

nereid_status_t nereid_store_get(nereid_store_t *store, const nereid_store_key_t *key, nereid_store_unit_t **out_unit,
                                 nereid_message_t *message) {
  nereid_status_t status = check(store, key, message);
  if (!out_unit)
    return NEREID_ERROR_ARGUMENT;
  *out_unit = NULL;
  if (status)
    return status;
  status = nereid_store_get_from_folder(store, key, out_unit, message);
  if (status == NEREID_OK)
    nereid_store_add(&store->folder_hits);
  if (status != NEREID_ERROR_NOT_FOUND)
    return status;
  status = nereid_store_get_from_server(store, key, out_unit, message);
  if (status != NEREID_ERROR_MEMORY)
    nereid_store_add(status == NEREID_OK ? &store->server_hits : &store->misses);
  return status;
}

static nereid_status_t check_writable(const nereid_store_t *store, nereid_message_t *message) {
  if (store->read_only)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the store was opened read-only");
  return NEREID_OK;
}

static nereid_status_t check_size(const nereid_store_t *store, size_t size, nereid_message_t *message) {
  if (!store->folder.path || size <= store->folder.limit / 2)
    return NEREID_OK;
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                            "a unit of %zu bytes is larger than half of the store's limit, %llu bytes", size,
                            (unsigned long long)store->folder.limit);
}

/* Writes to both levels. Failures are reported; a failure of all is the status. */
static nereid_status_t put_everywhere(nereid_store_t *store, const nereid_store_key_t *key, nereid_view_t bytes,
                                      nereid_message_t *message) {
  nereid_message_t folder_reason = {{0}}, server_reason = {{0}};
  const bool has_folder = store->folder.path != NULL, has_server = store->server != NULL;
  nereid_status_t folder = NEREID_OK, server = NEREID_OK;
  if (has_folder)
    folder = write_to_folder(store, key, bytes, &folder_reason);
  if (has_server)
    server = nereid_server_put(store->server, key, bytes, &server_reason);
  if (folder && has_server && !server)
    nereid_store_report(store, NEREID_STORE_FOLDER, "%s; kernels are stored on the server only", folder_reason.text);
  if (server && has_folder && !folder)
    nereid_store_report(store, NEREID_STORE_SERVER, "%s; kernels are stored in the folder only", server_reason.text);
  if ((has_folder && !folder) || (has_server && !server))
    return NEREID_OK;
  nereid_store_report(store, has_folder ? NEREID_STORE_FOLDER : NEREID_STORE_SERVER, "%s; kernels are not stored",
                      has_folder ? folder_reason.text : server_reason.text);
  return nereid_message_set(message, has_folder ? folder : server, "%s",
                            has_folder ? folder_reason.text : server_reason.text);
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
    status = put_everywhere(store, key, nereid_view_of(unit.bytes, unit.size), message);
  if (!status)
    nereid_store_add(&store->puts);
  free(unit.bytes);
  return status;
}

nereid_status_t nereid_store_remove(nereid_store_t *store, const nereid_store_key_t *key, nereid_message_t *message) {
  nereid_status_t status = check(store, key, message), other = NEREID_ERROR_NOT_FOUND;
  if (!status)
    status = check_writable(store, message);
  if (status)
    return status;
  status = NEREID_ERROR_NOT_FOUND;
  if (store->folder.path)
    status = nereid_folder_remove(&store->folder, key, message);
  if (store->server)
    other = nereid_server_remove(store->server, key, message);
  if (status == NEREID_ERROR_NOT_FOUND || other == NEREID_ERROR_IO)
    status = other;
  return status;
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
  nereid_status_t status = NEREID_ERROR_NOT_FOUND;
  if (store->folder.path)
    status = nereid_folder_read_text(&store->folder, "assembler", out_text, MAX_ASSEMBLER + 1, NULL);
  if (store->server && (status || !is_printable(out_text)))
    status = nereid_server_read_text(store->server, "assembler", out_text, MAX_ASSEMBLER + 1, NULL);
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
  const nereid_status_t status = check_writable(store, message);
  nereid_status_t folder = NEREID_OK, server = NEREID_OK;
  if (status)
    return status;
  recorded[0] = '\0';
  if (store->folder.path && (nereid_folder_read_text(&store->folder, "assembler", recorded, sizeof recorded, NULL) ||
                             strcmp(recorded, text) != 0))
    folder = nereid_folder_write_text(&store->folder, "assembler", nereid_view(text), message);
  recorded[0] = '\0';
  if (store->server && (nereid_server_read_text(store->server, "assembler", recorded, sizeof recorded, NULL) ||
                        strcmp(recorded, text) != 0))
    server = nereid_server_write_text(store->server, "assembler", nereid_view(text), message);
  return folder ? folder : server;
}

/* --- maintenance --- */

static nereid_status_t check_folder(const nereid_store_t *store, nereid_message_t *message) {
  if (store && store->folder.path)
    return NEREID_OK;
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the store has no folder");
}

nereid_status_t nereid_store_walk(nereid_store_t *store, nereid_store_visitor_t visitor, void *user_data,
                                  nereid_message_t *message) {
  const nereid_status_t status = check_folder(store, message);
  if (!visitor)
    return NEREID_ERROR_ARGUMENT;
  return status ? status : nereid_folder_walk(&store->folder, visitor, user_data, message);
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
    status = check_folder(store, message);
  if (!status)
    status = nereid_folder_read(&store->folder, key, false, &bytes, &size, message);
  return status ? status : nereid_unit_create(key, bytes, size, out_unit, message);
}

nereid_status_t nereid_store_collect(nereid_store_t *store, uint64_t limit, nereid_store_usage_t *out_usage,
                                     nereid_message_t *message) {
  nereid_status_t status = check_folder(store, message);
  if (!status)
    status = check_writable(store, message);
  return status ? status : nereid_folder_collect(&store->folder, limit, out_usage, message);
}

uint64_t nereid_store_limit(const nereid_store_t *store) {
  return store->folder.limit;
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
