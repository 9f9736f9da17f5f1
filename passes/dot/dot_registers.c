/* Registers of dots; see dot_registers.h.
 *
 *   %d = ttng.warp_group_dot %a, %b : tensor<128x64xf16>, … -> tensor<128x128xf32>      8 warps
 *
 *   result: 128 * 128 * 4 bytes of 256 threads, 64 registers; operand: 128 * 64 * 2 bytes, 16 registers */
#include "passes/dot/dot_registers.h"

#include "analysis/allocation/scratch.h"
#include "base/target_facts.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"

enum { WORD_BYTES = 4, LANES = 32 };

bool nereid_dot_is_dot(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_DOT || nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT;
}

static int64_t registers(MlirOperation dot, MlirType type) {
  return nereid_scratch_part_bytes(type) / ((int64_t)nereid_ttg_num_warps(dot) * LANES * WORD_BYTES);
}

int64_t nereid_dot_result_registers(MlirBlock block) {
  int64_t sum = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    sum += nereid_dot_is_dot(op) ? registers(op, mlirValueGetType(nereid_ir_result(op))) : 0;
  return sum;
}

int64_t nereid_dot_operand_registers(MlirBlock block) {
  int64_t sum = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (nereid_op_kind(op) != NEREID_OP_TTNG_WARP_GROUP_DOT)
      continue;
    MlirType type = mlirValueGetType(nereid_ttng_warp_group_dot_get_a(op));
    sum += mlirTypeIsARankedTensor(type) ? registers(op, type) : 0;
  }
  return sum;
}

/* The bytes of operand a along the dimension that a dot sums over, the last one. */
static int64_t summed_bytes(MlirType a) {
  nereid_ttg_memdesc_t buffer;
  if (mlirTypeIsARankedTensor(a))
    return mlirShapedTypeGetDimSize(a, mlirShapedTypeGetRank(a) - 1) * nereid_scratch_element_bytes(a);
  return nereid_ttg_memdesc_read(a, &buffer)
             ? buffer.shape[buffer.rank - 1] * nereid_scratch_element_bytes(buffer.element)
             : 0;
}

static MlirWalkResult add_multiply_adds(MlirOperation op, void *user_data) {
  enum { HALF_BYTES = 2 };
  if (nereid_dot_is_dot(op))
    *(int64_t *)user_data += nereid_ttg_num_elements(mlirValueGetType(nereid_ir_result(op))) *
                             summed_bytes(mlirValueGetType(mlirOperationGetOperand(op, 0))) / HALF_BYTES;
  return MlirWalkResultAdvance;
}

int64_t nereid_dot_multiply_adds(MlirOperation op) {
  int64_t sum = 0;
  mlirOperationWalk(op, add_multiply_adds, &sum, MlirWalkPreOrder);
  return sum;
}

bool nereid_dot_is_slow(MlirOperation op) {
  if (nereid_op_kind(op) != NEREID_OP_TT_DOT)
    return false;
  MlirValue result = nereid_ir_result(op);
  return mlirTypeIsAF64(mlirShapedTypeGetElementType(mlirValueGetType(result))) ||
         nereid_ttg_blocked_attr_isa(nereid_ttg_encoding_of(result));
}

int64_t nereid_dot_registers_per_thread(MlirOperation op) {
  return nereid_target_thread_registers((int64_t)nereid_ttg_num_warps(op) * LANES);
}
