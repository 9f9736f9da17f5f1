/* Remainders of scalar integers that are known at compile time. */
#ifndef NEREID_PASSES_RESIDUE_H
#define NEREID_PASSES_RESIDUE_H

#include <mlir-c/IR.h>

#include <stdint.h>

/* Sets `out_residue`, from 0 to `modulus` - 1, to the remainder of `value` modulo `modulus`, a power of two; false when
 * it is not known. */
bool nereid_residue_of(MlirValue value, int64_t modulus, int64_t *out_residue);

#endif
