/* Tensor types with encodings; see tensor_types.h. */
#include "passes/tensor_types.h"

#include "analysis/scratch.h"

#include "mlir-c/BuiltinTypes.h"

enum { MAX_RANK = 32 };

MlirAttribute nereid_encoding_of(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsARankedTensor(type) ? mlirRankedTensorTypeGetEncoding(type) : (MlirAttribute){NULL};
}

bool nereid_is_laid_out(MlirValue value) {
  return !mlirAttributeIsNull(nereid_encoding_of(value));
}

MlirType nereid_with_encoding(MlirType tensor, MlirAttribute encoding) {
  int64_t shape[MAX_RANK];
  const intptr_t rank = mlirShapedTypeGetRank(tensor);
  for (intptr_t d = 0; d < rank && d < MAX_RANK; ++d)
    shape[d] = mlirShapedTypeGetDimSize(tensor, d);
  return mlirRankedTensorTypeGet(rank, shape, mlirShapedTypeGetElementType(tensor), encoding);
}

int64_t nereid_tensor_bytes(MlirType tensor) {
  int64_t elements = 1;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(tensor); ++d)
    elements *= mlirShapedTypeGetDimSize(tensor, d);
  return elements * nereid_scratch_element_bytes(tensor);
}
