/* Fills the slots of a channel; see channel_fill.h.
 *
 *   ttng.wait_barrier %empty[%i], %p xor 1               until all readers have released the slot
 *
 *   ttng.barrier_expect %full[%i], bytes                 a tt.descriptor_load: TMA
 *   ttng.async_tma_copy_global_to_local … %ring[%i]
 *
 *   ttg.async_copy_global_to_local %p, %ring[%i]         a tt.load: each thread arrives when its copies are complete
 *   ttng.async_copy_mbarrier_arrive %full[%i] {noIncrement}
 *
 *   ttg.local_store %x, %ring[%i]                        another tensor: each warp arrives
 *   ttng.arrive_barrier %full[%i], 1 {perWarp} */
#include "passes/warp_specialization/channel_fill.h"

#include "analysis/allocation/allocation.h"
#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/pipelining/ring.h"
#include "passes/pipelining/rings/ring_barriers.h"
#include "passes/pipelining/rings/ring_sharing.h"
#include "passes/support/descriptor.h"
#include "passes/support/scalar.h"

#include <mlir-c/BuiltinTypes.h>

enum { LANES = 32 };

/* The parity of the phase of the empty barrier that precedes a fill. */
static MlirValue free_phase(const nereid_channel_emitter_t *emit, const nereid_builder_t *builder) {
  const nereid_divided_loop_t *divided = emit->divided;
  const nereid_nest_counter_t *counter = emit->counter;
  MlirValue other = nereid_channel_result(
      emit, nereid_arith_xori_build(builder, counter->phase, nereid_channel_constant(divided, 1)));
  if (!emit->channel->releases_previous)
    return other;
  MlirValue last = nereid_channel_result(
      emit, nereid_arith_cmpi_build(builder, counter->index, nereid_channel_constant(divided, counter->slots - 1),
                                    NEREID_ARITH_CMP_I_PREDICATE_EQ));
  return nereid_channel_result(emit, nereid_arith_select_build(builder, last, counter->phase, other));
}

static int64_t bytes_of(const nereid_channel_t *channel) {
  int64_t bytes = 0;
  for (size_t i = 0; i < channel->size; ++i)
    bytes += nereid_allocation_bytes(channel->values[i].slot_type);
  return bytes;
}

static void emit_tma(const nereid_channel_emitter_t *emit, size_t number, MlirValue full, MlirValue always) {
  MlirOperation load = emit->channel->values[number].op;
  const nereid_builder_t builder = nereid_builder_before(load);
  const intptr_t rank = nereid_tt_descriptor_load_get_indices_count(load);
  MlirValue coordinates[NEREID_DESCRIPTOR_RANK];
  for (intptr_t i = 0; i < rank && i < NEREID_DESCRIPTOR_RANK; ++i)
    coordinates[i] = nereid_tt_descriptor_load_get_indices(load, i);
  MlirValue slot = nereid_channel_slot(emit, &builder, number, emit->counter->index);
  const bool shared = nereid_ring_sharing(load) != NEREID_RING_NOT_SHARED;
  nereid_channel_assign(emit,
                        nereid_ttng_async_tma_copy_global_to_local_build(
                            &builder, nereid_tt_descriptor_load_get_desc(load), rank, coordinates, full, slot, always,
                            nereid_tt_descriptor_load_get_cache(load), nereid_tt_descriptor_load_get_evict(load), false,
                            /*multicast=*/shared, /*divided=*/shared));
}

/* --- copies by cp.async --- */

/* Whether threads store elements that masks exclude: cp.async only fills in zeros. */
static bool stores_others_of(const nereid_channel_t *channel) {
  for (size_t i = 0; i < channel->size; ++i)
    if (nereid_ring_has_other(channel->values[i].op))
      return true;
  return false;
}

/* The value of elements that the mask of `load` excludes; null when it has no mask. */
static MlirValue excluded_value(const nereid_channel_emitter_t *emit, MlirOperation load,
                                const nereid_builder_t *builder) {
  MlirValue value = nereid_ring_excluded_value(builder, load, false);
  if (!mlirValueIsNull(value) && mlirValueIsNull(nereid_tt_load_get_other(load))) /* new zeros */
    nereid_channel_assign(emit, mlirOpResultGetOwner(value));
  return value;
}

static void emit_copy(const nereid_channel_emitter_t *emit, size_t number) {
  MlirOperation load = emit->channel->values[number].op;
  const nereid_builder_t builder = nereid_builder_before(load);
  MlirValue slot = nereid_channel_slot(emit, &builder, number, emit->counter->index);
  nereid_channel_assign(emit, nereid_ttg_async_copy_global_to_local_build(
                                  &builder, nereid_tt_load_get_ptr(load), slot, nereid_tt_load_get_mask(load),
                                  excluded_value(emit, load, &builder), nereid_tt_load_get_cache(load),
                                  nereid_tt_load_get_evict(load), false, 1));
}

/* --- fills --- */

static MlirValue emit_wait_for_slot(const nereid_channel_emitter_t *emit, const nereid_builder_t *builder) {
  MlirValue index = emit->counter->index;
  MlirValue empty = nereid_channel_result(emit, nereid_ring_barrier(builder, emit->empty, index));
  nereid_channel_assign(emit, nereid_ttng_wait_barrier_build(builder, empty, free_phase(emit, builder),
                                                             (MlirValue){NULL}, 0, NULL, false));
  return nereid_channel_result(emit, nereid_ring_barrier(builder, emit->full, index));
}

/* Arrives for the stores of each warp. */
static void emit_arrival_of_stores(const nereid_channel_emitter_t *emit, const nereid_builder_t *builder,
                                   MlirValue full, intptr_t n, const MlirValue *slots) {
  if (emit->is_async)
    nereid_channel_assign(emit, nereid_ttng_fence_async_shared_build(builder, false, false));
  nereid_channel_assign(emit, nereid_ttng_arrive_barrier_build(builder, full, (MlirValue){NULL}, n, slots, 1, true,
                                                               (MlirAttribute){NULL}));
}

static void fill_by_tma(const nereid_channel_emitter_t *emit) {
  const nereid_builder_t builder = nereid_builder_before(emit->channel->values[0].op),
                         outside = nereid_channel_builder(emit->divided, emit->divided->root);
  MlirValue always = nereid_scalar_constant(&outside, mlirIntegerTypeGet(emit->divided->pass->context, 1), 1);
  MlirValue full = emit_wait_for_slot(emit, &builder);
  nereid_channel_assign(emit,
                        nereid_ttng_barrier_expect_build(&builder, full, always, (int32_t)bytes_of(emit->channel)));
  for (size_t i = 0; i < emit->channel->size; ++i)
    emit_tma(emit, i, full, always);
}

static void fill_by_cp_async(const nereid_channel_emitter_t *emit) {
  const nereid_channel_t *channel = emit->channel;
  nereid_builder_t builder = nereid_builder_before(channel->values[0].op);
  MlirValue full = emit_wait_for_slot(emit, &builder);
  for (size_t i = 0; i < channel->size; ++i)
    emit_copy(emit, i);
  builder = nereid_builder_before(channel->values[channel->size - 1].op);
  if (stores_others_of(channel))
    emit_arrival_of_stores(emit, &builder, full, 0, NULL);
  nereid_channel_assign(emit, nereid_ttng_async_copy_mbarrier_arrive_build(&builder, full, true));
}

static void fill_by_stores(const nereid_channel_emitter_t *emit) {
  const nereid_channel_value_t *value = &emit->channel->values[0];
  nereid_builder_t builder = nereid_builder_before(value->op);
  builder.before = mlirOperationGetNextInBlock(value->op);
  MlirValue full = emit_wait_for_slot(emit, &builder);
  MlirValue slot = nereid_channel_slot(emit, &builder, 0, emit->counter->index);
  nereid_channel_assign(emit, nereid_ttg_local_store_build(&builder, nereid_channel_value(value), slot));
  emit_arrival_of_stores(emit, &builder, full, 1, &slot);
}

void nereid_channel_fill(const nereid_divided_loop_t *divided, const nereid_channel_ring_t *ring) {
  const nereid_channel_emitter_t emit = nereid_channel_emitter_for(divided, ring, ring->channel.partition);
  switch (ring->channel.kind) {
  case NEREID_CHANNEL_BY_TMA:
    fill_by_tma(&emit);
    break;
  case NEREID_CHANNEL_BY_CP_ASYNC:
    fill_by_cp_async(&emit);
    break;
  case NEREID_CHANNEL_BY_STORES:
    fill_by_stores(&emit);
    break;
  }
}

int32_t nereid_channel_fill_arrivals(const nereid_divided_loop_t *divided, const nereid_channel_t *channel) {
  const int32_t warps = nereid_partition_warps(divided->root, channel->partition);
  switch (channel->kind) {
  case NEREID_CHANNEL_BY_CP_ASYNC:
    return warps * (LANES + stores_others_of(channel));
  case NEREID_CHANNEL_BY_STORES:
    return warps;
  default:
    return 1;
  }
}
