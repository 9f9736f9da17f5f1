/* Operands of tensor core instructions of tf32: f32 whose lower 13 bits the instruction ignores. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_DOT_TF32_H
#define NEREID_CONVERSION_TTG_TO_LLVM_DOT_TF32_H

#include "conversion/ttg_to_llvm/lower.h"

/* Whether the elements of `value`, a tensor of f32, are known to be tf32: widened from a narrower type, masked, or
 * rounded by cvt.rna.tf32 in inline assembly. */
bool nereid_tf32_is_exact(MlirValue value);

/* i32: the bits of an f32 rounded to the 10 bits of mantissa of tf32, ties away from zero; the lower 13 bits are
 * undefined. Infinities and NaN stay. */
MlirValue nereid_tf32_round(nereid_lower_t *lower, MlirValue value);

#endif
