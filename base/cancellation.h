/* A request to stop a long operation, from another thread or a signal handler.
 *
 *   nereid_cancellation_t *stop;                       thread 1             thread 2, or a signal handler
 *   nereid_cancellation_create(&stop);
 *   options.cancellation = stop;
 *   nereid_compile(compiler, ..., &options, &result);  -- compiles --       nereid_cancellation_request(stop);
 *   // NEREID_ERROR_CANCELLED
 *
 * A token may be passed to several concurrent calls and cancels all of them. It stays requested until it is reset. */
#ifndef NEREID_BASE_CANCELLATION_H
#define NEREID_BASE_CANCELLATION_H

#include "base/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_cancellation nereid_cancellation_t;

/* Creates a token without a request. Transfers ownership to the caller. NEREID_ERROR_ARGUMENT, NEREID_ERROR_MEMORY;
 * NEREID_ERROR_IO when the process has no file descriptor left. */
NEREID_MUST_USE nereid_status_t nereid_cancellation_create(nereid_cancellation_t **out_cancellation);

/* Destroys the token, which must not be in use by a call. Null is valid. */
void nereid_cancellation_destroy(nereid_cancellation_t *cancellation);

/* Requests that all calls with this token stop. From any thread; async-signal-safe. Null is valid. */
void nereid_cancellation_request(nereid_cancellation_t *cancellation);

/* Returns whether a stop is requested. From any thread; false for null. */
bool nereid_cancellation_is_requested(const nereid_cancellation_t *cancellation);

/* Clears the request, for the next call. The token must not be in use by a call. */
void nereid_cancellation_reset(nereid_cancellation_t *cancellation);

/* Returns a file descriptor that polls as readable while a stop is requested; -1 for null. Owned by the token; must not
 * be read from. */
int nereid_cancellation_descriptor(const nereid_cancellation_t *cancellation);

#ifdef __cplusplus
}
#endif

#endif
