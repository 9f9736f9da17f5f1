/* Combiner regions; see combiner.h. */
#include "dialects/tt/combiner.h"

nereid_op_kind_t nereid_tt_combiner_kind(MlirRegion region) {
  MlirBlock block = mlirRegionGetFirstBlock(region);
  MlirOperation op = mlirBlockGetFirstOperation(block), end = mlirBlockGetTerminator(block);
  if (mlirOperationEqual(op, end) || !mlirOperationEqual(mlirOperationGetNextInBlock(op), end) ||
      mlirBlockGetNumArguments(block) != 2 || mlirOperationGetNumOperands(op) != 2 ||
      mlirOperationGetNumResults(op) != 1)
    return NEREID_OP_UNKNOWN;
  MlirValue a = mlirBlockGetArgument(block, 0), b = mlirBlockGetArgument(block, 1);
  MlirValue lhs = mlirOperationGetOperand(op, 0), rhs = mlirOperationGetOperand(op, 1);
  const bool both =
      (mlirValueEqual(lhs, a) && mlirValueEqual(rhs, b)) || (mlirValueEqual(lhs, b) && mlirValueEqual(rhs, a));
  return both && mlirValueEqual(mlirOperationGetOperand(end, 0), mlirOperationGetResult(op, 0)) ? nereid_op_kind(op)
                                                                                                : NEREID_OP_UNKNOWN;
}
