/* tritongpu-reorder-instructions: moves a layout conversion directly before its first user.
 *
 *   %c = ttg.convert_layout %x        %y = …
 *   %y = …                      ->    %c = ttg.convert_layout %x
 *   use %c                            use %c
 *
 * A load from shared memory whose user is a dot by multiply-add moves directly before the dot, which then reads the
 * buffer itself. Between them are only operations that do not write to the buffer.
 *
 * The result may occupy many registers, whose live ranges become shorter. Views that only rename registers (tt.trans,
 * tt.splat, tt.broadcast, tt.expand_dims) move along. Nothing moves into a loop. Blocks are traversed backwards, so
 * that chains of views follow their users.
 *
 * A small conversion of a value that is loaded before a dot of warp groups moves to that dot: its accesses to shared
 * memory and its barrier are executed while the dot is in flight.
 *
 *   %s = tt.load                                       %s = tt.load
 *   %d = ttng.warp_group_dot                           %d = ttng.warp_group_dot
 *   %w = ttng.warp_group_dot_wait %d           ->      %c = ttg.convert_layout %s
 *   %c = ttg.convert_layout %s                         %w = ttng.warp_group_dot_wait %d */
#include "passes/layout/support/conversion_cost.h"
#include "passes/pass.h"
#include "passes/support/collect.h"

#include "base/map.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "seam/effects.h"

#include <mlir-c/BuiltinTypes.h>

static bool is_movable(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTG_CONVERT_LAYOUT:
  case NEREID_OP_TT_TRANS:
  case NEREID_OP_TT_SPLAT:
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_TT_EXPAND_DIMS:
    return true;
  default:
    return false;
  }
}

enum { MAX_SCAN = 4096 /* maximum number of ops to scan */ };

/* Marks the ops of the block of `op` that use it or contain a user; false when a user is in another block. */
static bool mark_users(MlirOperation op, nereid_map_t *users) {
  MlirBlock block = mlirOperationGetBlock(op);
  for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    while (!mlirOperationIsNull(user) && !mlirBlockEqual(mlirOperationGetBlock(user), block))
      user = mlirOperationGetParentOperation(user);
    uintptr_t *place = mlirOperationIsNull(user) ? NULL : nereid_map_insert(users, user.ptr);
    if (!place)
      return false;
    *place = 1;
  }
  return users->size > 0;
}

/* The first marked op; null when it is too far away. */
static MlirOperation first_user(nereid_arena_t *arena, MlirOperation op) {
  nereid_map_t users;
  nereid_map_initialize(&users, arena);
  if (!mark_users(op, &users))
    return (MlirOperation){NULL};
  MlirOperation next = mlirOperationGetNextInBlock(op);
  for (int i = 0; i < MAX_SCAN && !mlirOperationIsNull(next); ++i, next = mlirOperationGetNextInBlock(next))
    if (nereid_map_find(&users, next.ptr))
      return next;
  return (MlirOperation){NULL};
}

/* --- values that are loaded before a dot --- */

enum {
  OVERLAPPED = 48,
  OVERLAPPED_BY_ONE = 16 /* registers of a thread for such conversions in a block, and for one */
};

/* The first dot of warp groups after the load whose value `op` converts, if `op` follows a wait for it; else null. Only
 * floats, which the result of the dot is combined with: numbers of rows would become addresses of 64 bits early. */
static MlirOperation overlapping_dot(MlirOperation op) {
  MlirOperation none = {NULL}, dot = none;
  MlirOperation load = nereid_op_kind(op) == NEREID_OP_TTG_CONVERT_LAYOUT
                           ? nereid_defining_op_of_kind(mlirOperationGetOperand(op, 0), NEREID_OP_TT_LOAD)
                           : none;
  if (mlirOperationIsNull(load) || !mlirBlockEqual(mlirOperationGetBlock(load), mlirOperationGetBlock(op)) ||
      !mlirTypeIsAFloat(mlirShapedTypeGetElementType(mlirValueGetType(nereid_ir_result(op)))) ||
      nereid_registers_of_result(op) > OVERLAPPED_BY_ONE)
    return none;
  for (; !mlirOperationEqual(load, op); load = mlirOperationGetNextInBlock(load)) {
    if (mlirOperationIsNull(dot) && nereid_op_kind(load) == NEREID_OP_TTNG_WARP_GROUP_DOT)
      dot = load;
    if (!mlirOperationIsNull(dot) && nereid_op_kind(load) == NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT)
      return dot;
  }
  return none;
}

/* Moves small conversions of loaded values directly after the dot that follows the load. */
static int64_t overlap_conversions(const nereid_operations_t *ops) {
  MlirBlock block = {NULL};
  int64_t left = 0, count = 0;
  for (size_t i = 0; i < ops->size; ++i) {
    MlirOperation op = ops->data[i], dot = overlapping_dot(op);
    if (mlirOperationIsNull(dot))
      continue;
    if (!mlirBlockEqual(block, mlirOperationGetBlock(op)))
      left = OVERLAPPED;
    block = mlirOperationGetBlock(op);
    if (nereid_registers_of_result(op) > left)
      continue;
    left -= nereid_registers_of_result(op);
    mlirOperationMoveAfter(op, dot);
    ++count;
  }
  return count;
}

/* --- operands of multiply-add --- */

static bool is_multiply_add_load(MlirOperation op) {
  if (nereid_op_kind(op) != NEREID_OP_TTG_LOCAL_LOAD)
    return false;
  MlirAttribute encoding = nereid_ttg_encoding_of(mlirOperationGetResult(op, 0));
  return nereid_ttg_dot_op_attr_isa(encoding) &&
         nereid_ttg_blocked_attr_isa(nereid_ttg_dot_op_attr_get_parent(encoding));
}

/* Whether a read of another buffer may move after `op`: a new buffer is initialized, or nothing is written. */
static bool keeps_buffers(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  return kind == NEREID_OP_TTG_LOCAL_LOAD || kind == NEREID_OP_TTG_LOCAL_GATHER || kind == NEREID_OP_TTG_LOCAL_ALLOC ||
         nereidMlirOperationIsMemoryEffectFree(op);
}

/* Moves the load directly before its only user, a dot; false when it stays. */
static bool move_to_dot(MlirOperation load) {
  MlirOperation dot = nereid_ir_only_user(mlirOperationGetResult(load, 0)), next = mlirOperationGetNextInBlock(load);
  if (mlirOperationIsNull(dot) || nereid_op_kind(dot) != NEREID_OP_TT_DOT || mlirOperationEqual(next, dot))
    return false;
  while (!mlirOperationIsNull(next) && !mlirOperationEqual(next, dot) && keeps_buffers(next))
    next = mlirOperationGetNextInBlock(next);
  if (mlirOperationIsNull(next) || !mlirOperationEqual(next, dot))
    return false;
  mlirOperationMoveBefore(load, dot);
  return true;
}

MlirLogicalResult nereid_pass_tritongpu_reorder_instructions(nereid_pass_t *pass) {
  nereid_operations_t ops = {0};
  int64_t count = 0;
  (void)nereid_collect(pass->op, is_movable, pass->scratch, &ops);
  for (size_t i = ops.size; i-- > 0 && !pass->scratch->failed;) {
    MlirOperation op = ops.data[i], user = first_user(pass->scratch, op);
    if (mlirOperationIsNull(user) || mlirOperationEqual(mlirOperationGetNextInBlock(op), user))
      continue;
    mlirOperationMoveBefore(op, user);
    ++count;
  }
  count += overlap_conversions(&ops);
  nereid_operations_t loads = {0};
  (void)nereid_collect(pass->op, is_multiply_add_load, pass->scratch, &loads);
  for (size_t i = 0; i < loads.size; ++i)
    count += move_to_dot(loads.data[i]);
  nereid_pass_statistic_add(pass, "moved", count);
  return pass->scratch->failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
