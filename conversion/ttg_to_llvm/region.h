/* Regions of scalar code that a lowering runs once per element: those of tt.reduce, tt.scan and tt.map_elementwise. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_REGION_H
#define NEREID_CONVERSION_TTG_TO_LLVM_REGION_H

#include "conversion/ttg_to_llvm/lower.h"

/* Emits the ops of `region` for these values of its arguments; writes the operands of its terminator to `out_results`,
 * which may be `arguments`. A region of several blocks becomes blocks of the function. False after a diagnostic. */
bool nereid_region_emit(nereid_lower_t *lower, MlirRegion region, const MlirValue *arguments, MlirValue *out_results);

/* Whether the region has no side effects. */
bool nereid_region_is_pure(MlirRegion region);

/* The number of operations of the region, without terminators. */
intptr_t nereid_region_size(MlirRegion region);

#endif
