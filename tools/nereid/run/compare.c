/* Relative errors are relative to at least the root mean square of the expected tensor: an element that nearly
 * cancelled carries the rounding error of its summands. */
#include "tools/nereid/run/compare.h"

#include <math.h>

double tool_tolerance(nereid_element_t element) {
  switch (element) {
  case NEREID_ELEMENT_F64:
    return 1e-12;
  case NEREID_ELEMENT_F32:
    return 1e-3;
  case NEREID_ELEMENT_F16:
    return 4 * 0x1p-10;
  case NEREID_ELEMENT_BF16:
    return 4 * 0x1p-7;
  case NEREID_ELEMENT_F8E4M3FN:
    return 4 * 0x1p-3;
  case NEREID_ELEMENT_F8E5M2:
    return 4 * 0x1p-2;
  default:
    return 0;
  }
}

static double at(const tool_tensor_t *tensor, size_t i) {
  size_t size = nereid_element_size(tensor->element);
  return nereid_element_read(tensor->element, (const char *)tensor->data + i * size);
}

static double root_mean_square(const tool_tensor_t *tensor) {
  double sum = 0;
  size_t n = 0;
  for (size_t i = 0; i < tensor->count; ++i) {
    double value = at(tensor, i);
    if (isfinite(value)) {
      sum += value * value;
      ++n;
    }
  }
  return n ? sqrt(sum / (double)n) : 0;
}

static bool same_bits(const tool_tensor_t *a, const tool_tensor_t *b, size_t i) {
  size_t size = nereid_element_size(a->element);
  return memcmp((const char *)a->data + i * size, (const char *)b->data + i * size, size) == 0;
}

/* Returns the difference of one element; infinity when it is not a number. */
static double distance(double a, double b) {
  if (isnan(a) && isnan(b))
    return 0;
  if (isnan(a) || isnan(b))
    return INFINITY;
  return a == b ? 0 : fabs(a - b);
}

tool_difference_t tool_compare(const tool_tensor_t *got, const tool_tensor_t *expected, double tolerance) {
  tool_difference_t result = {.tolerance = tolerance < 0 ? tool_tolerance(got->element) : tolerance};
  double scale = root_mean_square(expected);
  for (size_t i = 0; i < got->count; ++i) {
    if (same_bits(got, expected, i))
      continue;
    double b = at(expected, i), absolute = distance(at(got, i), b);
    double base = fmax(isfinite(b) ? fabs(b) : 0, scale);
    double relative = absolute == 0 ? 0 : base > 0 ? absolute / base : INFINITY;
    result.absolute = fmax(result.absolute, absolute);
    if (relative > result.relative) {
      result.relative = relative;
      result.worst = i;
    }
    result.beyond += relative > result.tolerance;
  }
  return result;
}
