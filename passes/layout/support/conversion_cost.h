/* Cost of a layout conversion, for the passes that move and remove conversions. */
#ifndef NEREID_PASSES_CONVERSION_COST_H
#define NEREID_PASSES_CONVERSION_COST_H

#include "layout/linear_layout.h"

#include <mlir-c/IR.h>

/* Number of distinct elements of a thread; replicated elements count once because they are computed once. */
int64_t nereid_distinct_registers(const nereid_layout_t *layout);

/* Registers of a thread, of 32 bits, for the first result of `op`: one per element of at most 32 bits. 1 for a scalar,
 * INT64_MAX for a tensor without a layout. */
int64_t nereid_registers_of_result(MlirOperation op);

/* Approximate instructions per thread of converting a tensor of type `type`, with its encoding, to encoding `to`: two
 * barriers, and a store and a load per element. 0 when registers are only renamed. INT32_MAX when one of the encodings
 * has no layout. */
int64_t nereid_conversion_cost(MlirType type, MlirAttribute to);

/* The cost of a second load of `value`, the result of a load with a coalesced layout, in encoding `to`. INT32_MAX when
 * its warps would access more memory. The layout of `value` determines which dimension is contiguous in memory. Lines
 * that stay in the cache may be accessed again. Negative when the new loads are wider. */
int64_t nereid_load_again_cost(MlirValue value, MlirAttribute to, bool replaces);

/* Whether `value` can be recomputed in any layout at almost no cost: ranges, constants and views of them. */
bool nereid_is_recomputed_for_free(MlirValue value);

/* Whether `root` is all that `value` is needed for, through ops that have one user each, besides dead ones, and one
 * result; and `root` has one user. */
bool nereid_is_needed_only_for(MlirValue value, MlirValue root);

/* Whether an op with an effect, or the end of a block, depends on a result of `op`. True where that is not found out
 * within 256 ops. */
bool nereid_is_needed(MlirOperation op);

/* Whether `op` is in the epilogue of a tile, in a loop over several tiles: next to the loop over the steps of a tile,
 * or in a branch of a loop over all steps. Accumulators keep their registers there. */
bool nereid_is_in_tile_epilogue(MlirOperation op);

/* Approximate instructions per element of an elementwise operation. */
int64_t nereid_element_cost(MlirOperation op);

/* The cost of getting `value` in encoding `to` from type `from`: of the conversion, or of recomputing it from ranges
 * and constants in a few operations, whichever is less. */
int64_t nereid_move_cost(MlirValue value, MlirType from, MlirAttribute to);

#endif
