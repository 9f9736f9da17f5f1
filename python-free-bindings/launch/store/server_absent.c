/* The server level of a build without hiredis: nothing but the error. */
#include "python-free-bindings/launch/store/server.h"

static nereid_status_t refuse(nereid_message_t *message) {
  return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED,
                            "this build has no Redis client; build it with hiredis (Debian: libhiredis-dev)");
}

nereid_status_t nereid_server_open(const nereid_store_options_t *options, nereid_server_t **out_server,
                                   nereid_message_t *message) {
  (void)options;
  *out_server = NULL;
  return refuse(message);
}

void nereid_server_close(nereid_server_t *server) {
  (void)server;
}

nereid_status_t nereid_server_get(nereid_server_t *server, const nereid_store_key_t *key, char **out_bytes,
                                  size_t *out_size, nereid_message_t *message) {
  (void)server, (void)key, (void)out_bytes, (void)out_size;
  return refuse(message);
}

nereid_status_t nereid_server_put(nereid_server_t *server, const nereid_store_key_t *key, nereid_view_t bytes,
                                  nereid_message_t *message) {
  (void)server, (void)key, (void)bytes;
  return refuse(message);
}

nereid_status_t nereid_server_remove(nereid_server_t *server, const nereid_store_key_t *key,
                                     nereid_message_t *message) {
  (void)server, (void)key;
  return refuse(message);
}

nereid_status_t nereid_server_acquire(nereid_server_t *server, const nereid_store_key_t *key,
                                      char out_token[NEREID_SERVER_TOKEN], nereid_message_t *message) {
  (void)server, (void)key, (void)out_token;
  return refuse(message);
}

nereid_status_t nereid_server_renew(nereid_server_t *server, const nereid_store_key_t *key, const char *token,
                                    nereid_message_t *message) {
  (void)server, (void)key, (void)token;
  return refuse(message);
}

nereid_status_t nereid_server_release(nereid_server_t *server, const nereid_store_key_t *key, const char *token,
                                      nereid_message_t *message) {
  (void)server, (void)key, (void)token;
  return refuse(message);
}

nereid_status_t nereid_server_read_text(nereid_server_t *server, const char *name, char *out_text, size_t size,
                                        nereid_message_t *message) {
  (void)server, (void)name, (void)out_text, (void)size;
  return refuse(message);
}

nereid_status_t nereid_server_write_text(nereid_server_t *server, const char *name, nereid_view_t text,
                                         nereid_message_t *message) {
  (void)server, (void)name, (void)text;
  return refuse(message);
}
