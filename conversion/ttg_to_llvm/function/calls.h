/* Implicit parameters of functions: frames, results, and the warps that run them. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_CALLS_H
#define NEREID_CONVERSION_TTG_TO_LLVM_CALLS_H

#include "conversion/ttg_to_llvm/function/blocks.h"

/* Fills module->needs; false when out of memory. */
bool nereid_lower_find_needs(nereid_lower_module_t *module);

/* Checks that `function` returns no buffer that it allocates; false after a diagnostic, or if out of memory. */
bool nereid_lower_check_escapes(nereid_lower_t *lower, MlirOperation function);

/* Appends the last parameters of an internal function: the start of each frame that it needs and, if required, the
 * warps that run it. The second function reads them from argument `first` of the function's entry on. */
bool nereid_lower_append_frame_types(nereid_lower_t *lower, MlirOperation function, nereid_types_t *types);
void nereid_lower_take_frames(nereid_lower_t *lower, intptr_t first);

/* The return type for results of `types`: void, the type itself, or a literal struct, by the calling convention. */
MlirType nereid_lower_result_type(nereid_lower_t *lower, const nereid_types_t *types);

#endif
