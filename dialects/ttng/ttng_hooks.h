/* What the seam asks of the ttng dialect beside the hooks that ods-bindgen declares from the .td files: names that
 * belong to later hardware, and why they are refused. Pure functions. */
#ifndef NEREID_DIALECTS_TTNG_TTNG_HOOKS_H
#define NEREID_DIALECTS_TTNG_TTNG_HOOKS_H

#include <mlir-c/Support.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why an operation ("ttng.tmem_alloc") or attribute mnemonic ("tensor_memory_encoding") is not supported: a message in
 * static storage; null when nothing is known against the name. */
const char *nereid_ttng_operation_refusal(MlirStringRef name);
const char *nereid_ttng_attribute_refusal(MlirStringRef mnemonic);

#ifdef __cplusplus
}
#endif

#endif
