/* What verifiers of several families share. */
#ifndef NEREID_DIALECTS_TT_VERIFY_H
#define NEREID_DIALECTS_TT_VERIFY_H

#include <mlir-c/IR.h>
#include <mlir-c/Support.h>

/* An operation with optional operands says in operandSegmentSizes how many values each operand has; MLIR checks their
 * sum and that optional ones have one at most. Verifies that the first `required` ones have exactly one: the generic
 * form may say otherwise. Success, or failure after one error at `op`. */
MlirLogicalResult nereid_tt_required_operands_verify(MlirOperation op, intptr_t required);

#endif
