/* Lowers tt.func to llvm.func; called by convert.c per function. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_FUNCTION_H
#define NEREID_CONVERSION_TTG_TO_LLVM_FUNCTION_H

#include "conversion/ttg_to_llvm/lower.h"

/* Converts `function`, a tt.func with a body: creates an llvm.func before it and lowers the body into it, each op by
 * its row of module->rows. The tt.func stays. False after a diagnostic. */
bool nereid_lower_function(nereid_lower_module_t *module, const nereid_call_function_t *function);

/* Lowers the ops of `block` before `end` (null: all), at lower->builder. False after a diagnostic. */
bool nereid_lower_ops(nereid_lower_t *lower, MlirBlock block, MlirOperation end);

#endif
