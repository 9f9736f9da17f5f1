/* The mbarriers of a ring, one per slot: full barriers of a ring that TMA fills; in a warp-specialized loop also empty
 * barriers, at which the warps that read a slot arrive.
 *
 *   %full = ttg.local_alloc : 3 x 1xi64
 *   for each slot i: ttng.init_barrier %full[i], 1
 *   …                                                 expect: arrives and counts bytes; wait: until they are there
 *   for each slot i: ttng.inval_barrier %full[i]
 *
 * Slots with the same number of bytes from several rings share a barrier. The parity of the awaited phase changes each
 * time the index of the slot starts over. */
#ifndef NEREID_PASSES_RING_BARRIERS_H
#define NEREID_PASSES_RING_BARRIERS_H

#include "nereid/builder.h"

/* Creates the barriers of `slots` slots and initializes them with `arrivals` per phase. */
MlirValue nereid_ring_barriers_create(const nereid_builder_t *builder, int32_t slots, int32_t arrivals);

/* Invalidates the barriers and ends their live range. */
void nereid_ring_barriers_release(const nereid_builder_t *builder, MlirValue barriers);

/* The view of the barrier of slot `index`, an i32. */
MlirOperation nereid_ring_barrier(const nereid_builder_t *builder, MlirValue barriers, MlirValue index);

#endif
