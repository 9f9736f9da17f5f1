/* Orders ops so that few values are live; see depth_first.h.
 *
 *   %a0 = fcmp %x0, %t    %a1 = fcmp %x1, %t              %a0 = fcmp %x0, %t
 *   %b0 = select %a0, …   %b1 = select %a1, …       ->    %b0 = select %a0, …
 *   store %b0             store %b1                       store %b0
 *                                                         %a1 = fcmp %x1, %t    …
 *
 * Lowering computes an op for all elements of a tensor before the next op. ptxas finds a better order by itself, except
 * where thousands of values would be live: a quantization of 256 elements per thread with 15 comparisons each spilled
 * 4,700 bytes and took 5 times as long. Ops with effects, and what other blocks use, keep their order. Each is preceded
 * by the ops that compute its operands, as far as these are not computed yet. */
#include "conversion/ttg_to_llvm/function/depth_first.h"

#include "base/map.h"
#include "base/vector.h"
#include "dialects/defining_op.h"
#include "seam/effects.h"

/* An op that is placed when its operands from `operand` on are. */
typedef struct frame {
  MlirOperation op;
  intptr_t operand;
} frame_t;

typedef struct order {
  nereid_arena_t *arena;
  MlirBlock block;
  nereid_map_t visited; /* ops without effects that are placed or on the stack */
  NEREID_VECTOR(frame_t) stack;
} order_t;

static bool is_movable(MlirOperation op) {
  return mlirOperationGetNumRegions(op) == 0 && mlirOperationGetNumResults(op) > 0 && nereidMlirOperationIsPure(op);
}

/* Whether `op` has a use in another block, or none. */
static bool is_used_elsewhere(MlirOperation op, MlirBlock block) {
  bool is_used = false;
  for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
    for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, r)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
      is_used = true;
      if (!mlirBlockEqual(mlirOperationGetBlock(mlirOpOperandGetOwner(use)), block))
        return true;
    }
  return !is_used;
}

/* Pushes the op that defines `value` if it is to be placed. */
static bool push(order_t *order, MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  if (mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), order->block) || !is_movable(op))
    return true;
  uintptr_t *place = nereid_map_insert(&order->visited, op.ptr);
  if (!place || *place)
    return place != NULL;
  *place = 1;
  return nereid_vector_push(order->arena, &order->stack, (frame_t){op, 0});
}

/* Places the ops that compute the operands of `anchor` before it. */
static bool place_operands(order_t *order, MlirOperation anchor) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(anchor); ++i) {
    if (!push(order, mlirOperationGetOperand(anchor, i)))
      return false;
    while (order->stack.size) {
      frame_t *top = &order->stack.data[order->stack.size - 1];
      if (top->operand == mlirOperationGetNumOperands(top->op)) {
        mlirOperationMoveBefore(top->op, anchor);
        --order->stack.size;
      } else if (!push(order, mlirOperationGetOperand(top->op, top->operand++))) {
        return false;
      }
    }
  }
  return true;
}

static bool order_block(order_t *order) {
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(order->block); !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    const bool stays = !is_movable(op) || is_used_elsewhere(op, order->block);
    uintptr_t *place = stays ? nereid_map_insert(&order->visited, op.ptr) : NULL;
    if (!stays)
      continue;
    if (!place || !place_operands(order, op))
      return false;
    *nereid_map_find(&order->visited, op.ptr) = 1;
  }
  return true;
}

bool nereid_lower_depth_first(MlirOperation function, nereid_arena_t *arena) {
  order_t order = {.arena = arena};
  nereid_map_initialize(&order.visited, arena);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(function); ++r)
    for (order.block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, r)); !mlirBlockIsNull(order.block);
         order.block = mlirBlockGetNextInRegion(order.block))
      if (!order_block(&order))
        return false;
  return true;
}
