/* Partitions of a warp-specialized loop, as attributes of its ops.
 *
 *   scf.for … {
 *     %i = arith.muli …            {ttg.partition = array<i32: 0, 1>}      computed by both
 *     %x = tt.descriptor_load …    {ttg.partition = array<i32: 1>}
 *     %d = ttng.warp_group_dot …   {ttg.partition = array<i32: 0>}
 *   } {ttg.warp_specialize.tag = 0 : i32}
 *
 * Partition 0 becomes the default region of ttg.warp_specialize, partition i > 0 its region i - 1. The schedule of the
 * compiler has two: 0 consumes tiles, 1 loads them. Users may add more. Ops in nested regions belong to the op of a
 * loop's body that contains them, except for nested scf.for, whose bodies are divided, too.
 * docs/warp-specialization.md describes the attributes for users, who may edit them. */
#ifndef NEREID_PASSES_PARTITIONS_H
#define NEREID_PASSES_PARTITIONS_H

#include "base/map.h"
#include "passes/pass.h"
#include "passes/support/collect.h"

#define NEREID_ATTR_PARTITION "ttg.partition"
#define NEREID_ATTR_PARTITION_SLOTS "ttg.partition.slots" /* on an op: slots of the ring of its result */
#define NEREID_ATTR_PARTITION_WARPS "ttg.partition.warps" /* on the loop: warps of each partition */
#define NEREID_ATTR_WARP_SPECIALIZE "tt.warp_specialize"
#define NEREID_ATTR_WARP_SPECIALIZE_TAG "ttg.warp_specialize.tag"

enum {
  NEREID_PARTITION_CONSUMER,
  NEREID_PARTITION_PRODUCER,
  NEREID_PARTITION_MAX = 8,  /* partitions of a loop */
  NEREID_PARTITION_SLOTS = 2 /* slots of a ring without the attribute */
};

/* A set of partitions: bit p is partition p. */
typedef uint32_t nereid_partitions_t;

/* The set of one partition. */
static inline nereid_partitions_t nereid_partition_only(int partition) {
  return UINT32_C(1) << partition;
}

/* Whether `op` is a divided loop or an scf.for of its nest: one that only loops contain up to the divided one. */
bool nereid_partition_is_loop(MlirOperation op);

/* The partitions that the attribute of `op` lists; of an op in a nested region, those of the op of a divided body that
 * contains it. Numbers out of range are left out. */
nereid_partitions_t nereid_partition_of(MlirOperation op);

/* Verifies that the attribute of each op in the divided loop `root`, if it has one, is a list of numbers below
 * NEREID_PARTITION_MAX. False after a diagnostic. Passes call it before they use the attributes, which users edit. */
bool nereid_partition_verify(MlirOperation root);

/* Whether the attribute of `op` lists `partition`. */
bool nereid_partition_has(MlirOperation op, int partition);

void nereid_partition_set(MlirOperation op, nereid_partitions_t partitions);

/* Assigns all of the `n` ops to `partition`. */
void nereid_partition_set_all(size_t n, const MlirOperation *ops, int partition);

/* The number of partitions of a divided loop: one more than the largest number that its ops list. */
int nereid_partition_count(MlirOperation root);

/* The warps that execute `partition` of a divided loop: those of the function, unless the loop has
 * ttg.partition.warps. */
int32_t nereid_partition_warps(MlirOperation root, int partition);

/* Whether the op is a load through a descriptor or of a tensor through pointers, by one partition for another one. */
bool nereid_partition_is_load(MlirOperation op);

/* The divided loops below `root`, which have ttg.warp_specialize.tag. */
bool nereid_partition_loops(MlirOperation root, nereid_arena_t *arena, nereid_operations_t *out);

/* The scf.for that contain `op`, from `root` to the innermost. */
bool nereid_partition_nest(MlirOperation root, MlirOperation op, nereid_arena_t *arena, nereid_operations_t *out);

#endif
