/* How far apart in memory the neighbours of a tensor of pointers lie, for the choice of which dimension is the fastest.
 */
#ifndef NEREID_PASSES_ACCESS_STRIDE_H
#define NEREID_PASSES_ACCESS_STRIDE_H

#include "analysis/axis/axis_info.h"

enum { NEREID_STRIDE_UNKNOWN = INT32_MAX };

/* The usual distance of neighbours along dimension `d` of `value`, in elements of what it points to (integers: as
 * numbers), without its sign: 0 where they are mostly equal; NEREID_STRIDE_UNKNOWN when it is no constant, or above
 * 2^30. An estimate: where an index wraps around, the distance is another one. */
int32_t nereid_access_stride(const nereid_axis_result_t *axis, MlirValue value, int d);

#endif
