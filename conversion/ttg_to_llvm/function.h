/* tt.func to llvm.func: signatures, kernels, blocks; what convert.c runs per function. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_FUNCTION_H
#define NEREID_CONVERSION_TTG_TO_LLVM_FUNCTION_H

#include "conversion/ttg_to_llvm/lower.h"

/* Converts `function` (a tt.func): makes an llvm.func in front of it and lowers the body into it, each op by its row of
 * lower->rows. The tt.func stays. False after a diagnostic. */
bool nereid_lower_function(nereid_lower_t *lower, MlirOperation function);

/* Lowers the ops of `block` in front of `end` (null: all), at lower->builder. False after a diagnostic. */
bool nereid_lower_ops(nereid_lower_t *lower, MlirBlock block, MlirOperation end);

/* The block of the llvm.func that stands for `block`. */
MlirBlock nereid_lower_block(nereid_lower_t *lower, MlirBlock block);

/* Whether a tt.func is launched from outside: it is not private. */
bool nereid_lower_is_kernel(MlirOperation function);

/* Checks the calls between the functions of `module`; false after a diagnostic at the first wrong call, or when memory
 * is out. */
bool nereid_lower_check_calls(MlirOperation module, nereid_arena_t *arena);

#endif
