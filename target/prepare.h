/* The steps of nereid_backend_prepare and _emit; see there. Modules are of the backend's context. */
#ifndef NEREID_TARGET_PREPARE_H
#define NEREID_TARGET_PREPARE_H

#include "target/backend.h"

/* Reports every instruction and intrinsic that `target` does not have. */
NEREID_MUST_USE nereid_status_t nereid_target_check(nereid_backend_t *backend, LLVMModuleRef module,
                                                    const nereid_target_t *target, const nereid_backend_input_t *input);

/* Reports an error at the instruction `at`, written as `word` in text input; no effect when input->again. */
void nereid_target_complain(nereid_backend_t *backend, LLVMModuleRef module, const nereid_backend_input_t *input,
                            LLVMValueRef at, const char *word, const char *what);

/* Maps the names of functions and globals to valid PTX names (base/ptx_name.h); a number is appended to existing
 * names. */
NEREID_MUST_USE nereid_status_t nereid_target_map_names(LLVMModuleRef module, nereid_arena_t *scratch);

/* Links the functions of libdevice (`__nv_…`) that the module calls; they become internal. */
NEREID_MUST_USE nereid_status_t nereid_target_link_libdevice(nereid_backend_t *backend, LLVMModuleRef module,
                                                             const nereid_backend_input_t *input);

/* Whether CUDA's libdevice defines a function of this name. */
bool nereid_target_is_libdevice_name(nereid_view_t name);

/* The path of libdevice: `asked` unless null, else searched in CUDA_HOME, CUDA_PATH, /usr/local/cuda, beside ptxas. In
 * `scratch`; null if not found (or `asked` cannot be read). */
const char *nereid_target_find_libdevice(const char *asked, nereid_arena_t *scratch);

#endif
