/* The time of a run: nanoseconds between two events on a GPU, warp instructions on the emulator.
 *
 * The emulator's host time says little about a GPU and depends on other processes. Its number of executed warp
 * instructions is the same in every run, so that tests of tuning have one result. */
#include "python-free-bindings/launch/emulated/emulated.h"
#include "python-free-bindings/lazy/lazy.h"

#include <stdlib.h>
#include <time.h>

double nereid_lazy_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

const char *nereid_timer_unit(bool is_emulated) {
  return is_emulated ? "warp instructions" : "nanoseconds";
}

nereid_status_t nereid_timer_initialize(nereid_timer_t *timer, nereid_device_t *device, size_t runs,
                                        nereid_message_t *message) {
  *timer = (nereid_timer_t){.device = device, .is_emulated = device->emulated != NULL, .n = runs};
  timer->events = calloc(2 * runs, sizeof *timer->events);
  timer->counts = calloc(2 * runs, sizeof *timer->counts);
  nereid_status_t status = NEREID_OK;
  if (!timer->events || !timer->counts)
    status = nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  for (size_t i = 0; !status && !timer->is_emulated && i < 2 * runs; ++i)
    status = nereid_event_create(device, &timer->events[i], message);
  if (status)
    nereid_timer_deinitialize(timer);
  return status;
}

void nereid_timer_deinitialize(nereid_timer_t *timer) {
  for (size_t i = 0; timer->events && i < 2 * timer->n; ++i)
    nereid_event_destroy(timer->events[i]);
  free(timer->events);
  free(timer->counts);
  *timer = (nereid_timer_t){0};
}

static nereid_status_t mark(nereid_timer_t *timer, size_t index, void *stream, nereid_message_t *message) {
  if (!timer->is_emulated)
    return nereid_event_record(timer->events[index], stream, message);
  timer->counts[index] = nereid_emulated_executed();
  return NEREID_OK;
}

nereid_status_t nereid_timer_start(nereid_timer_t *timer, size_t run, void *stream, nereid_message_t *message) {
  return mark(timer, 2 * run, stream, message);
}

nereid_status_t nereid_timer_stop(nereid_timer_t *timer, size_t run, void *stream, nereid_message_t *message) {
  return mark(timer, 2 * run + 1, stream, message);
}

nereid_status_t nereid_timer_read(nereid_timer_t *timer, size_t run, double *out_time, nereid_message_t *message) {
  float milliseconds = 0;
  *out_time = (double)(timer->counts[2 * run + 1] - timer->counts[2 * run]);
  if (timer->is_emulated)
    return NEREID_OK;
  nereid_status_t status =
      nereid_event_elapsed(timer->events[2 * run], timer->events[2 * run + 1], &milliseconds, message);
  *out_time = (double)milliseconds * 1e6;
  return status;
}
