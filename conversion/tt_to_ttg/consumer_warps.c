/* Consumers of divided loops; see consumer_warps.h.
 *
 *   scf.for … { %d = tt.dot … -> tensor<128x256xf32> } {tt.warp_specialize}     4 warps
 *
 *   one group: 256 registers per thread; two groups, of 64 rows each: 128 */
#include "conversion/tt_to_ttg/consumer_warps.h"

#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "passes/warp_specialization/partitions.h"

#include <mlir-c/BuiltinTypes.h>

#include <stdbool.h>

enum {
  GROUP_WARPS = 4,
  GROUP_THREADS = 128,
  WORD_BITS = 32,
  MAX_RESULT_REGISTERS = 192, /* per thread, of the results of the dots in a block */
};

/* Registers of a thread of one group. */
static int64_t result_registers(MlirOperation dot) {
  MlirType type = mlirValueGetType(nereid_ir_result(dot)), element = mlirShapedTypeGetElementType(type);
  int64_t bits =
      mlirTypeIsAInteger(element) ? (int64_t)mlirIntegerTypeGetWidth(element) : (int64_t)mlirFloatTypeGetWidth(element);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    bits *= mlirShapedTypeGetDimSize(type, d);
  return bits / WORD_BITS / GROUP_THREADS;
}

/* Whether the results of the dots in the block of `dot` do not fit next to other values. */
static MlirWalkResult find_demand(MlirOperation dot, void *user_data) {
  if (nereid_op_kind(dot) != NEREID_OP_TT_DOT && nereid_op_kind(dot) != NEREID_OP_TT_DOT_SCALED)
    return MlirWalkResultAdvance;
  int64_t registers = 0;
  for (MlirOperation op = dot; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (nereid_op_kind(op) == NEREID_OP_TT_DOT || nereid_op_kind(op) == NEREID_OP_TT_DOT_SCALED)
      registers += result_registers(op);
  *(bool *)user_data = registers > MAX_RESULT_REGISTERS;
  return *(bool *)user_data ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static MlirWalkResult find_loop(MlirOperation op, void *user_data) {
  if (nereid_op_kind(op) == NEREID_OP_SCF_FOR && nereid_ir_has_attribute(op, NEREID_ATTR_WARP_SPECIALIZE))
    mlirOperationWalk(op, find_demand, user_data, MlirWalkPreOrder);
  return *(bool *)user_data ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

int64_t nereid_consumer_warps(MlirOperation module, int64_t warps) {
  bool more = false;
  if (warps == GROUP_WARPS)
    mlirOperationWalk(module, find_loop, &more, MlirWalkPreOrder);
  return more ? 2 * warps : warps;
}
