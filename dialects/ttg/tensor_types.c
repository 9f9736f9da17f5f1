/* Tensor types with encodings; see tensor_types.h. */
#include "dialects/ttg/tensor_types.h"

#include "dialects/tt/tensor.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

MlirAttribute nereid_ttg_encoding_of(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsARankedTensor(type) ? mlirRankedTensorTypeGetEncoding(type) : mlirAttributeGetNull();
}

bool nereid_ttg_is_laid_out(MlirValue value) {
  return !mlirAttributeIsNull(nereid_ttg_encoding_of(value));
}

MlirType nereid_ttg_with_encoding(MlirType tensor, MlirAttribute encoding) {
  nereid_tt_tensor_t parts;
  nereid_tt_tensor_read(tensor, &parts);
  parts.encoding = encoding;
  return nereid_tt_tensor_type(&parts);
}
