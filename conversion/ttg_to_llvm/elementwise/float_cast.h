/* Conversions between float types that several families emit. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_FLOAT_CAST_H
#define NEREID_CONVERSION_TTG_TO_LLVM_FLOAT_CAST_H

#include "conversion/ttg_to_llvm/context.h"

/* An f16 of the value of `bits`, an i8 that holds a value of type `fp8`; null when no GPU supports that type. */
MlirValue nereid_lower_widen_fp8(nereid_lower_t *lower, MlirType fp8, MlirValue bits);

#endif
