/* How elements lie in shared memory while threads exchange them: no bank conflicts, and wide accesses.
 *
 *   64x64 f32, rows to columns: a thread stores single words, loads four; word (r, c) lies at 64 c + (r ^ 4 (c mod 8))
 *
 * Bank conflicts: 128 bytes in a row are all banks. The lanes of one wavefront (8 of accesses of 16 bytes, 16 of 8,
 * else 32) must differ in the place within 128 bytes. Both layouts' lanes do so when what picks the 128 bytes, a space
 * of coordinates, meets neither's lanes: a common complement of the two spaces, and there always is one. After Zhou et
 * al., "Linear Layouts", section 5.4.
 *
 * Matrices: ldmatrix and stmatrix move up to four tiles of 8 rows of 16 bytes, and lane l gives the place of row l mod
 * 8 of tile l / 8. Register i of lane 4 r + c holds word c of row r of tile i; transposed, halves r of rows 2 c and 2 c
 * + 1. So what lanes 0, 1 (transposed: lanes 2, 3, 4) of the one side move has to be neighbours in slots. They replace
 * single words and halves on that side, and the other side, which has these neighbours in registers, moves 16 bytes. */
#ifndef NEREID_LAYOUT_EXCHANGE_H
#define NEREID_LAYOUT_EXCHANGE_H

#include "layout/linear_layout.h"

/* Which sides may move matrices. */
enum {
  NEREID_LAYOUT_LOAD_MATRICES = 1,
  NEREID_LAYOUT_STORE_MATRICES = 2,
};

/* How one side moves matrices: an instruction moves `tiles` words of a thread, its next registers in order. */
typedef struct nereid_layout_matrices {
  int tiles;            /* 1, 2 or 4; 0: the side does not move matrices */
  bool transposed;      /* a word holds two rows' elements of one column */
  nereid_layout_t rows; /* (instruction, lane, warp) -> slot of the row that the lane gives */
} nereid_layout_matrices_t;

typedef struct nereid_layout_exchange {
  nereid_layout_t from, to;    /* the layouts without copies in registers, those that move together first */
  nereid_layout_t store, load; /* their slots, layouts of one dimension; a slot holds an element */
  nereid_layout_matrices_t store_matrices, load_matrices; /* at most one side moves them */
} nereid_layout_exchange_t;

/* Plans the exchange of elements of `element_bytes` between two layouts of one tensor; `allowed` are the sides that may
 * move matrices, and do where that takes fewer instructions. */
void nereid_layout_exchange(const nereid_layout_t *from, const nereid_layout_t *to, int element_bytes, unsigned allowed,
                            nereid_layout_exchange_t *out);

/* Whether stmatrix stores elements of `element_bytes` whose `slots`, a layout of one dimension, are given, in fewer
 * instructions than vectors do. `out_order[i]` is the bit of the registers of `slots` that is bit i of the registers in
 * the order of the instructions; registers that hold copies are left out. */
bool nereid_layout_matrices_of_slots(const nereid_layout_t *slots, int element_bytes,
                                     uint8_t out_order[NEREID_LAYOUT_MAX_BITS], nereid_layout_matrices_t *out);

/* Whether every warp reads only what it has written itself, and no other warp writes that: its threads need to wait for
 * each other only. */
bool nereid_layout_exchange_in_warp(const nereid_layout_t *from, const nereid_layout_t *to);

#endif
