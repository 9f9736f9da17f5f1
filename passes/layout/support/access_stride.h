/* Strides between neighbouring elements of a tensor of pointers, used to choose the fastest dimension. */
#ifndef NEREID_PASSES_ACCESS_STRIDE_H
#define NEREID_PASSES_ACCESS_STRIDE_H

#include "analysis/axis/axis_info.h"

enum { NEREID_STRIDE_UNKNOWN = INT32_MAX };

/* The typical stride along dimension `d` of `value`, in pointee elements (for integers: as a difference of values),
 * without its sign. 0 when adjacent elements are mostly equal; NEREID_STRIDE_UNKNOWN when the stride is not constant
 * or is above 2^30. An estimate: it ignores the positions where an index wraps around. */
int32_t nereid_access_stride(const nereid_axis_result_t *axis, MlirValue value, int d);

#endif
