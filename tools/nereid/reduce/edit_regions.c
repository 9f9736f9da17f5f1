/* Replacement of operations with regions by a part of them.
 *
 *   %s = scf.for %i = %lo ... iter_args(%a = %0) {A; yield %x}   ->   A with %lo for %i and %0 for %a; uses of %x
 *   %s = scf.if %c {A; yield %x} else {B; yield %y}              ->   A, uses of %x; or B, uses of %y
 *   %s = tt.call @f(%x)                                          ->   the body of f
 *   scf.yield %x (a value that a loop carries as %a)             ->   scf.yield %a, which canonicalize removes
 *   uses of %a                                                   ->   uses of %0, or of %x where it dominates them */
#include "dialects/ir.h"
#include "seam/ir.h"
#include "tools/nereid/reduce/edit.h"

/* Moves the operations of a block before `op` and replaces the results of `op` by the operands of the terminator, from
 * operand `first` on; erases both. */
static void splice(MlirOperation op, MlirBlock body, intptr_t first) {
  const MlirOperation terminator = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, i), mlirOperationGetOperand(terminator, first + i));
  nereidMlirOperationErase(terminator);
  nereidMlirBlockSplice(mlirOperationGetBlock(op), op, body);
  nereidMlirOperationErase(op);
}

static tool_edit_result_t run_for_once(MlirOperation loop) {
  const MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, 0), mlirOperationGetOperand(loop, 0));
  for (intptr_t i = 1; i < mlirBlockGetNumArguments(body); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i), mlirOperationGetOperand(loop, i + 2));
  splice(loop, body, 0);
  return TOOL_EDIT_DONE;
}

/* The condition is evaluated, and the body does not run. */
static tool_edit_result_t skip_while(MlirOperation loop) {
  const MlirBlock before = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(before); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(before, i), mlirOperationGetOperand(loop, i));
  splice(loop, before, 1);
  return TOOL_EDIT_DONE;
}

static tool_edit_result_t choose_branch(MlirOperation op, intptr_t branch) {
  const MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, branch));
  if (mlirBlockIsNull(block))
    return TOOL_EDIT_SKIP;
  splice(op, block, 0);
  return TOOL_EDIT_DONE;
}

/* Clones the body of a function of one block before the call. */
static tool_edit_result_t inline_call(MlirOperation call) {
  const MlirOperation callee = nereidMlirSymbolTableLookupNearestFrom(call, nereidMlirCallGetCallee(call));
  const MlirBlock body =
      mlirOperationIsNull(callee) ? (MlirBlock){NULL} : mlirRegionGetFirstBlock(mlirOperationGetRegion(callee, 0));
  if (mlirBlockIsNull(body) || !mlirBlockIsNull(mlirBlockGetNextInRegion(body)))
    return TOOL_EDIT_SKIP;
  const NereidMlirIRMapping mapping = nereidMlirIRMappingCreate();
  const MlirOperation end = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    nereidMlirIRMappingMapValue(mapping, mlirBlockGetArgument(body, i), mlirOperationGetOperand(call, i));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(call), call,
                                        nereidMlirOperationCloneWithMapping(op, mapping));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(call, i),
                                  nereidMlirIRMappingLookupValue(mapping, mlirOperationGetOperand(end, i)));
  nereidMlirIRMappingDestroy(mapping);
  nereidMlirOperationErase(call);
  return TOOL_EDIT_DONE;
}

tool_edit_result_t tool_edit_region(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  const tool_operations_t list = tool_edit_list(candidate);
  size_t position = place->position;
  for (size_t i = 0; i < list.size; ++i) {
    const MlirOperation op = list.data[i];
    const bool branches = tool_edit_is(op, "scf.if"), loops = tool_edit_is(op, "scf.for");
    const bool repeats = tool_edit_is(op, "scf.while"), calls = tool_edit_is(op, "tt.call");
    if (!(branches || loops || repeats || calls) || position-- > 0)
      continue;
    if (place->variant && !branches)
      return TOOL_EDIT_SKIP;
    return loops     ? run_for_once(op)
           : repeats ? skip_while(op)
           : calls   ? inline_call(op)
                     : choose_branch(op, (intptr_t)place->variant);
  }
  return TOOL_EDIT_END;
}

/* --- values that loops carry --- */

typedef enum carried_variant {
  CARRIED_KEEPS_INITIAL, /* the value keeps its initial value */
  CARRIED_RESTARTS,      /* each iteration uses the initial value, and the result is that of the last one */
  CARRIED_IS_YIELDED,    /* each iteration uses the value that it yields */
} carried_variant_t;

static tool_edit_result_t stop_carrying(MlirOperation loop, intptr_t i, carried_variant_t variant) {
  const MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  const MlirOperation yield = mlirBlockGetTerminator(body);
  const MlirValue carried = mlirBlockGetArgument(body, i + 1), yielded = mlirOperationGetOperand(yield, i);
  const bool is_used = !mlirOpOperandIsNull(mlirValueGetFirstUse(carried));
  if (variant == CARRIED_KEEPS_INITIAL ? mlirValueEqual(yielded, carried) : !is_used)
    return TOOL_EDIT_SKIP;
  if (variant == CARRIED_KEEPS_INITIAL)
    mlirOperationSetOperand(yield, i, carried);
  else
    mlirValueReplaceAllUsesOfWith(carried,
                                  variant == CARRIED_RESTARTS ? mlirOperationGetOperand(loop, i + 3) : yielded);
  return TOOL_EDIT_DONE;
}

tool_edit_result_t tool_edit_carried(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  const tool_operations_t list = tool_edit_list(candidate);
  size_t position = place->position;
  for (size_t i = 0; i < list.size; ++i) {
    const size_t n = tool_edit_is(list.data[i], "scf.for") ? (size_t)mlirOperationGetNumResults(list.data[i]) : 0;
    if (position < n)
      return stop_carrying(list.data[i], (intptr_t)position, (carried_variant_t)place->variant);
    position -= n;
  }
  return TOOL_EDIT_END;
}
