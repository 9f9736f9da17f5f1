/* The PTX emulator in the place of the CUDA driver: a table of its entries (driver.h), so that all code of the launcher
 * runs unchanged.
 *
 *   context    nereid_emulated_t: the memory of one device and the report of its last launch
 *   module     a loaded PTX program            function   one of its kernels
 *   stream     a graph in capture, or nothing  event      a time of the host */
#ifndef NEREID_LAUNCH_EMULATED_H
#define NEREID_LAUNCH_EMULATED_H

#include "python-free-bindings/launch/driver.h"

#include <pthread.h>

typedef struct nereid_emulated {
  nereid_emulator_device_options_t options;
  int32_t shared_limit; /* bytes per CTA */
  int place;            /* of its memory in the address space, below 64 */
  bool has_place;       /* no other open device has it */
  pthread_mutex_t lock; /* protects the fields below */
  nereid_emulator_memory_t *memory;
  struct nereid_emulated_buffer *buffers; /* the program's allocations in use */
  nereid_emulator_report_t report;        /* report of the last launch */
  bool launched;
} nereid_emulated_t;

/* Null is valid. Frees the memory that the program did not. */
void nereid_emulated_destroy(nereid_emulated_t *it);

/* The device whose context is current on this thread. */
nereid_emulated_t *nereid_emulated_current(void);

/* Stores the sentence that get_error_string returns next on this thread, and returns `result`. */
nereid_cu_result_t nereid_emulated_fail(nereid_cu_result_t result, const char *format, ...) NEREID_PRINTF(2, 3);

/* Entries of the table: modules, functions, launches. */
nereid_cu_result_t nereid_emulated_module_load(void **module, const void *image, unsigned n_options, int *options,
                                               void **values);
nereid_cu_result_t nereid_emulated_module_unload(void *module);
nereid_cu_result_t nereid_emulated_get_function(void **function, void *module, const char *name);
nereid_cu_result_t nereid_emulated_get_attribute(int *value, int attribute, void *function);
nereid_cu_result_t nereid_emulated_set_attribute(void *function, int attribute, int value);
nereid_cu_result_t nereid_emulated_launch(const nereid_cu_launch_config_t *config, void *function, void **parameters,
                                          void **extra);

/* Runs a kernel with a parameter block, which stays the caller's. */
nereid_cu_result_t nereid_emulated_run(void *function, const nereid_cu_launch_config_t *config, const uint8_t *block,
                                       uint32_t bytes);

/* Returns the warp instructions that launches of this thread have executed. */
uint64_t nereid_emulated_executed(void);

/* Entries of the table, without streams. */
nereid_cu_result_t nereid_emulated_copy(uint64_t to, uint64_t from, size_t n);
nereid_cu_result_t nereid_emulated_fill(uint64_t address, uint8_t value, size_t n);
nereid_cu_result_t nereid_emulated_free(uint64_t address);

/* Entries of the table: streams, graphs, user objects. */
nereid_cu_result_t nereid_emulated_stream_create(void **stream, unsigned flags);
nereid_cu_result_t nereid_emulated_stream_destroy(void *stream);
nereid_cu_result_t nereid_emulated_begin_capture(void *stream, int mode);
nereid_cu_result_t nereid_emulated_exchange_capture_mode(int *mode);
nereid_cu_result_t nereid_emulated_end_capture(void *stream, void **graph);
nereid_cu_result_t nereid_emulated_capture_info(void *stream, int *status, uint64_t *id, void **graph,
                                                const void **dependencies, size_t *n);
nereid_cu_result_t nereid_emulated_graph_instantiate(void **executable, void *graph, unsigned long long flags);
nereid_cu_result_t nereid_emulated_graph_launch(void *executable, void *stream);
nereid_cu_result_t nereid_emulated_graph_destroy(void *graph); /* of graphs and executable graphs */
nereid_cu_result_t nereid_emulated_object_create(void **object, void *data, void (*destructor)(void *data),
                                                 unsigned references, unsigned flags);
nereid_cu_result_t nereid_emulated_object_release(void *object, unsigned references);
nereid_cu_result_t nereid_emulated_graph_retain(void *graph, void *object, unsigned references, unsigned flags);

/* An entry that allocates, frees or waits is called. While this thread captures a stream, and its mode is not RELAXED,
 * the call fails and the capture is invalid, as with CUDA's driver. `call` is a gerund phrase. */
nereid_cu_result_t nereid_emulated_may_capture(const char *call);

/* Whether the stream, which may be null, is being captured; then work is recorded by the functions below. */
bool nereid_emulated_captures(const void *stream);
/* Takes ownership of the block. */
nereid_cu_result_t nereid_emulated_record_launch(void *function, const nereid_cu_launch_config_t *config,
                                                 uint8_t *block, uint32_t bytes);
nereid_cu_result_t nereid_emulated_record_fill(void *stream, uint64_t address, uint8_t value, size_t size);
nereid_cu_result_t nereid_emulated_record_copy(void *stream, uint64_t to, uint64_t from, size_t size);
nereid_cu_result_t nereid_emulated_record_free(void *stream, uint64_t address);

#endif
