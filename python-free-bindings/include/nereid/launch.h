/* Loading and launching compiled kernels. Does not depend on MLIR or LLVM and does not link CUDA: libcuda.so.1 is
 * opened at run time.
 *
 *   nereid_device_t *device;
 *   nereid_module_t *module;
 *   const nereid_kernel_t *kernel;
 *   nereid_device_open(0, &device, &message);
 *   nereid_module_load_file(device, "vector_add.cubin", &module, &message);       // reads vector_add.json next to it
 *   nereid_module_kernel(module, NULL, &kernel, &message);
 *   nereid_value_t arguments[] = {nereid_value_pointer(x), nereid_value_pointer(y), nereid_value_pointer(out),
 *                                 nereid_value_i32(n)};
 *   nereid_kernel_launch(kernel, &(nereid_launch_t){.grid = {(n + 1023) / 1024, 1, 1}}, 4, arguments, &message);
 *
 * A kernel has the ABI of Triton 3.6 (docs/abi.md). A cubin with Triton's metadata can be loaded too; its arguments are
 * checked by size only, because that metadata has no types.
 *
 * Ownership: `open` and `load` transfer ownership to the caller, who calls `close` and `unload`. A kernel belongs to
 * its module; unload a module before closing its device. Thread safety: all functions may be called from any thread. A
 * device keeps no current state: each call makes its context current and restores the previous one. Messages may be
 * null. Unless documented otherwise a function returns NEREID_ERROR_ARGUMENT for a wrong call and NEREID_ERROR_DEVICE
 * for an error of the driver, with the driver's description. */
#ifndef NEREID_LAUNCH_H
#define NEREID_LAUNCH_H

#include "base/message.h"
#include "base/view.h"
#include "nereid/emulator.h"
#include "nereid/metadata.h"
#include "nereid/tma.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_device nereid_device_t;
typedef struct nereid_module nereid_module_t;
typedef struct nereid_kernel nereid_kernel_t;
typedef struct nereid_event nereid_event_t;

/* --- devices --- */

typedef struct nereid_device_info {
  char name[128];
  int32_t ordinal;
  int32_t driver_version; /* 13000 for CUDA 13.0 */
  int32_t capability;     /* 90 */
  int32_t multiprocessors;
  int32_t shared_limit; /* limit of shared memory per CTA, bytes */
  int32_t l2_size;      /* bytes */
  bool clusters;        /* supports clusters of CTAs */
  bool cooperative;     /* supports cooperative launches */
  bool pools;           /* supports stream-ordered allocation */
  uint64_t memory;      /* bytes */
} nereid_device_info_t;

/* Opens the driver and a device. The context is the calling thread's current one if it belongs to that device, else the
 * device's primary context, as in the CUDA runtime. `ordinal` -1: the device of the current context, else 0.
 * NEREID_ERROR_NOT_FOUND: libcuda.so.1 or the device does not exist. NEREID_ERROR_UNSUPPORTED: the driver lacks a
 * required entry point (before CUDA 11.8). */
NEREID_MUST_USE nereid_status_t nereid_device_open(int32_t ordinal, nereid_device_t **out_device,
                                                   nereid_message_t *message);

/* Opens a device by its name: "emulator" (nereid_device_open_emulator with the defaults), or the ordinal of a GPU, "0";
 * null: the GPU of the current context, else GPU 0. A program can pass a user's option or environment variable. Errors
 * as those two, and NEREID_ERROR_ARGUMENT for another name. */
NEREID_MUST_USE nereid_status_t nereid_device_open_named(const char *name, nereid_device_t **out_device,
                                                         nereid_message_t *message);

/* Closes a device. Null is valid. */
void nereid_device_close(nereid_device_t *device);

/* Returns the properties of the device, valid as long as the device. */
const nereid_device_info_t *nereid_device_info(const nereid_device_t *device);

/* Allocates global memory, aligned to 256 bytes. NEREID_ERROR_MEMORY: out of device memory; 0 bytes return address
 * 0. */
NEREID_MUST_USE nereid_status_t nereid_device_allocate(nereid_device_t *device, uint64_t bytes, uint64_t *out_address,
                                                       nereid_message_t *message);

/* Frees device memory; 0 is valid. Waits for work that uses the memory. */
void nereid_device_free(nereid_device_t *device, uint64_t address);

/* Copies between host and device; complete when the call returns. */
NEREID_MUST_USE nereid_status_t nereid_device_upload(nereid_device_t *device, uint64_t address, const void *host,
                                                     size_t bytes, nereid_message_t *message);
NEREID_MUST_USE nereid_status_t nereid_device_download(nereid_device_t *device, void *host, uint64_t address,
                                                       size_t bytes, nereid_message_t *message);

/* Sets bytes in stream order. `stream`: a CUstream, null for the default stream. */
NEREID_MUST_USE nereid_status_t nereid_device_fill(nereid_device_t *device, uint64_t address, uint8_t value,
                                                   size_t bytes, void *stream, nereid_message_t *message);

/* Copies between two buffers of the device, which do not overlap, in stream order. */
NEREID_MUST_USE nereid_status_t nereid_device_copy(nereid_device_t *device, uint64_t to, uint64_t from, size_t bytes,
                                                   void *stream, nereid_message_t *message);

/* Waits for all work of the context. Reports the error of a failed kernel, after which the context is unusable. */
NEREID_MUST_USE nereid_status_t nereid_device_synchronize(nereid_device_t *device, nereid_message_t *message);

/* Events measure time on the device. */
NEREID_MUST_USE nereid_status_t nereid_event_create(nereid_device_t *device, nereid_event_t **out_event,
                                                    nereid_message_t *message);
void nereid_event_destroy(nereid_event_t *event);
NEREID_MUST_USE nereid_status_t nereid_event_record(nereid_event_t *event, void *stream, nereid_message_t *message);
/* Waits for `end`, then returns the milliseconds between `start` and `end`. */
NEREID_MUST_USE nereid_status_t nereid_event_elapsed(nereid_event_t *start, nereid_event_t *end,
                                                     float *out_milliseconds, nereid_message_t *message);

/* --- modules and kernels --- */

/* Loads a cubin or PTX (which the driver then compiles) with its metadata, Nereid's or Triton's. All data needed later
 * is copied. NEREID_ERROR_ARGUMENT: image or metadata is malformed, or they do not match (kernel name, parameters,
 * threads). NEREID_ERROR_UNSUPPORTED: the image is for another device, or the device does not have enough shared memory
 * or does not support clusters or cooperative launches as the kernel requires. */
NEREID_MUST_USE nereid_status_t nereid_module_load(nereid_device_t *device, nereid_view_t image, nereid_view_t metadata,
                                                   nereid_module_t **out_module, nereid_message_t *message);

/* Loads from `path` and the `.json` next to it (the last suffix replaced). Additional error: NEREID_ERROR_IO. */
NEREID_MUST_USE nereid_status_t nereid_module_load_file(nereid_device_t *device, const char *path,
                                                        nereid_module_t **out_module, nereid_message_t *message);

/* Unloads a module. Launches of its kernel must have completed. Null is valid. */
void nereid_module_unload(nereid_module_t *module);

/* Gets the kernel that the metadata describes; `name` is its name or null. NEREID_ERROR_NOT_FOUND: another name. */
NEREID_MUST_USE nereid_status_t nereid_module_kernel(const nereid_module_t *module, const char *name,
                                                     const nereid_kernel_t **out_kernel, nereid_message_t *message);

/* Returns the kernel's metadata. Parameters are always listed: those of Triton's kernels as NEREID_PARAMETER_OPAQUE
 * with their size, or as NEREID_PARAMETER_DESCRIPTOR. */
const nereid_metadata_t *nereid_kernel_metadata(const nereid_kernel_t *kernel);

typedef struct nereid_kernel_resources {
  int32_t registers;     /* per thread */
  int32_t local;         /* bytes per thread: spills and stack */
  int32_t static_shared; /* bytes per CTA */
} nereid_kernel_resources_t;

/* Gets the kernel's resources as the driver reports them. */
NEREID_MUST_USE nereid_status_t nereid_kernel_resources(const nereid_kernel_t *kernel,
                                                        nereid_kernel_resources_t *out_resources,
                                                        nereid_message_t *message);

/* --- launching --- */

/* One argument, passed by value. Created by the functions below, which also set its type. */
typedef struct nereid_value {
  nereid_parameter_kind_t kind;
  nereid_element_t element; /* scalar: its type; pointer: the pointee, NONE: any */
  union {
    uint64_t bits;                 /* scalars in the low bytes */
    const void *memory;            /* descriptor: 128 bytes, borrowed until the launch returns */
    const nereid_tensor_t *tensor; /* borrowed until the launch returns */
  } as;
} nereid_value_t;

static inline nereid_value_t nereid_value_scalar(nereid_element_t element, const void *memory, size_t size) {
  nereid_value_t value = {NEREID_PARAMETER_SCALAR, element, {0}};
  memcpy(&value.as.bits, memory, size < sizeof value.as.bits ? size : sizeof value.as.bits);
  return value;
}

static inline nereid_value_t nereid_value_i1(bool scalar) {
  nereid_value_t value = {NEREID_PARAMETER_SCALAR, NEREID_ELEMENT_I1, {scalar}};
  return value;
}

static inline nereid_value_t nereid_value_i8(int8_t scalar) {
  return nereid_value_scalar(NEREID_ELEMENT_I8, &scalar, sizeof scalar);
}

static inline nereid_value_t nereid_value_i16(int16_t scalar) {
  return nereid_value_scalar(NEREID_ELEMENT_I16, &scalar, sizeof scalar);
}

static inline nereid_value_t nereid_value_i32(int32_t scalar) {
  return nereid_value_scalar(NEREID_ELEMENT_I32, &scalar, sizeof scalar);
}

static inline nereid_value_t nereid_value_i64(int64_t scalar) {
  return nereid_value_scalar(NEREID_ELEMENT_I64, &scalar, sizeof scalar);
}

static inline nereid_value_t nereid_value_f32(float scalar) {
  return nereid_value_scalar(NEREID_ELEMENT_F32, &scalar, sizeof scalar);
}

static inline nereid_value_t nereid_value_f64(double scalar) {
  return nereid_value_scalar(NEREID_ELEMENT_F64, &scalar, sizeof scalar);
}

/* f16, bf16 and the 8-bit floats as bits: see base/float.h. */
static inline nereid_value_t nereid_value_float_bits(nereid_element_t element, uint16_t bits) {
  return nereid_value_scalar(element, &bits, sizeof bits);
}

/* A device address; the pointee type is not checked. */
static inline nereid_value_t nereid_value_pointer(uint64_t address) {
  nereid_value_t value = {NEREID_PARAMETER_POINTER, NEREID_ELEMENT_NONE, {address}};
  return value;
}

/* A device address of elements of this type, which is checked against the signature. */
static inline nereid_value_t nereid_value_pointer_to(nereid_element_t element, uint64_t address) {
  nereid_value_t value = {NEREID_PARAMETER_POINTER, element, {address}};
  return value;
}

static inline nereid_value_t nereid_value_descriptor(const nereid_tma_descriptor_t *descriptor) {
  nereid_value_t value = {NEREID_PARAMETER_DESCRIPTOR, NEREID_ELEMENT_NONE, {0}};
  value.as.memory = descriptor;
  return value;
}

/* A tensor, for a descriptor of the kernel and all parameters of its group: the launcher creates the tensor map, or
 * passes the pointer, as the kernel's metadata specifies, and passes shape, strides and padding after it. Block shape
 * and swizzle are the kernel's, so the same call works for each configuration of a kernel. */
static inline nereid_value_t nereid_value_tensor(const nereid_tensor_t *tensor) {
  nereid_value_t value = {NEREID_PARAMETER_TENSOR, NEREID_ELEMENT_NONE, {0}};
  value.as.tensor = tensor;
  return value;
}

typedef struct nereid_launch {
  uint32_t grid[3]; /* CTAs, or clusters of CTAs along x when num_ctas > 1. All 0: the kernel's grid map; else with
                       a 0 nothing is launched */
  void *stream;     /* CUstream; null: the default stream */
  uint64_t global_scratch; /* device memory for the whole grid, aligned as in the metadata; 0: the launcher allocates */
  uint64_t profile_scratch; /* the same for profile scratch */
} nereid_launch_t;

/* Launches with `n` arguments, the parameters of the metadata in order. A tensor replaces a descriptor and the shapes
 * and strides after it; with an encoded descriptor these are ordinary arguments. Count, types, sizes and promised
 * divisibility are checked. Scratch memory that the kernel requires and the caller does not pass is allocated and freed
 * in stream order; with drivers that do not support this, the call waits for the kernel. Returns when the launch is
 * queued. `launch` may be null: the kernel's grid map and the default stream. A launch whose grid is zeros evaluates
 * the map, which was compiled when the module was loaded; an explicit grid overrides it.
 *
 * Tensors: maps of equal tensors are shared, up to 1,024 per device, and found without a lock. The owner of each tensor
 * is retained before the launch and released after it is queued, on the calling thread and in the order of the
 * arguments; nothing is released if the call fails before. If `stream` is being captured, the graph keeps the owners
 * retained as long as it or an executable graph of it can launch the kernel; they are then released by the next launch
 * with a tensor on this device, by nereid_device_synchronize or by nereid_device_close, never on a thread of the driver
 * unless the device is closed before. A driver without user objects of graphs (before CUDA 11.3) releases them at the
 * end of the call.
 *   NEREID_ERROR_ARGUMENT   the message names the argument and the violated rule */
NEREID_MUST_USE nereid_status_t nereid_kernel_launch(const nereid_kernel_t *kernel, const nereid_launch_t *launch,
                                                     size_t n, const nereid_value_t *arguments,
                                                     nereid_message_t *message);

/* Launches with the address of each argument's bytes, as cuLaunchKernel takes them; only the count is checked. */
NEREID_MUST_USE nereid_status_t nereid_kernel_launch_raw(const nereid_kernel_t *kernel, const nereid_launch_t *launch,
                                                         size_t n, void *const *arguments, nereid_message_t *message);

/* Evaluates the kernel's grid map for its integer arguments; tensors are valid, too. NEREID_ERROR_NOT_FOUND: the kernel
 * has no map. NEREID_ERROR_ARGUMENT: an argument is not an integer, or a dimension is negative or too large. */
NEREID_MUST_USE nereid_status_t nereid_kernel_grid(const nereid_kernel_t *kernel, size_t n,
                                                   const nereid_value_t *arguments, uint32_t out_grid[3],
                                                   nereid_message_t *message);

/* Experimental: the declarations below may change in any version. Define NEREID_EXPERIMENTAL before the include to use
 * them. All declarations above are stable: names, values, sizes and meaning stay within a major version. */

#ifdef NEREID_EXPERIMENTAL

/* Evaluates a grid map without a kernel; `grid_per_sm` is multiplied by `multiprocessors`. */
NEREID_MUST_USE nereid_status_t nereid_grid_evaluate(const nereid_metadata_t *metadata, int32_t multiprocessors,
                                                     size_t n, const nereid_value_t *arguments, uint32_t out_grid[3],
                                                     nereid_message_t *message);

#endif /* NEREID_EXPERIMENTAL */

#ifdef __cplusplus
}
#endif

#endif
