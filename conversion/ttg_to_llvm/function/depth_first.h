/* The order of the ops of functions whose tensors need far more registers than there are. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_DEPTH_FIRST_H
#define NEREID_CONVERSION_TTG_TO_LLVM_DEPTH_FIRST_H

#include "base/arena.h"

#include <mlir-c/IR.h>

/* Moves ops without effects to their first use, in the blocks of `function`, an llvm.func. False when out of memory. */
bool nereid_lower_depth_first(MlirOperation function, nereid_arena_t *arena);

#endif
