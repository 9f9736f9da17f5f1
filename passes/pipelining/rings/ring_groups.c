/* Groups of copies; see ring_groups.h. */
#include "passes/pipelining/rings/ring_groups.h"

#include "dialects/ir.h"
#include "passes/pipelining/schedule.h"
#include "seam/ir.h"

int32_t nereid_ring_cluster(int32_t cluster) {
  return 2 * cluster + 1;
}

/* Steps from the copies of a group to its uses. Groups that were copied in one step share a wait. */
static int32_t distance_of(const nereid_ring_group_t *group) {
  return group->use_stage - group->stage;
}

int32_t nereid_ring_group_wait_cluster(const nereid_ring_groups_t *groups, const nereid_ring_group_t *group) {
  int32_t first = group->cluster < group->use_cluster ? group->cluster : group->use_cluster;
  if (group->is_tma)
    return 2 * group->use_cluster;
  if (group->first_use)
    return nereid_ring_cluster(group->use_cluster);
  for (size_t i = 0; i < groups->size; ++i) {
    const nereid_ring_group_t *other = &groups->data[i];
    if (other->is_tma || distance_of(other) != distance_of(group))
      continue;
    first = first < other->cluster ? first : other->cluster;
    first = first < other->use_cluster ? first : other->use_cluster;
  }
  return 2 * first;
}

/* Commit groups in flight that are younger than the one for which the wait of `group` waits: see the file comment of
 * expand_loop.c for steps. All steps emit all commits, so the number is the same in each. */
static int32_t younger_groups(const nereid_schedule_t *schedule, const nereid_ring_group_t *group,
                              const nereid_ring_group_t *other) {
  const uint32_t own = nereid_schedule_find(schedule, group->commit)->position;
  const uint32_t commit = nereid_schedule_find(schedule, other->commit)->position;
  const uint32_t wait = nereid_schedule_find(schedule, group->wait)->position;
  return group->use_stage - group->stage - 1 + (commit > own) + (commit < wait);
}

static bool set_counts(nereid_ring_groups_t *groups, MlirOperation loop, nereid_arena_t *arena) {
  nereid_schedule_t schedule;
  if (!nereid_schedule_read(loop, arena, &schedule))
    return false;
  for (size_t i = 0; i < groups->size; ++i) {
    nereid_ring_group_t *group = &groups->data[i];
    group->count = 0;
    for (size_t n = 0; n < groups->size; ++n)
      if (!group->is_tma && !groups->data[n].is_tma)
        group->count += younger_groups(&schedule, group, &groups->data[n]);
  }
  return true;
}

/* Whether the wait of `other` can be left out because that of `group` precedes it in each step. */
static bool can_share_wait(const nereid_ring_group_t *group, const nereid_ring_group_t *other) {
  if (mlirOperationIsNull(other->wait) || distance_of(other) != distance_of(group))
    return false;
  const bool has_uses = !mlirOpOperandIsNull(mlirValueGetFirstUse(nereid_ir_result(other->wait)));
  return other->use_stage == group->use_stage || (other->use_stage > group->use_stage && !has_uses);
}

/* Leaves one wait of the groups that share one: the first, for the youngest of them. Waits precede the commits of a
 * step. */
bool nereid_ring_groups_merge_waits(nereid_ring_groups_t *groups, MlirOperation loop, nereid_arena_t *arena) {
  if (!set_counts(groups, loop, arena))
    return false;
  for (size_t i = 0; i < groups->size; ++i) {
    nereid_ring_group_t *group = &groups->data[i];
    if (mlirOperationIsNull(group->wait))
      continue;
    for (size_t n = i + 1; n < groups->size; ++n) {
      nereid_ring_group_t *other = &groups->data[n];
      if (!can_share_wait(group, other))
        continue;
      group->count = group->count < other->count ? group->count : other->count;
      if (mlirOperationIsBeforeInBlock(other->wait, group->wait)) /* no commit is in between */
        mlirOperationMoveBefore(group->wait, other->wait);
      mlirValueReplaceAllUsesOfWith(nereid_ir_result(other->wait), nereid_ir_result(group->wait));
      nereidMlirOperationErase(other->wait);
      other->wait = (MlirOperation){NULL};
    }
    nereid_ir_set_integer(group->wait, "num", group->count);
  }
  return true;
}

int32_t nereid_ring_group_pending(const nereid_ring_groups_t *groups, const nereid_ring_group_t *group) {
  for (size_t i = 0; i < groups->size; ++i) {
    const nereid_ring_group_t *other = &groups->data[i];
    if (!mlirOperationIsNull(other->wait) && distance_of(other) == distance_of(group))
      return other->count;
  }
  return group->count;
}
