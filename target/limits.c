/* The clock of time limits. It does not advance while the host is suspended. */
#include "target/limits.h"

#include <limits.h>
#include <time.h>

enum { NANOSECONDS_PER_MILLISECOND = 1000000 };

int64_t nereid_limits_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 * NANOSECONDS_PER_MILLISECOND + time.tv_nsec;
}

int64_t nereid_limits_deadline(uint32_t milliseconds) {
  return milliseconds ? nereid_limits_now() + (int64_t)milliseconds * NANOSECONDS_PER_MILLISECOND : 0;
}

nereid_status_t nereid_limits_check(const nereid_limits_t *limits) {
  if (!limits)
    return NEREID_OK;
  if (nereid_cancellation_is_requested(limits->cancellation))
    return NEREID_ERROR_CANCELLED;
  return limits->deadline && nereid_limits_now() >= limits->deadline ? NEREID_ERROR_TIMEOUT : NEREID_OK;
}

int nereid_limits_remaining(const nereid_limits_t *limits) {
  if (!limits->deadline)
    return -1;
  const int64_t left = limits->deadline - nereid_limits_now();
  if (left <= 0)
    return 0;
  const int64_t milliseconds = (left + NANOSECONDS_PER_MILLISECOND - 1) / NANOSECONDS_PER_MILLISECOND;
  return milliseconds > INT_MAX ? INT_MAX : (int)milliseconds;
}
