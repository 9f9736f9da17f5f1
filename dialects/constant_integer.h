/* The number of a constant scalar, for analyses and passes. */
#ifndef NEREID_DIALECTS_CONSTANT_INTEGER_H
#define NEREID_DIALECTS_CONSTANT_INTEGER_H

#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

#include <stdbool.h>
#include <stdint.h>

/* Reads the value of a constant integer or index, sign-extended. False for other values, and for tensors. */
static inline bool nereid_constant_integer(MlirValue value, int64_t *out) {
  MlirAttribute constant = nereidMlirValueGetConstant(value);
  if (mlirAttributeIsNull(constant) || !mlirAttributeIsAInteger(constant))
    return false;
  *out = mlirIntegerAttrGetValueInt(constant);
  return true;
}

#endif
