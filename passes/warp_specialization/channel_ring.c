/* Ops on the slots of a channel; see channel_ring.h. */
#include "passes/warp_specialization/channel_ring.h"

#include "dialects/ir.h"
#include "nereid/dialects/ttg.h"
#include "passes/pipelining/ring.h"
#include "passes/pipelining/rings/ring_sharing.h"
#include "passes/support/scalar.h"

#include <mlir-c/BuiltinTypes.h>

nereid_builder_t nereid_channel_builder(const nereid_divided_loop_t *divided, MlirOperation op) {
  nereid_builder_t builder = nereid_builder_before(op);
  builder.location = mlirOperationGetLocation(divided->root);
  return builder;
}

MlirValue nereid_channel_constant(const nereid_divided_loop_t *divided, int64_t value) {
  const nereid_builder_t builder = nereid_channel_builder(divided, divided->root);
  return nereid_scalar_constant(&builder, mlirIntegerTypeGet(divided->pass->context, 32), value);
}

MlirOperation nereid_channel_assign(const nereid_channel_emitter_t *emit, MlirOperation op) {
  nereid_partition_set(op, emit->partitions);
  return op;
}

nereid_channel_emitter_t nereid_channel_emitter_for(const nereid_divided_loop_t *divided,
                                                    const nereid_channel_ring_t *ring, int partition) {
  return (nereid_channel_emitter_t){.divided = divided,
                                    .channel = &ring->channel,
                                    .counter = &divided->counters.data[ring->counter],
                                    .full = ring->full,
                                    .empty = ring->empty,
                                    .is_async = ring->is_async,
                                    .partitions = nereid_partition_only(partition)};
}

MlirValue nereid_channel_result(const nereid_channel_emitter_t *emit, MlirOperation op) {
  return nereid_ir_result(nereid_channel_assign(emit, op));
}

uint32_t nereid_channel_sharing(const nereid_channel_t *channel) {
  uint32_t set = NEREID_RING_NOT_SHARED;
  for (size_t i = 0; i < channel->size && channel->kind == NEREID_CHANNEL_BY_TMA; ++i)
    set |= nereid_ring_sharing(channel->values[i].op);
  return set;
}

MlirValue nereid_channel_slot(const nereid_channel_emitter_t *emit, const nereid_builder_t *builder, size_t number,
                              MlirValue index) {
  const nereid_channel_value_t *value = &emit->channel->values[number];
  const int64_t spacing = nereid_ring_spacing(value->slot_type);
  if (spacing > 1)
    index = nereid_channel_result(emit, mlirOpResultGetOwner(nereid_scalar_multiply(
                                            builder, index, nereid_channel_constant(emit->divided, spacing))));
  return nereid_channel_result(emit, nereid_ttg_memdesc_index_build(builder, value->slot_type, value->ring, index));
}
