/* Types of buffers in shared memory that passes make for tensors. */
#ifndef NEREID_PASSES_BUFFER_TYPE_H
#define NEREID_PASSES_BUFFER_TYPE_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/* A buffer without swizzling in the order of `tensor`'s blocked encoding (row-major for others), which makes storing
 * it cheap; of `stages` such tensors, along a dimension in front, unless that is 0. */
MlirType nereid_buffer_type(MlirType tensor, int64_t stages, bool mutable_memory);

#endif
