/* Changes of scf.for; see loop.h. */
#include "passes/support/loop.h"

#include "dialects/ir.h"
#include "seam/ir.h"

MlirOperation nereid_loop_with_carried(MlirOperation loop, intptr_t n, const MlirValue *initial) {
  MlirLocation location = mlirOperationGetLocation(loop);
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("scf.for"), location);
  const intptr_t results = mlirOperationGetNumResults(loop);
  MlirRegion region = mlirRegionCreate();
  mlirRegionTakeBody(region, mlirOperationGetRegion(loop, 0));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(loop); ++i) {
    MlirValue operand = mlirOperationGetOperand(loop, i);
    mlirOperationStateAddOperands(&state, 1, &operand);
  }
  mlirOperationStateAddOperands(&state, n, initial);
  for (intptr_t i = 0; i < results; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(loop, i));
    mlirOperationStateAddResults(&state, 1, &type);
  }
  for (intptr_t i = 0; i < n; ++i) {
    MlirType type = mlirValueGetType(initial[i]);
    mlirOperationStateAddResults(&state, 1, &type);
    mlirBlockAddArgument(mlirRegionGetFirstBlock(region), type, location);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(loop); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(loop, i);
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirOperation made = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(loop), loop, made);
  for (intptr_t i = 0; i < results; ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, i), mlirOperationGetResult(made, i));
  nereidMlirOperationErase(loop);
  return made;
}
