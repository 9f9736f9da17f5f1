/* What a layout conversion costs, for the passes that move and remove conversions. */
#ifndef NEREID_PASSES_CONVERSION_COST_H
#define NEREID_PASSES_CONVERSION_COST_H

#include "layout/linear_layout.h"

#include <mlir-c/IR.h>

/* Elements that a thread holds, copies not counted: they are computed once. */
int64_t nereid_distinct_registers(const nereid_layout_t *layout);

/* Instructions per thread, roughly, of converting a tensor of type `type`, with its encoding, to encoding `to`: two
 * barriers, and a store and a load per element; nothing when registers are only renamed. INT32_MAX when one of the two
 * has no layout. */
int64_t nereid_conversion_cost(MlirType type, MlirAttribute to);

/* The same of loading `value`, which a load with a good layout makes, in encoding `to` as well; INT32_MAX when its
 * warps would touch more of memory. What is good is what value's layout does: which dimension is contiguous in memory
 * is seen from it. What fits into a line of the cache may be touched again. Negative when the new loads are wider. */
int64_t nereid_load_again_cost(MlirValue value, MlirAttribute to, bool replaces);

/* Whether the value is computed anew in any layout for next to nothing: ranges and constants, and views of them. */
bool nereid_is_recomputed_for_free(MlirValue value);

/* Instructions per element of an elementwise operation, roughly. */
int64_t nereid_element_cost(MlirOperation op);

/* The cost of having `value` in encoding `to` when its type is `from`: of converting it, or of computing it there from
 * ranges and constants in a few operations, whichever is less. */
int64_t nereid_move_cost(MlirValue value, MlirType from, MlirAttribute to);

#endif
