/* tt.dot by mma.sync. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_DOT_MMA_H
#define NEREID_CONVERSION_TTG_TO_LLVM_DOT_MMA_H

#include "conversion/ttg_to_llvm/lower.h"

/* Lowers a tt.dot whose result has a #ttg.nvidia_mma encoding of version 2; false after a diagnostic. */
bool nereid_lower_mma(nereid_lower_t *lower, MlirOperation op);

#endif
