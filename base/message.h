/* The message of a status: the violated rule, the argument, the remedy.
 *
 * Functions that can fail for more than one reason take a `nereid_message_t *`, which the caller owns and which may be
 * null. On NEREID_OK it is unchanged; otherwise it contains one sentence without a newline. */
#ifndef NEREID_BASE_MESSAGE_H
#define NEREID_BASE_MESSAGE_H

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_message {
  char text[512]; /* NUL-terminated; truncated if necessary */
} nereid_message_t;

/* Sets the message and returns `status`, so that a failing call is `return nereid_message_set(...)`. */
nereid_status_t nereid_message_set(nereid_message_t *message, nereid_status_t status, const char *format, ...)
    NEREID_PRINTF(3, 4);

#ifdef __cplusplus
}
#endif

#endif
