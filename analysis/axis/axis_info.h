/* Axis information: contiguity, divisibility and constancy of the elements of a tensor along each dimension.
 *
 *   %r = tt.make_range {start = 0, end = 128}          contiguity [128]  divisibility [2^30]  constancy [1]
 *   %p = tt.splat %n : i32 (divisible by 16)           contiguity [1]    divisibility [16]    constancy [128]
 *   %i = arith.addi %p, %r                             contiguity [128]  divisibility [16]    constancy [1]
 *
 * Along dimension d, a tensor is divided into aligned groups of contiguity[d] elements, each of which counts up by one
 * (pointers: by one pointee). divisibility[d] is a power of two that divides the first element of every group
 * (pointers: in bytes). In aligned groups of constancy[d] elements, all are equal. So with contiguity 1, all elements
 * are divisible. A scalar counts as one dimension of size 1. All three are powers of two and are stored as logarithms.
 *
 * Values are modulo 2^width, except that a group is assumed not to wrap past the largest signed value when it is
 * widened or added to a pointer (the program would be out of bounds). Division and remainder round towards zero, so
 * signed division of a possibly negative value keeps only properties that rounding preserves; an unknown divisor is
 * assumed to be positive.
 *
 * The analysis starts optimistically and lowers facts to a fixed point, so loops keep properties that each iteration
 * preserves. Arguments of a root start from tt.contiguity, tt.divisibility and tt.constancy (an integer, or one per
 * dimension), those of a called function from the meet over its calls. The same attributes on an operation are
 * assertions and raise facts. Time: near linear in operations (each value can be lowered a bounded number of times). */
#ifndef NEREID_ANALYSIS_AXIS_INFO_H
#define NEREID_ANALYSIS_AXIS_INFO_H

#include "analysis/axis/axis_types.h"
#include "base/status.h"
#include "layout/linear_layout.h"

/* Analyses every function of module `root` (or `root` itself if it is a function), callers before callees. The IR is
 * not changed. Everything is allocated in `arena`, which outlives `out_result`. NEREID_ERROR_PROGRAM after an error at
 * a wrong call (analysis/call_graph.h), NEREID_ERROR_MEMORY when out of memory. The result is stale for operations that
 * change or come later. */
NEREID_MUST_USE nereid_status_t nereid_axis_info_run(MlirOperation root, nereid_arena_t *arena,
                                                     nereid_axis_result_t *out_result);

/* The fact of `value`; null when it was not in the analysed functions. Owned by the arena. */
const nereid_axis_info_t *nereid_axis_info_get(const nereid_axis_result_t *result, MlirValue value);

/* Elements that one access of `pointer` under `mask` (null: none) moves at most: registers of `layout` that follow each
 * other, at addresses that do, aligned, and under one mask bit. At least 1. */
int64_t nereid_axis_info_access_width(const nereid_axis_result_t *result, const nereid_layout_t *layout,
                                      MlirValue pointer, MlirValue mask);

#endif
