/* The PTX emulator in the place of the CUDA driver: a table of its entries (driver.h), so that all code of the launcher
 * runs unchanged.
 *
 *   context    nereid_emulated_t: the memory of one device and the report of its last launch
 *   module     a loaded PTX program            function   one of its kernels
 *   stream     ignored                         event      a time of the host */
#ifndef NEREID_LAUNCH_EMULATED_H
#define NEREID_LAUNCH_EMULATED_H

#include "python-free-bindings/launch/driver.h"

#include <pthread.h>

typedef struct nereid_emulated {
  nereid_emulator_device_options_t options;
  int32_t shared_limit; /* bytes per CTA */
  pthread_mutex_t lock; /* of what follows */
  nereid_emulator_memory_t *memory;
  struct nereid_emulated_buffer *buffers; /* of the program, in use */
  nereid_emulator_report_t report;        /* of the last launch */
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

#endif
