/* The value of a unit on the server: "NEREIDZ" 1, then the unit as one zstd frame that has its size. */
#ifndef NEREID_LAUNCH_STORE_REDIS_VALUE_H
#define NEREID_LAUNCH_STORE_REDIS_VALUE_H

#include "base/message.h"
#include "base/view.h"

/* Compresses. `out_value` is owned by the caller (free). NEREID_ERROR_ARGUMENT: larger than NEREID_SERVER_UNIT_LIMIT;
 * NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_redis_value_encode(nereid_view_t unit, char **out_value, size_t *out_size,
                                                          nereid_message_t *message);

/* Decompresses untrusted bytes. `out_unit` is owned by the caller (free). NEREID_ERROR_PROGRAM: they are not a value,
 * or larger than NEREID_SERVER_UNIT_LIMIT; NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_redis_value_decode(nereid_view_t value, char **out_unit, size_t *out_size,
                                                          nereid_message_t *message);

#endif
