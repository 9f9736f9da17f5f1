/* What the files of `nereid layout` share. */
#ifndef NEREID_TOOLS_LAYOUT_H
#define NEREID_TOOLS_LAYOUT_H

#include "layout/linear_layout.h"

#include <stdio.h>

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

/* The map in a form to read: the layout's bases, and a grid whose cells say who holds them. */
void tool_layout_print(const tool_layout_t *layout, FILE *out);
/* The same as a picture: threads as colours, what a thread holds side by side as one box; of a shared layout the
 * tensor with its banks and the memory with its rows. */
void tool_layout_draw(const tool_layout_t *layout, const char *title, FILE *out);

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
