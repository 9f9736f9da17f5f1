/* Exchanges commands and replies before a deadline.
 *
 *   append ── poll ─┬─ writable: redisBufferWrite ─┐
 *                   └─ readable: redisBufferRead ──┴─ redisGetReplyFromReader ── a reply, or poll again */
#include "python-free-bindings/launch/store/redis/connection.h"

#include "python-free-bindings/launch/store/redis/tls.h"
#include "python-free-bindings/launch/store/server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

enum {
  MAX_WORDS = 8,
  MAX_REPLY = NEREID_SERVER_UNIT_LIMIT + (1 << 20), /* bytes: a value that did not shrink, and its frame */
  TLS_STEP = 1, /* milliseconds: data may wait in the TLS layer while the socket is not readable */
};

struct nereid_redis_connection {
  redisContext *context;
  redisReplyObjectFunctions functions; /* functions of the context's reader */
  bool is_connected;                   /* the socket is */
  bool is_tls;
};

int64_t nereid_redis_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#if HIREDIS_MAJOR < 1
static void *refuse_array(const redisReadTask *task, int elements) {
#else
static void *refuse_array(const redisReadTask *task, size_t elements) {
#endif
  (void)task, (void)elements;
  return NULL;
}

void nereid_redis_restrict(redisReader *reader, redisReplyObjectFunctions *out_functions) {
  *out_functions = *reader->fn;
  out_functions->createArray = refuse_array;
  reader->fn = out_functions;
}

static nereid_status_t failed(const nereid_redis_connection_t *connection, nereid_message_t *message) {
  const redisContext *context = connection->context;
  const char *reason = context->err == REDIS_ERR_IO    ? strerror(errno)
                       : context->err == REDIS_ERR_OOM ? "a reply of an unexpected kind"
                                                       : context->errstr;
  return nereid_message_set(message, NEREID_ERROR_IO, "the Redis server failed: %.200s", reason);
}

/* Waits for events of the socket. */
static nereid_status_t wait(const nereid_redis_connection_t *connection, short events, int64_t deadline,
                            nereid_message_t *message) {
  const int64_t left = deadline - nereid_redis_now();
  struct pollfd socket = {.fd = connection->context->fd, .events = events};
  if (left <= 0)
    return nereid_message_set(message, NEREID_ERROR_IO, "the Redis server did not answer within the time limit");
  const bool is_short = connection->is_tls && connection->is_connected && left > TLS_STEP;
  if (is_short)
    socket.events = POLLIN;
  if (poll(&socket, 1, is_short ? TLS_STEP : (int)left) < 0 && errno != EINTR)
    return nereid_message_set(message, NEREID_ERROR_IO, "cannot wait for the Redis server: %s", strerror(errno));
  return NEREID_OK;
}

/* hiredis writes without MSG_NOSIGNAL: a server that closed the connection must not end this process. */
typedef struct quiet {
  sigset_t old;
  bool was_pending;
} quiet_t;

static quiet_t begin_quiet(void) {
  quiet_t quiet;
  sigset_t pipe, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  quiet.was_pending = sigismember(&pending, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &quiet.old);
  return quiet;
}

/* Discards a signal that the section caused. */
static void end_quiet(const quiet_t *quiet) {
  const struct timespec none = {0};
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  if (!quiet->was_pending)
    sigtimedwait(&pipe, NULL, &none);
  pthread_sigmask(SIG_SETMASK, &quiet->old, NULL);
}

/* Waits until the connection is established. */
static nereid_status_t finish_connect(nereid_redis_connection_t *connection, int64_t deadline,
                                      nereid_message_t *message) {
  struct pollfd socket = {.fd = connection->context->fd, .events = POLLOUT};
  socklen_t size = sizeof(int);
  int error = 0;
  nereid_status_t status = NEREID_OK;
  while (status == NEREID_OK && poll(&socket, 1, 0) == 0)
    status = wait(connection, POLLOUT, deadline, message);
  if (status != NEREID_OK)
    return status;
  if (getsockopt(connection->context->fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
    error = errno;
  if (error)
    return nereid_message_set(message, NEREID_ERROR_IO, "cannot connect to the Redis server: %s", strerror(error));
  connection->is_connected = true;
  return NEREID_OK;
}

static nereid_status_t receive(nereid_redis_connection_t *connection, int64_t deadline, redisReply **out_reply,
                               nereid_message_t *message) {
  redisContext *context = connection->context;
  nereid_status_t status = NEREID_OK;
  for (int is_written = 0; status == NEREID_OK;) {
    void *reply = NULL;
    if (!is_written && redisBufferWrite(context, &is_written) != REDIS_OK)
      return failed(connection, message);
    if (is_written && redisBufferRead(context) != REDIS_OK)
      return failed(connection, message);
    if (redisGetReplyFromReader(context, &reply) != REDIS_OK)
      return failed(connection, message);
    *out_reply = reply;
    if (reply)
      return NEREID_OK;
    if (context->reader->len > MAX_REPLY)
      return nereid_message_set(message, NEREID_ERROR_IO, "the Redis server sent a reply of more than %d bytes",
                                MAX_REPLY);
    status = wait(connection, (short)(is_written ? POLLIN : POLLIN | POLLOUT), deadline, message);
  }
  return status;
}

nereid_status_t nereid_redis_exchange(nereid_redis_connection_t *connection, int64_t deadline, size_t n,
                                      const nereid_view_t *words, redisReply **out_reply, nereid_message_t *message) {
  const char *texts[MAX_WORDS];
  size_t sizes[MAX_WORDS];
  *out_reply = NULL;
  for (size_t i = 0; i < n; ++i) {
    texts[i] = words[i].data;
    sizes[i] = words[i].size;
  }
  if (redisAppendCommandArgv(connection->context, (int)n, texts, sizes) != REDIS_OK)
    return failed(connection, message);
  const quiet_t quiet = begin_quiet();
  nereid_status_t status = receive(connection, deadline, out_reply, message);
  end_quiet(&quiet);
  if (*out_reply && (*out_reply)->type == REDIS_REPLY_ERROR) {
    status = nereid_message_set(message, NEREID_ERROR_TOOL, "the Redis server refused '%s': %.200s", texts[0],
                                (*out_reply)->str);
    freeReplyObject(*out_reply);
    *out_reply = NULL;
  }
  return status;
}

/* A command of the login; any reply but an error will do. */
static nereid_status_t login(nereid_redis_connection_t *connection, int64_t deadline, size_t n,
                             const nereid_view_t *words, nereid_message_t *message) {
  redisReply *reply;
  const nereid_status_t status = nereid_redis_exchange(connection, deadline, n, words, &reply, message);
  if (reply)
    freeReplyObject(reply);
  return status;
}

static nereid_status_t introduce(nereid_redis_connection_t *connection, const nereid_server_address_t *address,
                                 int64_t deadline, nereid_message_t *message) {
  nereid_status_t status = NEREID_OK;
  nereid_view_t words[3] = {nereid_view("AUTH")};
  size_t n = 1;
  if (address->user[0])
    words[n++] = nereid_view(address->user);
  words[n++] = nereid_view(address->password);
  if (address->password[0])
    status = login(connection, deadline, n, words, message);
  if (status == NEREID_OK && address->database) {
    char number[16];
    snprintf(number, sizeof number, "%u", address->database);
    status =
        login(connection, deadline, 2, (const nereid_view_t[]){nereid_view("SELECT"), nereid_view(number)}, message);
  }
  return status;
}

nereid_status_t nereid_redis_connect(const nereid_server_address_t *address, int64_t deadline,
                                     nereid_redis_connection_t **out_connection, nereid_message_t *message) {
  nereid_redis_connection_t *connection = calloc(1, sizeof *connection);
  *out_connection = NULL;
  if (!connection)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  connection->is_tls = address->is_tls;
  connection->context = address->is_local ? redisConnectUnixNonBlock(address->host)
                                          : redisConnectNonBlock(address->host, (int)address->port);
  nereid_status_t status = connection->context ? NEREID_OK : NEREID_ERROR_MEMORY;
  if (!status && connection->context->err)
    status = nereid_message_set(message, NEREID_ERROR_IO, "cannot connect to the Redis server: %.200s",
                                connection->context->errstr);
  if (!status) {
    nereid_redis_restrict(connection->context->reader, &connection->functions);
    status = finish_connect(connection, deadline, message);
  }
  if (!status && address->is_tls) {
    const quiet_t quiet = begin_quiet();
    status = nereid_redis_start_tls(connection->context, address->host, message);
    end_quiet(&quiet);
  }
  if (!status)
    status = introduce(connection, address, deadline, message);
  if (!status)
    *out_connection = connection;
  else
    nereid_redis_disconnect(connection);
  return status;
}

void nereid_redis_disconnect(nereid_redis_connection_t *connection) {
  if (!connection)
    return;
  if (connection->context)
    redisFree(connection->context);
  free(connection);
}
