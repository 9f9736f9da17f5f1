/* Chained dots; see chained_dots.h. */
#include "passes/pipelining/dots/chained_dots.h"

#include "analysis/allocation/scratch.h"
#include "base/map.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/ttng.h"
#include "passes/pipelining/schedule.h"

#include <mlir-c/BuiltinTypes.h>

enum {
  REGISTERS = 240,      /* per thread, that consumers of a warp-specialized loop get */
  OTHER_REGISTERS = 56, /* per thread, next to accumulators and operands */
  WORD_BYTES = 4,
  LANES = 32
};

typedef struct chain {
  nereid_arena_t *arena;
  MlirBlock body;
  nereid_map_t ops; /* on which the operand depends, in this iteration or an earlier one */
  bool has_dot;
} chain_t;

static bool is_dot(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT;
}

static void follow(chain_t *chain, MlirOperation op) {
  nereid_schedule_values_t uses = {0};
  uintptr_t *place = nereid_map_find(&chain->ops, op.ptr) ? NULL : nereid_map_insert(&chain->ops, op.ptr);
  if (!place || !nereid_schedule_uses(op, chain->body, chain->arena, &uses))
    return;
  *place = 1;
  chain->has_dot = chain->has_dot || is_dot(op);
  for (size_t i = 0; i < uses.size; ++i) {
    MlirOperation from = nereid_schedule_definition(chain->body, uses.data[i], NULL);
    if (!mlirOperationIsNull(from))
      follow(chain, from);
  }
}

/* Registers per thread of the results and of operands in registers of all dots of the body. */
static int64_t registers_of_dots(MlirBlock body) {
  int64_t bytes = 0;
  int32_t warps = 1;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!is_dot(op))
      continue;
    MlirType a = mlirValueGetType(nereid_ttng_warp_group_dot_get_a(op));
    warps = nereid_ttg_num_warps(op);
    bytes += nereid_scratch_tensor_bytes(mlirValueGetType(nereid_ir_result(op)));
    bytes += mlirTypeIsARankedTensor(a) ? nereid_scratch_tensor_bytes(a) : 0;
  }
  return bytes / ((int64_t)warps * LANES * WORD_BYTES);
}

void nereid_chained_dots_collect(nereid_pass_t *pass, MlirOperation loop, nereid_operations_t *out) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  if (registers_of_dots(body) + OTHER_REGISTERS > REGISTERS)
    return;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    chain_t chain = {.arena = pass->scratch, .body = body};
    if (!is_dot(op) || !mlirTypeIsARankedTensor(mlirValueGetType(nereid_ttng_warp_group_dot_get_a(op))))
      continue;
    MlirOperation operand = nereid_defining_op(nereid_ttng_warp_group_dot_get_a(op));
    if (mlirOperationIsNull(operand) || !mlirBlockEqual(mlirOperationGetBlock(operand), body))
      continue;
    nereid_map_initialize(&chain.ops, pass->scratch);
    follow(&chain, operand);
    if (chain.has_dot && !nereid_map_find(&chain.ops, op.ptr))
      nereid_vector_push(pass->scratch, out, operand);
  }
}
