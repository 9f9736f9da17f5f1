/* Dots whose wgmma form a loop, which ptxas assembles faster than the same instructions one after the other. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_DOT_WGMMA_LOOP_H
#define NEREID_CONVERSION_TTG_TO_LLVM_DOT_WGMMA_LOOP_H

#include "conversion/ttg_to_llvm/context.h"

/* The groups that each dot of the function commits, 1 or NEREID_WGMMA_ITERATIONS: as many as its loop has iterations. A
 * wait for all but n dots is one for all but n times as many groups. */
enum { NEREID_WGMMA_ITERATIONS = 2 };
int32_t nereid_wgmma_groups(nereid_lower_t *lower);

#endif
