/* Partitions as attributes; see partitions.h. */
#include "passes/warp_specialization/partitions.h"

#include "dialects/ir.h"

bool nereid_partition_has(MlirOperation op, nereid_partition_t partition) {
  MlirAttribute list = nereid_ir_attribute(op, NEREID_ATTR_PARTITION);
  if (mlirAttributeIsNull(list) || !mlirAttributeIsADenseI32Array(list))
    return false;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(list); ++i)
    if (mlirDenseI32ArrayGetElement(list, i) == (int32_t)partition)
      return true;
  return false;
}

void nereid_partition_set(MlirOperation op, bool consumer, bool producer) {
  int32_t list[NEREID_PARTITIONS];
  intptr_t n = 0;
  if (consumer)
    list[n++] = NEREID_PARTITION_CONSUMER;
  if (producer)
    list[n++] = NEREID_PARTITION_PRODUCER;
  nereid_ir_set_attribute(op, NEREID_ATTR_PARTITION, mlirDenseI32ArrayGet(mlirOperationGetContext(op), n, list));
}

void nereid_partition_set_all(size_t n, const MlirOperation *ops, nereid_partition_t partition) {
  for (size_t i = 0; i < n; ++i)
    nereid_partition_set(ops[i], partition == NEREID_PARTITION_CONSUMER, partition == NEREID_PARTITION_PRODUCER);
}

bool nereid_partition_is_load(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_DESCRIPTOR_LOAD && nereid_partition_has(op, NEREID_PARTITION_PRODUCER) &&
         !nereid_partition_has(op, NEREID_PARTITION_CONSUMER);
}

static bool is_divided(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_SCF_FOR && nereid_ir_has_attribute(op, NEREID_ATTR_WARP_SPECIALIZE_TAG);
}

bool nereid_partition_loops(MlirOperation root, nereid_arena_t *arena, nereid_operations_t *out) {
  return nereid_collect(root, is_divided, arena, out);
}

bool nereid_partition_nest(MlirOperation root, MlirOperation op, nereid_arena_t *arena, nereid_operations_t *out) {
  for (op = mlirOperationGetParentOperation(op); !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op)) {
    if (nereid_op_kind(op) == NEREID_OP_SCF_FOR && !nereid_vector_push(arena, out, op))
      return false;
    if (mlirOperationEqual(op, root))
      break;
  }
  for (size_t i = 0, k = out->size; i + 1 < k; ++i, --k) {
    MlirOperation other = out->data[k - 1];
    out->data[k - 1] = out->data[i];
    out->data[i] = other;
  }
  return true;
}
