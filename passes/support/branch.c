/* Construction of scf.if; see branch.h. The generated builder adds no results. */
#include "passes/support/branch.h"

#include "dialects/ir.h"

MlirOperation nereid_branch_build(const nereid_builder_t *builder, MlirValue condition, MlirBlock yes, MlirBlock no) {
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("scf.if"), builder->location);
  MlirOperation yield = mlirBlockGetTerminator(yes);
  MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
  mlirRegionAppendOwnedBlock(regions[0], yes);
  mlirRegionAppendOwnedBlock(regions[1], no);
  mlirOperationStateAddOperands(&state, 1, &condition);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(yield, i));
    mlirOperationStateAddResults(&state, 1, &type);
  }
  mlirOperationStateAddOwnedRegions(&state, 2, regions);
  MlirOperation branch = mlirOperationCreate(&state);
  if (mlirOperationIsNull(builder->before))
    mlirBlockAppendOwnedOperation(builder->block, branch);
  else
    mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, branch);
  return branch;
}
