/* Chained dots; see chained_dots.h. */
#include "passes/pipelining/dots/chained_dots.h"

#include "base/map.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "nereid/dialects/ttng.h"
#include "passes/dot/dot_registers.h"
#include "passes/pipelining/schedule.h"

enum {
  REGISTERS = 240,     /* per thread, that consumers of a warp-specialized loop get */
  OTHER_REGISTERS = 56 /* per thread, next to accumulators and operands */
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

void nereid_chained_dots_collect(nereid_pass_t *pass, MlirOperation loop, nereid_operations_t *out) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  if (nereid_dot_result_registers(body) + nereid_dot_operand_registers(body) + OTHER_REGISTERS > REGISTERS)
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

/* Whether `op`, or an op in it, uses the result of a dot of the block, directly or through ops of the block. */
static bool depends_on_dot(chain_t *chain, MlirOperation op) {
  nereid_schedule_values_t uses = {0};
  if (!nereid_schedule_uses(op, chain->body, chain->arena, &uses))
    return false;
  for (size_t i = 0; i < uses.size; ++i) {
    MlirOperation from = nereid_defining_op(uses.data[i]);
    if (mlirOperationIsNull(from) || nereid_map_find(&chain->ops, from.ptr))
      continue;
    uintptr_t *place = nereid_map_insert(&chain->ops, from.ptr);
    if (place)
      *place = 1;
    if (is_dot(from) || depends_on_dot(chain, from))
      return true;
  }
  return false;
}

bool nereid_dots_are_chained(nereid_pass_t *pass, MlirBlock body) {
  bool has_first = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!is_dot(op))
      continue;
    chain_t chain = {.arena = pass->scratch, .body = body};
    nereid_map_initialize(&chain.ops, pass->scratch);
    if (has_first && !depends_on_dot(&chain, op))
      return false;
    has_first = true;
  }
  return has_first;
}
