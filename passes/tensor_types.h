/* Tensor types with encodings, as passes over layouts handle them. */
#ifndef NEREID_PASSES_TENSOR_TYPES_H
#define NEREID_PASSES_TENSOR_TYPES_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/* The encoding of a tensor value; null for other values and for tensors without one. */
MlirAttribute nereid_encoding_of(MlirValue value);

/* Whether `value` is a tensor with an encoding. */
bool nereid_is_laid_out(MlirValue value);

/* The tensor type with another encoding. */
MlirType nereid_with_encoding(MlirType tensor, MlirAttribute encoding);

/* Bytes of all elements of a tensor: at least one per element, 8 per pointer. */
int64_t nereid_tensor_bytes(MlirType tensor);

#endif
