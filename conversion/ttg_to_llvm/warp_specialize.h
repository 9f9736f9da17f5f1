/* The warps of a kernel that wait for partitions of ttg.warp_specialize; what function.c and calls.c do for them. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_WARP_SPECIALIZE_H
#define NEREID_CONVERSION_TTG_TO_LLVM_WARP_SPECIALIZE_H

#include "conversion/ttg_to_llvm/lower.h"

/* Ends the entry, where lower->builder is: the function's own warps go to `body`. False when memory is out. */
bool nereid_warps_begin(nereid_lower_t *lower, MlirBlock body);

/* In front of a return: tells the other warps of a kernel to return, too. */
void nereid_warps_dismiss(nereid_lower_t *lower);

/* Behind the function's last op: what the other warps of a kernel do. */
void nereid_warps_end(nereid_lower_t *lower);

#endif
