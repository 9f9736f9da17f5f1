/* tritongpu-reorder-instructions: moves a layout conversion directly before its first user.
 *
 *   %c = ttg.convert_layout %x        %y = …
 *   %y = …                      ->    %c = ttg.convert_layout %x
 *   use %c                            use %c
 *
 * The result may occupy many registers, whose live ranges become shorter. Views that only rename registers (tt.trans,
 * tt.splat, tt.broadcast, tt.expand_dims) move along. Nothing moves into a loop. Blocks are traversed backwards, so
 * that chains of views follow their users. */
#include "passes/pass.h"
#include "passes/support/collect.h"

#include "base/map.h"
#include "nereid/dialects/ops.h"

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
  nereid_pass_statistic_add(pass, "moved", count);
  return pass->scratch->failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
