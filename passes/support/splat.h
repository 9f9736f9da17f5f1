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

#endif
