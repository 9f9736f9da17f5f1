/* TLS of a connection, where the installed hiredis has it (hiredis_ssl, from version 1.0). */
#ifndef NEREID_LAUNCH_STORE_REDIS_TLS_H
#define NEREID_LAUNCH_STORE_REDIS_TLS_H

#include "base/message.h"

#include <hiredis/hiredis.h>
#include <stdbool.h>

/* Returns whether this build has TLS. */
bool nereid_redis_has_tls(void);

/* Starts TLS on a connected context. The server's certificate must be valid for `host`, and signed by an authority of
 * the system or of the file that the environment variable SSL_CERT_FILE names. NEREID_ERROR_IO,
 * NEREID_ERROR_UNSUPPORTED. */
NEREID_MUST_USE nereid_status_t nereid_redis_start_tls(redisContext *context, const char *host,
                                                       nereid_message_t *message);

#endif
