/* Values that partitions pass on; see channels.h.
 *
 * A value belongs to the partition of its op; the result of a loop to that of the yielded value. It is passed on where
 * an op of another partition uses it in the same iteration. Scalars are computed by each partition instead. */
#include "passes/warp_specialization/channels.h"

#include "analysis/axis/axis_info.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/pipelining/ring.h"
#include "passes/support/loop.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

typedef struct search {
  MlirOperation module, root;
  nereid_arena_t *arena;
  nereid_axis_result_t axis;
  bool has_axis;
  nereid_channels_t *out;
} search_t;

MlirValue nereid_channel_value(const nereid_channel_value_t *value) {
  return mlirOperationGetResult(value->op, value->result);
}

bool nereid_channel_is_carried(MlirOpOperand use) {
  MlirOperation user = mlirOpOperandGetOwner(use);
  return nereid_op_kind(user) == NEREID_OP_SCF_YIELD && nereid_partition_is_loop(mlirOperationGetParentOperation(user));
}

/* --- partitions of values --- */

static bool is_single(nereid_partitions_t partitions) {
  return partitions && !(partitions & (partitions - 1));
}

static int number_of(nereid_partitions_t single) {
  return __builtin_ctz(single);
}

/* The partitions that compute `value`, defined in the nest; 0: all, or unknown. */
static nereid_partitions_t owner_of(MlirValue value) {
  enum { DEPTH = 8 /* nesting of loops */ };
  for (int depth = 0; depth < DEPTH && mlirValueIsAOpResult(value); ++depth) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (nereid_op_kind(op) != NEREID_OP_SCF_FOR)
      return nereid_partition_of(op);
    value = mlirOperationGetOperand(mlirBlockGetTerminator(nereid_loop_body(op)), mlirOpResultGetResultNumber(value));
  }
  return 0;
}

/* The partitions that use a value: those of the op, or of what a loop computes from it as an initial value. */
static nereid_partitions_t users_of(MlirOpOperand use) {
  MlirOperation user = mlirOpOperandGetOwner(use);
  const intptr_t carried = (intptr_t)mlirOpOperandGetOperandNumber(use) - NEREID_LOOP_BOUNDS;
  if (nereid_partition_is_loop(user))
    return carried < 0 ? 0 : owner_of(mlirOperationGetResult(user, carried));
  return nereid_channel_is_carried(use) ? 0 : nereid_partition_of(user);
}

/* The partition that uses a value of `owner` and must get it; -1: none. */
static int reader_of(nereid_partitions_t owner, MlirOpOperand use) {
  const nereid_partitions_t partitions = users_of(use);
  return is_single(partitions) && !(partitions & owner) ? number_of(partitions) : -1;
}

/* --- uses --- */

bool nereid_channel_is_view(const nereid_channel_value_t *value, MlirOperation user) {
  if (nereid_ttg_is_memdesc_view(user))
    return true;
  return nereid_op_kind(user) == NEREID_OP_TTG_LOCAL_ALLOC &&
         mlirAttributeEqual(nereid_ttg_memdesc_type_get_encoding(mlirValueGetType(nereid_ir_result(user))),
                            nereid_ttg_memdesc_type_get_encoding(value->slot_type));
}

/* Extends the uses of `reader`, ops of the value's block, by those of `from`, through views. */
static void add_uses(const nereid_channel_value_t *value, MlirValue from, nereid_channel_reader_t *reader) {
  MlirBlock block = mlirOperationGetBlock(value->op);
  for (MlirOpOperand use = mlirValueGetFirstUse(from); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use), op = nereid_ir_ancestor_in(block, user);
    if (mlirOperationIsNull(op) || !(nereid_partition_of(user) & nereid_partition_only(reader->partition)))
      continue;
    if (mlirOperationEqual(op, user) && nereid_channel_is_view(value, user)) {
      add_uses(value, nereid_ir_result(user), reader);
      continue;
    }
    if (mlirOperationIsNull(reader->first) || mlirOperationIsBeforeInBlock(op, reader->first))
      reader->first = op;
    if (mlirOperationIsNull(reader->last) || mlirOperationIsBeforeInBlock(reader->last, op))
      reader->last = op;
  }
}

static bool has_reader(const nereid_channel_t *channel, int partition) {
  for (size_t i = 0; i < channel->n_readers; ++i)
    if (channel->readers[i].partition == partition)
      return true;
  return false;
}

static void add_readers(nereid_channel_t *channel, nereid_partitions_t owner) {
  const nereid_channel_value_t *value = &channel->values[0];
  MlirValue from = nereid_channel_value(value);
  for (MlirOpOperand use = mlirValueGetFirstUse(from); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    const int partition = reader_of(owner, use);
    if (partition < 0 || has_reader(channel, partition))
      continue;
    nereid_channel_reader_t reader = {.partition = partition};
    add_uses(value, from, &reader);
    if (!mlirOperationIsNull(reader.first))
      channel->readers[channel->n_readers++] = reader;
  }
}

/* --- channels --- */

static bool can_copy(search_t *search, const nereid_channel_value_t *value) {
  if (!search->has_axis && nereid_axis_info_run(search->module, search->arena, &search->axis) != NEREID_OK)
    return false;
  search->has_axis = true;
  return nereid_ring_can_copy(value->op, value->slot_type, &search->axis);
}

static nereid_channel_kind_t kind_of(search_t *search, const nereid_channel_value_t *value) {
  if (nereid_op_kind(value->op) == NEREID_OP_TT_DESCRIPTOR_LOAD)
    return NEREID_CHANNEL_BY_TMA;
  return nereid_op_kind(value->op) == NEREID_OP_TT_LOAD && can_copy(search, value) ? NEREID_CHANNEL_BY_CP_ASYNC
                                                                                   : NEREID_CHANNEL_BY_STORES;
}

/* Whether the dot, directly in a loop, stays in flight until the next iteration has issued its own: the loop only
 * carries the accumulator from one to the other. */
static bool accumulates_in_flight(MlirOperation dot) {
  return nereid_ring_dot_stays_in_flight(dot) && mlirValueIsABlockArgument(nereid_ttng_warp_group_dot_get_c(dot));
}

static bool can_join(const nereid_channel_t *channel, const nereid_channel_t *one) {
  if (channel->size == NEREID_CHANNEL_MAX || channel->kind != one->kind || channel->kind == NEREID_CHANNEL_BY_STORES ||
      channel->partition != one->partition || channel->slots != one->slots || channel->n_readers != one->n_readers ||
      !mlirBlockEqual(mlirOperationGetBlock(channel->values[0].op), mlirOperationGetBlock(one->values[0].op)))
    return false;
  for (size_t i = 0; i < channel->n_readers; ++i)
    if (channel->readers[i].partition != one->readers[i].partition ||
        !mlirOperationEqual(channel->readers[i].first, one->readers[i].first) ||
        !mlirOperationEqual(channel->readers[i].last, one->readers[i].last))
      return false;
  return true;
}

static bool add_channel(search_t *search, const nereid_channel_t *one) {
  for (size_t i = 0; i < search->out->size; ++i)
    if (can_join(&search->out->data[i], one)) {
      nereid_channel_t *channel = &search->out->data[i];
      channel->values[channel->size++] = one->values[0];
      return true;
    }
  return nereid_vector_push(search->arena, search->out, *one);
}

/* Adds result `result` of `op` if another partition uses it. */
static bool add_value(search_t *search, MlirOperation op, intptr_t result) {
  MlirValue value = mlirOperationGetResult(op, result);
  const nereid_partitions_t owner = owner_of(value);
  nereid_channel_t channel = {.size = 1, .values = {{.op = op, .result = result}}};
  const bool is_tma = nereid_op_kind(op) == NEREID_OP_TT_DESCRIPTOR_LOAD;
  if (!is_single(owner) || !mlirTypeIsARankedTensor(mlirValueGetType(value)) || !nereid_ttg_is_laid_out(value))
    return true;
  channel.partition = number_of(owner);
  channel.slots = (int32_t)nereid_ir_integer(op, NEREID_ATTR_PARTITION_SLOTS, NEREID_PARTITION_SLOTS);
  channel.values[0].slot_type = is_tma ? nereid_ring_slot_type(op) : nereid_ring_value_slot_type(value);
  add_readers(&channel, owner);
  if (!channel.n_readers)
    return true;
  channel.kind = kind_of(search, &channel.values[0]);
  channel.releases_previous =
      channel.slots > 1 && channel.n_readers == 1 && accumulates_in_flight(channel.readers[0].last);
  return add_channel(search, &channel);
}

static bool add_body(search_t *search, MlirOperation loop) {
  MlirBlock body = nereid_loop_body(loop);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (nereid_op_kind(op) == NEREID_OP_SCF_FOR && !add_body(search, op))
      return false;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      if (!add_value(search, op, i))
        return false;
  }
  return true;
}

bool nereid_channels_collect(MlirOperation module, MlirOperation root, nereid_arena_t *arena, nereid_channels_t *out) {
  search_t search = {.module = module, .root = root, .arena = arena, .out = out};
  return add_body(&search, root) && !arena->failed;
}
