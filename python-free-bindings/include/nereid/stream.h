/* Streams of a device, and graphs that are captured from them.
 *
 *   nereid_stream_create(device, &stream, &message);
 *   nereid_stream_capture(device, stream, &message);
 *   nereid_kernel_launch(kernel, &(nereid_launch_t){.stream = stream}, n, arguments, &message);  // recorded
 *   nereid_stream_end_capture(device, stream, &graph, &message);
 *   nereid_graph_launch(graph, stream, &message);                                               // as often as needed
 *
 * A stream is a CUstream on a GPU, so streams of other libraries can be used wherever this API accepts one. On the
 * emulator it is an object of the emulator, work is complete when a call returns, and a graph repeats its launches in
 * the order of the capture. Messages may be null. */
#ifndef NEREID_STREAM_H
#define NEREID_STREAM_H

#include "nereid/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A graph that can be launched. It contains the values of the arguments at the time of the capture, and keeps the
 * owners of tensors retained (nereid_kernel_launch). */
typedef struct nereid_graph nereid_graph_t;

/* Creates a stream that does not synchronize with the default stream. The caller destroys it before the device is
 * closed.
 *   NEREID_ERROR_UNSUPPORTED   the driver lacks the entry points (before CUDA 11.8) */
NEREID_MUST_USE nereid_status_t nereid_stream_create(nereid_device_t *device, void **out_stream,
                                                     nereid_message_t *message);

/* Destroys a stream; its work in flight is completed. Null is valid. */
void nereid_stream_destroy(nereid_device_t *device, void *stream);

/* Waits for the work of a stream; null: the default stream. */
NEREID_MUST_USE nereid_status_t nereid_stream_synchronize(nereid_device_t *device, void *stream,
                                                          nereid_message_t *message);

/* Begins a capture: launches, fills and copies of the stream are recorded, not executed. The thread that begins a
 * capture ends it. Not valid for the default stream. */
NEREID_MUST_USE nereid_status_t nereid_stream_capture(nereid_device_t *device, void *stream, nereid_message_t *message);

/* Ends a capture and creates its graph, which the caller destroys before the device is closed. NEREID_ERROR_DEVICE: the
 * stream is not being captured, or the capture is invalid; it has ended, too. */
NEREID_MUST_USE nereid_status_t nereid_stream_end_capture(nereid_device_t *device, void *stream,
                                                          nereid_graph_t **out_graph, nereid_message_t *message);

/* Gets whether the stream is being captured. A driver before CUDA 11.3 reports false. */
bool nereid_stream_is_captured(nereid_device_t *device, void *stream);

/* Enqueues the graph. Modules of its kernels must still be loaded. */
NEREID_MUST_USE nereid_status_t nereid_graph_launch(nereid_graph_t *graph, void *stream, nereid_message_t *message);

/* Destroys a graph. Null is valid. */
void nereid_graph_destroy(nereid_graph_t *graph);

#ifdef __cplusplus
}
#endif

#endif
