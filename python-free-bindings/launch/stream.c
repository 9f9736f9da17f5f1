/* Streams and graphs: wraps the driver's entries, with the device's context current. */
#include "nereid/stream.h"

#include "python-free-bindings/launch/driver.h"

#include <stdlib.h>

enum { NON_BLOCKING = 1 /* CUstream_flags */, CAPTURING = 1 };

struct nereid_graph {
  nereid_device_t *device;
  void *handle, *executable;
};

static nereid_status_t enter(nereid_device_t *device, bool *out_pushed, nereid_message_t *message) {
  const nereid_driver_t *driver = device->driver;
  *out_pushed = false;
  if (!driver->stream_create || !driver->stream_destroy || !driver->stream_begin_capture ||
      !driver->stream_end_capture || !driver->graph_instantiate || !driver->graph_launch ||
      !driver->graph_exec_destroy || !driver->graph_destroy)
    return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED,
                              "the CUDA driver does not support graphs; expected a driver for CUDA 11.8 or later");
  return nereid_device_enter(device, out_pushed, message);
}

static nereid_status_t leave(nereid_device_t *device, bool pushed, nereid_cu_result_t result, const char *doing,
                             nereid_message_t *message) {
  nereid_device_leave(device, pushed);
  return nereid_driver_check(device->driver, result, doing, message);
}

nereid_status_t nereid_stream_create(nereid_device_t *device, void **out_stream, nereid_message_t *message) {
  bool pushed;
  *out_stream = NULL;
  nereid_status_t status = enter(device, &pushed, message);
  if (status)
    return status;
  return leave(device, pushed, device->driver->stream_create(out_stream, NON_BLOCKING), "creating a stream", message);
}

void nereid_stream_destroy(nereid_device_t *device, void *stream) {
  bool pushed;
  if (!stream || enter(device, &pushed, NULL))
    return;
  (void)device->driver->stream_synchronize(stream);
  (void)leave(device, pushed, device->driver->stream_destroy(stream), "destroying a stream", NULL);
}

nereid_status_t nereid_stream_synchronize(nereid_device_t *device, void *stream, nereid_message_t *message) {
  bool pushed;
  nereid_status_t status = nereid_device_enter(device, &pushed, message);
  if (status)
    return status;
  return leave(device, pushed, device->driver->stream_synchronize(stream), "running on the device", message);
}

nereid_status_t nereid_stream_capture(nereid_device_t *device, void *stream, nereid_message_t *message) {
  bool pushed;
  if (!stream)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the default stream cannot be captured");
  nereid_status_t status = enter(device, &pushed, message);
  if (status)
    return status;
  return leave(device, pushed, device->driver->stream_begin_capture(stream, NEREID_CU_CAPTURE_THREAD_LOCAL),
               "beginning a capture", message);
}

nereid_status_t nereid_stream_end_capture(nereid_device_t *device, void *stream, nereid_graph_t **out_graph,
                                          nereid_message_t *message) {
  bool pushed;
  *out_graph = NULL;
  nereid_graph_t *graph = calloc(1, sizeof *graph);
  if (!graph)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  graph->device = device;
  nereid_status_t status = enter(device, &pushed, message);
  if (!status) {
    nereid_cu_result_t result = device->driver->stream_end_capture(stream, &graph->handle);
    if (!result)
      result = device->driver->graph_instantiate(&graph->executable, graph->handle, 0);
    status = leave(device, pushed, result, "ending a capture", message);
  }
  if (status)
    nereid_graph_destroy(graph);
  else
    *out_graph = graph;
  return status;
}

bool nereid_stream_is_captured(nereid_device_t *device, void *stream) {
  int capture = 0;
  uint64_t id;
  bool pushed;
  if (!device->driver->stream_get_capture_info || nereid_device_enter(device, &pushed, NULL))
    return false;
  if (device->driver->stream_get_capture_info(stream, &capture, &id, NULL, NULL, NULL))
    capture = 0;
  nereid_device_leave(device, pushed);
  return capture == CAPTURING;
}

nereid_status_t nereid_graph_launch(nereid_graph_t *graph, void *stream, nereid_message_t *message) {
  bool pushed;
  nereid_status_t status = nereid_device_enter(graph->device, &pushed, message);
  if (status)
    return status;
  return leave(graph->device, pushed, graph->device->driver->graph_launch(graph->executable, stream),
               "launching a graph", message);
}

void nereid_graph_destroy(nereid_graph_t *graph) {
  bool pushed;
  if (!graph)
    return;
  if (!nereid_device_enter(graph->device, &pushed, NULL)) {
    if (graph->executable)
      graph->device->driver->graph_exec_destroy(graph->executable);
    if (graph->handle)
      graph->device->driver->graph_destroy(graph->handle);
    nereid_device_leave(graph->device, pushed);
  }
  free(graph);
}
