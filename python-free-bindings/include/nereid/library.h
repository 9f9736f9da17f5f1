/* Libraries of kernels that `nereid aot` compiled ahead of time (docs/aot.md).
 *
 *   nereid aot matmul.ttir --target sm_80,sm_90a -o libK.a --header K.h
 *
 *   #include "K.h"
 *   nereid_library_t *k;
 *   K_open(device, &k, &message);                              // chooses and loads the images for this device
 *   K_matmul(k, NULL, &a, &b, &c, &message);                   // a launch: the kernel's own grid, the default stream
 *   nereid_library_close(k);
 *
 * The generated functions call the ones below. A program calls them only to load lazy images early, or to get the
 * kernel of a configuration, for its metadata, its resources or a launch with other functions of nereid/launch.h.
 *
 * A table describes a library; it is constant and has static storage. An open library is a table on a device. Thread
 * safety: all functions may be called from any thread; an image is loaded once. */
#ifndef NEREID_LIBRARY_H
#define NEREID_LIBRARY_H

#include "nereid/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- tables --- */

typedef struct nereid_library_image {
  const char *target;     /* "sm_90a": a cubin; "compute_90a": PTX */
  nereid_view_t bytes;    /* the cubin or the PTX */
  nereid_view_t metadata; /* JSON (docs/metadata.md) */
} nereid_library_image_t;

/* A kernel compiled with certain options and constants, for one or more targets. */
typedef struct nereid_library_configuration {
  const char *name; /* "num_warps_8" */
  size_t n_images;
  const nereid_library_image_t *images;
} nereid_library_configuration_t;

typedef struct nereid_library_kernel {
  const char *name; /* the function in the IR */
  size_t n_configurations;
  const nereid_library_configuration_t *configurations; /* the preferred one first */
} nereid_library_kernel_t;

typedef struct nereid_library_table {
  size_t size;      /* sizeof(nereid_library_table_t): later versions append fields */
  const char *name; /* "k" */
  bool lazy;        /* an image is loaded at its first launch, not when the library is opened */
  size_t n_kernels;
  const nereid_library_kernel_t *kernels;
} nereid_library_table_t;

/* --- open libraries --- */

typedef struct nereid_library nereid_library_t;

/* Opens a library on a device, which must stay open until the library is closed. `table` is borrowed as long. The
 * images of each configuration are tried in this order; the first that the device can load is used:
 *
 *   1. a cubin of exactly the device's architecture: sm_90a, then sm_90 on a device of capability 9.0
 *   2. a cubin of an earlier minor version: sm_80 on 8.6 and 8.9, but not on 8.7, whose cubins are separate
 *   3. PTX of the device's capability or an earlier one, the latest first, which the driver compiles; PTX with the
 *      suffix "a" requires its exact capability. The emulator device loads PTX only
 *
 * Unless the table is lazy, all configurations are loaded. A configuration without a usable image (it may require more
 * shared memory than the device has) is an error only if its kernel has no other one.
 *   NEREID_ERROR_UNSUPPORTED   a kernel has no image for this device; the message has both architectures
 *   NEREID_ERROR_ARGUMENT      `table` is of another version; an image or metadata is malformed
 *   NEREID_ERROR_MEMORY, NEREID_ERROR_DEVICE */
NEREID_MUST_USE nereid_status_t nereid_library_open(const nereid_library_table_t *table, nereid_device_t *device,
                                                    nereid_library_t **out_library, nereid_message_t *message);

/* Unloads all images. Launches must have completed. Null is valid. */
void nereid_library_close(nereid_library_t *library);

/* Loads the images of a lazy library that are not loaded yet, as nereid_library_open does for others. Call it before
 * stream capture, during which the driver may refuse to load images. */
NEREID_MUST_USE nereid_status_t nereid_library_load(nereid_library_t *library, nereid_message_t *message);

/* The position of a configuration that selects the first suitable one. */
#define NEREID_LIBRARY_ANY SIZE_MAX

/* Launches the kernel at position `kernel` of `table`, with the arguments of nereid_kernel_launch. `configuration` is a
 * position in the kernel's list. NEREID_LIBRARY_ANY: the first configuration with a usable image whose promised
 * divisibility the arguments have; the last usable one if there is none, which then reports the argument.
 *   NEREID_ERROR_ARGUMENT      as nereid_kernel_launch; `library` is null or was opened from another table; there is no
 *                              such kernel or configuration
 *   NEREID_ERROR_UNSUPPORTED   as nereid_library_open, for a lazy library or a single configuration
 *   NEREID_ERROR_MEMORY, NEREID_ERROR_DEVICE */
NEREID_MUST_USE nereid_status_t nereid_library_launch(nereid_library_t *library, const nereid_library_table_t *table,
                                                      size_t kernel, size_t configuration,
                                                      const nereid_launch_t *launch, size_t n,
                                                      const nereid_value_t *arguments, nereid_message_t *message);

/* Gets the loaded kernel of a configuration, loading it if necessary; `configuration` null: the first usable one. Valid
 * until the library is closed.
 *   NEREID_ERROR_NOT_FOUND   there is no such kernel or configuration; the message lists them
 *   other errors as nereid_library_open */
NEREID_MUST_USE nereid_status_t nereid_library_kernel(nereid_library_t *library, const char *name,
                                                      const char *configuration, const nereid_kernel_t **out_kernel,
                                                      nereid_message_t *message);

#ifdef __cplusplus
}
#endif

#endif
