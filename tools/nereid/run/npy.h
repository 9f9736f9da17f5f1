/* NumPy's .npy files: one array of one type, in C order. */
#ifndef NEREID_TOOLS_NPY_H
#define NEREID_TOOLS_NPY_H

#include "base/arena.h"
#include "base/element.h"
#include "base/message.h"

enum { TOOL_RANK_LIMIT = 8 };

/* A dense array on the host. */
typedef struct tool_tensor {
  nereid_element_t element;
  uint32_t rank;                   /* 0: one element */
  uint64_t shape[TOOL_RANK_LIMIT]; /* outermost first */
  size_t count;                    /* elements */
  size_t bytes;
  void *data; /* allocated in the creator's arena; null: not filled yet */
} tool_tensor_t;

/* Computes count and bytes from element and shape; false when they overflow or exceed 2^46 bytes. */
bool tool_tensor_measure(tool_tensor_t *tensor);

/* Parses the bytes of a .npy file. `requested` is the element type to read, or NONE for the file's own type. NumPy has
 * neither bf16 nor 8-bit floats, so u2 and u1 are read as those types on request. `out_tensor->data` points into
 * `bytes`. NEREID_ERROR_ARGUMENT: not a .npy file, truncated, big endian, Fortran order, or another type; the message
 * has the reason. */
NEREID_MUST_USE nereid_status_t tool_npy_parse(nereid_view_t bytes, nereid_element_t requested,
                                               tool_tensor_t *out_tensor, nereid_message_t *message);

/* Returns the bytes of a .npy file with this tensor; bf16 as u2, 8-bit floats as u1, i1 as b1. NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t tool_npy_print(nereid_arena_t *arena, const tool_tensor_t *tensor,
                                               nereid_view_t *out_bytes);

#endif
