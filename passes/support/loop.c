/* Changes of scf.for; see loop.h. */
#include "passes/support/loop.h"

#include "dialects/ir.h"
#include "seam/ir.h"

MlirOperation nereid_loop_add_carried(MlirOperation loop, MlirValue initial) {
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("scf.for"), mlirOperationGetLocation(loop));
  const intptr_t results = mlirOperationGetNumResults(loop);
  MlirType type = mlirValueGetType(initial);
  MlirRegion region = mlirRegionCreate();
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(loop); ++i) {
    MlirValue operand = mlirOperationGetOperand(loop, i);
    mlirOperationStateAddOperands(&state, 1, &operand);
  }
  mlirOperationStateAddOperands(&state, 1, &initial);
  for (intptr_t i = 0; i < results; ++i) {
    MlirType result = mlirValueGetType(mlirOperationGetResult(loop, i));
    mlirOperationStateAddResults(&state, 1, &result);
  }
  mlirOperationStateAddResults(&state, 1, &type);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(loop); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(loop, i);
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  mlirRegionTakeBody(region, mlirOperationGetRegion(loop, 0));
  mlirBlockAddArgument(mlirRegionGetFirstBlock(region), type, mlirOperationGetLocation(loop));
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirOperation made = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(loop), loop, made);
  for (intptr_t i = 0; i < results; ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, i), mlirOperationGetResult(made, i));
  nereidMlirOperationErase(loop);
  return made;
}
