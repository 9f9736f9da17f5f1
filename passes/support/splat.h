/* Splat constants. */
#ifndef NEREID_PASSES_SPLAT_H
#define NEREID_PASSES_SPLAT_H

#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

/* The element of a splat constant; null for other values. */
static inline MlirAttribute nereid_splat_constant(MlirValue value) {
  MlirAttribute attribute = nereidMlirValueGetConstant(value);
  const bool is_splat = !mlirAttributeIsNull(attribute) && mlirAttributeIsADenseElements(attribute) &&
                        mlirDenseElementsAttrIsSplat(attribute);
  return is_splat ? mlirDenseElementsAttrGetSplatValue(attribute) : (MlirAttribute){NULL};
}

/* A constant scalar, or the element of a splat constant; null for other values. */
static inline MlirAttribute nereid_constant_number(MlirValue value) {
  MlirAttribute attribute = nereidMlirValueGetConstant(value);
  return mlirAttributeIsNull(attribute) || !mlirAttributeIsADenseElements(attribute) ? attribute
                                                                                     : nereid_splat_constant(value);
}

/* Whether a number is 0, or -0; false for null. */
static inline bool nereid_number_is_zero(MlirAttribute number) {
  if (mlirAttributeIsNull(number))
    return false;
  return mlirAttributeIsAFloat(number) ? mlirFloatAttrGetValueDouble(number) == 0.0
                                       : mlirAttributeIsAInteger(number) && !mlirIntegerAttrGetValueInt(number);
}

/* Whether all elements of a constant are 0, or -0. */
static inline bool nereid_splat_is_zero(MlirValue value) {
  return nereid_number_is_zero(nereid_splat_constant(value));
}

/* Zero as a constant of a tensor type, of floats or integers. */
static inline MlirAttribute nereid_splat_zero(MlirType type) {
  MlirType element = mlirShapedTypeGetElementType(type);
  MlirAttribute zero = mlirTypeIsAFloat(element) ? mlirFloatAttrDoubleGet(mlirTypeGetContext(type), element, 0.0)
                                                 : mlirIntegerAttrGet(element, 0);
  return mlirDenseElementsAttrSplatGet(type, zero);
}

#endif
