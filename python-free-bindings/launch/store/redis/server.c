/* The commands of the server level.
 *
 *   unit   GET, SET [EX]      lease   scripts that acquire it, renew it and delete it, if the token is ours
 *
 * Up to POOL idle connections are kept. After a failed exchange the server is not contacted for a pause that doubles
 * from 1 to 32 seconds, so that a server that is away or slow costs one time limit per pause, not one per kernel. */
#include "python-free-bindings/launch/store/server.h"

#include "python-free-bindings/launch/store/redis/connection.h"
#include "python-free-bindings/launch/store/redis/tls.h"
#include "python-free-bindings/launch/store/redis/value.h"
#include "python-free-bindings/launch/store/server_address.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#define PREFIX "nereid:1:"

enum {
  POOL = 8,
  NAME = 128,               /* bytes of the name of a value */
  DEFAULT_TIME_LIMIT = 500, /* milliseconds */
  DEFAULT_LEASE = 60000,    /* milliseconds */
  FIRST_PAUSE = 1000,       /* milliseconds */
  MAX_PAUSE = 32000,        /* milliseconds */
};

struct nereid_server {
  nereid_server_address_t address;
  int64_t time_limit, lease; /* milliseconds */
  unsigned expiry;           /* seconds; 0: none */
  bool read_only;
  pthread_mutex_t mutex;                 /* protects the fields below */
  nereid_redis_connection_t *idle[POOL]; /* owned */
  size_t n_idle;
  int64_t retry_at, pause; /* milliseconds; the server is not contacted before */
};

nereid_status_t nereid_server_open(const nereid_store_options_t *options, nereid_server_t **out_server,
                                   nereid_message_t *message) {
  nereid_server_address_t address;
  *out_server = NULL;
  nereid_status_t status = nereid_server_address_parse(options->redis, &address, message);
  if (status)
    return status;
  if (options->password &&
      snprintf(address.password, sizeof address.password, "%s", options->password) >= (int)sizeof address.password)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the password of the server is longer than %zu bytes",
                              sizeof address.password - 1);
  if (address.is_tls && !nereid_redis_has_tls())
    return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED,
                              "this build's hiredis has no TLS (rediss://); build with hiredis 1.0 or later");
  nereid_server_t *server = calloc(1, sizeof *server);
  if (!server || pthread_mutex_init(&server->mutex, NULL) != 0) {
    free(server);
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  }
  server->address = address;
  server->time_limit = options->time_limit ? options->time_limit : DEFAULT_TIME_LIMIT;
  server->lease = options->lease ? options->lease : DEFAULT_LEASE;
  server->expiry = options->expiry;
  server->read_only = options->read_only;
  *out_server = server;
  return NEREID_OK;
}

void nereid_server_close(nereid_server_t *server) {
  if (!server)
    return;
  for (size_t i = 0; i < server->n_idle; ++i)
    nereid_redis_disconnect(server->idle[i]);
  pthread_mutex_destroy(&server->mutex);
  free(server);
}

/* --- connections --- */

/* Takes an idle connection; null when there is none. NEREID_ERROR_IO during a pause. */
static nereid_status_t take(nereid_server_t *server, nereid_redis_connection_t **out_connection,
                            nereid_message_t *message) {
  pthread_mutex_lock(&server->mutex);
  const bool is_paused = nereid_redis_now() < server->retry_at;
  *out_connection = !is_paused && server->n_idle ? server->idle[--server->n_idle] : NULL;
  pthread_mutex_unlock(&server->mutex);
  return is_paused ? nereid_message_set(message, NEREID_ERROR_IO, "the Redis server failed a moment ago") : NEREID_OK;
}

static void give_back(nereid_server_t *server, nereid_redis_connection_t *connection) {
  pthread_mutex_lock(&server->mutex);
  server->pause = 0;
  if (server->n_idle < POOL) {
    server->idle[server->n_idle++] = connection;
    connection = NULL;
  }
  pthread_mutex_unlock(&server->mutex);
  nereid_redis_disconnect(connection);
}

/* Closes the connection and all idle ones, which have probably failed, too. */
static void give_up(nereid_server_t *server, nereid_redis_connection_t *connection) {
  nereid_redis_connection_t *idle[POOL];
  pthread_mutex_lock(&server->mutex);
  const size_t n = server->n_idle;
  memcpy(idle, server->idle, sizeof idle);
  server->n_idle = 0;
  server->pause = server->pause ? server->pause * 2 : FIRST_PAUSE;
  if (server->pause > MAX_PAUSE)
    server->pause = MAX_PAUSE;
  server->retry_at = nereid_redis_now() + server->pause;
  pthread_mutex_unlock(&server->mutex);
  for (size_t i = 0; i < n; ++i)
    nereid_redis_disconnect(idle[i]);
  nereid_redis_disconnect(connection);
}

/* Sends a command on an idle connection, or on a new one: the server may have closed an idle one. */
static nereid_status_t exchange(nereid_server_t *server, size_t n, const nereid_view_t *words, redisReply **out_reply,
                                nereid_message_t *message) {
  const int64_t deadline = nereid_redis_now() + server->time_limit;
  nereid_redis_connection_t *connection;
  *out_reply = NULL;
  nereid_status_t status = take(server, &connection, message);
  if (status)
    return status;
  if (connection) {
    status = nereid_redis_exchange(connection, deadline, n, words, out_reply, message);
    if (status == NEREID_ERROR_IO && nereid_redis_now() < deadline) {
      nereid_redis_disconnect(connection);
      connection = NULL;
    }
  }
  if (!connection) {
    status = nereid_redis_connect(&server->address, deadline, &connection, message);
    if (!status)
      status = nereid_redis_exchange(connection, deadline, n, words, out_reply, message);
  }
  if (status == NEREID_OK || (status == NEREID_ERROR_TOOL && connection))
    give_back(server, connection);
  else
    give_up(server, connection);
  return status == NEREID_ERROR_MEMORY ? status : status ? NEREID_ERROR_IO : NEREID_OK;
}

static nereid_view_t name_of(char out[NAME], const nereid_store_key_t *key, const char *suffix) {
  char text[NEREID_STORE_KEY_LETTERS + 1];
  nereid_store_key_print(key, text);
  snprintf(out, NAME, PREFIX "%s%s", text, suffix);
  return nereid_view(out);
}

static nereid_view_t print_number(char out[32], int64_t number) {
  snprintf(out, 32, "%lld", (long long)number);
  return nereid_view(out);
}

/* --- units --- */

static nereid_status_t decode(const redisReply *reply, char **out_bytes, size_t *out_size, nereid_message_t *message) {
  if (reply->type == REDIS_REPLY_NIL)
    return NEREID_ERROR_NOT_FOUND;
  if (reply->type != REDIS_REPLY_STRING)
    return nereid_message_set(message, NEREID_ERROR_PROGRAM, "damaged: it is not a string");
  return nereid_redis_value_decode(nereid_view_of(reply->str, (size_t)reply->len), out_bytes, out_size, message);
}

/* Begins the expiry of a unit again; a failure does no harm. */
static void refresh(nereid_server_t *server, nereid_view_t name) {
  char seconds[32];
  redisReply *reply;
  if (!server->expiry || server->read_only)
    return;
  const nereid_view_t words[] = {nereid_view("EXPIRE"), name, print_number(seconds, server->expiry)};
  (void)!exchange(server, 3, words, &reply, NULL);
  if (reply)
    freeReplyObject(reply);
}

nereid_status_t nereid_server_get(nereid_server_t *server, const nereid_store_key_t *key, char **out_bytes,
                                  size_t *out_size, nereid_message_t *message) {
  char name[NAME];
  redisReply *reply;
  const nereid_view_t words[] = {nereid_view("GET"), name_of(name, key, "")};
  nereid_status_t status = exchange(server, 2, words, &reply, message);
  if (status)
    return status;
  status = decode(reply, out_bytes, out_size, message);
  freeReplyObject(reply);
  if (status == NEREID_OK)
    refresh(server, words[1]);
  return status;
}

/* A command whose reply is of no interest. */
static nereid_status_t execute(nereid_server_t *server, size_t n, const nereid_view_t *words,
                               nereid_message_t *message) {
  redisReply *reply;
  const nereid_status_t status = exchange(server, n, words, &reply, message);
  if (reply)
    freeReplyObject(reply);
  return status;
}

nereid_status_t nereid_server_put(nereid_server_t *server, const nereid_store_key_t *key, nereid_view_t bytes,
                                  nereid_message_t *message) {
  char name[NAME], seconds[32], *value;
  size_t size;
  nereid_status_t status = nereid_redis_value_encode(bytes, &value, &size, message);
  if (status)
    return status;
  const nereid_view_t words[] = {nereid_view("SET"), name_of(name, key, ""), nereid_view_of(value, size),
                                 nereid_view("EX"), print_number(seconds, server->expiry)};
  status = execute(server, server->expiry ? 5 : 3, words, message);
  free(value);
  return status;
}

/* A command whose reply is 0 or nil when it did nothing. */
static nereid_status_t attempt(nereid_server_t *server, size_t n, const nereid_view_t *words,
                               nereid_message_t *message) {
  redisReply *reply;
  const nereid_status_t status = exchange(server, n, words, &reply, message);
  if (status)
    return status;
  const bool is_nothing = reply->type == REDIS_REPLY_NIL || (reply->type == REDIS_REPLY_INTEGER && reply->integer == 0);
  freeReplyObject(reply);
  return is_nothing ? NEREID_ERROR_NOT_FOUND : NEREID_OK;
}

nereid_status_t nereid_server_remove(nereid_server_t *server, const nereid_store_key_t *key,
                                     nereid_message_t *message) {
  char name[NAME];
  return attempt(server, 2, (const nereid_view_t[]){nereid_view("DEL"), name_of(name, key, "")}, message);
}

/* --- leases --- */

/* Runs a script with the name of the lease, its token and its expiry. */
static nereid_status_t run_script(nereid_server_t *server, const char *script, const nereid_store_key_t *key,
                                  const char *token, nereid_message_t *message) {
  char name[NAME], milliseconds[32];
  const nereid_view_t words[] = {nereid_view("EVAL"), nereid_view(script),
                                 nereid_view("1"),    name_of(name, key, ":lease"),
                                 nereid_view(token),  print_number(milliseconds, server->lease)};
  return attempt(server, 6, words, message);
}

/* SET NX alone is not enough: when its reply is lost and it is repeated, the lease that it finds is its own. */
nereid_status_t nereid_server_acquire(nereid_server_t *server, const nereid_store_key_t *key,
                                      char out_token[NEREID_SERVER_TOKEN], nereid_message_t *message) {
  static const char script[] = "if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2]) then return 1 end "
                               "return redis.call('get', KEYS[1]) == ARGV[1] and 1 or 0";
  unsigned long long random[2];
  if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
    return nereid_message_set(message, NEREID_ERROR_IO, "no random numbers");
  snprintf(out_token, NEREID_SERVER_TOKEN, "%016llx%016llx", random[0], random[1]);
  return run_script(server, script, key, out_token, message);
}

nereid_status_t nereid_server_renew(nereid_server_t *server, const nereid_store_key_t *key, const char *token,
                                    nereid_message_t *message) {
  static const char script[] = "if redis.call('get', KEYS[1]) == ARGV[1] then "
                               "return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end";
  return run_script(server, script, key, token, message);
}

nereid_status_t nereid_server_release(nereid_server_t *server, const nereid_store_key_t *key, const char *token,
                                      nereid_message_t *message) {
  static const char script[] =
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
  return run_script(server, script, key, token, message);
}

/* --- texts --- */

nereid_status_t nereid_server_read_text(nereid_server_t *server, const char *name, char *out_text, size_t size,
                                        nereid_message_t *message) {
  char full[NAME];
  redisReply *reply;
  snprintf(full, sizeof full, PREFIX "%s", name);
  nereid_status_t status =
      exchange(server, 2, (const nereid_view_t[]){nereid_view("GET"), nereid_view(full)}, &reply, message);
  if (status)
    return status;
  if (reply->type != REDIS_REPLY_STRING || (size_t)reply->len >= size)
    status = NEREID_ERROR_NOT_FOUND;
  else {
    memcpy(out_text, reply->str, (size_t)reply->len);
    out_text[reply->len] = '\0';
  }
  freeReplyObject(reply);
  return status;
}

nereid_status_t nereid_server_write_text(nereid_server_t *server, const char *name, nereid_view_t text,
                                         nereid_message_t *message) {
  char full[NAME];
  snprintf(full, sizeof full, PREFIX "%s", name);
  return execute(server, 3, (const nereid_view_t[]){nereid_view("SET"), nereid_view(full), text}, message);
}
