/* Removal of operations. The results of a removed operation are replaced:
 *
 *   %v = tt.load %p, %m, %zero                    ->   (uses of %v become uses of %zero)
 *   %s = scf.for ... iter_args(%a = %i)           ->   (uses of %s become uses of %i)
 *   %q = tt.broadcast %p : pointers -> pointers   ->   %q = tt.splat %argument
 *
 * A group is removed with one choice of replacements; single operations are tried with each. */
#include "seam/ir.h"
#include "tools/nereid/reduce/edit.h"

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
  if (place->variant && (!single || !mlirOperationGetNumResults(list.data[first])))
    return TOOL_EDIT_SKIP;
  for (size_t i = end; i-- > first;)
    changed |= is_removable(list.data[i]) && remove_op(list.data[i], (replacement_t)place->variant);
  return changed ? TOOL_EDIT_DONE : TOOL_EDIT_SKIP;
}
