/* tritongpu-rewrite-partition-dependencies: passes the values that a partition of a divided loop computes for others
 * through rings.
 *
 *   scf.for … {                                     %ring = ttg.local_alloc : 3 x tile;  %full, %empty = 3 mbarriers
 *     %x = tt.descriptor_load %d[…]   [1]           scf.for … iter_args(%i = 0, %p = 0) {
 *     use %x                          [0]     ->      ttng.wait_barrier %empty[%i], %p xor 1            [1]
 *   }                                                 ttng.barrier_expect %full[%i], bytes              [1]
 *                                                     ttng.async_tma_copy_global_to_local … %ring[%i]   [1]
 *                                                     ttng.wait_barrier %full[%i], %p                   [0]
 *                                                     use %ring[%i]                                     [0]
 *                                                     ttng.arrive_barrier %empty[%i], 1 {perWarp}       [0]
 *                                                     yield next %i, %p                                 [0, 1]
 *                                                   }
 *
 * Instead of TMA, other values are filled in by the threads of the partition that computes them:
 *
 *   %x = tt.load %p     [1]     ->   ttg.async_copy_global_to_local %p, %ring[%i]
 *                                    ttng.async_copy_mbarrier_arrive %full[%i] {noIncrement}    each thread arrives
 *   %x = arith.addf …   [2]     ->   ttg.local_store %x, %ring[%i]
 *                                    ttng.arrive_barrier %full[%i], 1 {perWarp}                 each warp arrives
 *
 * Each warp of a reader arrives for itself, so no barrier of the CTA is needed. The counters go through all loops
 * of the nest: the producer continues with the next tile while the consumer is still in an epilogue.
 *
 * Where the last use is a dot that stays in flight, the consumer releases the slot of the iteration before instead,
 * whose dot is complete: %empty[%i - 1]. Its first arrival, at the last slot, is for no tile, so the producer waits for
 * one more phase of the last slot than of the others: %p instead of %p xor 1 where %i is the last slot. The slot of the
 * last iteration is released by the next one, or never.
 *
 * Values of a block with the same first and last uses share the barriers of a slot. Where dots or TMA read a slot that
 * threads fill, a fence orders their accesses: after the wait for copies, and before the arrival for stores
 * (docs/racecheck.md).
 *
 * CTAs of a cluster that need the same part of a tile load it together: the copies have `multicast`, and a producer
 * waits until the consumers of all these CTAs have released the slot (ring_sharing.h). */
#include "passes/warp_specialization/handed_values.h"
#include "passes/warp_specialization/nest_counters.h"
#include "passes/warp_specialization/partitions.h"

#include "analysis/allocation/allocation.h"
#include "analysis/membar/membar_effects.h"
#include "base/bits.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/pipelining/ring.h"
#include "passes/pipelining/ring_budget.h"
#include "passes/pipelining/rings/ring_barriers.h"
#include "passes/pipelining/rings/ring_remark.h"
#include "passes/pipelining/rings/ring_sharing.h"
#include "passes/support/descriptor.h"
#include "passes/support/loop.h"
#include "passes/support/scalar.h"
#include "passes/support/splat.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <math.h>

enum { LANES = 32 };

typedef struct group {
  nereid_handed_group_t handed;
  size_t counter;
  MlirValue full, empty; /* barriers */
  bool is_async;         /* dots or TMA read the slots */
} group_t;

typedef struct rewrite {
  nereid_pass_t *pass;
  MlirOperation root;
  NEREID_VECTOR(group_t) groups;
  nereid_nest_counters_t counters;
} rewrite_t;

/* The partitions that use the slots of the group. */
static nereid_partitions_t partitions_of(const nereid_handed_group_t *group) {
  nereid_partitions_t partitions = nereid_partition_only(group->partition);
  for (size_t i = 0; i < group->n_readers; ++i)
    partitions |= nereid_partition_only(group->readers[i].partition);
  return partitions;
}

static bool plan(rewrite_t *rewrite) {
  nereid_handed_groups_t groups = {0};
  if (!nereid_handed_groups(rewrite->pass->op, rewrite->root, rewrite->pass->scratch, &groups))
    return false;
  for (size_t i = 0; i < groups.size; ++i) {
    const nereid_handed_group_t *handed = &groups.data[i];
    const group_t group = {.handed = *handed,
                           .counter = nereid_nest_counters_add(&rewrite->counters, rewrite->pass->scratch,
                                                               mlirOperationGetParentOperation(handed->values[0].op),
                                                               handed->slots, partitions_of(handed))};
    nereid_vector_push(rewrite->pass->scratch, &rewrite->groups, group);
  }
  return !rewrite->pass->scratch->failed;
}

/* --- builders --- */

static nereid_builder_t before(const rewrite_t *rewrite, MlirOperation op) {
  nereid_builder_t builder = nereid_builder_before(op);
  builder.location = mlirOperationGetLocation(rewrite->root);
  return builder;
}

static MlirType i32_of(const rewrite_t *rewrite) {
  return mlirIntegerTypeGet(rewrite->pass->context, 32);
}

static MlirValue constant(const rewrite_t *rewrite, int64_t value) {
  const nereid_builder_t builder = before(rewrite, rewrite->root);
  return nereid_scalar_constant(&builder, i32_of(rewrite), value);
}

static MlirOperation assign(MlirOperation op, nereid_partitions_t partitions) {
  nereid_partition_set(op, partitions);
  return op;
}

static void replace_op(MlirOperation *op, MlirOperation from, MlirOperation to) {
  *op = mlirOperationEqual(*op, from) ? to : *op;
}

/* Replaces `from` by `to`, a loop with the same body, wherever it is recorded. */
static void replace_loop(void *data, MlirOperation from, MlirOperation to) {
  rewrite_t *rewrite = data;
  replace_op(&rewrite->root, from, to);
  for (size_t i = 0; i < rewrite->groups.size; ++i) {
    nereid_handed_group_t *group = &rewrite->groups.data[i].handed;
    for (size_t k = 0; k < group->size; ++k)
      replace_op(&group->values[k].op, from, to);
    for (size_t k = 0; k < group->n_readers; ++k) {
      replace_op(&group->readers[k].first, from, to);
      replace_op(&group->readers[k].last, from, to);
    }
  }
}

/* --- the partition that computes the values --- */

typedef struct emit {
  const rewrite_t *rewrite;
  const nereid_handed_group_t *group;
  const nereid_nest_counter_t *counter;
  MlirValue full, empty;
  bool is_async;
  nereid_partitions_t partitions; /* partitions of the emitted ops */
} emit_t;

static emit_t emit_for(const rewrite_t *rewrite, const group_t *group, int partition) {
  return (emit_t){.rewrite = rewrite,
                  .group = &group->handed,
                  .counter = &rewrite->counters.data[group->counter],
                  .full = group->full,
                  .empty = group->empty,
                  .is_async = group->is_async,
                  .partitions = nereid_partition_only(partition)};
}

static MlirValue result_of(const emit_t *emit, MlirOperation op) {
  return nereid_ir_result(assign(op, emit->partitions));
}

/* The CTAs that share a tile of the group: each of them may write the slots of the others. */
static uint32_t sharing_of(const nereid_handed_group_t *group) {
  uint32_t set = NEREID_RING_NOT_SHARED;
  for (size_t i = 0; i < group->size && group->kind == NEREID_HANDED_BY_TMA; ++i)
    set |= nereid_ring_sharing(group->values[i].op);
  return set;
}

/* The CTAs at whose empty barriers a reader arrives, as an attribute; null: only its own. */
static MlirAttribute ctas_of(const rewrite_t *rewrite, const nereid_handed_group_t *group) {
  const uint32_t set = sharing_of(group);
  return set == NEREID_RING_NOT_SHARED ? (MlirAttribute){NULL} : mlirIntegerAttrGet(i32_of(rewrite), (int64_t)set);
}

/* The parity of the phase of the empty barrier that precedes a fill. */
static MlirValue free_phase(const emit_t *emit, const nereid_builder_t *builder) {
  const rewrite_t *rewrite = emit->rewrite;
  const nereid_nest_counter_t *counter = emit->counter;
  MlirValue other = result_of(emit, nereid_arith_xori_build(builder, counter->phase, constant(rewrite, 1)));
  if (!emit->group->releases_previous)
    return other;
  MlirValue last =
      result_of(emit, nereid_arith_cmpi_build(builder, counter->index, constant(rewrite, counter->slots - 1),
                                              NEREID_ARITH_CMP_I_PREDICATE_EQ));
  return result_of(emit, nereid_arith_select_build(builder, last, counter->phase, other));
}

static int64_t bytes_of(const nereid_handed_group_t *group) {
  int64_t bytes = 0;
  for (size_t i = 0; i < group->size; ++i)
    bytes += nereid_allocation_bytes(group->values[i].slot_type);
  return bytes;
}

static MlirValue slot_at(const emit_t *emit, const nereid_builder_t *builder, size_t number, MlirValue index) {
  const nereid_handed_value_t *value = &emit->group->values[number];
  const int64_t spacing = nereid_ring_spacing(value->slot_type);
  if (spacing > 1)
    index =
        result_of(emit, mlirOpResultGetOwner(nereid_scalar_multiply(builder, index, constant(emit->rewrite, spacing))));
  return result_of(emit, nereid_ttg_memdesc_index_build(builder, value->slot_type, value->ring, index));
}

static void emit_tma(const emit_t *emit, size_t number, MlirValue full, MlirValue always) {
  MlirOperation load = emit->group->values[number].op;
  const nereid_builder_t builder = nereid_builder_before(load);
  const intptr_t rank = nereid_tt_descriptor_load_get_indices_count(load);
  MlirValue coordinates[NEREID_DESCRIPTOR_RANK];
  for (intptr_t i = 0; i < rank && i < NEREID_DESCRIPTOR_RANK; ++i)
    coordinates[i] = nereid_tt_descriptor_load_get_indices(load, i);
  MlirValue slot = slot_at(emit, &builder, number, emit->counter->index);
  assign(nereid_ttng_async_tma_copy_global_to_local_build(
             &builder, nereid_tt_descriptor_load_get_desc(load), rank, coordinates, full, slot, always,
             nereid_tt_descriptor_load_get_cache(load), nereid_tt_descriptor_load_get_evict(load), false,
             nereid_ring_sharing(load) != NEREID_RING_NOT_SHARED),
         emit->partitions);
}

/* --- copies by cp.async --- */

static bool is_positive_zero(MlirAttribute element) {
  if (mlirAttributeIsAFloat(element)) {
    const double number = mlirFloatAttrGetValueDouble(element);
    return number == 0.0 && !signbit(number);
  }
  return mlirAttributeIsAInteger(element) && mlirIntegerAttrGetValueInt(element) == 0;
}

/* Whether threads store the elements that the mask of `load` excludes: cp.async only fills in zeros. */
static bool stores_others(MlirOperation load) {
  MlirValue other = nereid_tt_load_get_other(load);
  MlirAttribute element = mlirValueIsNull(other) ? (MlirAttribute){NULL} : nereid_splat_constant(other);
  return !mlirValueIsNull(nereid_tt_load_get_mask(load)) && !mlirValueIsNull(other) &&
         (mlirAttributeIsNull(element) || !is_positive_zero(element));
}

static bool group_stores_others(const nereid_handed_group_t *group) {
  for (size_t i = 0; i < group->size; ++i)
    if (stores_others(group->values[i].op))
      return true;
  return false;
}

/* The value of elements that the mask of `load` excludes; null when it has no mask. */
static MlirValue fill_of(const emit_t *emit, MlirOperation load, const nereid_builder_t *builder) {
  MlirValue other = nereid_tt_load_get_other(load);
  if (mlirValueIsNull(nereid_tt_load_get_mask(load)) || !mlirValueIsNull(other))
    return mlirValueIsNull(nereid_tt_load_get_mask(load)) ? (MlirValue){NULL} : other;
  MlirType tensor = mlirValueGetType(nereid_ir_result(load)), element = mlirShapedTypeGetElementType(tensor);
  MlirAttribute zero = mlirTypeIsAFloat(element) ? mlirFloatAttrDoubleGet(mlirTypeGetContext(tensor), element, 0.0)
                                                 : mlirIntegerAttrGet(element, 0);
  return result_of(emit, nereid_arith_constant_build(builder, mlirDenseElementsAttrSplatGet(tensor, zero)));
}

static void emit_copy(const emit_t *emit, size_t number) {
  MlirOperation load = emit->group->values[number].op;
  const nereid_builder_t builder = nereid_builder_before(load);
  MlirValue slot = slot_at(emit, &builder, number, emit->counter->index);
  assign(nereid_ttg_async_copy_global_to_local_build(
             &builder, nereid_tt_load_get_ptr(load), slot, nereid_tt_load_get_mask(load), fill_of(emit, load, &builder),
             nereid_tt_load_get_cache(load), nereid_tt_load_get_evict(load), false, 1),
         emit->partitions);
}

/* --- fills --- */

static MlirValue emit_wait_for_slot(const emit_t *emit, const nereid_builder_t *builder) {
  MlirValue index = emit->counter->index;
  MlirValue empty = result_of(emit, nereid_ring_barrier(builder, emit->empty, index));
  assign(nereid_ttng_wait_barrier_build(builder, empty, free_phase(emit, builder), (MlirValue){NULL}, 0, NULL, false),
         emit->partitions);
  return result_of(emit, nereid_ring_barrier(builder, emit->full, index));
}

/* Arrives for the stores of each warp. */
static void emit_arrival_of_stores(const emit_t *emit, const nereid_builder_t *builder, MlirValue full, intptr_t n,
                                   const MlirValue *slots) {
  if (emit->is_async)
    assign(nereid_ttng_fence_async_shared_build(builder, false, false), emit->partitions);
  assign(nereid_ttng_arrive_barrier_build(builder, full, (MlirValue){NULL}, n, slots, 1, true, (MlirAttribute){NULL}),
         emit->partitions);
}

static void fill_by_tma(const emit_t *emit) {
  const nereid_builder_t builder = nereid_builder_before(emit->group->values[0].op),
                         outside = before(emit->rewrite, emit->rewrite->root);
  MlirValue always = nereid_scalar_constant(&outside, mlirIntegerTypeGet(emit->rewrite->pass->context, 1), 1);
  MlirValue full = emit_wait_for_slot(emit, &builder);
  assign(nereid_ttng_barrier_expect_build(&builder, full, always, (int32_t)bytes_of(emit->group)), emit->partitions);
  for (size_t i = 0; i < emit->group->size; ++i)
    emit_tma(emit, i, full, always);
}

static void fill_by_cp_async(const emit_t *emit) {
  const nereid_handed_group_t *group = emit->group;
  nereid_builder_t builder = nereid_builder_before(group->values[0].op);
  MlirValue full = emit_wait_for_slot(emit, &builder);
  for (size_t i = 0; i < group->size; ++i)
    emit_copy(emit, i);
  builder = nereid_builder_before(group->values[group->size - 1].op);
  if (group_stores_others(group))
    emit_arrival_of_stores(emit, &builder, full, 0, NULL);
  assign(nereid_ttng_async_copy_mbarrier_arrive_build(&builder, full, true), emit->partitions);
}

static void fill_by_stores(const emit_t *emit) {
  const nereid_handed_value_t *value = &emit->group->values[0];
  nereid_builder_t builder = nereid_builder_before(value->op);
  builder.before = mlirOperationGetNextInBlock(value->op);
  MlirValue full = emit_wait_for_slot(emit, &builder);
  MlirValue slot = slot_at(emit, &builder, 0, emit->counter->index);
  assign(nereid_ttg_local_store_build(&builder, nereid_handed_value(value), slot), emit->partitions);
  emit_arrival_of_stores(emit, &builder, full, 1, &slot);
}

static void emit_fill(const rewrite_t *rewrite, const group_t *group) {
  const emit_t emit = emit_for(rewrite, group, group->handed.partition);
  switch (group->handed.kind) {
  case NEREID_HANDED_BY_TMA:
    fill_by_tma(&emit);
    break;
  case NEREID_HANDED_BY_CP_ASYNC:
    fill_by_cp_async(&emit);
    break;
  case NEREID_HANDED_BY_STORES:
    fill_by_stores(&emit);
    break;
  }
}

/* --- readers --- */

/* Whether `op` belongs to the partition of the emitted ops. */
static bool is_of_reader(const emit_t *emit, MlirOperation op) {
  return nereid_partition_of(op) & emit->partitions;
}

/* Moves the reader's views of `from` in the block of `place`, and views of them, there. */
static void sink_views(const emit_t *emit, const nereid_handed_value_t *value, MlirValue from, MlirOperation place) {
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(from); !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!nereid_handed_is_view(value, user) || !is_of_reader(emit, user) ||
        !mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(place)) ||
        !mlirOperationIsBeforeInBlock(user, place))
      continue;
    mlirOperationMoveBefore(user, place);
    sink_views(emit, value, nereid_ir_result(user), place);
  }
}

/* Replaces the reader's buffers of the value by its slot. */
static void replace_views(const emit_t *emit, const nereid_handed_value_t *value, MlirValue slot) {
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(nereid_handed_value(value)); !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!nereid_handed_is_view(value, user) || !is_of_reader(emit, user))
      continue;
    nereid_ring_replace_view(nereid_ir_result(user), slot);
    nereidMlirOperationErase(user);
  }
}

/* Replaces the reader's other uses by a load from the slot, before `first`. */
static void replace_tensors(const emit_t *emit, const nereid_handed_value_t *value, MlirValue slot,
                            MlirOperation first) {
  MlirValue from = nereid_handed_value(value), read = {NULL};
  const nereid_builder_t builder = nereid_builder_before(first);
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(from); !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!is_of_reader(emit, user) || nereid_op_kind(user) == NEREID_OP_SCF_YIELD)
      continue;
    if (mlirValueIsNull(read))
      read = result_of(emit, nereid_ttg_local_load_build(&builder, mlirValueGetType(from), slot, (MlirValue){NULL}));
    mlirOperationSetOperand(user, mlirOpOperandGetOperandNumber(use), read);
  }
}

/* The slots that the arrival releases. */
static void released_slots(const emit_t *emit, const nereid_handed_reader_t *reader, const nereid_builder_t *builder,
                           MlirValue index, MlirValue *out) {
  for (size_t i = 0; i < emit->group->size; ++i)
    out[i] = mlirValueEqual(index, emit->counter->index) ? reader->slots[i] : slot_at(emit, builder, i, index);
}

static MlirValue previous_index(const emit_t *emit, const nereid_builder_t *builder) {
  const rewrite_t *rewrite = emit->rewrite;
  const nereid_nest_counter_t *counter = emit->counter;
  MlirValue zero = constant(rewrite, 0), one = constant(rewrite, 1), last = constant(rewrite, counter->slots - 1);
  MlirValue is_first =
      result_of(emit, nereid_arith_cmpi_build(builder, counter->index, zero, NEREID_ARITH_CMP_I_PREDICATE_EQ));
  MlirValue before =
      result_of(emit, nereid_arith_subi_build(builder, counter->index, one, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
  return result_of(emit, nereid_arith_select_build(builder, is_first, last, before));
}

static void emit_release(const emit_t *emit, const nereid_handed_reader_t *reader) {
  nereid_builder_t builder = nereid_builder_before(reader->last);
  builder.before = mlirOperationGetNextInBlock(reader->last);
  MlirValue index = emit->group->releases_previous ? previous_index(emit, &builder) : emit->counter->index;
  MlirValue empty = result_of(emit, nereid_ring_barrier(&builder, emit->empty, index)), slots[NEREID_HANDED_MAX];
  released_slots(emit, reader, &builder, index, slots);
  assign(nereid_ttng_arrive_barrier_build(&builder, empty, (MlirValue){NULL}, (intptr_t)emit->group->size, slots, 1,
                                          true, ctas_of(emit->rewrite, emit->group)),
         emit->partitions);
}

/* Whether an op reads the buffer in the async proxy, through views. */
static bool is_read_asynchronously(MlirValue buffer) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereid_membar_uses_async_proxy(user) ||
        (nereid_ttg_is_memdesc_view(user) && is_read_asynchronously(nereid_ir_result(user))))
      return true;
  }
  return false;
}

/* Whether `partition` gets values from others. */
static bool reads_any(const rewrite_t *rewrite, int partition) {
  for (size_t i = 0; i < rewrite->groups.size; ++i)
    for (size_t k = 0; k < rewrite->groups.data[i].handed.n_readers; ++k)
      if (rewrite->groups.data[i].handed.readers[k].partition == partition)
        return true;
  return false;
}

static bool has_register_operand(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT &&
         mlirTypeIsARankedTensor(mlirValueGetType(nereid_ttng_warp_group_dot_get_a(op)));
}

/* The op before which the reader waits for a full slot: its first use, or an earlier dot that takes an operand from
 * registers. While that dot is in flight, ptxas accepts no wait before a second dot with an operand in registers: it
 * serializes both (note C7513). The other partition fills the slots of an iteration without waiting for this one, as it
 * does not get values. */
static MlirOperation place_of_wait(const emit_t *emit, const nereid_handed_reader_t *reader) {
  if (reads_any(emit->rewrite, emit->group->partition))
    return reader->first;
  MlirOperation op = mlirBlockGetFirstOperation(mlirOperationGetBlock(reader->first));
  while (!mlirOperationEqual(op, reader->first) && !(has_register_operand(op) && is_of_reader(emit, op)))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

static void emit_reader(const rewrite_t *rewrite, group_t *group, nereid_handed_reader_t *reader) {
  const emit_t emit = emit_for(rewrite, group, reader->partition);
  const nereid_handed_group_t *handed = &group->handed;
  const nereid_builder_t builder = nereid_builder_before(place_of_wait(&emit, reader));
  bool is_async = false;
  for (size_t i = 0; i < handed->size; ++i)
    reader->slots[i] = slot_at(&emit, &builder, i, emit.counter->index);
  MlirValue full = result_of(&emit, nereid_ring_barrier(&builder, group->full, emit.counter->index));
  MlirOperation wait = assign(nereid_ttng_wait_barrier_build(&builder, full, emit.counter->phase, (MlirValue){NULL},
                                                             (intptr_t)handed->size, reader->slots, false),
                              emit.partitions);
  emit_release(&emit, reader);
  for (size_t i = 0; i < handed->size; ++i) {
    sink_views(&emit, &handed->values[i], nereid_handed_value(&handed->values[i]), reader->first);
    replace_views(&emit, &handed->values[i], reader->slots[i]);
    replace_tensors(&emit, &handed->values[i], reader->slots[i], reader->first);
    is_async = is_async || is_read_asynchronously(reader->slots[i]);
  }
  group->is_async = group->is_async || is_async;
  if (!is_async || handed->kind != NEREID_HANDED_BY_CP_ASYNC)
    return;
  nereid_builder_t after = builder;
  after.before = mlirOperationGetNextInBlock(wait);
  assign(nereid_ttng_fence_async_shared_build(&after, false, false), emit.partitions);
}

/* --- loops --- */

/* The arrivals of a phase of the full barriers. */
static int32_t fills_of(const rewrite_t *rewrite, const nereid_handed_group_t *group) {
  const int32_t warps = nereid_partition_warps(rewrite->root, group->partition);
  switch (group->kind) {
  case NEREID_HANDED_BY_CP_ASYNC:
    return warps * (LANES + group_stores_others(group));
  case NEREID_HANDED_BY_STORES:
    return warps;
  default:
    return 1;
  }
}

/* The warps that release a slot. */
static int32_t readers_of(const rewrite_t *rewrite, const nereid_handed_group_t *group) {
  int32_t warps = 0;
  for (size_t i = 0; i < group->n_readers; ++i)
    warps += nereid_partition_warps(rewrite->root, group->readers[i].partition);
  return warps;
}

static void allocate(const rewrite_t *rewrite, group_t *group) {
  const nereid_builder_t builder = before(rewrite, rewrite->root);
  nereid_handed_group_t *handed = &group->handed;
  for (size_t i = 0; i < handed->size; ++i)
    handed->values[i].ring = nereid_ir_result(
        nereid_ttg_local_alloc_build(&builder, nereid_ring_type(handed->values[i].slot_type, handed->slots),
                                     (MlirValue){NULL}, (MlirAttribute){NULL}));
  group->full = nereid_ring_barriers_create(&builder, handed->slots, fills_of(rewrite, handed));
  group->empty = nereid_ring_barriers_create(&builder, handed->slots,
                                             readers_of(rewrite, handed) * nereid_bit_count(sharing_of(handed)));
}

static void release(const rewrite_t *rewrite, const group_t *group) {
  nereid_builder_t builder = before(rewrite, rewrite->root);
  builder.before = mlirOperationGetNextInBlock(rewrite->root);
  nereid_ring_barriers_release(&builder, group->full);
  nereid_ring_barriers_release(&builder, group->empty);
  for (size_t i = 0; i < group->handed.size; ++i)
    nereid_ttg_local_dealloc_build(&builder, group->handed.values[i].ring);
}

/* Explains the rings. A slot that is released late cannot be filled while the consumer uses the next one. */
static void remark_rings(const rewrite_t *rewrite, const nereid_handed_group_t *group) {
  static const nereid_ring_fill_t fills[] = {[NEREID_HANDED_BY_TMA] = NEREID_RING_BY_TMA,
                                             [NEREID_HANDED_BY_CP_ASYNC] = NEREID_RING_BY_CP_ASYNC,
                                             [NEREID_HANDED_BY_STORES] = NEREID_RING_BY_STORES};
  for (size_t i = 0; i < group->size; ++i) {
    MlirOperation op = group->values[i].op;
    const bool is_tma = group->kind == NEREID_HANDED_BY_TMA;
    const nereid_ring_remark_t remark = {.fill = op,
                                         .buffer = group->values[i].ring,
                                         .slots = group->slots,
                                         .bytes = nereid_ring_slot_bytes(group->values[i].slot_type),
                                         .ahead = group->slots - group->releases_previous,
                                         .sharing = group->size,
                                         .by = fills[group->kind],
                                         .partition = group->partition,
                                         .producers = nereid_partition_warps(rewrite->root, group->partition),
                                         .warps = readers_of(rewrite, group),
                                         .ctas = is_tma ? nereid_bit_count(nereid_ring_sharing(op)) : 1};
    nereid_ring_remark(rewrite->pass, rewrite->pass->scratch, &remark);
  }
}

/* Erases the loads that copies replace. False after a diagnostic, if one is still used. */
static bool erase_loads(const nereid_handed_group_t *group) {
  for (size_t i = 0; i < group->size && group->kind != NEREID_HANDED_BY_STORES; ++i) {
    MlirOperation load = group->values[i].op;
    MlirOpOperand use = mlirValueGetFirstUse(nereid_ir_result(load));
    if (!mlirOpOperandIsNull(use)) {
      nereid_diagnose(mlirOpOperandGetOwner(use),
                      "uses a tile that partition %d loads for others: expected one partition in ttg.partition, which "
                      "is another one",
                      group->partition);
      return false;
    }
    nereidMlirOperationErase(load);
  }
  return true;
}

static bool rewrite_loop(nereid_pass_t *pass, MlirOperation loop) {
  rewrite_t rewrite = {.pass = pass, .root = loop};
  if (!plan(&rewrite))
    return false;
  for (size_t i = 0; i < rewrite.groups.size; ++i)
    allocate(&rewrite, &rewrite.groups.data[i]);
  if (!nereid_nest_counters_carry(&rewrite.counters, pass->scratch, &rewrite.root, replace_loop, &rewrite))
    return false;
  for (size_t i = 0; i < rewrite.groups.size; ++i) {
    group_t *group = &rewrite.groups.data[i];
    for (size_t k = 0; k < group->handed.n_readers; ++k)
      emit_reader(&rewrite, group, &group->handed.readers[k]);
    emit_fill(&rewrite, group);
    release(&rewrite, group);
    remark_rings(&rewrite, &group->handed);
  }
  for (size_t i = 0; i < rewrite.groups.size; ++i)
    if (!erase_loads(&rewrite.groups.data[i].handed))
      return false;
  return !pass->scratch->failed;
}

MlirLogicalResult nereid_pass_tritongpu_rewrite_partition_dependencies(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  bool good = nereid_partition_loops(pass->op, pass->scratch, &loops);
  for (size_t i = 0; good && i < loops.size; ++i)
    good = rewrite_loop(pass, loops.data[i]);
  return good && !pass->scratch->failed ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
