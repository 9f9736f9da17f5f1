/* Divisions of many elements by few. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_SHARED_DIVISOR_H
#define NEREID_CONVERSION_TTG_TO_LLVM_SHARED_DIVISOR_H

#include "conversion/ttg_to_llvm/lower.h"

/* Lowers an arith.divf of f32 tensors whose quotients are stored by one reciprocal per divisor, if a thread divides
 * four elements or more by each. The quotients are those of div.full. False, with nothing emitted, for others. */
bool nereid_lower_shared_divisors(nereid_lower_t *lower, MlirOperation op);

#endif
