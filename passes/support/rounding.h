/* Roundings of results. */
#ifndef NEREID_PASSES_ROUNDING_H
#define NEREID_PASSES_ROUNDING_H

#include "dialects/ir.h"
#include "nereid/dialects/ops.h"

/* Returns the arith.truncf in the block of `op` that is the only use of its result `index`; null when there is none. */
static inline MlirOperation nereid_rounding_of(MlirOperation op, intptr_t index) {
  MlirOperation user = nereid_ir_only_user(mlirOperationGetResult(op, index));
  const bool found = !mlirOperationIsNull(user) && nereid_op_kind(user) == NEREID_OP_ARITH_TRUNCF &&
                     mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(op));
  return found ? user : (MlirOperation){NULL};
}

#endif
