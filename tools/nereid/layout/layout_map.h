/* A layout with the place of each element: what `nereid layout` prints and draws. */
#ifndef NEREID_TOOLS_LAYOUT_MAP_H
#define NEREID_TOOLS_LAYOUT_MAP_H

#include "layout/linear_layout.h"

/* Where an element lies: a register of a thread, or an offset in shared memory. */
typedef struct tool_place {
  uint32_t registr, lane, warp, block; /* of a shared layout `registr` is the offset in elements,
                                          gaps included */
} tool_place_t;

typedef struct tool_layout {
  nereid_layout_t layout;
  bool shared;
  uint32_t element_bits;
  uint32_t copies;     /* how many places hold each element */
  uint32_t n;          /* elements */
  uint32_t end;        /* of a shared layout: the first offset behind all elements */
  tool_place_t *first; /* [packed coordinate]: the first of them */
} tool_layout_t;

/* What a cell of the grid says. */
static inline const char *tool_layout_legend(const tool_layout_t *layout) {
  const bool ctas = layout->layout.in_bits[NEREID_LAYOUT_BLOCK] > 0;
  if (layout->shared)
    return ctas ? "CTA:offset in elements/bank of 4 bytes" : "offset in elements/bank of 4 bytes";
  return ctas ? "CTA:thread:register" : "thread:register";
}

/* Sizes of the last two dimensions; 1 for one that is missing. What is before them are slices. */
static inline void tool_layout_grid(const tool_layout_t *layout, uint32_t *out_slices, uint32_t *out_rows,
                                    uint32_t *out_columns) {
  const nereid_layout_t *l = &layout->layout;
  *out_columns = l->rank ? UINT32_C(1) << l->out_bits[l->rank - 1] : 1;
  *out_rows = l->rank > 1 ? UINT32_C(1) << l->out_bits[l->rank - 2] : 1;
  *out_slices = layout->n / *out_rows / *out_columns;
}

/* The bank (4 bytes, of 32) where an element of a shared layout begins. */
static inline uint32_t tool_layout_bank(const tool_layout_t *layout, uint32_t element) {
  return (uint32_t)((uint64_t)layout->first[element].registr * layout->element_bits / 32 % 32);
}

#endif
