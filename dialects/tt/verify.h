/* Checks that several verifiers share. */
#ifndef NEREID_DIALECTS_TT_VERIFY_H
#define NEREID_DIALECTS_TT_VERIFY_H

#include <mlir-c/IR.h>
#include <mlir-c/Support.h>

/* Verifies that the first `required` operands of an operation with optional operands have exactly one value each.
 * operandSegmentSizes lists the number of values per operand; MLIR checks only the sum and that optional operands have
 * at most one, so the generic form may specify others. Success, or failure after one error at `op`. */
MlirLogicalResult nereid_tt_required_operands_verify(MlirOperation op, intptr_t required);

#endif
