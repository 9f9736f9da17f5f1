/* Groups of copies into rings, and their waits.
 *
 * Loads of one stage whose first uses are in one stage form a commit group of cp.async and have one wait. Loads through
 * descriptors with the same stages and clusters share a full barrier per slot. The clusters of the lowered loop are
 * those of the schedule, doubled: waits are between them. */
#ifndef NEREID_PASSES_RING_GROUPS_H
#define NEREID_PASSES_RING_GROUPS_H

#include "base/vector.h"
#include "passes/pipelining/schedule.h"

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct nereid_ring_group {
  int32_t stage, cluster;         /* stage and cluster of the copies */
  int32_t use_stage, use_cluster; /* stage and cluster of the first use */
  int32_t slots;
  bool is_tma;
  bool has_own_slots; /* as few as its rings need: not those of other groups of the stage */
  /* of cp.async */
  const nereid_scheduled_op_t *first_use; /* the wait precedes it; null: the wait is at the start of a step */
  MlirOperation commit, wait;
  int32_t count; /* pending groups of the wait */
  /* of TMA */
  size_t writes, reads; /* counters of the slots */
  MlirValue barriers;   /* one per slot */
  MlirValue full;       /* the barrier of the slot that is filled */
  uint32_t ctas;        /* that fill slots of its rings together, relative to the executing one */
  MlirValue empty;      /* one barrier per slot, if other CTAs fill the slots, too */
} nereid_ring_group_t;

typedef NEREID_VECTOR(nereid_ring_group_t) nereid_ring_groups_t;

/* The cluster, in the lowered loop, of ops that the schedule has in `cluster`. */
int32_t nereid_ring_cluster(int32_t cluster);

/* The cluster of a group's wait in the lowered loop: for TMA before the first use; for cp.async, where a barrier
 * follows, before all copies and uses of the groups that share it, or that of `first_use`. */
int32_t nereid_ring_group_wait_cluster(const nereid_ring_groups_t *groups, const nereid_ring_group_t *group);

/* Sets the counts of the waits for cp.async in the lowered loop, and leaves one of those that can be shared. False when
 * out of memory. */
bool nereid_ring_groups_merge_waits(nereid_ring_groups_t *groups, MlirOperation loop, nereid_arena_t *arena);

/* The groups of cp.async that the wait before the uses of `group` leaves in flight, after
 * nereid_ring_groups_merge_waits. */
int32_t nereid_ring_group_pending(const nereid_ring_groups_t *groups, const nereid_ring_group_t *group);

#endif
