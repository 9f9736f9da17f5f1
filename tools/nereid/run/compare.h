/* How far two tensors are apart. */
#ifndef NEREID_TOOLS_COMPARE_H
#define NEREID_TOOLS_COMPARE_H

#include "tools/nereid/run/npy.h"

typedef struct tool_difference {
  double absolute;  /* the largest |a - b| */
  double relative;  /* the largest |a - b| / max(|b|, r), r the root mean square of b */
  double tolerance; /* that the relative one was held against; 0: every bit must agree */
  size_t worst;     /* where the relative one is, counted in elements */
  size_t beyond;    /* elements past the tolerance; NaN against a number is one of them */
} tool_difference_t;

/* The tolerance of a type: 0 for integers, 1e-12 for f64, 1e-3 for f32 (a dot may use tf32), and four units in the
 * last place of 1 for the shorter ones. */
double tool_tolerance(nereid_element_t element);

/* Compares `got` with `expected`, which has the same type and shape. Two NaN agree, as do equal infinities. `tolerance`
 * below 0: that of the type. */
tool_difference_t tool_compare(const tool_tensor_t *got, const tool_tensor_t *expected, double tolerance);

#endif
