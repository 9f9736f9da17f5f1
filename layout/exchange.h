/* Plans exchanges of elements through shared memory without bank conflicts and with wide accesses.
 *
 *   64x64 f32, rows to columns: a thread stores single words, loads four; word (r, c) is at 64 c + (r ^ 4 (c mod 8))
 *
 * Bank conflicts: 128 consecutive bytes cover all banks. The lanes of one wavefront (8 for accesses of 16 bytes, 16 for
 * 8, else 32) must differ in their position within 128 bytes. The lanes of both layouts do if the space of coordinates
 * that selects the 128 bytes has only 0 in common with each lane space: a common complement of the two
 * spaces, which always exists. After Zhou et al., "Linear Layouts", section 5.4.
 *
 * Matrices: ldmatrix and stmatrix access up to four tiles of 8 rows of 16 bytes; lane l provides the address of row
 * l mod 8 of tile l / 8. Register i of lane 4 r + c holds word c of row r of tile i; transposed, halves r of rows 2 c
 * and 2 c + 1. So the elements of lanes 0, 1 (transposed: lanes 2, 3, 4) of one side must be in adjacent slots. Matrix
 * accesses replace accesses of words and 16-bit elements on that side; the other side holds these adjacent elements in
 * registers and accesses 16 bytes. */
#ifndef NEREID_LAYOUT_EXCHANGE_H
#define NEREID_LAYOUT_EXCHANGE_H

#include "layout/linear_layout.h"

/* The sides that may use matrix accesses. */
enum {
  NEREID_LAYOUT_LOAD_MATRICES = 1,
  NEREID_LAYOUT_STORE_MATRICES = 2,
};

/* The matrix accesses of one side: an instruction accesses `tiles` words of a thread, its next registers in order. */
typedef struct nereid_layout_matrices {
  int tiles;            /* 1, 2 or 4; 0: no matrix accesses */
  bool transposed;      /* a word holds two rows' elements of one column */
  nereid_layout_t rows; /* (instruction, lane, warp) -> slot of the row address that the lane provides */
} nereid_layout_matrices_t;

typedef struct nereid_layout_exchange {
  nereid_layout_t from, to;    /* the layouts without replicated registers, registers of a vector access first */
  nereid_layout_t store, load; /* their slots, layouts of one dimension; a slot holds an element */
  nereid_layout_matrices_t store_matrices, load_matrices; /* at most one side has them */
} nereid_layout_exchange_t;

/* One half of a layout's elements; see nereid_layout_exchange_halve. */
typedef struct nereid_layout_half {
  nereid_layout_t layout;
  int register_bit; /* register bit of the whole layout: 0 in the first half, 1 in the second */
} nereid_layout_half_t;

/* Plans the exchange of elements of `element_bytes` between two layouts of one tensor; `allowed` are the sides that may
 * use matrix accesses, if these take fewer instructions. */
void nereid_layout_exchange(const nereid_layout_t *from, const nereid_layout_t *to, int element_bytes, unsigned allowed,
                            nereid_layout_exchange_t *out);

/* Whether stmatrix stores (ldmatrix loads, unless `stores`) elements of `element_bytes` whose `slots`, a layout of one
 * dimension, are given, in fewer instructions than vectors do. `out_order[i]` is the bit of the registers of `slots`
 * that is bit i of the registers in the order of the instructions; registers that hold copies are left out. */
bool nereid_layout_matrices_of_slots(const nereid_layout_t *slots, int element_bytes, bool stores,
                                     uint8_t out_order[NEREID_LAYOUT_MAX_BITS], nereid_layout_matrices_t *out);

/* Divides an exchange in two equal ones by a bit of the tensor's coordinates that one register bit of each layout, and
 * no other input, selects: the registers without that bit, in order, are one half, those with it the other. Both
 * halves have the layouts `out_from` and `out_to`, of one dimension. False if there is no such bit. */
bool nereid_layout_exchange_halve(const nereid_layout_t *from, const nereid_layout_t *to,
                                  nereid_layout_half_t *out_from, nereid_layout_half_t *out_to);

/* Whether every warp reads only slots that no other warp wrote: a warp barrier suffices. */
bool nereid_layout_exchange_in_warp(const nereid_layout_t *from, const nereid_layout_t *to);

#endif
