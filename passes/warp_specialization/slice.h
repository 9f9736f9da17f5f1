/* The part of a loop nest that one partition executes: some ops, all ops that they depend on inside the nest, and the
 * values that the loops carry for them.
 *
 *   for %i iter_args(%a, %b):                      slice of the load:  for %i iter_args(%a):
 *     %x = tt.descriptor_load %d[%a]                                     %x = tt.descriptor_load %d[%a]
 *     %c = arith.addf %b, …                   ->                         %n = arith.addi %a, 1
 *     %n = arith.addi %a, 1                                              yield %n
 *     yield %n, %c */
#ifndef NEREID_PASSES_SLICE_H
#define NEREID_PASSES_SLICE_H

#include "base/map.h"
#include "passes/warp_specialization/partitions.h"

typedef struct nereid_partition_slice {
  nereid_arena_t *arena;
  MlirOperation root;                    /* the outermost scf.for */
  bool (*is_received)(MlirOperation op); /* ops whose results come from another partition: not followed; null: none */
  nereid_map_t ops;                      /* ops in the bodies of the nest's loops, and the loops -> 1 */
  nereid_map_t carried;                  /* block argument of a carried value -> 1 */
} nereid_partition_slice_t;

void nereid_partition_slice_begin(nereid_partition_slice_t *slice, nereid_arena_t *arena, MlirOperation root,
                                  bool (*is_received)(MlirOperation op));

/* Adds `op`, an op in the body of one of the loops, and all that it depends on. */
void nereid_partition_slice_add(nereid_partition_slice_t *slice, MlirOperation op);

/* Adds carried value `number` of `loop`. */
void nereid_partition_slice_carry(nereid_partition_slice_t *slice, MlirOperation loop, intptr_t number);

bool nereid_partition_slice_has(const nereid_partition_slice_t *slice, MlirOperation op);
bool nereid_partition_slice_carries(const nereid_partition_slice_t *slice, MlirOperation loop, intptr_t number);

/* The first op of the slice, other than a loop, of which `is_good` is false; null: none. */
MlirOperation nereid_partition_slice_obstacle(const nereid_partition_slice_t *slice, bool (*is_good)(MlirOperation op));

/* Whether a partition can compute `value`, from outside of the loop, again: it depends on scalars and buffers only,
 * through ops without side effects, of which `is_good` (null: always) is true. */
bool nereid_partition_can_recompute(MlirValue value, bool (*is_good)(MlirOperation op));

#endif
