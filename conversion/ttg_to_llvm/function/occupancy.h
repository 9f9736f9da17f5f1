/* The least number of CTAs of a kernel that a multiprocessor should execute at a time. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_OCCUPANCY_H
#define NEREID_CONVERSION_TTG_TO_LLVM_OCCUPANCY_H

#include "conversion/ttg_to_llvm/function/blocks.h"
#include "conversion/ttg_to_llvm/lower.h"

/* Gives `made`, lowered from a function with these blocks, nvvm.minctasm (.minnctapersm) where ptxas would otherwise
 * use too few registers, or too many. ttg.maxnreg takes precedence. Where tensors need far more registers than a thread
 * has, orders the ops of `made` depth first. */
void nereid_lower_set_occupancy(nereid_lower_t *lower, MlirOperation made, const nereid_blocks_t *blocks);

#endif
