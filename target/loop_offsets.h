/* Shares the offset of pointers that a loop advances by the same step. */
#ifndef NEREID_TARGET_LOOP_OFFSETS_H
#define NEREID_TARGET_LOOP_OFFSETS_H

#include "base/arena.h"

#include <llvm-c/Types.h>

/* Rewrites the loops of an optimized module. Allocates in `scratch`; false when out of memory. */
bool nereid_target_share_loop_offsets(LLVMModuleRef module, nereid_arena_t *scratch);

#endif
