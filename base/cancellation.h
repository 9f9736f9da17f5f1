/* A request to stop long work, made by another thread or by a signal handler.
 *
 *   nereid_cancellation_t *stop;                       thread 1             thread 2, or a signal handler
 *   nereid_cancellation_create(&stop);
 *   options.cancellation = stop;
 *   nereid_compile(compiler, ..., &options, &result);  -- compiles --       nereid_cancellation_request(stop);
 *   // NEREID_ERROR_CANCELLED
 *
 * One token may be passed to several calls at once and cancels all of them. It stays requested until it is reset. */
#ifndef NEREID_BASE_CANCELLATION_H
#define NEREID_BASE_CANCELLATION_H

#include "base/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_cancellation nereid_cancellation_t;

/* A token without a request, owned by the caller. NEREID_ERROR_ARGUMENT, NEREID_ERROR_MEMORY; NEREID_ERROR_IO when the
 * process has no file descriptor left. */
NEREID_MUST_USE nereid_status_t nereid_cancellation_create(nereid_cancellation_t **out_cancellation);

/* Frees the token, which no call may be using. Null is valid. */
void nereid_cancellation_destroy(nereid_cancellation_t *cancellation);

/* Requests that every call that was passed the token stops. From any thread; async-signal-safe. Null is valid. */
void nereid_cancellation_request(nereid_cancellation_t *cancellation);

/* Whether a stop is requested. From any thread; false for null. */
bool nereid_cancellation_is_requested(const nereid_cancellation_t *cancellation);

/* Withdraws the request, for the next call. No call may be using the token. */
void nereid_cancellation_reset(nereid_cancellation_t *cancellation);

/* A file descriptor that polls as readable while a stop is requested; -1 for null. Owned by the token; not to be read
 * from. */
int nereid_cancellation_descriptor(const nereid_cancellation_t *cancellation);

#ifdef __cplusplus
}
#endif

#endif
