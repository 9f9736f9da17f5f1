/* Axis information: how the numbers in a tensor run along each dimension.
 *
 *   %r = tt.make_range {start = 0, end = 128}          contiguity [128]  divisibility [2^30]  constancy [1]
 *   %p = tt.splat %n : i32 (divisible by 16)           contiguity [1]    divisibility [16]    constancy [128]
 *   %i = arith.addi %p, %r                             contiguity [128]  divisibility [16]    constancy [1]
 *
 * Along dimension d a tensor falls into aligned groups of contiguity[d] elements, each counting up by one (pointers: by
 * one pointee); divisibility[d] is a power of two that divides the first element of every group (pointers: in bytes);
 * in aligned groups of constancy[d] elements all are equal. So with contiguity 1 all elements are divisible. A scalar
 * counts as one dimension of size 1. All three are powers of two and are kept as their logarithms.
 *
 * Numbers are taken modulo 2^width, except that a group is assumed not to pass the largest signed number when it is
 * widened or added to a pointer (the program would be out of bounds). Division and remainder round towards zero, so a
 * signed one of a number that may be negative keeps nothing that rounding could break; an unknown divisor is taken to
 * be positive.
 *
 * The analysis starts from the best and lowers to a fixed point, so loops keep what each iteration preserves. A root's
 * arguments start from tt.contiguity, tt.divisibility and tt.constancy (an integer, or one per dimension), a called
 * function's from the meet over its calls; the same attributes on an operation are assertions and raise what is known.
 * Time: near linear in operations (each value can be lowered a bounded number of times). */
#ifndef NEREID_ANALYSIS_AXIS_INFO_H
#define NEREID_ANALYSIS_AXIS_INFO_H

#include "base/map.h"
#include "base/status.h"
#include "layout/linear_layout.h"

#include <mlir-c/IR.h>

enum {
  NEREID_AXIS_MAX_RANK = 8,
  NEREID_AXIS_MAX_BITS = 62, /* the divisibility of 0 is 2^62 */
};

/* What is known of one value. Of more than NEREID_AXIS_MAX_RANK dimensions nothing is known, and rank is 0. */
typedef struct nereid_axis_info {
  uint8_t rank;
  uint8_t unit;                       /* pointers: log2 of the bytes of a pointee; else 0 */
  uint8_t width;                      /* bits of an integer element, 64 for index and pointers; 0: no integer */
  bool reached;                       /* false: no value ever comes here (dead or poison); all claims hold */
  bool non_negative;                  /* every element is at least 0 as a signed number, unless arithmetic overflowed */
  bool has_constant;                  /* every element is `constant` */
  uint8_t size[NEREID_AXIS_MAX_RANK]; /* log2 of the largest power of two that divides the dimension */
  uint8_t contiguity[NEREID_AXIS_MAX_RANK];
  uint8_t divisibility[NEREID_AXIS_MAX_RANK];
  uint8_t constancy[NEREID_AXIS_MAX_RANK];
  uint64_t constant; /* zero-extended from `width` bits */
} nereid_axis_info_t;

typedef struct nereid_axis_result {
  nereid_map_t infos; /* value -> nereid_axis_info_t *, in the arena */
} nereid_axis_result_t;

/* Analyses every function of module `root` (or `root` itself if it is a function), callers before callees. The IR is
 * not changed. Everything is allocated in `arena`, which outlives `out_result`. NEREID_ERROR_PROGRAM after an error at
 * a wrong call (analysis/call_graph.h), NEREID_ERROR_MEMORY when out of memory. The result is stale for operations that
 * change or come later. */
NEREID_MUST_USE nereid_status_t nereid_axis_info_run(MlirOperation root, nereid_arena_t *arena,
                                                     nereid_axis_result_t *out_result);

/* What is known of `value`; null when it was not in the analysed functions. Owned by the arena. */
const nereid_axis_info_t *nereid_axis_info_get(const nereid_axis_result_t *result, MlirValue value);

/* In elements, bytes (pointers) or as numbers, elements. */
int64_t nereid_axis_info_contiguity(const nereid_axis_info_t *info, int d);
int64_t nereid_axis_info_divisibility(const nereid_axis_info_t *info, int d);
int64_t nereid_axis_info_constancy(const nereid_axis_info_t *info, int d);

/* How many elements along `d`, starting at a multiple of that many, form one aligned run: the widest vector access that
 * `pointers` allow, a power of two. Null info: 1. */
int64_t nereid_axis_info_aligned_run(const nereid_axis_info_t *pointers, int d);

/* Elements that one access of `pointer` under `mask` (null: none) moves at most: registers of `layout` that follow each
 * other, at addresses that do, aligned, and under one mask bit. At least 1. */
int64_t nereid_axis_info_access_width(const nereid_axis_result_t *result, const nereid_layout_t *layout,
                                      MlirValue pointer, MlirValue mask);

/* "contiguity = [1, 128], divisibility = [1, 16], constancy = [1, 1], constant_value = <none>" in `arena`. */
char *nereid_axis_info_format(const nereid_axis_info_t *info, nereid_arena_t *arena);

#endif
