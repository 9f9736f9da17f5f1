/* Arithmetic on scalar integers; see scalar.h. */
#include "passes/support/scalar.h"

#include "nereid/dialects/arith.h"

#include "mlir-c/BuiltinAttributes.h"

MlirValue nereid_scalar_constant(const nereid_builder_t *builder, MlirType type, int64_t value) {
  return nereid_arith_constant_get_result(nereid_arith_constant_build(builder, mlirIntegerAttrGet(type, value)));
}

MlirValue nereid_scalar_add(const nereid_builder_t *builder, MlirValue a, MlirValue b) {
  return nereid_arith_addi_get_result(nereid_arith_addi_build(builder, a, b, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
}

MlirValue nereid_scalar_subtract(const nereid_builder_t *builder, MlirValue a, MlirValue b) {
  return nereid_arith_subi_get_result(nereid_arith_subi_build(builder, a, b, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
}

MlirValue nereid_scalar_multiply(const nereid_builder_t *builder, MlirValue a, MlirValue b) {
  return nereid_arith_muli_get_result(nereid_arith_muli_build(builder, a, b, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
}
