/* Consumers of divided loops; see consumer_warps.h.
 *
 *   scf.for … { %d = tt.dot … -> tensor<128x256xf32> } {tt.warp_specialize}     4 warps
 *
 *   one group: 256 registers per thread; two groups, of 64 rows each: 128
 *
 * With several dots in a block, as in attention, one group multiplies while the other computes its softmax. */
#include "conversion/tt_to_ttg/consumer_warps.h"

#include "analysis/allocation/scratch.h"
#include "dialects/ir.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/ops.h"
#include "passes/warp_specialization/partitions.h"

#include <mlir-c/BuiltinTypes.h>

#include <stdbool.h>

enum {
  GROUP_WARPS = 4,
  GROUP_THREADS = 128,
  GROUP_ROWS = 64, /* rows of the result of one wgmma */
  WORD_BYTES = 4,
  MAX_RESULT_REGISTERS = 192, /* per thread, of the results of the dots in a block */
};

typedef struct demand {
  int64_t ctas;
  bool is_large; /* for one group */
} demand_t;

/* Registers of a thread of one group in each CTA. */
static int64_t result_registers(MlirOperation dot, int64_t ctas) {
  MlirType type = mlirValueGetType(nereid_ir_result(dot));
  return nereid_ttg_num_elements(type) * nereid_scratch_element_bytes(type) / WORD_BYTES / GROUP_THREADS / ctas;
}

static bool is_dot(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_DOT || nereid_op_kind(op) == NEREID_OP_TT_DOT_SCALED;
}

static int64_t rows(MlirOperation dot) {
  MlirType type = mlirValueGetType(nereid_ir_result(dot));
  return mlirShapedTypeGetDimSize(type, mlirShapedTypeGetRank(type) - 2);
}

/* Sets is_large if two groups should compute the dots from `first` to the end of its block. */
static MlirWalkResult find_demand(MlirOperation first, void *user_data) {
  demand_t *demand = user_data;
  int64_t registers = 0, dots = 0;
  bool divides = true;
  for (MlirOperation op = first; is_dot(first) && !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!is_dot(op))
      continue;
    registers += result_registers(op, demand->ctas);
    divides &= rows(op) / demand->ctas >= 2 * GROUP_ROWS;
    ++dots;
  }
  demand->is_large = registers > MAX_RESULT_REGISTERS || (dots > 1 && divides);
  return demand->is_large ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static MlirWalkResult find_loop(MlirOperation op, void *user_data) {
  if (nereid_op_kind(op) == NEREID_OP_SCF_FOR && nereid_ir_has_attribute(op, NEREID_ATTR_WARP_SPECIALIZE))
    mlirOperationWalk(op, find_demand, user_data, MlirWalkPreOrder);
  return ((demand_t *)user_data)->is_large ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

int64_t nereid_consumer_warps(MlirOperation module, int64_t warps, int64_t ctas) {
  demand_t demand = {.ctas = ctas};
  if (warps == GROUP_WARPS)
    mlirOperationWalk(module, find_loop, &demand, MlirWalkPreOrder);
  return demand.is_large ? 2 * warps : warps;
}
