/* The function's frames in shared memory and in global scratch. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_FRAMES_H
#define NEREID_CONVERSION_TTG_TO_LLVM_FRAMES_H

#include "conversion/ttg_to_llvm/context.h"

/* The CTA's shared memory at byte `offset` of this function's frame: ptr<3>. */
MlirValue nereid_lower_shared_pointer(nereid_lower_t *lower, int64_t offset);

/* The CTA's global scratch at byte `offset` of this function's frame: ptr<1>. */
MlirValue nereid_lower_scratch_pointer(nereid_lower_t *lower, int64_t offset);

#endif
