/* Construction of scf.if, and results of ops with regions; see branch.h. The generated builder adds no results. */
#include "passes/support/branch.h"

#include "passes/support/rounding.h"

#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "seam/ir.h"

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

/* Moves the ops of region `side` to a new block, which ends with an scf.yield even if the region is empty. */
static MlirBlock take_block(MlirOperation branch, intptr_t side) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL),
            from = mlirRegionGetFirstBlock(mlirOperationGetRegion(branch, side));
  const nereid_builder_t end = nereid_builder_at_end(mlirOperationGetLocation(branch), block);
  if (mlirBlockIsNull(from))
    nereid_scf_yield_build(&end, 0, NULL);
  else
    nereidMlirBlockSplice(block, (MlirOperation){NULL}, from);
  return block;
}

MlirOperation nereid_branch_add_results(MlirOperation branch, intptr_t n, const MlirValue *yes, const MlirValue *no) {
  const intptr_t old = mlirOperationGetNumResults(branch);
  MlirBlock blocks[] = {take_block(branch, 0), take_block(branch, 1)};
  for (int side = 0; side < 2; ++side)
    nereidMlirOperationInsertOperands(mlirBlockGetTerminator(blocks[side]), old, n, side ? no : yes);
  const nereid_builder_t builder = nereid_builder_before(branch);
  MlirOperation made = nereid_branch_build(&builder, mlirOperationGetOperand(branch, 0), blocks[0], blocks[1]);
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(branch); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(branch, i);
    mlirOperationSetDiscardableAttributeByName(made, mlirIdentifierStr(attribute.name), attribute.attribute);
  }
  for (intptr_t i = 0; i < old; ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(branch, i), mlirOperationGetResult(made, i));
  nereidMlirOperationErase(branch);
  return made;
}

void nereid_branch_round_inside(MlirOperation op, intptr_t index, intptr_t regions) {
  MlirValue result = mlirOperationGetResult(op, index);
  MlirOperation rounding = nereid_rounding_of(op, index);
  if (mlirOperationIsNull(rounding))
    return;
  for (intptr_t i = 0; i < regions; ++i) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    MlirOperation yield = mlirBlockGetTerminator(block), inside = mlirOperationClone(rounding);
    mlirBlockInsertOwnedOperationBefore(block, yield, inside);
    mlirOperationSetOperand(inside, 0, mlirOperationGetOperand(yield, index));
    mlirOperationSetOperand(yield, index, nereid_ir_result(inside));
  }
  mlirValueSetType(result, mlirValueGetType(nereid_ir_result(rounding)));
  mlirValueReplaceAllUsesOfWith(nereid_ir_result(rounding), result);
  nereidMlirOperationErase(rounding);
}
