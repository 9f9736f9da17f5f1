/* Common functions of accesses to global memory: loads, stores, atomics, copies to shared memory. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_MEMORY_H
#define NEREID_CONVERSION_TTG_TO_LLVM_MEMORY_H

#include "conversion/ttg_to_llvm/lower.h"

/* The maximum number of elements of `bits` per access: they must be in adjacent registers, provably contiguous and
 * aligned, with a common mask (null: none), and fit into 128 bits. */
intptr_t nereid_lower_access_width(nereid_lower_t *lower, MlirValue pointer, MlirValue mask, unsigned bits);

/* Whether `op` supports `pointer`: a pointer to scalars in global memory. False after a diagnostic: other passes
 * rewrite block pointers and descriptors. */
bool nereid_lower_check_pointer(MlirOperation op, MlirValue pointer);

/* A mask of register bits that only repeat the elements of lower registers; 0 for scalars. */
uint32_t nereid_lower_register_copies(nereid_lower_t *lower, MlirType type);

/* The and of two conditions, either of which may be null: always. */
MlirValue nereid_lower_both(nereid_lower_t *lower, MlirValue a, MlirValue b);

#endif
