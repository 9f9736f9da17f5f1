/* Implicit parameters of functions: frames, results, and the warps that run them. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_CALLS_H
#define NEREID_CONVERSION_TTG_TO_LLVM_CALLS_H

#include "conversion/ttg_to_llvm/function/blocks.h"

/* Fills module->needs; false when out of memory. */
bool nereid_lower_find_needs(nereid_lower_module_t *module);

/* Checks that `function` returns no buffer of its own; false after a diagnostic, or if out of memory. */
bool nereid_lower_check_escapes(nereid_lower_t *lower, MlirOperation function);

/* Appends the last parameters of an internal function: the start of each frame that it needs and, if required, the
 * warps that run it. The second function reads them from argument `first` of the function's entry on. */
bool nereid_lower_append_frame_types(nereid_lower_t *lower, MlirOperation function, nereid_types_t *types);
void nereid_lower_take_frames(nereid_lower_t *lower, intptr_t first);

/* What a function returns that has results of `types`: nothing, the one, or a literal struct. That is the calling
 * convention, not a tensor. */
MlirType nereid_lower_result_type(nereid_lower_t *lower, const nereid_types_t *types);

#endif
