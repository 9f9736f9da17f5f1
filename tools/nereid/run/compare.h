/* Comparison of two tensors. */
#ifndef NEREID_TOOLS_COMPARE_H
#define NEREID_TOOLS_COMPARE_H

#include "tools/nereid/run/npy.h"

typedef struct tool_difference {
  double absolute;  /* the largest |a - b| */
  double relative;  /* the largest |a - b| / max(|b|, r), r the root mean square of b */
  double tolerance; /* limit of the relative difference; 0: bitwise equality */
  size_t worst;     /* element index of the largest relative difference */
  size_t beyond;    /* number of elements that exceed the tolerance, including NaN compared with a number */
} tool_difference_t;

/* Returns the tolerance of a type: 0 for integers, 1e-12 for f64, 1e-3 for f32 (a dot may use tf32), and four units in
 * the last place of 1 for narrower types. */
double tool_tolerance(nereid_element_t element);

/* Compares `got` with `expected`, which has the same type and shape. Two NaNs are equal, as are equal infinities.
 * `tolerance` below 0: the tolerance of the type. */
tool_difference_t tool_compare(const tool_tensor_t *got, const tool_tensor_t *expected, double tolerance);

#endif
