/* Tensor types as C structs; see tensor.h. */
#include "dialects/tt/tensor.h"

#include "dialects/ttg/encoding/infer_encoding.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinTypes.h>

#include <string.h>

bool nereid_tt_tensor_read(MlirType type, nereid_tt_tensor_t *out) {
  memset(out, 0, sizeof *out);
  if (!mlirTypeIsARankedTensor(type) || mlirShapedTypeGetRank(type) > NEREID_TT_MAX_RANK)
    return false;
  out->rank = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < out->rank; i++)
    out->shape[i] = mlirShapedTypeGetDimSize(type, i);
  out->element = mlirShapedTypeGetElementType(type);
  out->encoding = mlirRankedTensorTypeGetEncoding(type);
  return true;
}

nereid_tt_tensor_t nereid_tt_tensor_of(MlirValue value) {
  nereid_tt_tensor_t tensor;
  nereid_tt_tensor_read(mlirValueGetType(value), &tensor);
  return tensor;
}

MlirType nereid_tt_tensor_type(const nereid_tt_tensor_t *tensor) {
  return mlirRankedTensorTypeGet(tensor->rank, tensor->shape, tensor->element, tensor->encoding);
}

int64_t nereid_tt_tensor_count(const nereid_tt_tensor_t *tensor) {
  int64_t count = 1;
  for (intptr_t i = 0; i < tensor->rank; i++)
    if (__builtin_mul_overflow(count, tensor->shape[i], &count))
      return INT64_MAX;
  return count;
}

bool nereid_tt_tensor_same_shape(const nereid_tt_tensor_t *a, const nereid_tt_tensor_t *b) {
  return a->rank == b->rank && memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape) == 0;
}

MlirType nereid_tt_element_type(MlirType type) {
  return mlirTypeIsARankedTensor(type) ? mlirShapedTypeGetElementType(type) : type;
}

MlirType nereid_tt_block_of_pointer(MlirType type) {
  MlirType none = {NULL};
  if (!nereid_tt_ptr_type_isa(type))
    return none;
  MlirType pointee = nereid_tt_ptr_type_get_pointee_type(type);
  return mlirTypeIsARankedTensor(pointee) ? pointee : none;
}

unsigned nereid_tt_bit_width(MlirType type) {
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGetWidth(type);
  return mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type) : 0;
}

bool nereid_tt_types_equivalent(MlirType a, MlirType b) {
  if (mlirTypeEqual(a, b))
    return true;
  nereid_tt_tensor_t left, right;
  if (!nereid_tt_tensor_read(a, &left) || !nereid_tt_tensor_read(b, &right))
    return false;
  return nereid_tt_tensor_same_shape(&left, &right) && mlirTypeEqual(left.element, right.element) &&
         nereid_ttg_encodings_equivalent(left.encoding, right.encoding, left.rank, left.shape);
}
