/* Removal of operations. The results of a removed operation are replaced:
 *
 *   %v = tt.load %p, %m, %zero                    ->   (uses of %v become uses of %zero)
 *   %s = scf.for ... iter_args(%a = %i)           ->   (uses of %s become uses of %i)
 *   %q = tt.broadcast %p : pointers -> pointers   ->   %q = tt.splat %argument
 *
 * A group is removed with one choice of replacements; single operations are tried with each. A chain in which each
 * operation needs the one before it is cut short instead: what remains uses the last values before the group, and
 * stores stay with their addresses:
 *
 *   %a = ..., %b = f %a, %c = g %b, %d = h %c, tt.store %p, %d   ->   %a = ..., tt.store %p, %a
 */
#include "base/map.h"
#include "seam/ir.h"
#include "tools/nereid/reduce/edit.h"

enum { GOOD_PART = 4 }; /* a quarter of a group */

typedef enum replacement {
  REPLACE_BY_LAST,    /* the last operand of its type, else the default */
  REPLACE_BY_FIRST,   /* the first operand of its type */
  REPLACE_BY_ZERO,    /* the default: 0, a pointer of the kernel */
  REPLACE_BY_ONE,     /* 1 */
  REPLACE_BY_EARLIER, /* the first value of its type in the block */
} replacement_t;

static bool has_type(MlirValue value, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type);
}

/* An operand that replaces result `i`: of a loop the initial value. Null: none. */
static MlirValue operand_for(MlirOperation op, intptr_t i, replacement_t replacement) {
  const MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
  const intptr_t n = mlirOperationGetNumOperands(op);
  const intptr_t carried = n - mlirOperationGetNumResults(op) + i;
  const bool searches = replacement == REPLACE_BY_LAST || replacement == REPLACE_BY_FIRST;
  if (nereidMlirOperationIsLoopLike(op) && carried >= 0 && has_type(mlirOperationGetOperand(op, carried), type))
    return mlirOperationGetOperand(op, carried);
  for (intptr_t k = 0; searches && k < n; ++k) {
    const MlirValue operand = mlirOperationGetOperand(op, replacement == REPLACE_BY_FIRST ? k : n - 1 - k);
    if (has_type(operand, type))
      return operand;
  }
  return (MlirValue){NULL};
}

/* The first value of the block with this type: an argument, or a result before `op`. */
static MlirValue earlier(MlirOperation op, MlirType type) {
  const MlirBlock block = mlirOperationGetBlock(op);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    if (has_type(mlirBlockGetArgument(block, i), type))
      return mlirBlockGetArgument(block, i);
  for (MlirOperation at = mlirBlockGetFirstOperation(block); !mlirOperationEqual(at, op);
       at = mlirOperationGetNextInBlock(at))
    for (intptr_t i = 0; i < mlirOperationGetNumResults(at); ++i)
      if (has_type(mlirOperationGetResult(at, i), type) && !tool_edit_is(at, "arith.constant"))
        return mlirOperationGetResult(at, i);
  return (MlirValue){NULL};
}

static MlirValue replacement_of(MlirOperation op, intptr_t i, replacement_t replacement) {
  const MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
  const MlirValue operand = replacement == REPLACE_BY_EARLIER ? earlier(op, type) : operand_for(op, i, replacement);
  if (!mlirValueIsNull(operand) || replacement == REPLACE_BY_FIRST || replacement == REPLACE_BY_EARLIER)
    return operand;
  return tool_edit_default(op, type, replacement == REPLACE_BY_ONE);
}

static bool is_unused(MlirOperation op, intptr_t i) {
  return mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, i)));
}

/* False: a result has no replacement. */
static bool remove_op(MlirOperation op, replacement_t replacement) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    if (is_unused(op, i))
      continue;
    const MlirValue value = replacement_of(op, i, replacement);
    if (mlirValueIsNull(value))
      return false;
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, i), value);
  }
  nereidMlirOperationErase(op);
  return true;
}

/* Terminators and kernels stay. A constant is not replaced by a constant. */
static bool is_removable(MlirOperation op) {
  return !nereidMlirOperationHasTrait(op, NereidMlirTraitIsTerminator) && !tool_edit_is(op, "arith.constant") &&
         !(nereidMlirOperationIsFunction(op) && nereidMlirFunctionIsPublic(op));
}

/* --- chains --- */

/* The last value of this type before `op` in its block: a result, or an argument of the block. Null: none. */
static MlirValue last_before(MlirOperation op, MlirType type) {
  const MlirBlock block = mlirOperationGetBlock(op);
  MlirValue last = {NULL};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    if (has_type(mlirBlockGetArgument(block, i), type))
      last = mlirBlockGetArgument(block, i);
  for (MlirOperation at = mlirBlockGetFirstOperation(block); !mlirOperationEqual(at, op);
       at = mlirOperationGetNextInBlock(at))
    for (intptr_t i = 0; i < mlirOperationGetNumResults(at) && !tool_edit_is(at, "arith.constant"); ++i)
      if (has_type(mlirOperationGetResult(at, i), type))
        last = mlirOperationGetResult(at, i);
  return last;
}

/* The operation of the block that is `op` or contains it. Null: none. */
static MlirOperation ancestor_in(MlirBlock block, MlirOperation op) {
  while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

/* Returns whether a kept operation needs a result, other than as the value that a store stores. */
static bool is_needed(MlirOperation op, const nereid_map_t *kept) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, i)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
      const MlirOperation user = mlirOpOperandGetOwner(use);
      const bool is_stored = tool_edit_is(user, "tt.store") && mlirOpOperandGetOperandNumber(use) == 1;
      if (!is_stored && nereid_map_find(kept, user.ptr))
        return true;
    }
  return false;
}

/* Replaces the used results of `op` by the last values before the group. False: there are none. */
static bool use_last_before(MlirOperation op, MlirOperation first) {
  const MlirOperation start = ancestor_in(mlirOperationGetBlock(op), first);
  bool all = !mlirOperationIsNull(start);
  for (intptr_t i = 0; all && i < mlirOperationGetNumResults(op); ++i) {
    const MlirValue result = mlirOperationGetResult(op, i);
    const MlirValue value = is_unused(op, i) ? result : last_before(start, mlirValueGetType(result));
    all = !mlirValueIsNull(value);
    if (all && !mlirValueEqual(value, result))
      mlirValueReplaceAllUsesOfWith(result, value);
  }
  return all;
}

/* Removes the operations list[first] to list[end - 1] but stores, the operations that compute their addresses, and
 * results of a type that no value before the group has. Returns whether that is a good part of them. */
static bool cut_chain(nereid_arena_t *arena, const tool_operations_t *list, size_t first, size_t end) {
  nereid_map_t kept;
  size_t n_removed = 0;
  nereid_map_initialize(&kept, arena);
  for (size_t i = end; i-- > first;) {
    const MlirOperation op = list->data[i];
    if (!is_removable(op) || !mlirOperationGetNumResults(op) || is_needed(op, &kept)) {
      (void)nereid_map_insert(&kept, op.ptr);
    } else if (use_last_before(op, list->data[first])) {
      nereidMlirOperationErase(op);
      ++n_removed;
    }
  }
  return n_removed * GOOD_PART >= end - first;
}

/* The last group first: later operations only use earlier ones. Within a group from the last operation to the first, so
 * that an operation goes before those that contain or define its operands. */
tool_edit_result_t tool_edit_remove(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  const tool_operations_t list = tool_edit_list(candidate);
  const size_t skipped = place->position * place->size;
  const size_t end = skipped < list.size ? list.size - skipped : 0, first = end > place->size ? end - place->size : 0;
  const bool single = place->size == 1;
  bool changed = false;
  if (!end)
    return TOOL_EDIT_END;
  if (place->variant && !single)
    return cut_chain(candidate->arena, &list, first, end) ? TOOL_EDIT_DONE : TOOL_EDIT_SKIP;
  if (place->variant && !mlirOperationGetNumResults(list.data[first]))
    return TOOL_EDIT_SKIP;
  for (size_t i = end; i-- > first;)
    changed |= is_removable(list.data[i]) && remove_op(list.data[i], (replacement_t)place->variant);
  return changed ? TOOL_EDIT_DONE : TOOL_EDIT_SKIP;
}
