/* Types of shared-memory buffers that passes create for tensors. */
#ifndef NEREID_PASSES_BUFFER_TYPE_H
#define NEREID_PASSES_BUFFER_TYPE_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/* A buffer without swizzling in the order of `tensor`'s blocked encoding (row-major for other encodings), which makes
 * storing it cheap. Divided among the CTAs of a cluster as `tensor` is. With `stages` other than 0, a leading dimension
 * holds that many tensors. */
MlirType nereid_buffer_type(MlirType tensor, int64_t stages, bool mutable_memory);

#endif
