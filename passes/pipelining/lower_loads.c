/* Copies into rings; see lower_loads.h.
 *
 * Slots. A slot is read in stage u, u - s stages after its copy began in stage s. If the copy of a step precedes the
 * read, u - s + 1 slots are in use. The copy then overwrites the slot that the previous step read, which the barrier
 * after the wait orders: one barrier per step. If the copy follows the last read, u - s slots suffice, at the price of
 * a second barrier, unless each warp reads only what it copied itself. A dot in flight reads its slot for one more
 * step: then one more slot saves the second barrier, where shared memory has room for it.
 *
 * Waits. Loads of one stage whose first uses are in one stage form a commit group and have one wait. It precedes both
 * the copies and the uses of a step. Where a step copies after its uses, the wait of the only group is before the first
 * use: what precedes it, such as stores of a state that the step before computed, overlaps the copies. Loads through
 * descriptors with the same stages and clusters share a full barrier per slot, on which one thread expects the bytes of
 * all of them; the wait directly precedes the first use. */
#include "passes/pipelining/lower_loads.h"

#include "analysis/allocation/allocation.h"
#include "base/bits.h"
#include "dialects/ir.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/pipelining/expansion/expand_loop.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/pipelining/ring.h"
#include "passes/pipelining/ring_budget.h"
#include "passes/pipelining/rings/copy_encoding.h"
#include "passes/pipelining/rings/late_place.h"
#include "passes/pipelining/rings/ring_barriers.h"
#include "passes/pipelining/rings/ring_counters.h"
#include "passes/pipelining/rings/ring_groups.h"
#include "passes/pipelining/rings/ring_remark.h"
#include "passes/pipelining/rings/ring_sharing.h"
#include "passes/pipelining/rings/shared_slots.h"
#include "passes/support/descriptor.h"
#include "passes/support/scalar.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#define NO_COUNTER SIZE_MAX
#define NO_GROUP SIZE_MAX

typedef struct ring {
  nereid_ring_load_t load;
  size_t group;         /* NO_GROUP: its slots are filled by ttg.local_store */
  size_t writes, reads; /* counters of the slots */
  MlirValue buffer;
  uint32_t ctas;      /* that fill the slots together, relative to the executing one */
  MlirOperation fill; /* op that fills a slot */
} ring_t;

typedef struct lower {
  nereid_pass_t *pass;
  nereid_arena_t *arena;
  const nereid_schedule_t *schedule;
  MlirOperation loop;
  MlirValue zero;   /* the i32 0, before the loop */
  size_t copies;    /* rings that cp.async fills */
  size_t boxes;     /* rings that TMA fills */
  bool shares;      /* whether CTAs of a cluster may fill slots together */
  int32_t peeled;   /* iterations */
  int32_t unrolled; /* iterations of a loop that is unrolled; otherwise 0 */
  NEREID_VECTOR(ring_t) rings;
  nereid_ring_groups_t groups;
  nereid_ring_counters_t counters;
} lower_t;

/* --- planning --- */

static bool is_tma(const nereid_ring_load_t *load) {
  return nereid_op_kind(load->scheduled->op) == NEREID_OP_TT_DESCRIPTOR_LOAD;
}

static bool has_own_slots(const nereid_ring_load_t *load) {
  return nereid_ir_has_attribute(load->scheduled->op, NEREID_ATTR_LOOP_OWN_SLOTS);
}

/* The group that `load` joins: of the same stages and clusters. */
static size_t find_group(lower_t *lower, const nereid_ring_load_t *load) {
  for (size_t i = 0; i < lower->groups.size; ++i) {
    nereid_ring_group_t *group = &lower->groups.data[i];
    if (group->stage != load->scheduled->stage || group->cluster != load->scheduled->cluster ||
        group->use_stage != load->use_stage || group->use_cluster != load->use_cluster ||
        group->is_tma != is_tma(load) || group->has_own_slots != has_own_slots(load) ||
        (group->has_own_slots && group->slots != load->slots))
      continue;
    group->slots = group->slots > load->slots ? group->slots : load->slots;
    return i;
  }
  const nereid_ring_group_t group = {.stage = load->scheduled->stage,
                                     .cluster = load->scheduled->cluster,
                                     .use_stage = load->use_stage,
                                     .use_cluster = load->use_cluster,
                                     .slots = load->slots,
                                     .is_tma = is_tma(load),
                                     .has_own_slots = has_own_slots(load)};
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

/* The CTAs that load the tile of `load` together, relative to the executing one. Where a step copies after its dots, a
 * slot is free one step before it must be full again: too late to wait for other CTAs, too. */
static uint32_t sharing_of(const lower_t *lower, const nereid_ring_load_t *load) {
  const bool is_early = load->scheduled->cluster < load->use_cluster;
  return lower->shares && is_tma(load) && is_early ? nereid_ring_sharing(load->scheduled->op) : NEREID_RING_NOT_SHARED;
}

static bool is_shared(const nereid_ring_group_t *group) {
  return group->ctas > NEREID_RING_NOT_SHARED;
}

static bool any_shared(const lower_t *lower) {
  for (size_t i = 0; i < lower->groups.size; ++i)
    if (is_shared(&lower->groups.data[i]))
      return true;
  return false;
}

static void plan_loads(lower_t *lower, const nereid_axis_result_t *axis) {
  for (size_t i = 0; i < lower->schedule->ops.size; ++i) {
    ring_t ring = {.group = NO_GROUP, .writes = NO_COUNTER, .reads = NO_COUNTER};
    if (!nereid_ring_load_read(lower->schedule, &lower->schedule->ops.data[i], axis, &ring.load))
      continue;
    ring.group = find_group(lower, &ring.load);
    ring.ctas = sharing_of(lower, &ring.load);
    lower->groups.data[ring.group].ctas |= ring.ctas;
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

/* Leaves each ring of an unrolled loop a slot per iteration, none of which is filled twice. */
static void limit_slots(lower_t *lower) {
  for (size_t i = 0; i < lower->rings.size; ++i) {
    nereid_ring_load_t *load = &lower->rings.data[i].load;
    load->slots = load->slots < lower->unrolled ? load->slots : lower->unrolled;
    load->saves_barrier = false;
  }
  for (size_t i = 0; i < lower->groups.size; ++i)
    if (lower->groups.data[i].slots > lower->unrolled)
      lower->groups.data[i].slots = lower->unrolled;
}

/* Whether the ring has one more slot after those that save a barrier have got theirs: its own, or one of its group. */
static bool grows(const lower_t *lower, const ring_t *ring) {
  if (ring->group == NO_GROUP)
    return ring->load.saves_barrier;
  for (size_t i = 0; i < lower->rings.size; ++i) {
    const ring_t *other = &lower->rings.data[i];
    if (other->group == ring->group && other->load.saves_barrier && other->load.slots == slots_of(lower, ring))
      return true;
  }
  return false;
}

/* Adds a slot to the rings of which dots in flight would otherwise read the slot that a step overwrites, if shared
 * memory has room. */
static void add_spare_slots(lower_t *lower) {
  nereid_operations_t keys = {0};
  int64_t before = 0, more = 0;
  for (size_t i = 0; i < lower->rings.size; ++i) {
    const ring_t *ring = &lower->rings.data[i];
    const int64_t bytes = nereid_ring_slot_bytes(ring->load.slot_type);
    nereid_vector_push(lower->arena, &keys, ring->load.scheduled->op);
    before += slots_of(lower, ring) * bytes;
    more += grows(lower, ring) ? bytes : 0;
  }
  MlirOperation module = lower->pass->op;
  if (!more ||
      !nereid_ring_budget_can_grow(module, lower->loop, nereid_ring_budget_beside_stores(module, lower->loop, &keys),
                                   before, before + more))
    return;
  for (size_t i = 0; i < lower->rings.size; ++i) {
    ring_t *ring = &lower->rings.data[i];
    ring->load.slots += ring->load.saves_barrier;
    nereid_ring_group_t *group = ring->group == NO_GROUP ? NULL : &lower->groups.data[ring->group];
    if (group && group->slots < ring->load.slots)
      group->slots = ring->load.slots;
  }
}

/* `user` or `first`, whichever is earlier in the stage and cluster of the group's first use. Either may be null. */
static const nereid_scheduled_op_t *earlier(const nereid_ring_group_t *group, const nereid_scheduled_op_t *first,
                                            const nereid_scheduled_op_t *user) {
  if (!user || user->stage != group->use_stage || user->cluster != group->use_cluster)
    return first;
  return !first || user->position < first->position ? user : first;
}

/* The first use of a group's loads in its stage and cluster; null without one that the schedule has. */
static const nereid_scheduled_op_t *first_use(const lower_t *lower, const nereid_ring_group_t *group) {
  const nereid_scheduled_op_t *first = NULL;
  for (size_t i = 0; i < lower->rings.size; ++i) {
    const nereid_ring_load_t *load = &lower->rings.data[i].load;
    if (lower->rings.data[i].group == NO_GROUP || &lower->groups.data[lower->rings.data[i].group] != group)
      continue;
    first = earlier(group, first, nereid_ring_first_user(lower->schedule, nereid_ir_result(load->scheduled->op)));
    for (size_t n = 0; n < load->direct.size; ++n)
      first = earlier(group, first, load->direct.data[n]);
  }
  return first;
}

/* Places the wait before the first use where a step copies after its uses and no other group shares the wait. */
static void place_wait(lower_t *lower) {
  nereid_ring_group_t *only = NULL;
  size_t count = 0;
  for (size_t i = 0; i < lower->groups.size; ++i) {
    if (lower->groups.data[i].is_tma)
      continue;
    only = &lower->groups.data[i];
    ++count;
  }
  if (count == 1 && only->use_cluster < only->cluster)
    only->first_use = first_use(lower, only);
}

static void add_counters(lower_t *lower) {
  for (size_t i = 0; i < lower->rings.size; ++i) {
    ring_t *ring = &lower->rings.data[i];
    nereid_ring_group_t *group = NULL;
    if (ring->group != NO_GROUP)
      group = &lower->groups.data[ring->group];
    const bool has_phase = group && group->is_tma;
    const int32_t slots = group ? group->slots : ring->load.slots;
    if (slots == 1 && !has_phase)
      continue;
    ring->writes = nereid_ring_counters_add(&lower->counters, lower->arena, slots, ring->load.scheduled->stage,
                                            group && is_shared(group));
    ring->reads = nereid_ring_counters_add(&lower->counters, lower->arena, slots, ring->load.use_stage, has_phase);
    if (group && is_shared(group))
      lower->counters.data[ring->writes].has_reuse = true;
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

static MlirValue always(const lower_t *lower, const nereid_builder_t *builder) {
  return nereid_scalar_constant(builder, mlirIntegerTypeGet(lower->pass->context, 1), 1);
}

static MlirValue index_of(const lower_t *lower, size_t counter) {
  return counter == NO_COUNTER ? lower->zero : lower->counters.data[counter].index;
}

static MlirValue slot_of(const lower_t *lower, const ring_t *ring, const nereid_builder_t *builder, size_t counter,
                         int32_t stage, int32_t cluster) {
  const int64_t spacing = nereid_ring_spacing(ring->load.slot_type);
  const nereid_builder_t outside = before(lower, lower->loop);
  MlirValue index = index_of(lower, counter);
  if (spacing > 1 && counter != NO_COUNTER) {
    MlirValue times = nereid_scalar_constant(&outside, mlirIntegerTypeGet(lower->pass->context, 32), spacing);
    index = nereid_scalar_multiply(builder, index, times);
    schedule_op(mlirOpResultGetOwner(index), stage, cluster);
  }
  MlirOperation view = nereid_ttg_memdesc_index_build(builder, ring->load.slot_type, ring->buffer, index);
  return nereid_ir_result(schedule_op(view, stage, cluster));
}

/* Emits the wait for other CTAs that read the slots of a group, before `load`, its first one. */
static void emit_release(const lower_t *lower, const nereid_ring_group_t *group, size_t number, MlirOperation load) {
  const nereid_builder_t builder = nereid_builder_before(load), outside = before(lower, lower->loop);
  const int32_t stage = group->stage, cluster = nereid_ring_cluster(group->cluster);
  MlirValue *slots = nereid_arena_new(lower->arena, MlirValue, lower->rings.size);
  intptr_t n = 0;
  for (size_t i = 0; slots && i < lower->rings.size; ++i)
    if (lower->rings.data[i].group == number)
      slots[n++] = slot_of(lower, &lower->rings.data[i], &builder, group->writes, stage, cluster);
  MlirOperation empty =
      schedule_op(nereid_ring_barrier(&builder, group->empty, index_of(lower, group->writes)), stage, cluster);
  const nereid_ring_counter_t *counter = &lower->counters.data[group->writes];
  MlirOperation is_reused = schedule_op(
      nereid_arith_cmpi_build(&builder, counter->reuse, lower->zero, NEREID_ARITH_CMP_I_PREDICATE_NE), stage, cluster);
  MlirValue one = nereid_scalar_constant(&outside, mlirIntegerTypeGet(lower->pass->context, 32), 1);
  MlirOperation phase = schedule_op(nereid_arith_xori_build(&builder, counter->phase, one), stage, cluster);
  const nereid_shared_slots_t shared = {.empty = nereid_ir_result(empty),
                                        .phase = nereid_ir_result(phase),
                                        .predicate = nereid_ir_result(is_reused),
                                        .slots = slots,
                                        .n = n,
                                        .ctas = group->ctas};
  schedule_op(nereid_shared_slots_arrive(&builder, &shared), stage, cluster);
  schedule_op(nereid_shared_slots_wait(&builder, &shared), stage, cluster);
}

/* Emits the arrival that expects the bytes of all copies of a group, before `load`, its first one. */
static void emit_expect(const lower_t *lower, nereid_ring_group_t *group, size_t number, MlirOperation load) {
  const nereid_builder_t builder = nereid_builder_before(load), outside = before(lower, lower->loop);
  int64_t bytes = 0;
  for (size_t i = 0; i < lower->rings.size; ++i)
    if (lower->rings.data[i].group == number)
      bytes += nereid_allocation_bytes(lower->rings.data[i].load.slot_type);
  MlirOperation full = nereid_ring_barrier(&builder, group->barriers, index_of(lower, group->writes));
  group->full = nereid_ir_result(schedule_op(full, group->stage, nereid_ring_cluster(group->cluster)));
  schedule_op(nereid_ttng_barrier_expect_build(&builder, group->full, always(lower, &outside), (int32_t)bytes),
              group->stage, nereid_ring_cluster(group->cluster));
}

static void emit_box(lower_t *lower, ring_t *ring) {
  MlirOperation load = ring->load.scheduled->op;
  nereid_ring_group_t *group = &lower->groups.data[ring->group];
  const int32_t stage = group->stage, cluster = nereid_ring_cluster(group->cluster);
  const intptr_t rank = nereid_tt_descriptor_load_get_indices_count(load);
  MlirValue coordinates[NEREID_DESCRIPTOR_RANK];
  if (mlirValueIsNull(group->full) && is_shared(group))
    emit_release(lower, group, ring->group, load);
  if (mlirValueIsNull(group->full))
    emit_expect(lower, group, ring->group, load);
  for (intptr_t i = 0; i < rank && i < NEREID_DESCRIPTOR_RANK; ++i)
    coordinates[i] = nereid_tt_descriptor_load_get_indices(load, i);
  const nereid_builder_t builder = nereid_builder_before(load), outside = before(lower, lower->loop);
  MlirValue slot = slot_of(lower, ring, &builder, ring->writes, stage, cluster);
  const bool shared = ring->ctas > NEREID_RING_NOT_SHARED;
  ring->fill = schedule_op(nereid_ttng_async_tma_copy_global_to_local_build(
                               &builder, nereid_tt_descriptor_load_get_desc(load), rank, coordinates, group->full, slot,
                               always(lower, &outside), nereid_tt_descriptor_load_get_cache(load),
                               nereid_tt_descriptor_load_get_evict(load), false, /*multicast=*/shared,
                               /*divided=*/shared),
                           stage, cluster);
}

/* Converts an operand of a copy, which may be null, to the encoding in which threads copy. */
static MlirValue as_copied(const ring_t *ring, MlirValue operand) {
  MlirOperation load = ring->load.scheduled->op;
  MlirAttribute encoding = nereid_copy_encoding(load);
  if (mlirValueIsNull(operand) || mlirAttributeEqual(nereid_ttg_encoding_of(operand), encoding))
    return operand;
  const nereid_builder_t builder = nereid_builder_before(load);
  MlirOperation conversion =
      nereid_ttg_convert_layout_build(&builder, nereid_ttg_with_encoding(mlirValueGetType(operand), encoding), operand);
  return nereid_ir_result(
      schedule_op(conversion, ring->load.scheduled->stage, nereid_ring_cluster(ring->load.scheduled->cluster)));
}

static void emit_copy(lower_t *lower, ring_t *ring) {
  MlirOperation load = ring->load.scheduled->op;
  const int32_t stage = ring->load.scheduled->stage, cluster = nereid_ring_cluster(ring->load.scheduled->cluster);
  const nereid_builder_t builder = nereid_builder_before(load), outside = before(lower, lower->loop);
  MlirValue slot = slot_of(lower, ring, &builder, ring->writes, stage, cluster);
  /* Without a mask: for a copy of the prologue, which gets one (expand_loop.c). */
  MlirValue excluded = nereid_ring_excluded_value(&outside, load, ring->load.selects);
  if (mlirValueIsNull(excluded))
    excluded = nereid_ring_zeros(&outside, load);
  MlirOperation copy = nereid_ttg_async_copy_global_to_local_build(
      &builder, as_copied(ring, nereid_tt_load_get_ptr(load)), slot, as_copied(ring, nereid_tt_load_get_mask(load)),
      as_copied(ring, excluded), nereid_tt_load_get_cache(load), nereid_tt_load_get_evict(load), false, 1);
  ring->fill = schedule_op(copy, stage, cluster);
}

/* Emits the commit of a group after `load`, its last one, and its wait. */
static void emit_wait(const lower_t *lower, nereid_ring_group_t *group, MlirOperation load) {
  const nereid_builder_t builder = nereid_builder_before(load);
  if (group->is_tma) {
    const int32_t cluster = nereid_ring_group_wait_cluster(&lower->groups, group);
    MlirOperation full = schedule_op(nereid_ring_barrier(&builder, group->barriers, index_of(lower, group->reads)),
                                     group->use_stage, cluster);
    schedule_op(nereid_ttng_wait_barrier_build(&builder, nereid_ir_result(full),
                                               lower->counters.data[group->reads].phase, (MlirValue){NULL}, 0, NULL,
                                               false),
                group->use_stage, cluster);
    return;
  }
  group->commit = schedule_op(nereid_ttg_async_commit_group_build(&builder, 0, NULL), group->stage,
                              nereid_ring_cluster(group->cluster));
  const nereid_builder_t place = group->first_use ? nereid_builder_before(group->first_use->op) : builder;
  group->wait = schedule_op(nereid_ttg_async_wait_build(&place, 0, NULL, 0), group->use_stage,
                            nereid_ring_group_wait_cluster(&lower->groups, group));
}

/* The op of the schedule before which the value of a ring is loaded from its slot; null: directly after the wait. */
static MlirOperation place_of_read(const lower_t *lower, const ring_t *ring) {
  const nereid_ring_group_t *group = &lower->groups.data[ring->group];
  MlirOperation load = ring->load.scheduled->op;
  MlirOperation place = nereid_ring_late_place(lower->schedule, load);
  if (!mlirOperationIsNull(place) || !group->first_use)
    return place;
  const nereid_scheduled_op_t *user = nereid_ring_first_user(lower->schedule, nereid_ir_result(load));
  return earlier(group, NULL, user) ? user->op : place;
}

/* Replaces the uses of a load by views of its slot and loads from it. */
static void replace_uses(lower_t *lower, ring_t *ring) {
  const nereid_ring_group_t *group = &lower->groups.data[ring->group];
  MlirOperation load = ring->load.scheduled->op;
  MlirValue token = group->is_tma ? (MlirValue){NULL} : nereid_ir_result(group->wait), value = nereid_ir_result(load);
  for (size_t i = 0; i < ring->load.direct.size; ++i) {
    const nereid_scheduled_op_t *user = ring->load.direct.data[i];
    const nereid_builder_t builder = nereid_builder_before(user->op);
    MlirValue slot = slot_of(lower, ring, &builder, ring->reads, user->stage, nereid_ring_cluster(user->cluster));
    if (nereid_op_kind(user->op) == NEREID_OP_TTG_LOCAL_ALLOC) {
      nereid_ring_replace_view(nereid_ir_result(user->op), slot);
    } else {
      MlirOperation from =
          nereid_ttg_local_load_build(&builder, mlirValueGetType(nereid_ir_result(user->op)), slot, token);
      schedule_op(from, user->stage, nereid_ring_cluster(user->cluster));
      mlirValueReplaceAllUsesOfWith(nereid_ir_result(user->op), nereid_ir_result(from));
    }
    nereidMlirOperationErase(user->op);
  }
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(value)))
    return;
  MlirOperation place = place_of_read(lower, ring);
  const bool has_place = !mlirOperationIsNull(place);
  if (!has_place)
    place = group->first_use ? mlirOperationGetNextInBlock(group->wait) : load;
  const nereid_builder_t builder = nereid_builder_before(place);
  const int32_t cluster = has_place ? nereid_ring_cluster(nereid_schedule_find(lower->schedule, place)->cluster)
                                    : nereid_ring_group_wait_cluster(&lower->groups, group);
  MlirValue slot = slot_of(lower, ring, &builder, ring->reads, group->use_stage, cluster);
  MlirOperation from = schedule_op(nereid_ttg_local_load_build(&builder, mlirValueGetType(value), slot, token),
                                   group->use_stage, cluster);
  if (ring->load.selects)
    from = schedule_op(nereid_arith_select_build(&builder, nereid_tt_load_get_mask(load), nereid_ir_result(from),
                                                 nereid_tt_load_get_other(load)),
                       group->use_stage, cluster);
  mlirValueReplaceAllUsesOfWith(value, nereid_ir_result(from));
}

/* Replaces a buffer by a store to a slot; each user gets its view of the slot. Those in the stage of the store use the
 * slot that it fills. */
static void replace_buffer(lower_t *lower, ring_t *ring) {
  const nereid_scheduled_op_t *alloc = ring->load.scheduled;
  const int32_t stage = alloc->stage, cluster = nereid_ring_cluster(alloc->cluster);
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
    slot = slot_of(lower, ring, &builder, user->stage == stage ? ring->writes : ring->reads, user->stage,
                   nereid_ring_cluster(user->cluster));
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
    if (lower->groups.data[ring->group].first_use)
      continue;
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
  for (size_t i = 0; i < lower->groups.size; ++i) {
    nereid_ring_group_t *group = &lower->groups.data[i];
    if (group->is_tma)
      group->barriers = nereid_ring_barriers_create(&builder, group->slots, 1);
    if (is_shared(group))
      group->empty = nereid_ring_barriers_create(&builder, group->slots, nereid_bit_count(group->ctas));
  }
  if (any_shared(lower))
    nereid_shared_slots_synchronize(&builder);
}

static void release_rings(lower_t *lower) {
  nereid_builder_t builder = before(lower, lower->loop);
  builder.before = mlirOperationGetNextInBlock(lower->loop);
  if (lower->copies)
    nereid_ttg_async_wait_build(&builder, 0, NULL, 0);
  if (any_shared(lower))
    nereid_shared_slots_synchronize(&builder);
  for (size_t i = 0; i < lower->groups.size; ++i) {
    if (lower->groups.data[i].is_tma)
      nereid_ring_barriers_release(&builder, lower->groups.data[i].barriers);
    if (is_shared(&lower->groups.data[i]))
      nereid_ring_barriers_release(&builder, lower->groups.data[i].empty);
  }
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
  const char *range = least == most ? nereid_arena_format(lower->arena, "%d", most)
                                    : nereid_arena_format(lower->arena, "%d to %d", least, most);
  const char *steps = lower->unrolled ? nereid_arena_format(lower->arena, "unrolled: %d iterations", lower->unrolled)
                                      : nereid_arena_format(lower->arena, "peeled iterations: %d", lower->peeled);
  nereid_pass_remark_passed(lower->pass, lower->loop, "pipeline",
                            "%d stages; rings for %zu values, %zu of them filled by %s, with %s %s: %lld "
                            "bytes of shared memory; %s",
                            lower->schedule->max_stage + 1, lower->rings.size, lower->copies + lower->boxes,
                            !lower->boxes   ? "cp.async"
                            : lower->copies ? "cp.async and TMA"
                                            : "TMA",
                            range ? range : "", most == 1 ? "slot" : "slots", (long long)bytes, steps ? steps : "");
}

/* Explains each ring: slots, bytes, producer, consumers. */
static void remark_each_ring(const lower_t *lower) {
  for (size_t i = 0; i < lower->rings.size; ++i) {
    const ring_t *ring = &lower->rings.data[i];
    const nereid_ring_group_t *group = ring->group == NO_GROUP ? NULL : &lower->groups.data[ring->group];
    nereid_ring_remark_t remark = {.fill = ring->fill,
                                   .buffer = ring->buffer,
                                   .slots = slots_of(lower, ring),
                                   .bytes = nereid_ring_slot_bytes(ring->load.slot_type),
                                   .ahead = ring->load.use_stage - ring->load.scheduled->stage,
                                   .ctas = nereid_bit_count(ring->ctas)};
    for (size_t n = 0; group && group->is_tma && n < lower->rings.size; ++n)
      remark.sharing += lower->rings.data[n].group == ring->group;
    remark.pending = group && !group->is_tma ? nereid_ring_group_pending(&lower->groups, group) : 0;
    nereid_ring_remark(lower->pass, lower->arena, &remark);
  }
}

/* Doubles the clusters of all ops; returns one after all of them. */
static int32_t renumber(const lower_t *lower) {
  int32_t last = 0;
  for (size_t i = 0; i < lower->schedule->ops.size; ++i) {
    const nereid_scheduled_op_t *op = &lower->schedule->ops.data[i];
    nereid_ir_set_integer(op->op, NEREID_ATTR_LOOP_CLUSTER, nereid_ring_cluster(op->cluster));
    last = last > nereid_ring_cluster(op->cluster) ? last : nereid_ring_cluster(op->cluster);
  }
  return last + 1;
}

MlirOperation nereid_loop_lower(nereid_pass_t *pass, nereid_schedule_t *schedule, const nereid_axis_result_t *axis) {
  lower_t lower = {
      .pass = pass,
      .arena = pass->scratch,
      .schedule = schedule,
      .loop = schedule->loop,
      .shares = nereid_shared_slots_are_possible(pass->op),
  };
  nereid_schedule_normalize(schedule);
  const int32_t last = renumber(&lower);
  lower.unrolled = nereid_loop_expand_unrolled(schedule);
  lower.peeled = lower.unrolled ? 0 : nereid_loop_expand_peeled(schedule);
  plan_loads(&lower, axis);
  plan_stores(&lower);
  if (lower.unrolled)
    limit_slots(&lower);
  add_spare_slots(&lower);
  place_wait(&lower);
  if (!lower.rings.size || lower.arena->failed)
    return lower.arena->failed ? (MlirOperation){NULL} : lower.loop;
  add_counters(&lower);
  allocate_rings(&lower);
  lower.loop = nereid_ring_counters_carry(&lower.counters, lower.arena, lower.loop, lower.zero);
  if (mlirOperationIsNull(lower.loop) || lower.arena->failed)
    return (MlirOperation){NULL};
  nereid_ir_set_integer(lower.loop, NEREID_ATTR_LOOP_UNROLLED, lower.unrolled);
  schedule->loop = lower.loop;
  schedule->body = mlirRegionGetFirstBlock(mlirOperationGetRegion(lower.loop, 0));
  emit_copies(&lower);
  nereid_ring_counters_advance(&lower.counters, lower.loop, lower.zero, last);
  release_rings(&lower);
  remark_rings(&lower);
  if (lower.copies && !nereid_ring_groups_merge_waits(&lower.groups, lower.loop, lower.arena))
    return (MlirOperation){NULL};
  remark_each_ring(&lower);
  return lower.loop;
}
