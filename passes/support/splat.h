/* Splat constants. */
#ifndef NEREID_PASSES_SPLAT_H
#define NEREID_PASSES_SPLAT_H

#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

/* The element of a splat constant; null for other values. */
static inline MlirAttribute nereid_splat_constant(MlirValue value) {
  MlirAttribute attribute = nereidMlirValueGetConstant(value);
  const bool is_splat = !mlirAttributeIsNull(attribute) && mlirAttributeIsADenseElements(attribute) &&
                        mlirDenseElementsAttrIsSplat(attribute);
  return is_splat ? mlirDenseElementsAttrGetSplatValue(attribute) : (MlirAttribute){NULL};
}

/* Whether all elements of a constant are 0, or -0. */
static inline bool nereid_splat_is_zero(MlirValue value) {
  MlirAttribute element = nereid_splat_constant(value);
  if (mlirAttributeIsNull(element))
    return false;
  return mlirAttributeIsAFloat(element) ? mlirFloatAttrGetValueDouble(element) == 0.0
                                        : mlirAttributeIsAInteger(element) && !mlirIntegerAttrGetValueInt(element);
}

#endif
