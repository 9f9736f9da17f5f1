/* Coordinates of a thread's elements, and the threads that hold an element. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_COORDINATES_H
#define NEREID_CONVERSION_TTG_TO_LLVM_COORDINATES_H

#include "conversion/ttg_to_llvm/types.h"

/* Coordinates of a thread's elements: the coordinate of register r in dimension d is base[d] ^ offset[r][d]; the xor
 * is an addition wherever `disjoint`. Bases are i32 and live in the prologue, so they can be used anywhere. */
typedef struct nereid_coordinates {
  intptr_t rank, registers;
  MlirValue base[NEREID_TTG_MAX_RANK];
  bool disjoint[NEREID_TTG_MAX_RANK]; /* no bit is set by both the thread and the register */
  const int32_t *offsets;             /* [registers][rank] */
} nereid_coordinates_t;

const nereid_coordinates_t *nereid_lower_coordinates(nereid_lower_t *lower, MlirType tensor);

/* i32 coordinate of register `r` in dimension `d`, emitted here. */
MlirValue nereid_lower_coordinate(nereid_lower_t *lower, const nereid_coordinates_t *coordinates, intptr_t r,
                                  intptr_t d);

/* i32: the part of the coordinate in dimension `d` that lane and warp determine, emitted here. */
MlirValue nereid_lower_thread_coordinate(nereid_lower_t *lower, const nereid_layout_t *layout, int d);

/* CTAs of a cluster hold different parts of a tensor: `sum`, i32 or null for 0, combined by xor with the coordinate in
 * dimension `d` at which the part of the executing CTA begins. Null when both are 0. */
MlirValue nereid_lower_add_cta_coordinate(nereid_lower_t *lower, const nereid_layout_t *layout, int d, MlirValue sum);

/* i1 that is true for exactly one of the threads that hold the same elements of `tensor`; null when all differ. For
 * effects that the cluster must see once. */
MlirValue nereid_lower_unique_thread(nereid_lower_t *lower, MlirType tensor);

/* The same for exactly one of them in each CTA, for effects in the CTA's own shared memory. */
MlirValue nereid_lower_unique_thread_of_cta(nereid_lower_t *lower, MlirType tensor);

/* i1: this thread is the one that writes `type` out. Of a tensor, as above; a scalar is written by the first thread of
 * the first CTA. Null when every thread writes. */
MlirValue nereid_lower_storing_thread(nereid_lower_t *lower, MlirType type);

#endif
