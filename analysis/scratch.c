/* Scratch sizes, from types alone; see scratch.h. */
#include "analysis/scratch.h"

#include "layout/encoding.h"
#include "layout/linear_layout.h"
#include "nereid/dialects/ops.h"

#include "mlir-c/BuiltinTypes.h"

static bool layout_of(MlirValue value, nereid_layout_t *out) {
  return nereid_layout_from_type(mlirValueGetType(value), out) == NEREID_OK;
}

nereid_conversion_path_t nereid_conversion_path(MlirOperation op) {
  nereid_layout_t from, to;
  if (!layout_of(mlirOperationGetOperand(op, 0), &from) || !layout_of(mlirOperationGetResult(op, 0), &to))
    return NEREID_CONVERSION_INVALID;
  const nereid_layout_conversion_t kind = nereid_layout_convert(&from, &to, NULL);
  if (kind == NEREID_LAYOUT_CONVERSION_INVALID)
    return NEREID_CONVERSION_INVALID;
  if (kind == NEREID_LAYOUT_CONVERSION_CLUSTER)
    return NEREID_CONVERSION_CLUSTER;
  return kind <= NEREID_LAYOUT_CONVERSION_REGISTER ? NEREID_CONVERSION_RENAMES : NEREID_CONVERSION_SHARED;
}

int64_t nereid_scratch_element_bytes(MlirType type) {
  MlirType element = mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type;
  unsigned bits = 64;
  if (mlirTypeIsAInteger(element))
    bits = mlirIntegerTypeGetWidth(element);
  else if (mlirTypeIsAFloat(element))
    bits = mlirFloatTypeGetWidth(element);
  return bits <= 8 ? 1 : bits / 8;
}

int64_t nereid_scratch_tensor_bytes(MlirType tensor) {
  int64_t elements = 1;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(tensor); ++d)
    elements *= mlirShapedTypeGetDimSize(tensor, d);
  return elements * nereid_scratch_element_bytes(tensor);
}

int64_t nereid_scratch_bytes(MlirOperation op) {
  if (nereid_op_kind(op) != NEREID_OP_TTG_CONVERT_LAYOUT || nereid_conversion_path(op) != NEREID_CONVERSION_SHARED)
    return 0;
  return (nereid_scratch_tensor_bytes(mlirValueGetType(mlirOperationGetResult(op, 0))) + 15) / 16 * 16;
}
