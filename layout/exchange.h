/* How elements lie in shared memory while threads exchange them: no bank conflicts, and wide accesses.
 *
 *   64x64 f32, rows to columns: a thread stores single words, loads four; word (r, c) lies at 64 c + (r ^ 4 (c mod 8))
 *
 * Bank conflicts: 128 bytes in a row are all banks. The lanes of one wavefront (8 of accesses of 16 bytes, 16 of 8,
 * else 32) must differ in the place within 128 bytes. Both layouts' lanes do so when what picks the 128 bytes, a space
 * of coordinates, meets neither's lanes: a common complement of the two spaces, and there always is one. After Zhou et
 * al., "Linear Layouts", section 5.4. */
#ifndef NEREID_LAYOUT_EXCHANGE_H
#define NEREID_LAYOUT_EXCHANGE_H

#include "layout/linear_layout.h"

typedef struct nereid_layout_exchange {
  nereid_layout_t from, to;    /* the layouts without copies in registers, those that move together first */
  nereid_layout_t store, load; /* their slots, layouts of one dimension; a slot holds an element */
} nereid_layout_exchange_t;

/* Plans the exchange of elements of `element_bytes` between two layouts of one tensor. */
void nereid_layout_exchange(const nereid_layout_t *from, const nereid_layout_t *to, int element_bytes,
                            nereid_layout_exchange_t *out);

#endif
