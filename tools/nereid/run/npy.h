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
  void *data; /* in the arena of whoever made it; null: not filled yet */
} tool_tensor_t;

/* Computes count and bytes from element and shape; false when they overflow or pass 2^46 bytes. */
bool tool_tensor_measure(tool_tensor_t *tensor);

/* Reads the bytes of a .npy file. `wanted` is the element type to read it as, or NONE for the file's own: NumPy has no
 * bf16 and no 8-bit floats, so u2 and u1 are read as those when they are asked for. `out_tensor->data` points into
 * `bytes`. NEREID_ERROR_ARGUMENT: no .npy, truncated, big endian, Fortran order, or another type; the message says. */
NEREID_MUST_USE nereid_status_t tool_npy_parse(nereid_view_t bytes, nereid_element_t wanted, tool_tensor_t *out_tensor,
                                               nereid_message_t *message);

/* The bytes of a .npy file with this tensor; bf16 as u2, 8-bit floats as u1, i1 as b1. NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t tool_npy_print(nereid_arena_t *arena, const tool_tensor_t *tensor,
                                               nereid_view_t *out_bytes);

#endif
