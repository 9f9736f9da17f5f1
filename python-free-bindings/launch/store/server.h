/* The server level of a store: a Redis server that a fleet shares (docs/store.md).
 *
 *   nereid:1:<key>         a compressed unit                 nereid:1:<key>:lease   who compiles it, with an expiry
 *   nereid:1:assembler     text of nereid_store_set_assembler
 *
 * Every function ends within the time limit of one command, and after a failure the server is left alone for a while:
 * NEREID_ERROR_IO without contact. store/redis/ implements these functions with hiredis, server_absent.c without. */
#ifndef NEREID_LAUNCH_STORE_SERVER_H
#define NEREID_LAUNCH_STORE_SERVER_H

#include "nereid/store.h"

typedef struct nereid_server nereid_server_t;

enum {
  NEREID_SERVER_UNIT_LIMIT = 64 << 20, /* bytes of a unit, so that a hostile value does not exhaust memory */
  NEREID_SERVER_TOKEN = 33             /* bytes of a printed token, with the NUL */
};

/* Parses the address; does not connect. NEREID_ERROR_ARGUMENT, NEREID_ERROR_UNSUPPORTED, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_server_open(const nereid_store_options_t *options, nereid_server_t **out_server,
                                                   nereid_message_t *message);
/* Null is valid. */
void nereid_server_close(nereid_server_t *server);

/* Gets a value and decompresses it to bytes that the caller owns (free) and checks. NEREID_ERROR_NOT_FOUND;
 * NEREID_ERROR_IO: the server failed; NEREID_ERROR_PROGRAM: the value is damaged; NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_server_get(nereid_server_t *server, const nereid_store_key_t *key,
                                                  char **out_bytes, size_t *out_size, nereid_message_t *message);

/* Compresses and sets a value. NEREID_ERROR_IO, NEREID_ERROR_MEMORY; NEREID_ERROR_ARGUMENT: too large. */
NEREID_MUST_USE nereid_status_t nereid_server_put(nereid_server_t *server, const nereid_store_key_t *key,
                                                  nereid_view_t bytes, nereid_message_t *message);

/* NEREID_ERROR_NOT_FOUND, NEREID_ERROR_IO. */
NEREID_MUST_USE nereid_status_t nereid_server_remove(nereid_server_t *server, const nereid_store_key_t *key,
                                                     nereid_message_t *message);

/* Acquires the lease of a key with a new random token. A lease whose reply was lost is recognized by its token when the
 * command is repeated. NEREID_ERROR_NOT_FOUND: another process has it; NEREID_ERROR_IO. */
NEREID_MUST_USE nereid_status_t nereid_server_acquire(nereid_server_t *server, const nereid_store_key_t *key,
                                                      char out_token[NEREID_SERVER_TOKEN], nereid_message_t *message);

/* Begins the expiry of the lease again if it still has this token. NEREID_ERROR_NOT_FOUND: it has expired;
 * NEREID_ERROR_IO. */
NEREID_MUST_USE nereid_status_t nereid_server_renew(nereid_server_t *server, const nereid_store_key_t *key,
                                                    const char *token, nereid_message_t *message);

/* Deletes the lease if it still has this token. NEREID_ERROR_NOT_FOUND: it has expired; NEREID_ERROR_IO. */
NEREID_MUST_USE nereid_status_t nereid_server_release(nereid_server_t *server, const nereid_store_key_t *key,
                                                      const char *token, nereid_message_t *message);

/* A short text under a name. NEREID_ERROR_NOT_FOUND, NEREID_ERROR_IO. */
NEREID_MUST_USE nereid_status_t nereid_server_read_text(nereid_server_t *server, const char *name, char *out_text,
                                                        size_t size, nereid_message_t *message);
NEREID_MUST_USE nereid_status_t nereid_server_write_text(nereid_server_t *server, const char *name, nereid_view_t text,
                                                         nereid_message_t *message);

#endif
