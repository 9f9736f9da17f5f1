/* When work must stop before it is finished: a request of the caller, or a point in time. */
#ifndef NEREID_TARGET_LIMITS_H
#define NEREID_TARGET_LIMITS_H

#include "base/cancellation.h"

#include <stdint.h>

/* All zero: no limit. */
typedef struct nereid_limits {
  const nereid_cancellation_t *cancellation; /* borrowed; null: cannot be cancelled */
  int64_t deadline;                          /* nanoseconds of CLOCK_MONOTONIC; 0: none */
} nereid_limits_t;

/* Now, in nanoseconds of CLOCK_MONOTONIC. */
int64_t nereid_limits_now(void);

/* The deadline `milliseconds` from now; 0 for 0. */
int64_t nereid_limits_deadline(uint32_t milliseconds);

/* NEREID_OK, NEREID_ERROR_CANCELLED or NEREID_ERROR_TIMEOUT. `limits` may be null: no limit. */
nereid_status_t nereid_limits_check(const nereid_limits_t *limits);

/* Milliseconds until the deadline, rounded up, as poll(2) takes them: -1 without a deadline, 0 after it. */
int nereid_limits_remaining(const nereid_limits_t *limits);

#endif
