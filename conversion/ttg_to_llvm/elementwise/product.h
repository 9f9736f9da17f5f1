/* Multiplication of an index by a value common to all registers. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_PRODUCT_H
#define NEREID_CONVERSION_TTG_TO_LLVM_PRODUCT_H

#include "conversion/ttg_to_llvm/lower.h"

/* Lowers an arith.muli without overflow flags by one multiplication and additions, when the registers of one factor
 * differ by constants only and those of the other not at all. False, with nothing emitted, when they do not. */
bool nereid_lower_product(nereid_lower_t *lower, MlirOperation op);

#endif
