/* A connection to a Redis server on which each exchange has a deadline.
 *
 * hiredis parses and formats; its sockets are non-blocking here, because its own timeouts apply to each read, so that a
 * server that sends a byte from time to time would block the caller forever. */
#ifndef NEREID_LAUNCH_STORE_REDIS_CONNECTION_H
#define NEREID_LAUNCH_STORE_REDIS_CONNECTION_H

#include "base/message.h"
#include "base/view.h"
#include "python-free-bindings/launch/store/server_address.h"

#include <hiredis/hiredis.h>
#include <stdint.h>

typedef struct nereid_redis_connection nereid_redis_connection_t;

/* Returns the monotonic time in milliseconds. */
int64_t nereid_redis_now(void);

/* Connects, authenticates and selects the database until `deadline` (nereid_redis_now). Resolving a host name is not
 * limited. NEREID_ERROR_IO, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_redis_connect(const nereid_server_address_t *address, int64_t deadline,
                                                     nereid_redis_connection_t **out_connection,
                                                     nereid_message_t *message);
/* Null is valid. */
void nereid_redis_disconnect(nereid_redis_connection_t *connection);

/* Sends a command and receives its reply, which the caller frees (freeReplyObject): a string, status, integer or nil.
 * After NEREID_ERROR_IO the connection must be closed. An error that the server replied is NEREID_ERROR_TOOL; the
 * connection remains usable. */
NEREID_MUST_USE nereid_status_t nereid_redis_exchange(nereid_redis_connection_t *connection, int64_t deadline, size_t n,
                                                      const nereid_view_t *words, redisReply **out_reply,
                                                      nereid_message_t *message);

/* Makes a reader reject arrays, which no command of the store returns, and whose sizes a hostile server chooses.
 * `out_functions` must outlive the reader. */
void nereid_redis_restrict(redisReader *reader, redisReplyObjectFunctions *out_functions);

#endif
