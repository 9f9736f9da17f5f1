/* The warp group that runs the lowered code, and the warps of a kernel that wait for partitions of ttg.warp_specialize.
 *
 * A kernel's own warps run the code outside of partitions; a module may be launched with additional warps
 * (ttg.total-num-warps), which wait for work until the kernel ends. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_WARPS_H
#define NEREID_CONVERSION_TTG_TO_LLVM_WARPS_H

#include "base/vector.h"
#include "conversion/ttg_to_llvm/lower.h"

enum {
  NEREID_WARPS_EVERYBODY = 1,       /* the barrier of all warps; 0 is for the function's own */
  NEREID_WARPS_FIRST_PARTITION = 2, /* the first barrier for partitions */
  NEREID_WARPS_DISMISSED = 255      /* the state of a warp that is to return; less is a partition */
};

/* Of a kernel that is launched with more warps than its own. */
struct nereid_lower_workers {
  bool specialize; /* the kernel has a ttg.warp_specialize; else they return at once */
  bool cluster;    /* its partitions access the shared memory of other CTAs */
  int32_t count;
  MlirValue warp;                      /* i32, in the CTA */
  MlirBlock work;                      /* where they wait */
  NEREID_VECTOR(MlirBlock) partitions; /* first block of each partition of the kernel */
};

/* --- a function --- */

/* Ends the entry, where lower->builder is, with a branch of the function's own warps to `body`. False after a
 * diagnostic, or when out of memory. */
bool nereid_warps_begin(nereid_lower_t *lower, MlirBlock body);

/* Before a return: makes the other warps of a kernel return, too. */
void nereid_warps_dismiss(nereid_lower_t *lower);

/* The barrier of all warps where partitions begin and end: of the whole cluster if they access the shared memory of
 * other CTAs, whose mbarriers must exist by then, and must exist until then. */
void nereid_warps_synchronize(nereid_lower_t *lower);

/* After the function's last op: the code of the other warps of a kernel. */
void nereid_warps_end(nereid_lower_t *lower);

/* --- a partition --- */

/* Sets lower->group to the `count` warps from `first` on, which synchronize at `barrier`; until here its thread_id is
 * that within the CTA. */
void nereid_warps_set(nereid_lower_t *lower, MlirValue first, MlirValue barrier, int32_t count);

/* A new block at the end of the function. */
MlirBlock nereid_warps_append_block(nereid_lower_t *lower);

/* Begins code for the first of these threads only, until nereid_lower_end_if(lower, result). */
MlirBlock nereid_warps_begin_first_thread(nereid_lower_t *lower);

/* Writes the states of the kernel's other warps. */
void nereid_warps_store_states(nereid_lower_t *lower, const uint8_t *states);

#endif
