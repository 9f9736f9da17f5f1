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
#include "passes/warp_specialization/channel_fill.h"
#include "passes/warp_specialization/channel_read.h"
#include "passes/warp_specialization/channel_ring.h"
#include "passes/warp_specialization/channels.h"
#include "passes/warp_specialization/nest_counters.h"
#include "passes/warp_specialization/partitions.h"

#include "base/bits.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "nereid/dialects/ttg.h"
#include "passes/pipelining/ring.h"
#include "passes/pipelining/ring_budget.h"
#include "passes/pipelining/rings/ring_barriers.h"
#include "passes/pipelining/rings/ring_remark.h"
#include "passes/pipelining/rings/ring_sharing.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

/* The partitions that use the slots of the channel. */
static nereid_partitions_t partitions_of(const nereid_channel_t *channel) {
  nereid_partitions_t partitions = nereid_partition_only(channel->partition);
  for (size_t i = 0; i < channel->n_readers; ++i)
    partitions |= nereid_partition_only(channel->readers[i].partition);
  return partitions;
}

static bool plan(nereid_divided_loop_t *divided) {
  nereid_channels_t channels = {0};
  if (!nereid_channels_collect(divided->pass->op, divided->root, divided->pass->scratch, &channels))
    return false;
  for (size_t i = 0; i < channels.size; ++i) {
    const nereid_channel_t *channel = &channels.data[i];
    const nereid_channel_ring_t ring = {
        .channel = *channel,
        .counter = nereid_nest_counters_add(&divided->counters, divided->pass->scratch,
                                            mlirOperationGetParentOperation(channel->values[0].op), channel->slots,
                                            partitions_of(channel))};
    nereid_vector_push(divided->pass->scratch, &divided->rings, ring);
  }
  return !divided->pass->scratch->failed;
}

static void replace_op(MlirOperation *op, MlirOperation from, MlirOperation to) {
  *op = mlirOperationEqual(*op, from) ? to : *op;
}

/* Replaces `from` by `to`, a loop with the same body, wherever it is recorded. */
static void replace_loop(void *data, MlirOperation from, MlirOperation to) {
  nereid_divided_loop_t *divided = data;
  replace_op(&divided->root, from, to);
  for (size_t i = 0; i < divided->rings.size; ++i) {
    nereid_channel_t *channel = &divided->rings.data[i].channel;
    for (size_t k = 0; k < channel->size; ++k)
      replace_op(&channel->values[k].op, from, to);
    for (size_t k = 0; k < channel->n_readers; ++k) {
      replace_op(&channel->readers[k].first, from, to);
      replace_op(&channel->readers[k].last, from, to);
    }
  }
}

/* --- rings --- */

static void allocate(const nereid_divided_loop_t *divided, nereid_channel_ring_t *ring) {
  const nereid_builder_t builder = nereid_channel_builder(divided, divided->root);
  nereid_channel_t *channel = &ring->channel;
  for (size_t i = 0; i < channel->size; ++i)
    channel->values[i].ring = nereid_ir_result(
        nereid_ttg_local_alloc_build(&builder, nereid_ring_type(channel->values[i].slot_type, channel->slots),
                                     (MlirValue){NULL}, (MlirAttribute){NULL}));
  ring->full = nereid_ring_barriers_create(&builder, channel->slots, nereid_channel_fill_arrivals(divided, channel));
  ring->empty = nereid_ring_barriers_create(&builder, channel->slots,
                                            nereid_channel_read_warps(divided, channel) *
                                                nereid_bit_count(nereid_channel_sharing(channel)));
}

static void release(const nereid_divided_loop_t *divided, const nereid_channel_ring_t *ring) {
  nereid_builder_t builder = nereid_channel_builder(divided, divided->root);
  builder.before = mlirOperationGetNextInBlock(divided->root);
  nereid_ring_barriers_release(&builder, ring->full);
  nereid_ring_barriers_release(&builder, ring->empty);
  for (size_t i = 0; i < ring->channel.size; ++i)
    nereid_ttg_local_dealloc_build(&builder, ring->channel.values[i].ring);
}

/* Explains the rings. A slot that is released late cannot be filled while the consumer uses the next one. */
static void remark_rings(const nereid_divided_loop_t *divided, const nereid_channel_t *channel) {
  static const nereid_ring_fill_t fills[] = {[NEREID_CHANNEL_BY_TMA] = NEREID_RING_BY_TMA,
                                             [NEREID_CHANNEL_BY_CP_ASYNC] = NEREID_RING_BY_CP_ASYNC,
                                             [NEREID_CHANNEL_BY_STORES] = NEREID_RING_BY_STORES};
  for (size_t i = 0; i < channel->size; ++i) {
    MlirOperation op = channel->values[i].op;
    const bool is_tma = channel->kind == NEREID_CHANNEL_BY_TMA;
    const nereid_ring_remark_t remark = {.fill = op,
                                         .buffer = channel->values[i].ring,
                                         .slots = channel->slots,
                                         .bytes = nereid_ring_slot_bytes(channel->values[i].slot_type),
                                         .ahead = channel->slots - channel->releases_previous,
                                         .sharing = channel->size,
                                         .by = fills[channel->kind],
                                         .partition = channel->partition,
                                         .producers = nereid_partition_warps(divided->root, channel->partition),
                                         .warps = nereid_channel_read_warps(divided, channel),
                                         .ctas = is_tma ? nereid_bit_count(nereid_ring_sharing(op)) : 1};
    nereid_ring_remark(divided->pass, divided->pass->scratch, &remark);
  }
}

/* Erases the loads that copies replace. False after a diagnostic, if one is still used. */
static bool erase_loads(const nereid_channel_t *channel) {
  for (size_t i = 0; i < channel->size && channel->kind != NEREID_CHANNEL_BY_STORES; ++i) {
    MlirOperation load = channel->values[i].op;
    MlirOpOperand use = mlirValueGetFirstUse(nereid_ir_result(load));
    if (!mlirOpOperandIsNull(use)) {
      nereid_diagnose(mlirOpOperandGetOwner(use),
                      "uses a tile that partition %d loads for others: expected one partition in ttg.partition, which "
                      "is another one",
                      channel->partition);
      return false;
    }
    nereidMlirOperationErase(load);
  }
  return true;
}

/* --- loops --- */

static bool rewrite_loop(nereid_pass_t *pass, MlirOperation loop) {
  nereid_divided_loop_t divided = {.pass = pass, .root = loop};
  if (!nereid_partition_verify(loop) || !plan(&divided))
    return false;
  for (size_t i = 0; i < divided.rings.size; ++i)
    allocate(&divided, &divided.rings.data[i]);
  if (!nereid_nest_counters_carry(&divided.counters, pass->scratch, &divided.root, replace_loop, &divided))
    return false;
  for (size_t i = 0; i < divided.rings.size; ++i) {
    nereid_channel_ring_t *ring = &divided.rings.data[i];
    for (size_t k = 0; k < ring->channel.n_readers; ++k)
      nereid_channel_read(&divided, ring, &ring->channel.readers[k]);
    nereid_channel_fill(&divided, ring);
    release(&divided, ring);
    remark_rings(&divided, &ring->channel);
  }
  for (size_t i = 0; i < divided.rings.size; ++i)
    if (!erase_loads(&divided.rings.data[i].channel))
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
