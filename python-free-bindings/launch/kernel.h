/* A loaded kernel: the state of a launch that does not change between calls, computed once. */
#ifndef NEREID_LAUNCH_KERNEL_H
#define NEREID_LAUNCH_KERNEL_H

#include "python-free-bindings/launch/driver.h"
#include "python-free-bindings/launch/grid/grid.h"
#include "python-free-bindings/launch/image/image.h"

enum {
  NEREID_KERNEL_PARAMETER_LIMIT = 512, /* of one kernel, scratch pointers included */
  NEREID_KERNEL_ATTRIBUTE_LIMIT = 4,
};

/* What each launch checks of a parameter, without its name and tile: launches read little memory. */
typedef struct nereid_parameter_check {
  uint64_t mask; /* value & mask must be 0 */
  uint32_t size; /* bytes */
  uint8_t kind;  /* nereid_parameter_kind_t */
  uint8_t element;
} nereid_parameter_check_t;

struct nereid_kernel {
  const nereid_device_t *device;    /* borrowed */
  void *function;                   /* owned by the module's handle */
  nereid_metadata_t metadata;       /* lists all parameters */
  nereid_parameter_check_t *checks; /* one per parameter */
  unsigned block[3];                /* threads per CTA */
  unsigned n_attributes;
  nereid_cu_launch_attribute_t attributes[NEREID_KERNEL_ATTRIBUTE_LIMIT];
  nereid_grid_program_t grid; /* program of the metadata's map */
};

struct nereid_module {
  nereid_device_t *device; /* borrowed */
  nereid_arena_t arena;
  nereid_image_t image;
  void *handle;
  nereid_kernel_t kernel;
};

/* Checks that metadata and image describe the same kernel, and lists the parameters of a kernel without a signature.
 * NEREID_ERROR_ARGUMENT: the message names the difference. */
NEREID_MUST_USE nereid_status_t nereid_kernel_match(nereid_arena_t *arena, const nereid_image_t *image,
                                                    nereid_metadata_t *metadata, nereid_message_t *message);

#endif
