/* The Triton version whose spelling a context prints. */
#ifndef NEREID_SEAM_TT_H
#define NEREID_SEAM_TT_H

#include <mlir-c/IR.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the minor number of the Triton version in whose spelling the context prints: 3.8 is 8. It begins as 6; reading
 * text of a later version raises it (docs/triton-versions.md), unless it was set as `fixed`. Loads the tt dialect. */
MLIR_CAPI_EXPORTED void nereidMlirContextSetTritonMinor(MlirContext context, int32_t minor, bool fixed);

/* Raises the version to at least 3.`minor`, as text of that version is read. Gets the version that is printed. */
MLIR_CAPI_EXPORTED void nereidMlirContextRaiseTritonMinor(MlirContext context, int32_t minor);
MLIR_CAPI_EXPORTED int32_t nereidMlirContextGetTritonMinor(MlirContext context);

#ifdef __cplusplus
}
#endif

#endif
