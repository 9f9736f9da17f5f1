/* Values that partitions pass on; see handed_values.h.
 *
 * A value belongs to the partition of its op; the result of a loop to that of the yielded value. It is passed on where
 * an op of another partition uses it in the same iteration. Scalars are computed by each partition instead. */
#include "passes/warp_specialization/handed_values.h"

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

typedef struct handed {
  MlirOperation module, root;
  nereid_arena_t *arena;
  nereid_axis_result_t axis;
  bool has_axis;
  nereid_handed_groups_t *out;
} handed_t;

MlirValue nereid_handed_value(const nereid_handed_value_t *value) {
  return mlirOperationGetResult(value->op, value->result);
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
  if (nereid_op_kind(user) == NEREID_OP_SCF_FOR)
    return carried < 0 ? 0 : owner_of(mlirOperationGetResult(user, carried));
  return nereid_op_kind(user) == NEREID_OP_SCF_YIELD ? 0 : nereid_partition_of(user);
}

/* The partition that uses a value of `owner` and must get it; -1: none. */
static int reader_of(nereid_partitions_t owner, MlirOpOperand use) {
  const nereid_partitions_t partitions = users_of(use);
  return is_single(partitions) && !(partitions & owner) ? number_of(partitions) : -1;
}

/* --- uses --- */

bool nereid_handed_is_view(const nereid_handed_value_t *value, MlirOperation user) {
  if (nereid_ttg_is_memdesc_view(user))
    return true;
  return nereid_op_kind(user) == NEREID_OP_TTG_LOCAL_ALLOC &&
         mlirAttributeEqual(nereid_ttg_memdesc_type_get_encoding(mlirValueGetType(nereid_ir_result(user))),
                            nereid_ttg_memdesc_type_get_encoding(value->slot_type));
}

/* Extends the uses of `reader`, ops of the value's block, by those of `from`, through views. */
static void add_uses(const nereid_handed_value_t *value, MlirValue from, nereid_handed_reader_t *reader) {
  MlirBlock block = mlirOperationGetBlock(value->op);
  for (MlirOpOperand use = mlirValueGetFirstUse(from); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use), op = nereid_ir_ancestor_in(block, user);
    if (mlirOperationIsNull(op) || !(nereid_partition_of(user) & nereid_partition_only(reader->partition)))
      continue;
    if (mlirOperationEqual(op, user) && nereid_handed_is_view(value, user)) {
      add_uses(value, nereid_ir_result(user), reader);
      continue;
    }
    if (mlirOperationIsNull(reader->first) || mlirOperationIsBeforeInBlock(op, reader->first))
      reader->first = op;
    if (mlirOperationIsNull(reader->last) || mlirOperationIsBeforeInBlock(reader->last, op))
      reader->last = op;
  }
}

static bool has_reader(const nereid_handed_group_t *group, int partition) {
  for (size_t i = 0; i < group->n_readers; ++i)
    if (group->readers[i].partition == partition)
      return true;
  return false;
}

static void add_readers(nereid_handed_group_t *group, nereid_partitions_t owner) {
  const nereid_handed_value_t *value = &group->values[0];
  MlirValue handed = nereid_handed_value(value);
  for (MlirOpOperand use = mlirValueGetFirstUse(handed); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    const int partition = reader_of(owner, use);
    if (partition < 0 || has_reader(group, partition))
      continue;
    nereid_handed_reader_t reader = {.partition = partition};
    add_uses(value, handed, &reader);
    if (!mlirOperationIsNull(reader.first))
      group->readers[group->n_readers++] = reader;
  }
}

/* --- groups --- */

static bool can_copy(handed_t *handed, const nereid_handed_value_t *value) {
  if (!handed->has_axis && nereid_axis_info_run(handed->module, handed->arena, &handed->axis) != NEREID_OK)
    return false;
  handed->has_axis = true;
  return nereid_ring_can_copy(value->op, value->slot_type, &handed->axis);
}

static nereid_handed_kind_t kind_of(handed_t *handed, const nereid_handed_value_t *value) {
  if (nereid_op_kind(value->op) == NEREID_OP_TT_DESCRIPTOR_LOAD)
    return NEREID_HANDED_BY_TMA;
  return nereid_op_kind(value->op) == NEREID_OP_TT_LOAD && can_copy(handed, value) ? NEREID_HANDED_BY_CP_ASYNC
                                                                                   : NEREID_HANDED_BY_STORES;
}

/* Whether the dot, directly in a loop, stays in flight until the next iteration has issued its own: the loop only
 * carries the accumulator from one to the other. */
static bool accumulates_in_flight(MlirOperation dot) {
  return nereid_ring_dot_stays_in_flight(dot) && mlirValueIsABlockArgument(nereid_ttng_warp_group_dot_get_c(dot));
}

static bool can_join(const nereid_handed_group_t *group, const nereid_handed_group_t *one) {
  if (group->size == NEREID_HANDED_MAX || group->kind != one->kind || group->kind == NEREID_HANDED_BY_STORES ||
      group->partition != one->partition || group->slots != one->slots || group->n_readers != one->n_readers ||
      !mlirBlockEqual(mlirOperationGetBlock(group->values[0].op), mlirOperationGetBlock(one->values[0].op)))
    return false;
  for (size_t i = 0; i < group->n_readers; ++i)
    if (group->readers[i].partition != one->readers[i].partition ||
        !mlirOperationEqual(group->readers[i].first, one->readers[i].first) ||
        !mlirOperationEqual(group->readers[i].last, one->readers[i].last))
      return false;
  return true;
}

static bool add_group(handed_t *handed, const nereid_handed_group_t *one) {
  for (size_t i = 0; i < handed->out->size; ++i)
    if (can_join(&handed->out->data[i], one)) {
      nereid_handed_group_t *group = &handed->out->data[i];
      group->values[group->size++] = one->values[0];
      return true;
    }
  return nereid_vector_push(handed->arena, handed->out, *one);
}

/* Adds result `result` of `op` if another partition uses it. */
static bool add_value(handed_t *handed, MlirOperation op, intptr_t result) {
  MlirValue value = mlirOperationGetResult(op, result);
  const nereid_partitions_t owner = owner_of(value);
  nereid_handed_group_t group = {.size = 1, .values = {{.op = op, .result = result}}};
  const bool is_tma = nereid_op_kind(op) == NEREID_OP_TT_DESCRIPTOR_LOAD;
  if (!is_single(owner) || !mlirTypeIsARankedTensor(mlirValueGetType(value)) || !nereid_ttg_is_laid_out(value))
    return true;
  group.partition = number_of(owner);
  group.slots = (int32_t)nereid_ir_integer(op, NEREID_ATTR_PARTITION_SLOTS, NEREID_PARTITION_SLOTS);
  group.values[0].slot_type = is_tma ? nereid_ring_slot_type(op) : nereid_ring_value_slot_type(value);
  add_readers(&group, owner);
  if (!group.n_readers)
    return true;
  group.kind = kind_of(handed, &group.values[0]);
  group.releases_previous = group.slots > 1 && group.n_readers == 1 && accumulates_in_flight(group.readers[0].last);
  return add_group(handed, &group);
}

static bool add_body(handed_t *handed, MlirOperation loop) {
  MlirBlock body = nereid_loop_body(loop);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (nereid_op_kind(op) == NEREID_OP_SCF_FOR && !add_body(handed, op))
      return false;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      if (!add_value(handed, op, i))
        return false;
  }
  return true;
}

bool nereid_handed_groups(MlirOperation module, MlirOperation root, nereid_arena_t *arena,
                          nereid_handed_groups_t *out) {
  handed_t handed = {.module = module, .root = root, .arena = arena, .out = out};
  return add_body(&handed, root) && !arena->failed;
}
