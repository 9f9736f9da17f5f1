/* The CUDA driver as a table of functions, filled from libcuda.so.1 at run time or by a test.
 *
 * The required types of cuda.h are declared here, so that building does not depend on CUDA. Handles are void *. */
#ifndef NEREID_LAUNCH_DRIVER_H
#define NEREID_LAUNCH_DRIVER_H

#include "nereid/launch.h"

#include <pthread.h>

typedef int nereid_cu_result_t; /* CUresult; 0 is success */

/* CUresult values that map to a status of their own. */
enum {
  NEREID_CU_INVALID_VALUE = 1,
  NEREID_CU_OUT_OF_MEMORY = 2,
  NEREID_CU_NO_DEVICE = 100,
  NEREID_CU_INVALID_DEVICE = 101,
  NEREID_CU_NO_BINARY_FOR_GPU = 209,
  NEREID_CU_INVALID_PTX = 218,
  NEREID_CU_UNSUPPORTED_PTX_VERSION = 222,
  NEREID_CU_NOT_FOUND = 500,
  NEREID_CU_LAUNCH_FAILED = 719,
  NEREID_CU_STREAM_CAPTURE_UNSUPPORTED = 900,
  NEREID_CU_STREAM_CAPTURE_INVALIDATED = 901,
};

/* CUdevice_attribute */
enum {
  NEREID_CU_DEVICE_MULTIPROCESSOR_COUNT = 16,
  NEREID_CU_DEVICE_L2_CACHE_SIZE = 38,
  NEREID_CU_DEVICE_CAPABILITY_MAJOR = 75,
  NEREID_CU_DEVICE_CAPABILITY_MINOR = 76,
  NEREID_CU_DEVICE_COOPERATIVE_LAUNCH = 95,
  NEREID_CU_DEVICE_SHARED_OPTIN = 97,
  NEREID_CU_DEVICE_MEMORY_POOLS = 115,
  NEREID_CU_DEVICE_CLUSTER_LAUNCH = 120,
};

/* CUfunction_attribute */
enum {
  NEREID_CU_FUNC_SHARED_SIZE = 1,
  NEREID_CU_FUNC_LOCAL_SIZE = 3,
  NEREID_CU_FUNC_NUM_REGS = 4,
  NEREID_CU_FUNC_MAX_DYNAMIC_SHARED = 8,
  NEREID_CU_FUNC_NON_PORTABLE_CLUSTER = 14,
};

/* CUpointer_attribute, CUmemorytype */
enum {
  NEREID_CU_POINTER_MEMORY_TYPE = 2,
  NEREID_CU_POINTER_DEVICE_POINTER = 3, /* fails when kernels of the current context cannot use the address */
  NEREID_CU_MEMORY_DEVICE = 2,
};

/* CUstreamCaptureMode */
enum { NEREID_CU_CAPTURE_THREAD_LOCAL = 1, NEREID_CU_CAPTURE_RELAXED = 2 };

/* CUjit_option */
enum { NEREID_CU_JIT_ERROR_LOG = 5, NEREID_CU_JIT_ERROR_LOG_BYTES = 6 };

/* CUlaunchAttributeID */
enum {
  NEREID_CU_LAUNCH_COOPERATIVE = 2,
  NEREID_CU_LAUNCH_CLUSTER_DIMENSION = 4,
  NEREID_CU_LAUNCH_CLUSTER_SCHEDULING = 5,
  NEREID_CU_LAUNCH_PROGRAMMATIC_SERIALIZATION = 6,
};

enum { NEREID_CU_CLUSTER_SPREAD = 1 }; /* CUclusterSchedulingPolicy */

/* CUlaunchAttribute: 8 bytes of id and padding, then a union of 64 bytes. */
typedef struct nereid_cu_launch_attribute {
  int id;
  int padding;
  union {
    char room[64];
    int flag;
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
} nereid_cu_launch_attribute_t;

/* CUlaunchConfig */
typedef struct nereid_cu_launch_config {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared; /* dynamic, bytes */
  void *stream;
  nereid_cu_launch_attribute_t *attributes;
  unsigned n_attributes;
} nereid_cu_launch_config_t;

typedef struct nereid_driver {
#define NEREID_DRIVER_ENTRY(need, field, symbol, parameters) nereid_cu_result_t(*field) parameters;
#include "python-free-bindings/launch/driver_entries.inc"
#undef NEREID_DRIVER_ENTRY
  void *library; /* of dlopen; null for a table that the caller filled */
} nereid_driver_t;

/* Opens `library` ("libcuda.so.1"), fills the table and initializes the driver. NEREID_ERROR_NOT_FOUND: it cannot be
 * opened, or there is no device. NEREID_ERROR_UNSUPPORTED: a NEEDED entry is missing; the message names it. */
NEREID_MUST_USE nereid_status_t nereid_driver_open(const char *library, nereid_driver_t *out_driver,
                                                   nereid_message_t *message);

/* Closes the library if nereid_driver_open opened it. */
void nereid_driver_close(nereid_driver_t *driver);

/* Returns NEREID_OK for 0; else the status for `result`, with "<what>: <name>: <text>" as the message. */
nereid_status_t nereid_driver_check(const nereid_driver_t *driver, nereid_cu_result_t result, const char *what,
                                    nereid_message_t *message);

/* nereid_device_open with a table that the caller filled and keeps alive; does not initialize the driver. */
NEREID_MUST_USE nereid_status_t nereid_device_open_with(const nereid_driver_t *driver, int32_t ordinal,
                                                        nereid_device_t **out_device, nereid_message_t *message);

struct nereid_device {
  const nereid_driver_t *driver; /* &own, the caller's, or the emulator's */
  nereid_driver_t own;
  void *context;
  struct nereid_emulated *emulated; /* owned; null: a GPU */
  nereid_tma_cache_t *maps;         /* owned: maps of tensors that are arguments */
  struct nereid_owners *owners;     /* owned: of tensors in captured graphs */
  pthread_mutex_t tuning;           /* held while kernels are timed, so that they do not disturb each other */
  bool has_tuning;                  /* `tuning` is initialized */
  bool retained;                    /* the primary context, to be released */
  int device;
  nereid_device_info_t info;
};

/* Initializes `maps`, `owners` and `tuning`. NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_device_initialize(nereid_device_t *device, nereid_message_t *message);

/* Returns whether the address is memory of another device, which kernels of this one cannot use. False for memory that
 * the driver does not know. */
bool nereid_device_is_foreign(const nereid_device_t *device, uint64_t address);

/* Lets this thread load modules and allocate memory while a stream is being captured, also by another thread. Returns
 * the mode to restore. */
int nereid_device_relax_capture(const nereid_device_t *device);
void nereid_device_restore_capture(const nereid_device_t *device, int mode);

/* Makes the device's context current on this thread for a few calls. `pushed` is false when the context was already
 * current and leave() has nothing to undo. */
NEREID_MUST_USE nereid_status_t nereid_device_enter(const nereid_device_t *device, bool *out_pushed,
                                                    nereid_message_t *message);
void nereid_device_leave(const nereid_device_t *device, bool pushed);

#endif
