/* Reads the slots of a channel; see channel_read.h.
 *
 *   ttng.wait_barrier %full[%i], %p deps %slot
 *   use %slot                                      views of the value's buffer; a ttg.local_load for other uses
 *   ttng.arrive_barrier %empty[%i], 1 deps %slot {perWarp} */
#include "passes/warp_specialization/channel_read.h"

#include "analysis/membar/membar_effects.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/pipelining/ring.h"
#include "passes/pipelining/rings/ring_barriers.h"
#include "passes/pipelining/rings/ring_sharing.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

/* Whether `op` belongs to the partition of the emitted ops. */
static bool is_of_reader(const nereid_channel_emitter_t *emit, MlirOperation op) {
  return nereid_partition_of(op) & emit->partitions;
}

/* Moves the reader's views of `from` in the block of `place`, and views of them, there. */
static void sink_views(const nereid_channel_emitter_t *emit, const nereid_channel_value_t *value, MlirValue from,
                       MlirOperation place) {
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(from); !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!nereid_channel_is_view(value, user) || !is_of_reader(emit, user) ||
        !mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(place)) ||
        !mlirOperationIsBeforeInBlock(user, place))
      continue;
    mlirOperationMoveBefore(user, place);
    sink_views(emit, value, nereid_ir_result(user), place);
  }
}

/* Replaces the reader's buffers of the value by its slot. */
static void replace_views(const nereid_channel_emitter_t *emit, const nereid_channel_value_t *value, MlirValue slot) {
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(nereid_channel_value(value)); !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!nereid_channel_is_view(value, user) || !is_of_reader(emit, user))
      continue;
    nereid_ring_replace_view(nereid_ir_result(user), slot);
    nereidMlirOperationErase(user);
  }
}

/* Replaces the reader's other uses by a load from the slot, before `first`. */
static void replace_tensors(const nereid_channel_emitter_t *emit, const nereid_channel_value_t *value, MlirValue slot,
                            MlirOperation first) {
  MlirValue from = nereid_channel_value(value), read = {NULL};
  const nereid_builder_t builder = nereid_builder_before(first);
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(from); !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!is_of_reader(emit, user) || nereid_channel_is_carried(use))
      continue;
    if (mlirValueIsNull(read))
      read = nereid_channel_result(
          emit, nereid_ttg_local_load_build(&builder, mlirValueGetType(from), slot, (MlirValue){NULL}));
    mlirOperationSetOperand(user, mlirOpOperandGetOperandNumber(use), read);
  }
}

/* The slots that the arrival releases. */
static void released_slots(const nereid_channel_emitter_t *emit, const nereid_channel_reader_t *reader,
                           const nereid_builder_t *builder, MlirValue index, MlirValue *out) {
  for (size_t i = 0; i < emit->channel->size; ++i)
    out[i] =
        mlirValueEqual(index, emit->counter->index) ? reader->slots[i] : nereid_channel_slot(emit, builder, i, index);
}

static MlirValue previous_index(const nereid_channel_emitter_t *emit, const nereid_builder_t *builder) {
  const nereid_divided_loop_t *divided = emit->divided;
  const nereid_nest_counter_t *counter = emit->counter;
  MlirValue zero = nereid_channel_constant(divided, 0), one = nereid_channel_constant(divided, 1),
            last = nereid_channel_constant(divided, counter->slots - 1);
  MlirValue is_first = nereid_channel_result(
      emit, nereid_arith_cmpi_build(builder, counter->index, zero, NEREID_ARITH_CMP_I_PREDICATE_EQ));
  MlirValue before = nereid_channel_result(
      emit, nereid_arith_subi_build(builder, counter->index, one, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
  return nereid_channel_result(emit, nereid_arith_select_build(builder, is_first, last, before));
}

/* The CTAs at whose empty barriers a reader arrives, as an attribute; null: only its own. */
static MlirAttribute ctas_of(const nereid_divided_loop_t *divided, const nereid_channel_t *channel) {
  const uint32_t set = nereid_channel_sharing(channel);
  return set == NEREID_RING_NOT_SHARED
             ? (MlirAttribute){NULL}
             : mlirIntegerAttrGet(mlirIntegerTypeGet(divided->pass->context, 32), (int64_t)set);
}

static void emit_release(const nereid_channel_emitter_t *emit, const nereid_channel_reader_t *reader) {
  nereid_builder_t builder = nereid_builder_before(reader->last);
  builder.before = mlirOperationGetNextInBlock(reader->last);
  MlirValue index = emit->channel->releases_previous ? previous_index(emit, &builder) : emit->counter->index;
  MlirValue empty = nereid_channel_result(emit, nereid_ring_barrier(&builder, emit->empty, index)),
            slots[NEREID_CHANNEL_MAX];
  released_slots(emit, reader, &builder, index, slots);
  nereid_channel_assign(emit, nereid_ttng_arrive_barrier_build(&builder, empty, (MlirValue){NULL},
                                                               (intptr_t)emit->channel->size, slots, 1, true,
                                                               ctas_of(emit->divided, emit->channel)));
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
static bool reads_any(const nereid_divided_loop_t *divided, int partition) {
  for (size_t i = 0; i < divided->rings.size; ++i)
    for (size_t k = 0; k < divided->rings.data[i].channel.n_readers; ++k)
      if (divided->rings.data[i].channel.readers[k].partition == partition)
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
static MlirOperation place_of_wait(const nereid_channel_emitter_t *emit, const nereid_channel_reader_t *reader) {
  if (reads_any(emit->divided, emit->channel->partition))
    return reader->first;
  MlirOperation op = mlirBlockGetFirstOperation(mlirOperationGetBlock(reader->first));
  while (!mlirOperationEqual(op, reader->first) && !(has_register_operand(op) && is_of_reader(emit, op)))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

void nereid_channel_read(const nereid_divided_loop_t *divided, nereid_channel_ring_t *ring,
                         nereid_channel_reader_t *reader) {
  const nereid_channel_emitter_t emit = nereid_channel_emitter_for(divided, ring, reader->partition);
  const nereid_channel_t *channel = &ring->channel;
  const nereid_builder_t builder = nereid_builder_before(place_of_wait(&emit, reader));
  bool is_async = false;
  for (size_t i = 0; i < channel->size; ++i)
    reader->slots[i] = nereid_channel_slot(&emit, &builder, i, emit.counter->index);
  MlirValue full = nereid_channel_result(&emit, nereid_ring_barrier(&builder, ring->full, emit.counter->index));
  MlirOperation wait = nereid_channel_assign(
      &emit, nereid_ttng_wait_barrier_build(&builder, full, emit.counter->phase, (MlirValue){NULL},
                                            (intptr_t)channel->size, reader->slots, false));
  emit_release(&emit, reader);
  for (size_t i = 0; i < channel->size; ++i) {
    sink_views(&emit, &channel->values[i], nereid_channel_value(&channel->values[i]), reader->first);
    replace_views(&emit, &channel->values[i], reader->slots[i]);
    replace_tensors(&emit, &channel->values[i], reader->slots[i], reader->first);
    is_async = is_async || is_read_asynchronously(reader->slots[i]);
  }
  ring->is_async = ring->is_async || is_async;
  if (!is_async || channel->kind != NEREID_CHANNEL_BY_CP_ASYNC)
    return;
  nereid_builder_t after = builder;
  after.before = mlirOperationGetNextInBlock(wait);
  nereid_channel_assign(&emit, nereid_ttng_fence_async_shared_build(&after, false, false));
}

int32_t nereid_channel_read_warps(const nereid_divided_loop_t *divided, const nereid_channel_t *channel) {
  int32_t warps = 0;
  for (size_t i = 0; i < channel->n_readers; ++i)
    warps += nereid_partition_warps(divided->root, channel->readers[i].partition);
  return warps;
}
