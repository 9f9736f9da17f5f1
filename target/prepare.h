/* The steps of nereid_backend_prepare and _emit; see there. Modules are of the backend's context. */
#ifndef NEREID_TARGET_PREPARE_H
#define NEREID_TARGET_PREPARE_H

#include "target/backend.h"

/* Reports every instruction and intrinsic that `target` does not have. */
NEREID_MUST_USE nereid_status_t nereid_target_check(nereid_backend_t *backend, LLVMModuleRef module,
                                                    const nereid_target_t *target, const nereid_backend_input_t *input);

/* An error at the instruction `at`, which reads `word` where the module was text; nothing when input->again. */
void nereid_target_complain(nereid_backend_t *backend, LLVMModuleRef module, const nereid_backend_input_t *input,
                            LLVMValueRef at, const char *word, const char *what);

/* Gives every function and global a name that PTX can spell (base/ptx_name.h); a name that is taken gets a number. */
NEREID_MUST_USE nereid_status_t nereid_target_map_names(LLVMModuleRef module, nereid_arena_t *scratch);

/* Links what the module calls of libdevice (`__nv_…`), if anything; the linked functions become internal. */
NEREID_MUST_USE nereid_status_t nereid_target_link_libdevice(nereid_backend_t *backend, LLVMModuleRef module,
                                                             const nereid_backend_input_t *input);

/* True when the name is one that CUDA's libdevice defines. */
bool nereid_target_is_libdevice_name(nereid_view_t name);

/* The path of a libdevice: `asked` when not null, else in CUDA_HOME, CUDA_PATH, /usr/local/cuda, beside ptxas. In
 * `scratch`; null when there is none (or `asked` cannot be read). */
const char *nereid_target_find_libdevice(const char *asked, nereid_arena_t *scratch);

#endif
