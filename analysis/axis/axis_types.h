/* Axis information of a value and its queries; see axis_info.h. */
#ifndef NEREID_ANALYSIS_AXIS_TYPES_H
#define NEREID_ANALYSIS_AXIS_TYPES_H

#include "base/map.h"

#include <mlir-c/IR.h>

enum {
  NEREID_AXIS_MAX_RANK = 8,
  NEREID_AXIS_MAX_BITS = 62, /* the divisibility of 0 is 2^62 */
};

/* Axis information of one value. Values of more than NEREID_AXIS_MAX_RANK dimensions have rank 0 and no information. */
typedef struct nereid_axis_info {
  uint8_t rank;
  uint8_t unit;                       /* pointers: log2 of the bytes of a pointee; else 0 */
  uint8_t width;                      /* bits of an integer element, 64 for index and pointers; 0: not an integer */
  bool reached;                       /* false: unreachable or poison; all claims hold */
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

/* Contiguity and constancy count elements; divisibility counts bytes for pointers, else it is a plain integer. */
int64_t nereid_axis_info_contiguity(const nereid_axis_info_t *info, int d);
int64_t nereid_axis_info_divisibility(const nereid_axis_info_t *info, int d);
int64_t nereid_axis_info_constancy(const nereid_axis_info_t *info, int d);

/* How many elements along `d`, starting at a multiple of that many, form one aligned run: the widest vector access that
 * `pointers` allow, a power of two. Null info: 1. */
int64_t nereid_axis_info_aligned_run(const nereid_axis_info_t *pointers, int d);

/* "contiguity = [1, 128], divisibility = [1, 16], constancy = [1, 1], constant_value = <none>" in `arena`. */
char *nereid_axis_info_format(const nereid_axis_info_t *info, nereid_arena_t *arena);

#endif
