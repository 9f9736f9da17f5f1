/* The indices of ring slots, which a pipelined loop carries.
 *
 *   for … iter_args(%i = 0, %p = 0):
 *     %wraps = %i + 1 >= slots
 *     yield %wraps ? 0 : %i + 1, %wraps ? %p xor 1 : %p
 *
 * A counter selects a slot. Its phase, where one is required, is the parity of the number of times that it started
 * over: of the phase of the slot's mbarrier. Its reuse is 0 until it has started over, then 1. */
#ifndef NEREID_PASSES_RING_COUNTERS_H
#define NEREID_PASSES_RING_COUNTERS_H

#include "base/vector.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct nereid_ring_counter {
  int32_t slots, stage;
  bool has_phase, has_reuse;
  MlirValue index; /* i32; the constant 0 for one slot */
  MlirValue phase; /* i32, 0 or 1; null without a phase */
  MlirValue reuse; /* i32, 0 or 1: whether the slot has been filled before; null if not required */
} nereid_ring_counter_t;

typedef NEREID_VECTOR(nereid_ring_counter_t) nereid_ring_counters_t;

/* Returns the position of the counter modulo `slots` that advances in `stage`, which is added if it is new. */
size_t nereid_ring_counters_add(nereid_ring_counters_t *counters, nereid_arena_t *arena, int32_t slots, int32_t stage,
                                bool has_phase);

/* Replaces `loop` by one that carries the counters from `zero`, an i32, and moves the body into it. Returns the new
 * loop; null when out of memory. */
MlirOperation nereid_ring_counters_carry(nereid_ring_counters_t *counters, nereid_arena_t *arena, MlirOperation loop,
                                         MlirValue zero);

/* Yields the next values of the counters, which are computed in their stages and in `cluster`. */
void nereid_ring_counters_advance(const nereid_ring_counters_t *counters, MlirOperation loop, MlirValue zero,
                                  int32_t cluster);

#endif
