/* Makes the conditional branch at the end of a loop lead to its start. */
#ifndef NEREID_TARGET_LOOP_BRANCHES_H
#define NEREID_TARGET_LOOP_BRANCHES_H

#include "base/arena.h"

#include <llvm-c/Types.h>

/* Rewrites the branches of an optimized module. Allocates in `scratch`; false when out of memory. */
bool nereid_target_branch_to_headers(LLVMModuleRef module, nereid_arena_t *scratch);

#endif
