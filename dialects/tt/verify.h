/* Checks that several verifiers share. */
#ifndef NEREID_DIALECTS_TT_VERIFY_H
#define NEREID_DIALECTS_TT_VERIFY_H

#include "nereid/dialects/tt.h"

#include <mlir-c/IR.h>
#include <mlir-c/Support.h>

/* Verifies that the first `required` operands of an operation with optional operands have exactly one value each.
 * operandSegmentSizes lists the number of values per operand; MLIR checks only the sum and that optional operands have
 * at most one, so the generic form may specify others. Success, or failure after one error at `op`. */
MlirLogicalResult nereid_tt_required_operands_verify(MlirOperation op, intptr_t required);

/* Verifies that an atomic `function` applies to elements of type `element`. Success, or failure after one error at
 * `op`. */
MlirLogicalResult nereid_tt_rmw_function_verify(MlirOperation op, nereid_tt_rmw_op_t function, MlirType element);

#endif
