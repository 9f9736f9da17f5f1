/* Program ids, for lowerings that print them. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_PROGRAM_H
#define NEREID_CONVERSION_TTG_TO_LLVM_PROGRAM_H

#include "conversion/ttg_to_llvm/context.h"

/* i32: the program id along `axis` 0, 1 or 2. A cluster is one program. */
MlirValue nereid_lower_program_id(nereid_lower_t *lower, int axis);

#endif
