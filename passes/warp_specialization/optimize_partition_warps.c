/* tritongpu-optimize-partition-warps: gives partitions the warps and registers that they need.
 *
 *   ttg.warp_specialize(%ring) …                    ttg.warp_specialize(%ring) attributes {requestedRegisters = [24]} …
 *   partition0(%ring) num_warps(8) { TMA }    ->    partition0(%ring) num_warps(1) { TMA }
 *
 * A partition without tensors is executed by one warp: one thread issues copies by TMA, and computes scalars as fast as
 * many would. It requests the minimum of registers that setmaxnreg accepts; tritongpu-allocate-warp-groups gives the
 * rest to the default region. Where registers do not change, as the consumer's warps and four more have enough, that
 * request has no effect. Partitions with tensors keep their warps, which layouts refer to. If they only copy tiles by
 * cp.async, they request registers for the addresses of a tile. */
#include "passes/warp_specialization/partitions.h"

#include "dialects/ir.h"
#include "nereid/dialects/ttg.h"
#include "seam/ir.h"

/* Per thread; multiples of 8, at least 24 (PTX ISA, "setmaxnreg"). */
enum {
  TMA_REGISTERS = 24,
  CP_ASYNC_REGISTERS = 56, /* addresses, offsets and predicates of the accesses of a tile, which are recomputed */
};

static MlirWalkResult find_tensor(MlirOperation op, void *user_data) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    *(bool *)user_data |= mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetResult(op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    *(bool *)user_data |= mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetOperand(op, i)));
  return *(bool *)user_data ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static MlirWalkResult find_copy(MlirOperation op, void *user_data) {
  *(bool *)user_data |= nereid_op_kind(op) == NEREID_OP_TTNG_ASYNC_COPY_MBARRIER_ARRIVE;
  return *(bool *)user_data ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static MlirWalkResult find_work(MlirOperation op, void *user_data) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  *(bool *)user_data |= kind == NEREID_OP_TT_DOT || kind == NEREID_OP_TTNG_WARP_GROUP_DOT ||
                        kind == NEREID_OP_TT_STORE || kind == NEREID_OP_TTG_LOCAL_STORE ||
                        kind == NEREID_OP_TTG_LOCAL_SCATTER || kind == NEREID_OP_TTG_LOCAL_ATOMIC_SCATTER_RMW;
  return *(bool *)user_data ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool has(MlirRegion region, MlirOperationWalkCallback find) {
  bool found = false;
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      mlirOperationWalk(op, find, &found, MlirWalkPreOrder);
  return found;
}

/* The registers that a partition requests; 0: as many as the default region. */
static int32_t registers_for(MlirRegion region) {
  if (!has(region, find_tensor))
    return TMA_REGISTERS;
  return has(region, find_copy) && !has(region, find_work) ? CP_ASYNC_REGISTERS : 0;
}

/* False when out of memory. */
static bool optimize(nereid_pass_t *pass, MlirOperation op) {
  MlirOperation partitions =
      mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(nereid_ttg_warp_specialize_get_partition_op_holder(op)));
  const intptr_t n = mlirOperationGetNumRegions(partitions);
  int32_t *warps = nereid_arena_new(pass->scratch, int32_t, (size_t)n + 1);
  int32_t *registers = nereid_arena_new(pass->scratch, int32_t, (size_t)n + 1);
  bool all_copy = n > 0;
  if (!warps || !registers)
    return false;
  for (intptr_t i = 0; i < n; ++i) {
    MlirRegion region = mlirOperationGetRegion(partitions, i);
    warps[i] = has(region, find_tensor) ? nereid_ttg_warp_specialize_get_partition_num_warps(op, i) : 1;
    registers[i] = registers_for(region);
    all_copy = all_copy && registers[i];
  }
  nereid_ir_set_attribute(op, "partitionNumWarps", mlirDenseI32ArrayGet(pass->context, n, warps));
  if (all_copy && mlirAttributeIsNull(nereid_ttg_warp_specialize_get_requested_registers_attr(op)))
    nereid_ir_set_attribute(op, "requestedRegisters", mlirDenseI32ArrayGet(pass->context, n, registers));
  return true;
}

MlirLogicalResult nereid_pass_tritongpu_optimize_partition_warps(nereid_pass_t *pass) {
  nereid_operations_t ops = {0};
  bool good = nereid_collect_kind(pass->op, NEREID_OP_TTG_WARP_SPECIALIZE, pass->scratch, &ops);
  for (size_t i = 0; good && i < ops.size; ++i)
    good = optimize(pass, ops.data[i]);
  return good && !pass->scratch->failed ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
