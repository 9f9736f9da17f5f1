/* The LLVM pass pipeline. */
#ifndef NEREID_TARGET_PASS_LIST_H
#define NEREID_TARGET_PASS_LIST_H

#include <stdbool.h>

/* The optimizer's pipeline, in the textual form of LLVM's new pass manager. `narrow_floats`: the module computes with
 * f16 or bf16. */
const char *nereid_target_passes(bool narrow_floats);

/* Names of omitted passes of the code generator; a null ends the list. */
const char *const *nereid_target_skipped_passes(void);

#endif
