/* Properties of the kernels in a cubin or PTX text, read without a driver: names, parameters, resources. */
#ifndef NEREID_LAUNCH_IMAGE_H
#define NEREID_LAUNCH_IMAGE_H

#include "base/arena.h"
#include "base/element.h"
#include "base/message.h"

#include <stdint.h>

typedef enum nereid_image_kind {
  NEREID_IMAGE_UNKNOWN = 0,
  NEREID_IMAGE_CUBIN = 1,
  NEREID_IMAGE_PTX = 2,
} nereid_image_kind_t;

typedef struct nereid_image_parameter {
  uint32_t offset;          /* bytes from the first parameter */
  uint32_t size;            /* bytes */
  const char *name;         /* points into the text; null for a cubin */
  nereid_element_t element; /* element of a scalar whose PTX type is .fN, .sN or .uN; NONE: any bits, or unknown */
  bool is_pointer;          /* declared .ptr */
} nereid_image_parameter_t;

typedef struct nereid_image_kernel {
  const char *name;
  uint32_t registers;           /* per thread; 0: unknown (PTX) */
  uint32_t static_shared;       /* bytes per CTA, without the dynamic part */
  uint32_t stack;               /* bytes per thread */
  uint32_t code;                /* bytes of machine code; 0 for PTX */
  uint32_t required_threads[3]; /* .reqntid; 0: none */
  uint32_t max_threads[3];      /* .maxntid of PTX; 0: none */
  uint32_t required_cluster[3]; /* CTAs, .reqnctapercluster of PTX; 0: none */
  uint32_t maxnreg;             /* .maxnreg of PTX; 0: none */
  size_t n_parameters;
  const nereid_image_parameter_t *parameters; /* in order */
} nereid_image_kernel_t;

typedef struct nereid_image {
  nereid_image_kind_t kind;
  const char *arch;    /* "sm_90a" */
  int32_t capability;  /* 90 */
  int32_t ptx_version; /* 87 for PTX 8.7; 0 for a cubin */
  size_t n_kernels;
  const nereid_image_kernel_t *kernels;
} nereid_image_t;

/* ELF is a cubin, text with a .version directive is PTX. */
nereid_image_kind_t nereid_image_kind(nereid_view_t bytes);

/* Reads an image into `arena`. NEREID_ERROR_ARGUMENT: neither cubin nor PTX, truncated, or malformed; the message has
 * the position. NEREID_ERROR_MEMORY. Every offset is checked against the size, so arbitrary bytes are safe. */
NEREID_MUST_USE nereid_status_t nereid_image_inspect(nereid_arena_t *arena, nereid_view_t bytes,
                                                     nereid_image_t *out_image, nereid_message_t *message);

/* Returns the kernel with this name; null when there is none. */
const nereid_image_kernel_t *nereid_image_find(const nereid_image_t *image, const char *name);

/* The readers that nereid_image_inspect calls. */
NEREID_MUST_USE nereid_status_t nereid_cubin_inspect(nereid_arena_t *arena, nereid_view_t bytes,
                                                     nereid_image_t *out_image, nereid_message_t *message);
NEREID_MUST_USE nereid_status_t nereid_ptx_inspect(nereid_arena_t *arena, nereid_view_t text, nereid_image_t *out_image,
                                                   nereid_message_t *message);

#endif
