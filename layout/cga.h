/* The distribution of a tensor over the CTAs of a cluster. */
#ifndef NEREID_LAYOUT_CGA_H
#define NEREID_LAYOUT_CGA_H

#include "layout/linear_layout.h"

enum { NEREID_LAYOUT_MAX_BLOCK_BITS = 5 };

/* Distribution of a tensor over the CTAs of a cluster: CTA 2^i holds the part `bases[i]` (one number per tensor
 * dimension, in units of one CTA's part); all zeros: the same elements as CTA 0. Null: one CTA. */
typedef struct nereid_layout_cga {
  int bits; /* log2 of the number of CTAs */
  int32_t bases[NEREID_LAYOUT_MAX_BLOCK_BITS][NEREID_LAYOUT_MAX_RANK];
} nereid_layout_cga_t;

#endif
