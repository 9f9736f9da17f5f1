/* Common functions of atomics. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_ATOMIC_H
#define NEREID_CONVERSION_TTG_TO_LLVM_ATOMIC_H

#include "conversion/ttg_to_llvm/lower.h"

/* The constraint letter of a register of `bits`; 8 bits take a register of 16. */
static inline const char *nereid_atomic_letter(unsigned bits) {
  return bits == 64 ? "l" : bits == 32 ? "r" : "h";
}

/* `value`, of `bits`, as an integer for such a register. */
MlirValue nereid_atomic_word(nereid_lower_t *lower, unsigned bits, MlirValue value);

/* Passes the result of `op` through its scratch: `thread`, an i1, holds in the threads that have it; `copies` are the
 * register bits of replicas. All threads synchronize and set `result`. False after a diagnostic. */
bool nereid_atomic_share(nereid_lower_t *lower, MlirOperation op, MlirValue thread, uint32_t copies,
                         nereid_lowered_t result);

#endif
