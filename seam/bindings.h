/* Functions for the generated bindings that mlir-c lacks: operation properties that are not attributes, such as
 * `overflowFlags` of llvm.add. (seam/hooks.h has the error sink.) */
#ifndef NEREID_SEAM_BINDINGS_H
#define NEREID_SEAM_BINDINGS_H

#include "seam/hooks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The property `name` as an attribute; null when the operation has none of that name. */
MlirAttribute nereidMlirOperationGetProperty(MlirOperation op, MlirStringRef name);

/* Sets the property from its attribute form. Failure, after an error at the operation, when it is of the wrong kind. */
MlirLogicalResult nereidMlirOperationSetProperty(MlirOperation op, MlirStringRef name, MlirAttribute attr);

#ifdef __cplusplus
}
#endif

#endif
