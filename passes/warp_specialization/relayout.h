/* Layouts of tensors for another number of warps: a partition that only computes addresses needs four warps, whatever
 * the kernel has.
 *
 *   #ttg.blocked<{…, warpsPerCTA = [8, 1], order = [1, 0]}>   8 -> 4 warps: #ttg.blocked<{…, warpsPerCTA = [4, 1], …}>
 *
 * Warps along the slowest dimension go first, so that a transposed layout has the transposed warps. */
#ifndef NEREID_PASSES_RELAYOUT_H
#define NEREID_PASSES_RELAYOUT_H

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

/* Whether `op` has the same meaning with tensors of other layouts, and those of its operands and results have a form
 * for another number of warps: blocked layouts and slices of them. */
bool nereid_relayout_is_possible(MlirOperation op);

/* Changes the layouts of all tensors in `region` to `warps` warps. Requires nereid_relayout_is_possible of all ops. */
void nereid_relayout(MlirRegion region, int32_t warps);

#endif
