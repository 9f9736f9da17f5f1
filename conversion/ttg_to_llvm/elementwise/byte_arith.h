/* Arithmetic of 8-bit integers, a word of four at a time. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_BYTE_ARITH_H
#define NEREID_CONVERSION_TTG_TO_LLVM_BYTE_ARITH_H

#include "conversion/ttg_to_llvm/lower.h"

/* Lowers and, or, xor, add, sub, and shifts by a constant, of tensors of i8 whose elements are those of words. False,
 * with nothing emitted, for others. */
bool nereid_lower_byte_arith(nereid_lower_t *lower, MlirOperation op);

#endif
