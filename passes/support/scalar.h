/* Builds arithmetic on scalar integers of one type, without overflow flags. */
#ifndef NEREID_PASSES_SCALAR_H
#define NEREID_PASSES_SCALAR_H

#include "nereid/builder.h"

#include "mlir-c/IR.h"

#include <stdint.h>

MlirValue nereid_scalar_constant(const nereid_builder_t *builder, MlirType type, int64_t value);
MlirValue nereid_scalar_add(const nereid_builder_t *builder, MlirValue a, MlirValue b);
MlirValue nereid_scalar_subtract(const nereid_builder_t *builder, MlirValue a, MlirValue b);
MlirValue nereid_scalar_multiply(const nereid_builder_t *builder, MlirValue a, MlirValue b);

#endif
