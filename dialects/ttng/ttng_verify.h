/* Checks that the verifiers of several operations of ttng share. Each returns success, or failure after one located
 * error. */
#ifndef NEREID_DIALECTS_TTNG_TTNG_VERIFY_H
#define NEREID_DIALECTS_TTNG_TTNG_VERIFY_H

#include <mlir-c/IR.h>
#include <mlir-c/Support.h>

/* Verifies that `barrier`, of type !ttg.memdesc, is one 64-bit word. */
MlirLogicalResult nereid_ttng_barrier_operand_verify(MlirOperation op, MlirValue barrier);

#endif
