/* Copies into rings; see lower_loads.h.
 *
 * Slots. A slot is read in stage u, u - s stages after its copy began in stage s. If the copy of a step precedes the
 * read, u - s + 1 slots are in use. The copy then overwrites the slot that the previous step read, which the barrier
 * after the wait orders: one barrier per step. If the copy follows the last read, u - s slots suffice, at the price of
 * a second barrier, unless each warp reads only what it copied itself. A dot in flight reads its slot for one more
 * step: then one more slot saves the second barrier, where shared memory has room for it.
 *
 * Waits. Loads of one stage whose first uses are in one stage form a commit group and have one wait. It precedes both
 * the copies and the uses of a step. Loads through descriptors with the same stages and clusters share a full barrier
 * per slot, on which one thread expects the bytes of all of them; the wait directly precedes the first use. */
#include "passes/pipelining/lower_loads.h"

#include "analysis/allocation/allocation.h"
#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/pipelining/expansion/expand_loop.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/pipelining/ring.h"
#include "passes/pipelining/ring_budget.h"
#include "passes/pipelining/rings/ring_barriers.h"
#include "passes/pipelining/rings/ring_counters.h"
#include "passes/pipelining/rings/ring_remark.h"
#include "passes/support/descriptor.h"
#include "passes/support/scalar.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#define NO_COUNTER SIZE_MAX
#define NO_GROUP SIZE_MAX

typedef struct group {
  int32_t stage, cluster;         /* stage and cluster of the copies */
  int32_t use_stage, use_cluster; /* stage and cluster of the first use */
  int32_t slots;
  bool is_tma;
  /* of cp.async */
  MlirOperation commit, wait;
  int32_t count; /* pending groups of the wait */
  /* of TMA */
  size_t writes, reads; /* counters of the slots */
  MlirValue barriers;   /* one per slot */
  MlirValue full;       /* the barrier of the slot that is filled */
} group_t;

typedef struct ring {
  nereid_ring_load_t load;
  size_t group;         /* NO_GROUP: its slots are filled by ttg.local_store */
  size_t writes, reads; /* counters of the slots */
  MlirValue buffer;
  MlirOperation fill; /* op that fills a slot */
} ring_t;

typedef struct lower {
  nereid_pass_t *pass;
  nereid_arena_t *arena;
  const nereid_schedule_t *schedule;
  MlirOperation loop;
  MlirValue zero; /* the i32 0, before the loop */
  size_t copies;  /* rings that cp.async fills */
  size_t boxes;   /* rings that TMA fills */
  int32_t peeled; /* iterations */
  NEREID_VECTOR(ring_t) rings;
  NEREID_VECTOR(group_t) groups;
  nereid_ring_counters_t counters;
} lower_t;

/* --- planning --- */

/* Clusters are doubled: waits are between those of the schedule. */
static int32_t op_cluster(int32_t cluster) {
  return 2 * cluster + 1;
}

/* Steps from the copies of a group to its uses. Groups that were copied in one step share a wait. */
static int32_t distance_of(const group_t *group) {
  return group->use_stage - group->stage;
}

static bool is_tma(const nereid_ring_load_t *load) {
  return nereid_op_kind(load->scheduled->op) == NEREID_OP_TT_DESCRIPTOR_LOAD;
}

/* The cluster of the wait: for TMA before the first use; for cp.async, where a barrier follows, before all copies and
 * uses of the groups that share it. */
static int32_t wait_cluster(const lower_t *lower, const group_t *group) {
  int32_t first = group->cluster < group->use_cluster ? group->cluster : group->use_cluster;
  if (group->is_tma)
    return 2 * group->use_cluster;
  for (size_t i = 0; i < lower->groups.size; ++i) {
    const group_t *other = &lower->groups.data[i];
    if (other->is_tma || distance_of(other) != distance_of(group))
      continue;
    first = first < other->cluster ? first : other->cluster;
    first = first < other->use_cluster ? first : other->use_cluster;
  }
  return 2 * first;
}

/* The group that `load` joins: of the same stages and clusters. */
static size_t find_group(lower_t *lower, const nereid_ring_load_t *load) {
  for (size_t i = 0; i < lower->groups.size; ++i) {
    group_t *group = &lower->groups.data[i];
    if (group->stage != load->scheduled->stage || group->cluster != load->scheduled->cluster ||
        group->use_stage != load->use_stage || group->use_cluster != load->use_cluster || group->is_tma != is_tma(load))
      continue;
    group->slots = group->slots > load->slots ? group->slots : load->slots;
    return i;
  }
  const group_t group = {.stage = load->scheduled->stage,
                         .cluster = load->scheduled->cluster,
                         .use_stage = load->use_stage,
                         .use_cluster = load->use_cluster,
                         .slots = load->slots,
                         .is_tma = is_tma(load)};
  return nereid_vector_push(lower->arena, &lower->groups, group) ? lower->groups.size - 1 : 0;
}

/* Whether the slot of a load replaces the buffer. */
static bool is_replaced(const lower_t *lower, const nereid_scheduled_op_t *buffer) {
  for (size_t i = 0; i < lower->rings.size; ++i)
    for (size_t n = 0; n < lower->rings.data[i].load.direct.size; ++n)
      if (lower->rings.data[i].load.direct.data[n] == buffer)
        return true;
  return false;
}

static void plan_loads(lower_t *lower, const nereid_axis_result_t *axis) {
  for (size_t i = 0; i < lower->schedule->ops.size; ++i) {
    ring_t ring = {.group = NO_GROUP, .writes = NO_COUNTER, .reads = NO_COUNTER};
    if (!nereid_ring_load_read(lower->schedule, &lower->schedule->ops.data[i], axis, &ring.load))
      continue;
    ring.group = find_group(lower, &ring.load);
    ++*(is_tma(&ring.load) ? &lower->boxes : &lower->copies);
    nereid_vector_push(lower->arena, &lower->rings, ring);
  }
}

static void plan_stores(lower_t *lower) {
  for (size_t i = 0; i < lower->schedule->ops.size; ++i) {
    ring_t ring = {.group = NO_GROUP, .writes = NO_COUNTER, .reads = NO_COUNTER};
    if (nereid_ring_buffer_read(lower->schedule, &lower->schedule->ops.data[i], &ring.load) &&
        !is_replaced(lower, &lower->schedule->ops.data[i]))
      nereid_vector_push(lower->arena, &lower->rings, ring);
  }
}

/* The slots of a ring; those of a group share counters. */
static int32_t slots_of(const lower_t *lower, const ring_t *ring) {
  return ring->group == NO_GROUP ? ring->load.slots : lower->groups.data[ring->group].slots;
}

/* Adds a slot to the rings of which dots in flight would otherwise read the slot that a step overwrites, if shared
 * memory has room. */
static void add_spare_slots(lower_t *lower) {
  nereid_operations_t keys = {0};
  int64_t before = 0, more = 0;
  for (size_t i = 0; i < lower->rings.size; ++i) {
    const ring_t *ring = &lower->rings.data[i];
    const int64_t bytes = nereid_allocation_bytes(ring->load.slot_type);
    nereid_vector_push(lower->arena, &keys, ring->load.scheduled->op);
    before += slots_of(lower, ring) * bytes;
    more += ring->load.saves_barrier ? bytes : 0;
  }
  MlirOperation module = lower->pass->op;
  if (!more ||
      !nereid_ring_budget_can_grow(module, lower->loop, nereid_ring_budget_beside_stores(module, lower->loop, &keys),
                                   before, before + more))
    return;
  for (size_t i = 0; i < lower->rings.size; ++i) {
    ring_t *ring = &lower->rings.data[i];
    ring->load.slots += ring->load.saves_barrier;
    group_t *group = ring->group == NO_GROUP ? NULL : &lower->groups.data[ring->group];
    if (group && group->slots < ring->load.slots)
      group->slots = ring->load.slots;
  }
}

static void add_counters(lower_t *lower) {
  for (size_t i = 0; i < lower->rings.size; ++i) {
    ring_t *ring = &lower->rings.data[i];
    group_t *group = NULL;
    if (ring->group != NO_GROUP)
      group = &lower->groups.data[ring->group];
    const bool has_phase = group && group->is_tma;
    const int32_t slots = group ? group->slots : ring->load.slots;
    if (slots == 1 && !has_phase)
      continue;
    ring->writes = nereid_ring_counters_add(&lower->counters, lower->arena, slots, ring->load.scheduled->stage, false);
    ring->reads = nereid_ring_counters_add(&lower->counters, lower->arena, slots, ring->load.use_stage, has_phase);
    if (has_phase) {
      group->writes = ring->writes;
      group->reads = ring->reads;
    }
  }
}

/* --- the loop with counters --- */

static nereid_builder_t before(const lower_t *lower, MlirOperation op) {
  nereid_builder_t builder = nereid_builder_before(op);
  builder.location = mlirOperationGetLocation(lower->loop);
  return builder;
}

static MlirOperation schedule_op(MlirOperation op, int32_t stage, int32_t cluster) {
  nereid_schedule_set(op, stage, cluster);
  return op;
}

/* --- copies and uses --- */

static MlirValue index_of(const lower_t *lower, size_t counter) {
  return counter == NO_COUNTER ? lower->zero : lower->counters.data[counter].index;
}

static MlirValue slot_of(const lower_t *lower, const ring_t *ring, const nereid_builder_t *builder, size_t counter,
                         int32_t stage, int32_t cluster) {
  MlirOperation view =
      nereid_ttg_memdesc_index_build(builder, ring->load.slot_type, ring->buffer, index_of(lower, counter));
  return nereid_ir_result(schedule_op(view, stage, cluster));
}

/* A tensor of zeros, before the loop. */
static MlirValue zeros(const lower_t *lower, MlirType tensor) {
  const nereid_builder_t builder = before(lower, lower->loop);
  MlirType element = mlirShapedTypeGetElementType(tensor);
  MlirAttribute zero = mlirTypeIsAFloat(element) ? mlirFloatAttrDoubleGet(mlirTypeGetContext(tensor), element, 0.0)
                                                 : mlirIntegerAttrGet(element, 0);
  return nereid_ir_result(nereid_arith_constant_build(&builder, mlirDenseElementsAttrSplatGet(tensor, zero)));
}

/* The value of elements that the mask of a load excludes, in its slot; null when it has no mask. */
static MlirValue fill_of(const lower_t *lower, const ring_t *ring) {
  MlirOperation load = ring->load.scheduled->op;
  MlirValue other = nereid_tt_load_get_other(load);
  if (mlirValueIsNull(nereid_tt_load_get_mask(load)))
    return (MlirValue){NULL};
  return mlirValueIsNull(other) || ring->load.selects ? zeros(lower, mlirValueGetType(nereid_ir_result(load))) : other;
}

/* Emits the arrival that expects the bytes of all copies of a group, before `load`, its first one. */
static void emit_expect(const lower_t *lower, group_t *group, size_t number, MlirOperation load) {
  const nereid_builder_t builder = nereid_builder_before(load), outside = before(lower, lower->loop);
  MlirType i1 = mlirIntegerTypeGet(lower->pass->context, 1);
  int64_t bytes = 0;
  for (size_t i = 0; i < lower->rings.size; ++i)
    if (lower->rings.data[i].group == number)
      bytes += nereid_allocation_bytes(lower->rings.data[i].load.slot_type);
  MlirOperation full = nereid_ring_barrier(&builder, group->barriers, index_of(lower, group->writes));
  group->full = nereid_ir_result(schedule_op(full, group->stage, op_cluster(group->cluster)));
  schedule_op(
      nereid_ttng_barrier_expect_build(&builder, group->full, nereid_scalar_constant(&outside, i1, 1), (int32_t)bytes),
      group->stage, op_cluster(group->cluster));
}

static void emit_box(lower_t *lower, ring_t *ring) {
  MlirOperation load = ring->load.scheduled->op;
  group_t *group = &lower->groups.data[ring->group];
  const int32_t stage = group->stage, cluster = op_cluster(group->cluster);
  const intptr_t rank = nereid_tt_descriptor_load_get_indices_count(load);
  MlirValue coordinates[NEREID_DESCRIPTOR_RANK];
  if (mlirValueIsNull(group->full))
    emit_expect(lower, group, ring->group, load);
  for (intptr_t i = 0; i < rank && i < NEREID_DESCRIPTOR_RANK; ++i)
    coordinates[i] = nereid_tt_descriptor_load_get_indices(load, i);
  const nereid_builder_t builder = nereid_builder_before(load), outside = before(lower, lower->loop);
  MlirValue slot = slot_of(lower, ring, &builder, ring->writes, stage, cluster);
  MlirValue always = nereid_scalar_constant(&outside, mlirIntegerTypeGet(lower->pass->context, 1), 1);
  ring->fill = schedule_op(nereid_ttng_async_tma_copy_global_to_local_build(
                               &builder, nereid_tt_descriptor_load_get_desc(load), rank, coordinates, group->full, slot,
                               always, nereid_tt_descriptor_load_get_cache(load),
                               nereid_tt_descriptor_load_get_evict(load), false, false),
                           stage, cluster);
}

static void emit_copy(lower_t *lower, ring_t *ring) {
  MlirOperation load = ring->load.scheduled->op;
  const int32_t stage = ring->load.scheduled->stage, cluster = op_cluster(ring->load.scheduled->cluster);
  const nereid_builder_t builder = nereid_builder_before(load);
  MlirValue slot = slot_of(lower, ring, &builder, ring->writes, stage, cluster);
  MlirOperation copy = nereid_ttg_async_copy_global_to_local_build(
      &builder, nereid_tt_load_get_ptr(load), slot, nereid_tt_load_get_mask(load), fill_of(lower, ring),
      nereid_tt_load_get_cache(load), nereid_tt_load_get_evict(load), false, 1);
  ring->fill = schedule_op(copy, stage, cluster);
}

/* Emits the commit and the wait of a group after `load`, its last one. */
static void emit_wait(const lower_t *lower, group_t *group, MlirOperation load) {
  const nereid_builder_t builder = nereid_builder_before(load);
  if (group->is_tma) {
    const int32_t cluster = wait_cluster(lower, group);
    MlirOperation full = schedule_op(nereid_ring_barrier(&builder, group->barriers, index_of(lower, group->reads)),
                                     group->use_stage, cluster);
    schedule_op(nereid_ttng_wait_barrier_build(&builder, nereid_ir_result(full),
                                               lower->counters.data[group->reads].phase, (MlirValue){NULL}, 0, NULL,
                                               false),
                group->use_stage, cluster);
    return;
  }
  group->commit =
      schedule_op(nereid_ttg_async_commit_group_build(&builder, 0, NULL), group->stage, op_cluster(group->cluster));
  group->wait =
      schedule_op(nereid_ttg_async_wait_build(&builder, 0, NULL, 0), group->use_stage, wait_cluster(lower, group));
}

/* Replaces the uses of a load by views of its slot and loads from it. */
static void replace_uses(lower_t *lower, ring_t *ring) {
  const group_t *group = &lower->groups.data[ring->group];
  MlirOperation load = ring->load.scheduled->op;
  MlirValue token = group->is_tma ? (MlirValue){NULL} : nereid_ir_result(group->wait), value = nereid_ir_result(load);
  for (size_t i = 0; i < ring->load.direct.size; ++i) {
    const nereid_scheduled_op_t *user = ring->load.direct.data[i];
    const nereid_builder_t builder = nereid_builder_before(user->op);
    MlirValue slot = slot_of(lower, ring, &builder, ring->reads, user->stage, op_cluster(user->cluster));
    if (nereid_op_kind(user->op) == NEREID_OP_TTG_LOCAL_ALLOC) {
      nereid_ring_replace_view(nereid_ir_result(user->op), slot);
    } else {
      MlirOperation from =
          nereid_ttg_local_load_build(&builder, mlirValueGetType(nereid_ir_result(user->op)), slot, token);
      schedule_op(from, user->stage, op_cluster(user->cluster));
      mlirValueReplaceAllUsesOfWith(nereid_ir_result(user->op), nereid_ir_result(from));
    }
    nereidMlirOperationErase(user->op);
  }
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(value)))
    return;
  nereid_builder_t builder = nereid_builder_before(load);
  const int32_t cluster = wait_cluster(lower, group);
  MlirValue slot = slot_of(lower, ring, &builder, ring->reads, group->use_stage, cluster);
  MlirOperation from = schedule_op(nereid_ttg_local_load_build(&builder, mlirValueGetType(value), slot, token),
                                   group->use_stage, cluster);
  if (ring->load.selects)
    from = schedule_op(nereid_arith_select_build(&builder, nereid_tt_load_get_mask(load), nereid_ir_result(from),
                                                 nereid_tt_load_get_other(load)),
                       group->use_stage, cluster);
  mlirValueReplaceAllUsesOfWith(value, nereid_ir_result(from));
}

/* Replaces a buffer by a store to a slot; each user gets its view of the slot. */
static void replace_buffer(lower_t *lower, ring_t *ring) {
  const nereid_scheduled_op_t *alloc = ring->load.scheduled;
  const int32_t stage = alloc->stage, cluster = op_cluster(alloc->cluster);
  MlirValue buffer = nereid_ir_result(alloc->op);
  nereid_builder_t builder = nereid_builder_before(alloc->op);
  MlirValue slot = slot_of(lower, ring, &builder, ring->writes, stage, cluster);
  ring->fill = schedule_op(nereid_ttg_local_store_build(&builder, nereid_ttg_local_alloc_get_src(alloc->op), slot),
                           stage, cluster);
  nereid_ring_replace_view(buffer, buffer);
  for (MlirOpOperand use; use = mlirValueGetFirstUse(buffer), !mlirOpOperandIsNull(use);) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    const nereid_scheduled_op_t *user = nereid_schedule_find(lower->schedule, op);
    builder = nereid_builder_before(user->op);
    slot = slot_of(lower, ring, &builder, ring->reads, user->stage, op_cluster(user->cluster));
    mlirOperationSetOperand(op, mlirOpOperandGetOperandNumber(use), slot);
  }
  nereidMlirOperationErase(alloc->op);
}

static bool is_last_of_group(const lower_t *lower, size_t ring) {
  for (size_t i = ring + 1; i < lower->rings.size; ++i)
    if (lower->rings.data[i].group == lower->rings.data[ring].group)
      return false;
  return true;
}

/* Emits the copies of all rings, with commit and wait after the last of each group, then replaces the uses. */
static void emit_copies(lower_t *lower) {
  for (size_t i = 0; i < lower->rings.size; ++i) {
    ring_t *ring = &lower->rings.data[i];
    if (ring->group == NO_GROUP)
      continue;
    if (is_tma(&ring->load))
      emit_box(lower, ring);
    else
      emit_copy(lower, ring);
    if (!is_last_of_group(lower, i))
      continue;
    emit_wait(lower, &lower->groups.data[ring->group], ring->load.scheduled->op);
    for (size_t n = 0; n <= i; ++n)
      if (lower->rings.data[n].group == ring->group) /* after the wait, which may follow the load */
        mlirOperationMoveBefore(lower->rings.data[n].load.scheduled->op, ring->load.scheduled->op);
  }
  for (size_t i = 0; i < lower->rings.size; ++i)
    if (lower->rings.data[i].group != NO_GROUP)
      replace_uses(lower, &lower->rings.data[i]);
  for (size_t i = 0; i < lower->rings.size; ++i)
    if (lower->rings.data[i].group != NO_GROUP)
      nereidMlirOperationErase(lower->rings.data[i].load.scheduled->op);
    else
      replace_buffer(lower, &lower->rings.data[i]);
}

/* --- waits --- */

/* Commit groups in flight that are younger than the one for which the wait of `group` waits: see the file comment of
 * expand_loop.c for steps. All steps emit all commits, so the number is the same in each. */
static int32_t younger_groups(const nereid_schedule_t *schedule, const group_t *group, const group_t *other) {
  const uint32_t own = nereid_schedule_find(schedule, group->commit)->position;
  const uint32_t commit = nereid_schedule_find(schedule, other->commit)->position;
  const uint32_t wait = nereid_schedule_find(schedule, group->wait)->position;
  return group->use_stage - group->stage - 1 + (commit > own) + (commit < wait);
}

static bool set_wait_counts(lower_t *lower) {
  nereid_schedule_t schedule;
  if (!lower->copies)
    return true;
  if (!nereid_schedule_read(lower->loop, lower->arena, &schedule))
    return false;
  for (size_t i = 0; i < lower->groups.size; ++i) {
    group_t *group = &lower->groups.data[i];
    group->count = 0;
    for (size_t n = 0; n < lower->groups.size; ++n)
      if (!group->is_tma && !lower->groups.data[n].is_tma)
        group->count += younger_groups(&schedule, group, &lower->groups.data[n]);
  }
  return true;
}

/* Whether the wait of `other` can be left out because that of `group` precedes it in each step. */
static bool can_share_wait(const group_t *group, const group_t *other) {
  if (mlirOperationIsNull(other->wait) || distance_of(other) != distance_of(group))
    return false;
  const bool has_uses = !mlirOpOperandIsNull(mlirValueGetFirstUse(nereid_ir_result(other->wait)));
  return other->use_stage == group->use_stage || (other->use_stage > group->use_stage && !has_uses);
}

/* Leaves one wait of the groups that share one: the first, for the youngest of them. */
static void merge_waits(lower_t *lower) {
  for (size_t i = 0; i < lower->groups.size; ++i) {
    group_t *group = &lower->groups.data[i];
    if (mlirOperationIsNull(group->wait))
      continue;
    for (size_t n = i + 1; n < lower->groups.size; ++n) {
      group_t *other = &lower->groups.data[n];
      if (!can_share_wait(group, other))
        continue;
      group->count = group->count < other->count ? group->count : other->count;
      mlirValueReplaceAllUsesOfWith(nereid_ir_result(other->wait), nereid_ir_result(group->wait));
      nereidMlirOperationErase(other->wait);
      other->wait = (MlirOperation){NULL};
    }
    nereid_ir_set_integer(group->wait, "num", group->count);
  }
}

/* --- the whole --- */

static void allocate_rings(lower_t *lower) {
  const nereid_builder_t builder = before(lower, lower->loop);
  lower->zero = nereid_scalar_constant(&builder, mlirIntegerTypeGet(lower->pass->context, 32), 0);
  for (size_t i = 0; i < lower->rings.size; ++i) {
    ring_t *ring = &lower->rings.data[i];
    MlirType type = nereid_ring_type(ring->load.slot_type, slots_of(lower, ring));
    ring->buffer =
        nereid_ir_result(nereid_ttg_local_alloc_build(&builder, type, (MlirValue){NULL}, (MlirAttribute){NULL}));
  }
  for (size_t i = 0; i < lower->groups.size; ++i)
    if (lower->groups.data[i].is_tma)
      lower->groups.data[i].barriers = nereid_ring_barriers_create(&builder, lower->groups.data[i].slots, 1);
}

static void release_rings(lower_t *lower) {
  nereid_builder_t builder = before(lower, lower->loop);
  builder.before = mlirOperationGetNextInBlock(lower->loop);
  if (lower->copies)
    nereid_ttg_async_wait_build(&builder, 0, NULL, 0);
  for (size_t i = 0; i < lower->groups.size; ++i)
    if (lower->groups.data[i].is_tma)
      nereid_ring_barriers_release(&builder, lower->groups.data[i].barriers);
  for (size_t i = 0; i < lower->rings.size; ++i)
    nereid_ttg_local_dealloc_build(&builder, lower->rings.data[i].buffer);
}

/* Explains the rings of the loop: stages, slots and bytes. */
static void remark_rings(const lower_t *lower) {
  int64_t bytes = 0;
  int32_t least = INT32_MAX, most = 0;
  for (size_t i = 0; i < lower->rings.size; ++i) {
    const int32_t slots = slots_of(lower, &lower->rings.data[i]);
    bytes += nereid_allocation_bytes(mlirValueGetType(lower->rings.data[i].buffer));
    least = least < slots ? least : slots;
    most = most > slots ? most : slots;
  }
  nereid_pass_remark_passed(lower->pass, lower->loop, "pipeline",
                            "%d stages; rings for %zu values, %zu of them filled by %s, with %d to %d slots: %lld "
                            "bytes of shared memory; peeled iterations: %d",
                            lower->schedule->max_stage + 1, lower->rings.size, lower->copies + lower->boxes,
                            !lower->boxes   ? "cp.async"
                            : lower->copies ? "cp.async and TMA"
                                            : "TMA",
                            least, most, (long long)bytes, lower->peeled);
}

/* The groups of cp.async that the wait before the uses of `group` leaves in flight. */
static int32_t pending_of(const lower_t *lower, const group_t *group) {
  for (size_t i = 0; i < lower->groups.size; ++i) {
    const group_t *other = &lower->groups.data[i];
    if (!mlirOperationIsNull(other->wait) && distance_of(other) == distance_of(group))
      return other->count;
  }
  return group->count;
}

/* Explains each ring: slots, bytes, producer, consumers. */
static void remark_each_ring(const lower_t *lower) {
  for (size_t i = 0; i < lower->rings.size; ++i) {
    const ring_t *ring = &lower->rings.data[i];
    const group_t *group = ring->group == NO_GROUP ? NULL : &lower->groups.data[ring->group];
    nereid_ring_remark_t remark = {.fill = ring->fill,
                                   .buffer = ring->buffer,
                                   .slots = slots_of(lower, ring),
                                   .bytes = nereid_allocation_bytes(ring->load.slot_type),
                                   .ahead = ring->load.use_stage - ring->load.scheduled->stage};
    for (size_t n = 0; group && group->is_tma && n < lower->rings.size; ++n)
      remark.sharing += lower->rings.data[n].group == ring->group;
    remark.pending = group && !group->is_tma ? pending_of(lower, group) : 0;
    nereid_ring_remark(lower->pass, lower->arena, &remark);
  }
}

/* Doubles the clusters of all ops; returns one after all of them. */
static int32_t renumber(const lower_t *lower) {
  int32_t last = 0;
  for (size_t i = 0; i < lower->schedule->ops.size; ++i) {
    const nereid_scheduled_op_t *op = &lower->schedule->ops.data[i];
    nereid_ir_set_integer(op->op, NEREID_ATTR_LOOP_CLUSTER, op_cluster(op->cluster));
    last = last > op_cluster(op->cluster) ? last : op_cluster(op->cluster);
  }
  return last + 1;
}

MlirOperation nereid_loop_lower(nereid_pass_t *pass, nereid_schedule_t *schedule, const nereid_axis_result_t *axis) {
  lower_t lower = {
      .pass = pass,
      .arena = pass->scratch,
      .schedule = schedule,
      .loop = schedule->loop,
  };
  nereid_schedule_normalize(schedule);
  const int32_t last = renumber(&lower);
  lower.peeled = nereid_loop_expand_peeled(schedule);
  plan_loads(&lower, axis);
  plan_stores(&lower);
  add_spare_slots(&lower);
  if (!lower.rings.size || lower.arena->failed)
    return lower.arena->failed ? (MlirOperation){NULL} : lower.loop;
  add_counters(&lower);
  allocate_rings(&lower);
  lower.loop = nereid_ring_counters_carry(&lower.counters, lower.arena, lower.loop, lower.zero);
  if (mlirOperationIsNull(lower.loop) || lower.arena->failed)
    return (MlirOperation){NULL};
  schedule->loop = lower.loop;
  schedule->body = mlirRegionGetFirstBlock(mlirOperationGetRegion(lower.loop, 0));
  emit_copies(&lower);
  nereid_ring_counters_advance(&lower.counters, lower.loop, lower.zero, last);
  release_rings(&lower);
  remark_rings(&lower);
  if (!set_wait_counts(&lower))
    return (MlirOperation){NULL};
  merge_waits(&lower);
  remark_each_ring(&lower);
  return lower.loop;
}
