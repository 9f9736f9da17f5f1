/* tt.dot by mma.sync. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_DOT_MMA_H
#define NEREID_CONVERSION_TTG_TO_LLVM_DOT_MMA_H

#include "conversion/ttg_to_llvm/lower.h"

/* Lowers a tt.dot whose result has a #ttg.nvidia_mma encoding of version 2; false after a diagnostic. */
bool nereid_lower_mma(nereid_lower_t *lower, MlirOperation op);

/* Rounds an f32 to the 10 bits of mantissa of tf32, ties away from zero; NaN stays NaN. The result is an f32. */
MlirValue nereid_lower_round_to_tf32(nereid_lower_t *lower, MlirValue value);

#endif
