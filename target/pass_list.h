/* The LLVM pass pipeline. */
#ifndef NEREID_TARGET_PASS_LIST_H
#define NEREID_TARGET_PASS_LIST_H

#include <stdbool.h>

/* The optimizer's pipeline, in the textual form of LLVM's new pass manager, in two parts. The caller runs the second
 * one on the result of the first. `calls`: the module defines several functions. `pairs`: it has instructions that
 * could be one on a pair of f16 or bf16. */
const char *nereid_target_first_passes(bool calls);
const char *nereid_target_last_passes(bool pairs);

/* Names of omitted passes of the code generator; a null ends the list. */
const char *const *nereid_target_skipped_passes(void);

#endif
