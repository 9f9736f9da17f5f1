/* Partitions as attributes; see partitions.h. */
#include "passes/warp_specialization/partitions.h"

#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"

bool nereid_partition_is_loop(MlirOperation op) {
  for (; nereid_op_kind(op) == NEREID_OP_SCF_FOR; op = mlirOperationGetParentOperation(op))
    if (nereid_ir_has_attribute(op, NEREID_ATTR_WARP_SPECIALIZE_TAG))
      return true;
  return false;
}

/* The attribute of `op`, or of the op of a divided body that contains it; null: none. */
static MlirAttribute list_of(MlirOperation op) {
  MlirAttribute list = nereid_ir_attribute(op, NEREID_ATTR_PARTITION);
  for (MlirOperation parent = mlirOperationGetParentOperation(op);
       mlirAttributeIsNull(list) && !mlirOperationIsNull(parent) && !nereid_partition_is_loop(parent);
       parent = mlirOperationGetParentOperation(parent))
    list = nereid_ir_attribute(parent, NEREID_ATTR_PARTITION);
  return list;
}

nereid_partitions_t nereid_partition_of(MlirOperation op) {
  MlirAttribute list = list_of(op);
  nereid_partitions_t partitions = 0;
  if (mlirAttributeIsNull(list) || !mlirAttributeIsADenseI32Array(list))
    return 0;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(list); ++i) {
    const int32_t partition = mlirDenseI32ArrayGetElement(list, i);
    if (partition >= 0 && partition < NEREID_PARTITION_MAX)
      partitions |= nereid_partition_only(partition);
  }
  return partitions;
}

static bool is_valid(MlirOperation op) {
  MlirAttribute list = nereid_ir_attribute(op, NEREID_ATTR_PARTITION);
  bool valid = mlirAttributeIsNull(list) || mlirAttributeIsADenseI32Array(list);
  for (intptr_t i = 0; valid && !mlirAttributeIsNull(list) && i < mlirDenseArrayGetNumElements(list); ++i)
    valid = mlirDenseI32ArrayGetElement(list, i) >= 0 && mlirDenseI32ArrayGetElement(list, i) < NEREID_PARTITION_MAX;
  return valid;
}

static MlirWalkResult verify_op(MlirOperation op, void *user_data) {
  if (is_valid(op))
    return MlirWalkResultAdvance;
  nereid_diagnose(op, "has an invalid ttg.partition: expected an array of i32 from 0 to %d", NEREID_PARTITION_MAX - 1);
  *(bool *)user_data = false;
  return MlirWalkResultInterrupt;
}

bool nereid_partition_verify(MlirOperation root) {
  bool valid = true;
  mlirOperationWalk(root, verify_op, &valid, MlirWalkPreOrder);
  return valid;
}

bool nereid_partition_has(MlirOperation op, int partition) {
  return nereid_ir_has_attribute(op, NEREID_ATTR_PARTITION) &&
         (nereid_partition_of(op) & nereid_partition_only(partition));
}

void nereid_partition_set(MlirOperation op, nereid_partitions_t partitions) {
  int32_t list[NEREID_PARTITION_MAX];
  intptr_t n = 0;
  for (int p = 0; p < NEREID_PARTITION_MAX; ++p)
    if (partitions & nereid_partition_only(p))
      list[n++] = p;
  nereid_ir_set_attribute(op, NEREID_ATTR_PARTITION, mlirDenseI32ArrayGet(mlirOperationGetContext(op), n, list));
}

void nereid_partition_set_all(size_t n, const MlirOperation *ops, int partition) {
  for (size_t i = 0; i < n; ++i)
    nereid_partition_set(ops[i], nereid_partition_only(partition));
}

static MlirWalkResult add_partitions(MlirOperation op, void *user_data) {
  if (nereid_ir_has_attribute(op, NEREID_ATTR_PARTITION))
    *(nereid_partitions_t *)user_data |= nereid_partition_of(op);
  return MlirWalkResultAdvance;
}

int nereid_partition_count(MlirOperation root) {
  nereid_partitions_t all = 0;
  int count = 0;
  mlirOperationWalk(root, add_partitions, &all, MlirWalkPreOrder);
  while (all >> count)
    ++count;
  return count;
}

int32_t nereid_partition_warps(MlirOperation root, int partition) {
  MlirAttribute warps = nereid_ir_attribute(root, NEREID_ATTR_PARTITION_WARPS);
  return !mlirAttributeIsNull(warps) && mlirAttributeIsADenseI32Array(warps) &&
                 partition < mlirDenseArrayGetNumElements(warps)
             ? mlirDenseI32ArrayGetElement(warps, partition)
             : nereid_ttg_num_warps(root);
}

/* --- loads --- */

static bool is_single(nereid_partitions_t partitions) {
  return partitions && !(partitions & (partitions - 1));
}

static bool is_tensor_load(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_DESCRIPTOR_LOAD ||
         (nereid_op_kind(op) == NEREID_OP_TT_LOAD && mlirTypeIsARankedTensor(mlirValueGetType(nereid_ir_result(op))));
}

bool nereid_partition_is_load(MlirOperation op) {
  if (!is_tensor_load(op) || !nereid_ir_has_attribute(op, NEREID_ATTR_PARTITION) || !is_single(nereid_partition_of(op)))
    return false;
  MlirValue loaded = nereid_ir_result(op);
  for (MlirOpOperand use = mlirValueGetFirstUse(loaded); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (nereid_partition_of(mlirOpOperandGetOwner(use)) & ~nereid_partition_of(op))
      return true;
  return false;
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
