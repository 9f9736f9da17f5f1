/* tritongpu-rewrite-partition-dependencies: passes the tiles that the producer of a divided loop loads through rings.
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
 * Each warp of the consumer arrives for itself, so no barrier of the CTA is needed. The counters go through all loops
 * of the nest: the producer continues with the next tile while the consumer is still in an epilogue.
 *
 * Where the last use is a dot that stays in flight, the consumer releases the slot of the iteration before instead,
 * whose dot is complete: %empty[%i - 1]. Its first arrival, at the last slot, is for no tile, so the producer waits for
 * one more phase of the last slot than of the others: %p instead of %p xor 1 where %i is the last slot. The slot of the
 * last iteration is released by the next one, or never.
 *
 * Loads of a block with the same first and last use share the barriers of a slot.
 *
 * CTAs of a cluster that need the same part of a tile load it together: the copies have `multicast`, and a producer
 * waits until the consumers of all these CTAs have released the slot (ring_sharing.h). */
#include "passes/warp_specialization/partitions.h"

#include "analysis/allocation/allocation.h"
#include "base/bits.h"
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
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { MAX_GROUP = 16 /* loads that share barriers */ };

/* The index of a slot and the parity of its phase, carried by the loops of a nest. */
typedef struct counter {
  MlirOperation loop; /* the innermost one */
  int32_t slots;
  MlirValue index, phase;
} counter_t;

typedef struct group {
  MlirOperation loads[MAX_GROUP];
  MlirValue rings[MAX_GROUP], slots[MAX_GROUP]; /* slots: of the consumer */
  size_t size, counter;
  MlirBlock block;
  MlirOperation first, last; /* uses in the block */
  bool releases_previous;
  MlirValue full, empty; /* barriers */
} group_t;

typedef struct rewrite {
  nereid_pass_t *pass;
  MlirOperation root;
  NEREID_VECTOR(group_t) groups;
  NEREID_VECTOR(counter_t) counters;
} rewrite_t;

/* --- uses --- */

/* Whether `user` makes a buffer of the load's tensor that its slot replaces, or a view of one. */
static bool is_view(MlirOperation load, MlirOperation user) {
  if (nereid_ttg_is_memdesc_view(user))
    return true;
  return nereid_op_kind(user) == NEREID_OP_TTG_LOCAL_ALLOC &&
         mlirAttributeEqual(nereid_ttg_memdesc_type_get_encoding(mlirValueGetType(nereid_ir_result(user))),
                            nereid_ttg_memdesc_type_get_encoding(nereid_ring_slot_type(load)));
}

/* Extends [*first, *last], ops of the load's block, by the uses of `value`, through views. */
static void add_uses(MlirOperation load, MlirValue value, MlirOperation *first, MlirOperation *last) {
  MlirBlock block = mlirOperationGetBlock(load);
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use), op = nereid_ir_ancestor_in(block, user);
    if (mlirOperationIsNull(op))
      continue;
    if (mlirOperationEqual(op, user) && is_view(load, user)) {
      add_uses(load, nereid_ir_result(user), first, last);
      continue;
    }
    if (mlirOperationIsNull(*first) || mlirOperationIsBeforeInBlock(op, *first))
      *first = op;
    if (mlirOperationIsNull(*last) || mlirOperationIsBeforeInBlock(*last, op))
      *last = op;
  }
}

/* Moves the views of `value` in the block of `before`, and views of them, there. */
static void sink_views(MlirOperation load, MlirValue value, MlirOperation before) {
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!is_view(load, user) || !mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(before)) ||
        !mlirOperationIsBeforeInBlock(user, before))
      continue;
    mlirOperationMoveBefore(user, before);
    sink_views(load, nereid_ir_result(user), before);
  }
}

static int32_t slots_of(MlirOperation load) {
  return (int32_t)nereid_ir_integer(load, NEREID_ATTR_PARTITION_SLOTS, 2);
}

static size_t add_counter(rewrite_t *rewrite, MlirOperation load) {
  const counter_t counter = {.loop = mlirOperationGetParentOperation(load), .slots = slots_of(load)};
  for (size_t i = 0; i < rewrite->counters.size; ++i)
    if (mlirOperationEqual(rewrite->counters.data[i].loop, counter.loop) &&
        rewrite->counters.data[i].slots == counter.slots)
      return i;
  return nereid_vector_push(rewrite->pass->scratch, &rewrite->counters, counter) ? rewrite->counters.size - 1 : 0;
}

/* Whether the dot, directly in a loop, stays in flight until the next iteration has issued its own: the loop only
 * carries the accumulator from one to the other. */
static bool accumulates_in_flight(MlirOperation dot) {
  return nereid_ring_dot_stays_in_flight(dot) && mlirValueIsABlockArgument(nereid_ttng_warp_group_dot_get_c(dot));
}

static void add_load(rewrite_t *rewrite, MlirOperation load) {
  MlirBlock block = mlirOperationGetBlock(load);
  MlirOperation first = {NULL}, last = {NULL};
  add_uses(load, nereid_ir_result(load), &first, &last);
  for (size_t i = 0; i < rewrite->groups.size; ++i) {
    group_t *group = &rewrite->groups.data[i];
    if (group->size < MAX_GROUP && mlirBlockEqual(group->block, block) && mlirOperationEqual(group->first, first) &&
        mlirOperationEqual(group->last, last) && slots_of(group->loads[0]) == slots_of(load)) {
      group->loads[group->size++] = load;
      return;
    }
  }
  group_t group = {.loads = {load}, .size = 1, .block = block, .first = first, .last = last};
  group.releases_previous = slots_of(load) > 1 && accumulates_in_flight(last);
  group.counter = add_counter(rewrite, load);
  nereid_vector_push(rewrite->pass->scratch, &rewrite->groups, group);
}

static bool plan(rewrite_t *rewrite) {
  nereid_operations_t loads = {0};
  if (!nereid_collect(rewrite->root, nereid_partition_is_load, rewrite->pass->scratch, &loads))
    return false;
  for (size_t i = 0; i < loads.size; ++i)
    add_load(rewrite, loads.data[i]);
  return !rewrite->pass->scratch->failed;
}

/* --- counters --- */

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

static MlirOperation in_both(MlirOperation op) {
  nereid_partition_set(op, true, true);
  return op;
}

static MlirValue shared(MlirOperation op) {
  return nereid_ir_result(in_both(op));
}

static void yield(MlirOperation loop, intptr_t n, const MlirValue *values) {
  MlirOperation end = mlirBlockGetTerminator(nereid_loop_body(loop));
  nereidMlirOperationInsertOperands(end, mlirOperationGetNumOperands(end), n, values);
}

/* Yields the next index and phase of `counter` in its loop. */
static void advance(const rewrite_t *rewrite, const counter_t *counter) {
  MlirBlock body = nereid_loop_body(counter->loop);
  const nereid_builder_t builder = before(rewrite, mlirBlockGetTerminator(body));
  MlirValue one = constant(rewrite, 1), slots = constant(rewrite, counter->slots), zero = constant(rewrite, 0);
  MlirValue next =
      shared(nereid_arith_addi_build(&builder, counter->index, one, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
  MlirValue wraps = shared(nereid_arith_cmpi_build(&builder, next, slots, NEREID_ARITH_CMP_I_PREDICATE_SGE));
  MlirValue flipped = shared(nereid_arith_xori_build(&builder, counter->phase, one));
  MlirValue values[] = {shared(nereid_arith_select_build(&builder, wraps, zero, next)),
                        shared(nereid_arith_select_build(&builder, wraps, flipped, counter->phase))};
  yield(counter->loop, 2, values);
}

/* Replaces `from` by `to`, a loop with the same body, wherever it is recorded. */
static void replace_loop(rewrite_t *rewrite, MlirOperation from, MlirOperation to) {
  if (mlirOperationEqual(rewrite->root, from))
    rewrite->root = to;
  for (size_t i = 0; i < rewrite->counters.size; ++i)
    if (mlirOperationEqual(rewrite->counters.data[i].loop, from))
      rewrite->counters.data[i].loop = to;
  for (size_t i = 0; i < rewrite->groups.size; ++i) {
    group_t *group = &rewrite->groups.data[i];
    if (mlirOperationEqual(group->first, from))
      group->first = to;
    if (mlirOperationEqual(group->last, from))
      group->last = to;
  }
}

/* Lets all loops from the root to that of the counter carry it. */
static bool carry(rewrite_t *rewrite, size_t number) {
  nereid_operations_t nest = {0};
  MlirValue zero = constant(rewrite, 0), values[] = {zero, zero};
  MlirBlock body = nereid_loop_body(rewrite->counters.data[number].loop);
  if (!nereid_partition_nest(rewrite->root, mlirBlockGetTerminator(body), rewrite->pass->scratch, &nest))
    return false;
  for (size_t i = 0; i < nest.size; ++i) {
    MlirOperation loop = nereid_loop_with_carried(nest.data[i], 2, values);
    replace_loop(rewrite, nest.data[i], loop);
    nest.data[i] = loop;
    body = nereid_loop_body(loop);
    for (int k = 0; k < 2; ++k)
      values[k] = mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - 2 + k);
  }
  for (size_t i = 0; i + 1 < nest.size; ++i) {
    MlirOperation inner = nest.data[i + 1];
    const intptr_t n = mlirOperationGetNumResults(inner);
    yield(nest.data[i], 2, (MlirValue[]){mlirOperationGetResult(inner, n - 2), mlirOperationGetResult(inner, n - 1)});
  }
  counter_t *counter = &rewrite->counters.data[number];
  counter->index = values[0];
  counter->phase = values[1];
  advance(rewrite, counter);
  return true;
}

/* --- the producer --- */

/* The CTAs that share a tile of the group: each of them may write the slots of the others. */
static uint32_t sharing_of(const group_t *group) {
  uint32_t set = NEREID_RING_NOT_SHARED;
  for (size_t i = 0; i < group->size; ++i)
    set |= nereid_ring_sharing(group->loads[i]);
  return set;
}

/* The CTAs at whose empty barriers the consumer arrives, as an attribute; null: only its own. */
static MlirAttribute ctas_of(const rewrite_t *rewrite, const group_t *group) {
  const uint32_t set = sharing_of(group);
  return set == NEREID_RING_NOT_SHARED ? (MlirAttribute){NULL} : mlirIntegerAttrGet(i32_of(rewrite), (int64_t)set);
}

static MlirOperation produce(MlirOperation op) {
  nereid_partition_set(op, false, true);
  return op;
}

static MlirValue produced(MlirOperation op) {
  return nereid_ir_result(produce(op));
}

/* The parity of the phase of the empty barrier for which the producer waits. */
static MlirValue free_phase(const rewrite_t *rewrite, const group_t *group, const nereid_builder_t *builder) {
  const counter_t *counter = &rewrite->counters.data[group->counter];
  MlirValue other = produced(nereid_arith_xori_build(builder, counter->phase, constant(rewrite, 1)));
  if (!group->releases_previous)
    return other;
  MlirValue last = produced(nereid_arith_cmpi_build(builder, counter->index, constant(rewrite, counter->slots - 1),
                                                    NEREID_ARITH_CMP_I_PREDICATE_EQ));
  return produced(nereid_arith_select_build(builder, last, counter->phase, other));
}

static int64_t bytes_of(const group_t *group) {
  int64_t bytes = 0;
  for (size_t i = 0; i < group->size; ++i)
    bytes += nereid_ring_budget_slot_bytes(group->loads[i]);
  return bytes;
}

static void emit_copy(const rewrite_t *rewrite, const group_t *group, size_t number, MlirValue full, MlirValue always) {
  MlirOperation load = group->loads[number];
  const nereid_builder_t builder = nereid_builder_before(load);
  const intptr_t rank = nereid_tt_descriptor_load_get_indices_count(load);
  MlirValue coordinates[NEREID_DESCRIPTOR_RANK];
  for (intptr_t i = 0; i < rank && i < NEREID_DESCRIPTOR_RANK; ++i)
    coordinates[i] = nereid_tt_descriptor_load_get_indices(load, i);
  MlirValue slot = produced(nereid_ttg_memdesc_index_build(&builder, nereid_ring_slot_type(load), group->rings[number],
                                                           rewrite->counters.data[group->counter].index));
  produce(nereid_ttng_async_tma_copy_global_to_local_build(
      &builder, nereid_tt_descriptor_load_get_desc(load), rank, coordinates, full, slot, always,
      nereid_tt_descriptor_load_get_cache(load), nereid_tt_descriptor_load_get_evict(load), false,
      nereid_ring_sharing(load) != NEREID_RING_NOT_SHARED));
}

static void emit_producer(const rewrite_t *rewrite, const group_t *group) {
  const nereid_builder_t builder = nereid_builder_before(group->loads[0]), outside = before(rewrite, rewrite->root);
  MlirValue index = rewrite->counters.data[group->counter].index;
  MlirValue always = nereid_scalar_constant(&outside, mlirIntegerTypeGet(rewrite->pass->context, 1), 1);
  MlirValue empty = produced(nereid_ring_barrier(&builder, group->empty, index));
  produce(nereid_ttng_wait_barrier_build(&builder, empty, free_phase(rewrite, group, &builder), (MlirValue){NULL}, 0,
                                         NULL, sharing_of(group) != NEREID_RING_NOT_SHARED));
  MlirValue full = produced(nereid_ring_barrier(&builder, group->full, index));
  produce(nereid_ttng_barrier_expect_build(&builder, full, always, (int32_t)bytes_of(group)));
  for (size_t i = 0; i < group->size; ++i)
    emit_copy(rewrite, group, i, full, always);
}

/* --- the consumer --- */

static MlirOperation consume(MlirOperation op) {
  nereid_partition_set(op, true, false);
  return op;
}

static MlirValue consumed(MlirOperation op) {
  return nereid_ir_result(consume(op));
}

/* Replaces the uses of a load by its slot and, for those in registers, by a load from it before `first`. */
static void replace_uses(MlirOperation load, MlirValue slot, MlirOperation first) {
  MlirValue value = nereid_ir_result(load);
  MlirOpOperand next;
  sink_views(load, value, first);
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!is_view(load, user))
      continue;
    nereid_ring_replace_view(nereid_ir_result(user), slot);
    nereidMlirOperationErase(user);
  }
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(value)))
    return;
  const nereid_builder_t builder = nereid_builder_before(first);
  MlirValue read = consumed(nereid_ttg_local_load_build(&builder, mlirValueGetType(value), slot, (MlirValue){NULL}));
  mlirValueReplaceAllUsesOfWith(value, read);
}

/* The slots that the arrival releases. */
static void released_slots(const rewrite_t *rewrite, const group_t *group, const nereid_builder_t *builder,
                           MlirValue index, MlirValue *out) {
  for (size_t i = 0; i < group->size; ++i)
    out[i] = mlirValueEqual(index, rewrite->counters.data[group->counter].index)
                 ? group->slots[i]
                 : consumed(nereid_ttg_memdesc_index_build(builder, nereid_ring_slot_type(group->loads[i]),
                                                           group->rings[i], index));
}

static MlirValue previous_index(const rewrite_t *rewrite, const counter_t *counter, const nereid_builder_t *builder) {
  MlirValue zero = constant(rewrite, 0), one = constant(rewrite, 1), last = constant(rewrite, counter->slots - 1);
  MlirValue is_first =
      consumed(nereid_arith_cmpi_build(builder, counter->index, zero, NEREID_ARITH_CMP_I_PREDICATE_EQ));
  MlirValue before =
      consumed(nereid_arith_subi_build(builder, counter->index, one, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
  return consumed(nereid_arith_select_build(builder, is_first, last, before));
}

static void emit_arrival(const rewrite_t *rewrite, const group_t *group) {
  const counter_t *counter = &rewrite->counters.data[group->counter];
  nereid_builder_t builder = nereid_builder_before(group->last);
  builder.before = mlirOperationGetNextInBlock(group->last);
  MlirValue index = group->releases_previous ? previous_index(rewrite, counter, &builder) : counter->index;
  MlirValue empty = consumed(nereid_ring_barrier(&builder, group->empty, index)), slots[MAX_GROUP];
  released_slots(rewrite, group, &builder, index, slots);
  consume(nereid_ttng_arrive_barrier_build(&builder, empty, (MlirValue){NULL}, (intptr_t)group->size, slots, 1, true,
                                           ctas_of(rewrite, group)));
}

static void emit_consumer(const rewrite_t *rewrite, group_t *group) {
  const counter_t *counter = &rewrite->counters.data[group->counter];
  const nereid_builder_t builder = nereid_builder_before(group->first);
  for (size_t i = 0; i < group->size; ++i)
    group->slots[i] = consumed(nereid_ttg_memdesc_index_build(&builder, nereid_ring_slot_type(group->loads[i]),
                                                              group->rings[i], counter->index));
  MlirValue full = consumed(nereid_ring_barrier(&builder, group->full, counter->index));
  consume(nereid_ttng_wait_barrier_build(&builder, full, counter->phase, (MlirValue){NULL}, (intptr_t)group->size,
                                         group->slots, false));
  emit_arrival(rewrite, group);
  for (size_t i = 0; i < group->size; ++i)
    replace_uses(group->loads[i], group->slots[i], group->first);
}

/* --- loops --- */

static void allocate(const rewrite_t *rewrite, group_t *group) {
  const nereid_builder_t builder = before(rewrite, rewrite->root);
  const int32_t slots = rewrite->counters.data[group->counter].slots;
  for (size_t i = 0; i < group->size; ++i)
    group->rings[i] = nereid_ir_result(
        nereid_ttg_local_alloc_build(&builder, nereid_ring_type(nereid_ring_slot_type(group->loads[i]), slots),
                                     (MlirValue){NULL}, (MlirAttribute){NULL}));
  group->full = nereid_ring_barriers_create(&builder, slots, 1);
  group->empty = nereid_ring_barriers_create(&builder, slots,
                                             nereid_ttg_num_warps(rewrite->root) * nereid_bit_count(sharing_of(group)));
}

static void release(const rewrite_t *rewrite, const group_t *group) {
  nereid_builder_t builder = before(rewrite, rewrite->root);
  builder.before = mlirOperationGetNextInBlock(rewrite->root);
  nereid_ring_barriers_release(&builder, group->full);
  nereid_ring_barriers_release(&builder, group->empty);
  for (size_t i = 0; i < group->size; ++i)
    nereid_ttg_local_dealloc_build(&builder, group->rings[i]);
}

/* Explains the rings. A slot that is released late cannot be filled while the consumer uses the next one. */
static void remark_rings(const rewrite_t *rewrite, const group_t *group) {
  const int32_t slots = rewrite->counters.data[group->counter].slots;
  for (size_t i = 0; i < group->size; ++i) {
    const nereid_ring_remark_t remark = {.fill = group->loads[i],
                                         .buffer = group->rings[i],
                                         .slots = slots,
                                         .bytes = nereid_allocation_bytes(nereid_ring_slot_type(group->loads[i])),
                                         .ahead = slots - group->releases_previous,
                                         .sharing = group->size,
                                         .warps = nereid_ttg_num_warps(rewrite->root),
                                         .ctas = nereid_bit_count(nereid_ring_sharing(group->loads[i]))};
    nereid_ring_remark(rewrite->pass, rewrite->pass->scratch, &remark);
  }
}

static bool rewrite_loop(nereid_pass_t *pass, MlirOperation loop) {
  rewrite_t rewrite = {.pass = pass, .root = loop};
  if (!plan(&rewrite))
    return false;
  for (size_t i = 0; i < rewrite.groups.size; ++i)
    allocate(&rewrite, &rewrite.groups.data[i]);
  for (size_t i = 0; i < rewrite.counters.size; ++i)
    if (!carry(&rewrite, i))
      return false;
  for (size_t i = 0; i < rewrite.groups.size; ++i) {
    emit_producer(&rewrite, &rewrite.groups.data[i]);
    emit_consumer(&rewrite, &rewrite.groups.data[i]);
    release(&rewrite, &rewrite.groups.data[i]);
    remark_rings(&rewrite, &rewrite.groups.data[i]);
  }
  for (size_t i = 0; i < rewrite.groups.size; ++i)
    for (size_t k = 0; k < rewrite.groups.data[i].size; ++k)
      nereidMlirOperationErase(rewrite.groups.data[i].loads[k]);
  return !pass->scratch->failed;
}

MlirLogicalResult nereid_pass_tritongpu_rewrite_partition_dependencies(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  bool good = nereid_partition_loops(pass->op, pass->scratch, &loops);
  for (size_t i = 0; good && i < loops.size; ++i)
    good = rewrite_loop(pass, loops.data[i]);
  return good && !pass->scratch->failed ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
