/* Hooks of the ttng dialect for the seam, in addition to those that ods-bindgen declares from the .td files: the
 * reasons to reject names of later hardware. Pure functions. */
#ifndef NEREID_DIALECTS_TTNG_TTNG_HOOKS_H
#define NEREID_DIALECTS_TTNG_TTNG_HOOKS_H

#include <mlir-c/Support.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the reason why an operation ("ttng.tmem_alloc") or attribute mnemonic ("tensor_memory_encoding") is not
 * supported: a message in static storage; null for other names. */
const char *nereid_ttng_operation_refusal(MlirStringRef name);
const char *nereid_ttng_attribute_refusal(MlirStringRef mnemonic);

#ifdef __cplusplus
}
#endif

#endif
