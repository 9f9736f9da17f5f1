/* Partitions of a warp-specialized loop, as attributes of its ops.
 *
 *   scf.for … {
 *     %i = arith.muli …            {ttg.partition = array<i32: 0, 1>}      computed by both
 *     %x = tt.descriptor_load …    {ttg.partition = array<i32: 1>}
 *     %d = ttng.warp_group_dot …   {ttg.partition = array<i32: 0>}
 *   } {ttg.warp_specialize.tag = 0 : i32}
 *
 * Partition 0 consumes tiles and becomes the default region of ttg.warp_specialize; partition 1 produces them. Ops in
 * nested regions belong to the op of a loop's body that contains them, except for nested scf.for, whose bodies are
 * divided, too. docs/warp-specialization.md describes the attributes for users, who may edit them. */
#ifndef NEREID_PASSES_PARTITIONS_H
#define NEREID_PASSES_PARTITIONS_H

#include "base/map.h"
#include "passes/pass.h"
#include "passes/support/collect.h"

#define NEREID_ATTR_PARTITION "ttg.partition"
#define NEREID_ATTR_PARTITION_SLOTS "ttg.partition.slots" /* of a load: the slots of its ring */
#define NEREID_ATTR_WARP_SPECIALIZE "tt.warp_specialize"
#define NEREID_ATTR_WARP_SPECIALIZE_TAG "ttg.warp_specialize.tag"

typedef enum nereid_partition {
  NEREID_PARTITION_CONSUMER,
  NEREID_PARTITION_PRODUCER,
  NEREID_PARTITIONS
} nereid_partition_t;

/* Whether the attribute of `op` lists `partition`. */
bool nereid_partition_has(MlirOperation op, nereid_partition_t partition);

/* Assigns `op` to one partition, or to both. */
void nereid_partition_set(MlirOperation op, bool consumer, bool producer);

/* Assigns all of the `n` ops to `partition`. */
void nereid_partition_set_all(size_t n, const MlirOperation *ops, nereid_partition_t partition);

/* Whether the op is a tt.descriptor_load that only the producer executes. */
bool nereid_partition_is_load(MlirOperation op);

/* The divided loops below `root`, which have ttg.warp_specialize.tag. */
bool nereid_partition_loops(MlirOperation root, nereid_arena_t *arena, nereid_operations_t *out);

/* The scf.for that contain `op`, from `root` to the innermost. */
bool nereid_partition_nest(MlirOperation root, MlirOperation op, nereid_arena_t *arena, nereid_operations_t *out);

#endif
