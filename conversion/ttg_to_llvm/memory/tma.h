/* Common functions of tensor copies and of tensor maps. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_TMA_H
#define NEREID_CONVERSION_TTG_TO_LLVM_TMA_H

#include "conversion/ttg_to_llvm/lower.h"

/* Whether the target has TMA. False after a diagnostic at `op`. */
bool nereid_lower_needs_tma(nereid_lower_t *lower, MlirOperation op);

#endif
