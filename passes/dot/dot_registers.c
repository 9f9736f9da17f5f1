/* Registers of dots; see dot_registers.h.
 *
 *   %d = ttng.warp_group_dot %a, %b : tensor<128x64xf16>, … -> tensor<128x128xf32>      8 warps
 *
 *   result: 128 * 128 * 4 bytes of 256 threads, 64 registers; operand: 128 * 64 * 2 bytes, 16 registers */
#include "passes/dot/dot_registers.h"

#include "analysis/allocation/scratch.h"
#include "base/target_facts.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttng.h"

enum { WORD_BYTES = 4, LANES = 32 };

static MlirType result_type(MlirOperation dot) {
  return mlirValueGetType(nereid_ir_result(dot));
}

static MlirType operand_type(MlirOperation dot) {
  return mlirValueGetType(nereid_ttng_warp_group_dot_get_a(dot));
}

static int64_t sum(MlirBlock block, MlirType (*type_of)(MlirOperation dot)) {
  int64_t registers = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (nereid_op_kind(op) != NEREID_OP_TTNG_WARP_GROUP_DOT || !mlirTypeIsARankedTensor(type_of(op)))
      continue;
    registers += nereid_scratch_part_bytes(type_of(op)) / ((int64_t)nereid_ttg_num_warps(op) * LANES * WORD_BYTES);
  }
  return registers;
}

int64_t nereid_dot_result_registers(MlirBlock block) {
  return sum(block, result_type);
}

int64_t nereid_dot_operand_registers(MlirBlock block) {
  return sum(block, operand_type);
}

int64_t nereid_dot_registers_per_thread(MlirOperation op) {
  return nereid_target_thread_registers((int64_t)nereid_ttg_num_warps(op) * LANES);
}
