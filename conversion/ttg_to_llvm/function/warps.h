/* The warp group that runs the lowered code, and the warps with which a kernel is launched beyond its own.
 *
 * A kernel's own warps run the code outside of partitions; a module may be launched with additional warps
 * (ttg.total-num-warps) for the partitions of ttg.warp_specialize. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_WARPS_H
#define NEREID_CONVERSION_TTG_TO_LLVM_WARPS_H

#include "conversion/ttg_to_llvm/function/blocks.h"

/* Ids of barriers. Id 0 is that of the function's own warps. */
enum {
  NEREID_WARPS_EVERYBODY = 1,      /* of all warps */
  NEREID_WARPS_FIRST_PARTITION = 2 /* the first one of partitions */
};

/* Ends the entry, where lower->builder is, with a branch to the first of `blocks`, those of the tt.func. In a kernel
 * without ttg.warp_specialize the other warps return there; in one with it, convert-warp-specialize-to-llvm divides the
 * warps. */
void nereid_warps_begin(nereid_lower_t *lower, const nereid_blocks_t *blocks);

/* Sets lower->group to the `count` warps from `first` on, which synchronize at `barrier`; until here its thread_id is
 * that within the CTA. */
void nereid_warps_set(nereid_lower_t *lower, MlirValue first, MlirValue barrier, int32_t count);

/* The number of the warp in the CTA, an i32, from the thread id of its first lane, so that ptxas treats it as uniform.
 * lower->group->thread_id is that within the CTA. */
MlirValue nereid_warps_emit_number(nereid_lower_t *lower);

#endif
