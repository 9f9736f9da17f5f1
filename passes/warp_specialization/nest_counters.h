/* Counters of ring slots that go through all loops of a nest: the producer continues with the next tile of a persistent
 * kernel while the consumer is still in an epilogue.
 *
 *   scf.for … iter_args(%i0 = 0, %p0 = 0) {                         the index of a slot and the parity of its phase
 *     scf.for … iter_args(%i = %i0, %p = %p0) {
 *       %n = %i + 1;  %wraps = %n >= slots
 *       yield %wraps ? 0 : %n, %wraps ? %p xor 1 : %p
 *     }
 *     yield the results of the inner loop
 *   } */
#ifndef NEREID_PASSES_NEST_COUNTERS_H
#define NEREID_PASSES_NEST_COUNTERS_H

#include "passes/warp_specialization/partitions.h"

typedef struct nereid_nest_counter {
  MlirOperation loop; /* the innermost one */
  int32_t slots;
  nereid_partitions_t partitions; /* that use it */
  MlirValue index, phase;         /* i32, in the body of `loop`, once the loops carry it */
} nereid_nest_counter_t;

typedef NEREID_VECTOR(nereid_nest_counter_t) nereid_nest_counters_t;

/* Returns the number of the counter of `slots` slots in `loop`, which `partitions` use, too. */
size_t nereid_nest_counters_add(nereid_nest_counters_t *counters, nereid_arena_t *arena, MlirOperation loop,
                                int32_t slots, nereid_partitions_t partitions);

/* Lets all loops from *root to those of the counters carry them. Replaces the loops; `replaced` is called for each.
 * False when out of memory. */
bool nereid_nest_counters_carry(nereid_nest_counters_t *counters, nereid_arena_t *arena, MlirOperation *root,
                                void (*replaced)(void *data, MlirOperation from, MlirOperation to), void *data);

#endif
