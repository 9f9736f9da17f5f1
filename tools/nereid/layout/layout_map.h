/* A layout with the place of each element, which `nereid layout` and hovers print. */
#ifndef NEREID_TOOLS_LAYOUT_MAP_H
#define NEREID_TOOLS_LAYOUT_MAP_H

#include "base/arena.h"
#include "base/message.h"
#include "layout/linear_layout.h"

#include <mlir-c/IR.h>

/* A limit on printed elements: more are not readable. */
enum { TOOL_LAYOUT_MAX_ELEMENTS = 1 << 16 };

/* The place of an element: a register of a thread, or an offset in shared memory. */
typedef struct tool_place {
  uint32_t registr, lane, warp, block; /* for a shared layout, `registr` is the offset in elements, gaps included */
} tool_place_t;

typedef struct tool_layout {
  nereid_layout_t layout;
  bool shared;
  uint32_t element_bits;
  uint32_t copies;     /* number of places that hold each element */
  uint32_t n;          /* number of elements */
  uint32_t end;        /* for a shared layout: the offset after the last element */
  tool_place_t *first; /* [packed coordinate]: the first place of the element */
} tool_layout_t;

/* Returns the bits of the element type; 0 when registers cannot hold it. */
uint32_t tool_layout_element_bits(MlirType type);

/* Finds the place of each element of a tensor or buffer of `shape` (rank entries). NEREID_ERROR_UNSUPPORTED when the
 * encoding is not a layout; NEREID_ERROR_PROGRAM when it does not fit the shape; NEREID_ERROR_ARGUMENT when there are
 * too many elements; NEREID_ERROR_MEMORY. Lives in `arena`. */
NEREID_MUST_USE nereid_status_t tool_layout_create(nereid_arena_t *arena, MlirAttribute encoding, int rank,
                                                   const int64_t *shape, uint32_t element_bits, tool_layout_t *out,
                                                   nereid_message_t *message);

/* Returns the description of the grid's cells. */
static inline const char *tool_layout_legend(const tool_layout_t *layout) {
  const bool ctas = layout->layout.in_bits[NEREID_LAYOUT_BLOCK] > 0;
  if (layout->shared)
    return ctas ? "CTA:offset in elements/bank of 4 bytes" : "offset in elements/bank of 4 bytes";
  return ctas ? "CTA:thread:register" : "thread:register";
}

/* Returns the sizes of the last two dimensions, 1 for a missing one. The dimensions before them are slices. */
static inline void tool_layout_grid(const tool_layout_t *layout, uint32_t *out_slices, uint32_t *out_rows,
                                    uint32_t *out_columns) {
  const nereid_layout_t *l = &layout->layout;
  *out_columns = l->rank ? UINT32_C(1) << l->out_bits[l->rank - 1] : 1;
  *out_rows = l->rank > 1 ? UINT32_C(1) << l->out_bits[l->rank - 2] : 1;
  *out_slices = layout->n / *out_rows / *out_columns;
}

/* Returns the bank (4 bytes, of 32) in which an element of a shared layout begins. */
static inline uint32_t tool_layout_bank(const tool_layout_t *layout, uint32_t element) {
  return (uint32_t)((uint64_t)layout->first[element].registr * layout->element_bits / 32 % 32);
}

#endif
