/* Streams, captures and graphs of the emulator's driver table.
 *
 *   stream --captures--> graph: launch(function, configuration, parameter block), fill(...), copy(...), ...
 *
 * Work runs when it is enqueued, so a stream is only a place for the graph that is being captured. A graph and its
 * executable graphs are one counted object: nodes do not change after the capture. Memory that a capture allocates is
 * allocated at once and freed with the graph. */
#include "python-free-bindings/launch/emulated/emulated.h"

#include <stdlib.h>

enum { ATTRIBUTES = 8, RELAXED = 2 /* CUstreamCaptureMode */ };

typedef struct node {
  struct node *next;
  void *function; /* null: a fill or a copy */
  nereid_cu_launch_config_t config;
  nereid_cu_launch_attribute_t attributes[ATTRIBUTES];
  uint8_t *block; /* owned: the parameters */
  uint32_t bytes;
  uint64_t address, size;
  uint64_t source; /* source of a copy; 0: a fill */
  uint8_t value;
} node_t;

/* Something to release with the graph: a user object, or memory of the device. */
typedef struct holding {
  struct holding *next;
  void *object;     /* null: memory */
  uint64_t address; /* device address */
} holding_t;

typedef struct graph {
  nereid_emulated_t *device; /* borrowed */
  size_t references;         /* changed with the device's lock held */
  node_t *first, **end;
  holding_t *holdings;
} graph_t;

typedef struct stream {
  graph_t *captured; /* null: not being captured */
  bool invalidated;  /* the capture, by a call that it does not permit */
} stream_t;

/* The capture that this thread began last and did not end, and the thread's CUstreamCaptureMode. */
static _Thread_local struct {
  stream_t *stream;
  int mode;
} thread;

typedef struct object {
  void *data;
  void (*destructor)(void *data);
  size_t references;
} object_t;

static nereid_cu_result_t no_memory(void) {
  return nereid_emulated_fail(NEREID_CU_OUT_OF_MEMORY, "out of memory for a graph");
}

/* --- user objects --- */

nereid_cu_result_t nereid_emulated_object_create(void **out_object, void *data, void (*destructor)(void *data),
                                                 unsigned references, unsigned flags) {
  object_t *object = calloc(1, sizeof *object);
  (void)flags;
  if (!object)
    return no_memory();
  *object = (object_t){data, destructor, references};
  *out_object = object;
  return 0;
}

nereid_cu_result_t nereid_emulated_object_release(void *handle, unsigned references) {
  object_t *object = handle;
  object->references -= references;
  if (object->references == 0) {
    object->destructor(object->data);
    free(object);
  }
  return 0;
}

static nereid_cu_result_t hold(graph_t *graph, void *object, uint64_t address) {
  holding_t *holding = calloc(1, sizeof *holding);
  if (!holding)
    return no_memory();
  *holding = (holding_t){graph->holdings, object, address};
  graph->holdings = holding;
  return 0;
}

/* Moves the caller's reference to the graph, as with CU_GRAPH_USER_OBJECT_MOVE. */
nereid_cu_result_t nereid_emulated_graph_retain(void *graph, void *object, unsigned references, unsigned flags) {
  (void)references, (void)flags;
  return hold(graph, object, 0);
}

/* --- graphs --- */

static void free_graph(graph_t *graph) {
  for (node_t *node = graph->first, *next; node; node = next) {
    next = node->next;
    free(node->block);
    free(node);
  }
  for (holding_t *holding = graph->holdings, *next; holding; holding = next) {
    next = holding->next;
    if (holding->object)
      nereid_emulated_object_release(holding->object, 1);
    else
      nereid_emulated_free(holding->address);
    free(holding);
  }
  free(graph);
}

nereid_cu_result_t nereid_emulated_graph_destroy(void *handle) {
  graph_t *graph = handle;
  pthread_mutex_lock(&graph->device->lock);
  const bool last = --graph->references == 0;
  pthread_mutex_unlock(&graph->device->lock);
  if (last)
    free_graph(graph);
  return 0;
}

nereid_cu_result_t nereid_emulated_graph_instantiate(void **out_executable, void *handle, unsigned long long flags) {
  graph_t *graph = handle;
  (void)flags;
  pthread_mutex_lock(&graph->device->lock);
  ++graph->references;
  pthread_mutex_unlock(&graph->device->lock);
  *out_executable = graph;
  return 0;
}

nereid_cu_result_t nereid_emulated_graph_launch(void *executable, void *stream) {
  const graph_t *graph = executable;
  (void)stream;
  for (const node_t *node = graph->first; node; node = node->next) {
    nereid_cu_result_t result = node->function
                                    ? nereid_emulated_run(node->function, &node->config, node->block, node->bytes)
                                : node->source ? nereid_emulated_copy(node->address, node->source, node->size)
                                               : nereid_emulated_fill(node->address, node->value, node->size);
    if (result)
      return result;
  }
  return 0;
}

/* --- streams --- */

nereid_cu_result_t nereid_emulated_stream_create(void **out_stream, unsigned flags) {
  (void)flags;
  *out_stream = calloc(1, sizeof(stream_t));
  return *out_stream ? 0 : no_memory();
}

nereid_cu_result_t nereid_emulated_stream_destroy(void *handle) {
  stream_t *stream = handle;
  if (stream->captured)
    free_graph(stream->captured);
  if (thread.stream == stream)
    thread.stream = NULL;
  free(stream);
  return 0;
}

nereid_cu_result_t nereid_emulated_begin_capture(void *handle, int mode) {
  stream_t *stream = handle;
  if (stream->captured)
    return nereid_emulated_fail(NEREID_CU_INVALID_VALUE, "the stream is being captured already");
  graph_t *graph = calloc(1, sizeof *graph);
  if (!graph)
    return no_memory();
  *graph = (graph_t){.device = nereid_emulated_current(), .references = 1};
  graph->end = &graph->first;
  stream->captured = graph;
  stream->invalidated = false;
  thread.stream = mode == RELAXED ? NULL : stream;
  return 0;
}

nereid_cu_result_t nereid_emulated_exchange_capture_mode(int *mode) {
  const int previous = thread.mode;
  thread.mode = *mode;
  *mode = previous;
  return 0;
}

nereid_cu_result_t nereid_emulated_may_capture(const char *call) {
  if (!thread.stream || thread.mode == RELAXED)
    return 0;
  thread.stream->invalidated = true;
  return nereid_emulated_fail(NEREID_CU_STREAM_CAPTURE_UNSUPPORTED,
                              "%s is not permitted while this thread captures a stream", call);
}

static nereid_cu_result_t invalidated(void) {
  return nereid_emulated_fail(NEREID_CU_STREAM_CAPTURE_INVALIDATED,
                              "an earlier call, which captures do not permit, has invalidated the capture");
}

nereid_cu_result_t nereid_emulated_end_capture(void *handle, void **out_graph) {
  stream_t *stream = handle;
  graph_t *graph = stream ? stream->captured : NULL;
  *out_graph = NULL;
  if (!graph)
    return nereid_emulated_fail(NEREID_CU_INVALID_VALUE, "the stream is not being captured");
  stream->captured = NULL;
  if (thread.stream == stream)
    thread.stream = NULL;
  if (stream->invalidated) {
    free_graph(graph);
    return invalidated();
  }
  *out_graph = graph;
  return 0;
}

nereid_cu_result_t nereid_emulated_capture_info(void *handle, int *status, uint64_t *id, void **graph,
                                                const void **dependencies, size_t *n) {
  const stream_t *stream = handle;
  (void)dependencies, (void)n;
  *status = stream && stream->captured;
  *id = *status ? (uintptr_t)stream->captured : 0;
  if (graph && *status)
    *graph = stream->captured;
  return 0;
}

bool nereid_emulated_captures(const void *handle) {
  const stream_t *stream = handle;
  return stream && stream->captured;
}

/* Takes ownership of the node. */
static nereid_cu_result_t append(const stream_t *stream, node_t *node) {
  if (stream->invalidated) {
    free(node->block);
    free(node);
    return invalidated();
  }
  *stream->captured->end = node;
  stream->captured->end = &node->next;
  return 0;
}

nereid_cu_result_t nereid_emulated_record_launch(void *function, const nereid_cu_launch_config_t *config,
                                                 uint8_t *block, uint32_t bytes) {
  node_t *node = calloc(1, sizeof *node);
  if (!node || config->n_attributes > ATTRIBUTES) {
    free(node);
    free(block);
    return no_memory();
  }
  *node = (node_t){.function = function, .config = *config, .block = block, .bytes = bytes};
  for (unsigned i = 0; i < config->n_attributes; ++i)
    node->attributes[i] = config->attributes[i];
  node->config.attributes = node->attributes;
  return append(config->stream, node);
}

nereid_cu_result_t nereid_emulated_record_fill(void *stream, uint64_t address, uint8_t value, size_t size) {
  node_t *node = calloc(1, sizeof *node);
  if (!node)
    return no_memory();
  *node = (node_t){.address = address, .value = value, .size = size};
  return append(stream, node);
}

nereid_cu_result_t nereid_emulated_record_copy(void *stream, uint64_t to, uint64_t from, size_t size) {
  node_t *node = calloc(1, sizeof *node);
  if (!node)
    return no_memory();
  *node = (node_t){.address = to, .source = from, .size = size};
  return append(stream, node);
}

nereid_cu_result_t nereid_emulated_record_free(void *stream, uint64_t address) {
  return hold(((stream_t *)stream)->captured, NULL, address);
}
