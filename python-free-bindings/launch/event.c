/* Events: points in a stream; the device measures the time between them. */
#include "python-free-bindings/launch/driver.h"

#include <stdlib.h>

struct nereid_event {
  nereid_device_t *device;
  void *handle;
};

nereid_status_t nereid_event_create(nereid_device_t *device, nereid_event_t **out_event, nereid_message_t *message) {
  bool pushed;
  *out_event = NULL;
  nereid_event_t *event = calloc(1, sizeof *event);
  if (!event)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  event->device = device;
  nereid_status_t status = nereid_device_enter(device, &pushed, message);
  if (!status) {
    status = nereid_driver_check(device->driver, device->driver->event_create(&event->handle, 0), "creating an event",
                                 message);
    nereid_device_leave(device, pushed);
  }
  if (status)
    free(event);
  else
    *out_event = event;
  return status;
}

void nereid_event_destroy(nereid_event_t *event) {
  bool pushed;
  if (!event)
    return;
  if (!nereid_device_enter(event->device, &pushed, NULL)) {
    event->device->driver->event_destroy(event->handle);
    nereid_device_leave(event->device, pushed);
  }
  free(event);
}

nereid_status_t nereid_event_record(nereid_event_t *event, void *stream, nereid_message_t *message) {
  bool pushed;
  nereid_status_t status = nereid_device_enter(event->device, &pushed, message);
  if (status)
    return status;
  nereid_cu_result_t result = event->device->driver->event_record(event->handle, stream);
  nereid_device_leave(event->device, pushed);
  return nereid_driver_check(event->device->driver, result, "recording an event", message);
}

nereid_status_t nereid_event_elapsed(nereid_event_t *start, nereid_event_t *end, float *out_milliseconds,
                                     nereid_message_t *message) {
  const nereid_driver_t *driver = end->device->driver;
  bool pushed;
  nereid_status_t status = nereid_device_enter(end->device, &pushed, message);
  if (status)
    return status;
  nereid_cu_result_t result = driver->event_synchronize(end->handle);
  if (result == 0)
    result = driver->event_elapsed_time(out_milliseconds, start->handle, end->handle);
  nereid_device_leave(end->device, pushed);
  return nereid_driver_check(driver, result, "measuring time", message);
}
