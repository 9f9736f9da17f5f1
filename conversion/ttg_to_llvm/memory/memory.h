/* What accesses to global memory have in common: loads, stores, atomics, copies to shared memory. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_MEMORY_H
#define NEREID_CONVERSION_TTG_TO_LLVM_MEMORY_H

#include "conversion/ttg_to_llvm/lower.h"

/* Elements of `bits` that one access can move: what the layout keeps in adjacent registers, the pointers prove
 * contiguous and aligned, the mask (null: none) leaves together, and 128 bits hold. */
intptr_t nereid_lower_access_width(nereid_lower_t *lower, MlirValue pointer, MlirValue mask, unsigned bits);

/* Whether `pointer` is what `op` can go through: to scalars in global memory. False after a diagnostic: block pointers
 * and descriptors are other passes' business. */
bool nereid_lower_check_pointer(MlirOperation op, MlirValue pointer);

/* A mask of register bits that only repeat the elements of lower registers; 0 for scalars. */
uint32_t nereid_lower_register_copies(nereid_lower_t *lower, MlirType type);

/* The and of two conditions, either of which may be null: always. */
MlirValue nereid_lower_both(nereid_lower_t *lower, MlirValue a, MlirValue b);

#endif
