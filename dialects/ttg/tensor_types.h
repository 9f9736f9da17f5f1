/* Tensor types with encodings, for passes on layouts. */
#ifndef NEREID_DIALECTS_TTG_TENSOR_TYPES_H
#define NEREID_DIALECTS_TTG_TENSOR_TYPES_H

#include <mlir-c/IR.h>

#include <stdbool.h>

/* Returns the encoding of a tensor value; null for other values and for tensors without one. */
MlirAttribute nereid_ttg_encoding_of(MlirValue value);

/* Returns whether `value` is a tensor with an encoding. */
bool nereid_ttg_is_laid_out(MlirValue value);

/* Returns the tensor type with another encoding. */
MlirType nereid_ttg_with_encoding(MlirType tensor, MlirAttribute encoding);

#endif
