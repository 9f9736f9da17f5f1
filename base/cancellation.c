/* A flag for code that polls, and an eventfd for code that blocks in poll(2). */
#include "base/cancellation.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct nereid_cancellation {
  atomic_bool requested;
  int descriptor;
};

nereid_status_t nereid_cancellation_create(nereid_cancellation_t **out_cancellation) {
  if (!out_cancellation)
    return NEREID_ERROR_ARGUMENT;
  *out_cancellation = NULL;
  nereid_cancellation_t *cancellation = malloc(sizeof *cancellation);
  if (!cancellation)
    return NEREID_ERROR_MEMORY;
  atomic_init(&cancellation->requested, false);
  cancellation->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (cancellation->descriptor < 0) {
    free(cancellation);
    return NEREID_ERROR_IO;
  }
  *out_cancellation = cancellation;
  return NEREID_OK;
}

void nereid_cancellation_destroy(nereid_cancellation_t *cancellation) {
  if (!cancellation)
    return;
  close(cancellation->descriptor);
  free(cancellation);
}

void nereid_cancellation_request(nereid_cancellation_t *cancellation) {
  const uint64_t one = 1;
  const int saved = errno; /* a signal handler must preserve errno */
  if (!cancellation)
    return;
  atomic_store(&cancellation->requested, true);
  /* Fails only when the counter is at its limit; the descriptor is readable then too. */
  ssize_t written = write(cancellation->descriptor, &one, sizeof one);
  (void)written;
  errno = saved;
}

bool nereid_cancellation_is_requested(const nereid_cancellation_t *cancellation) {
  return cancellation && atomic_load_explicit(&cancellation->requested, memory_order_acquire);
}

void nereid_cancellation_reset(nereid_cancellation_t *cancellation) {
  uint64_t count;
  ssize_t got = read(cancellation->descriptor, &count, sizeof count);
  (void)got; /* fails when there was no request */
  atomic_store(&cancellation->requested, false);
}

int nereid_cancellation_descriptor(const nereid_cancellation_t *cancellation) {
  return cancellation ? cancellation->descriptor : -1;
}
