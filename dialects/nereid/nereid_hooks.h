/* Hooks of the nereid dialect for the seam, in addition to those that ods-bindgen declares from the .td files:
 * verifiers of the locations of its attributes. Pure functions of the IR. A verifier returns success, or failure after
 * one located error. */
#ifndef NEREID_DIALECTS_NEREID_NEREID_HOOKS_H
#define NEREID_DIALECTS_NEREID_NEREID_HOOKS_H

#include <mlir-c/IR.h>
#include <mlir-c/Support.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Verifies an attribute `nereid.<name>` on operation `op`. */
MlirLogicalResult nereid_nereid_operation_attribute_verify(MlirOperation op, MlirNamedAttribute attribute);

/* Verifies an attribute `nereid.<name>` on argument `argument` of region `region` of `op`. */
MlirLogicalResult nereid_nereid_argument_attribute_verify(MlirOperation op, unsigned region, unsigned argument,
                                                          MlirNamedAttribute attribute);

#ifdef __cplusplus
}
#endif

#endif
