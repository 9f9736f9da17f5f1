/* Properties of the machine in the attributes of a module: warps, threads, CTAs, target.
 *
 *   module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:90",
 *                      "ttg.threads-per-warp" = 32 : i32}
 *
 * Each function takes any operation inside the module (or the module). Pure. They walk the parents, so call them once
 * per function and not once per operation. */
#ifndef NEREID_DIALECTS_TTG_MODULE_H
#define NEREID_DIALECTS_TTG_MODULE_H

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the innermost builtin.module that is or contains `op`; null when there is none. (During parsing, another one
 * may enclose it.) */
MlirOperation nereid_ttg_module(MlirOperation op);

/* Returns the number of warps that execute `op`: those of its partition of ttg.warp_specialize, else ttg.num-warps of
 * the function, of tt or of LLVM, else of the module. -1 when none of them specifies it. The ttg.warp_specialize itself
 * is outside of its partitions. */
int32_t nereid_ttg_num_warps(MlirOperation op);

/* Whether `op` is a ttg.warp_specialize, holds its partitions or ends one of its regions: these operations may contain
 * code of any dialect, also after the conversion to LLVM. */
bool nereid_ttg_is_warp_specialize(MlirOperation op);

/* Returns the number of warps that execute the operations of `region`. */
int32_t nereid_ttg_region_num_warps(MlirRegion region);

/* ttg.total-num-warps: all warps of a CTA, including those of partitions; ttg.num-warps when it is absent. */
int32_t nereid_ttg_total_num_warps(MlirOperation op);

/* ttg.threads-per-warp, 32 when absent; ttg.num-ctas, 1 when absent. */
int32_t nereid_ttg_threads_per_warp(MlirOperation op);
int32_t nereid_ttg_num_ctas(MlirOperation op);

/* ttg.maxnreg: limit of registers per thread; 0 when absent. */
int32_t nereid_ttg_maxnreg(MlirOperation op);

/* ttg.target, "cuda:90"; null data and length 0 when absent. Memory of the context. */
MlirStringRef nereid_ttg_target(MlirOperation op);

/* The target of a module without ttg.target, and of a compilation without a target option. Only this line names it:
 * limits (shared memory) and code follow from nereid_ttg_compute_capability. */
#define NEREID_TTG_DEFAULT_TARGET "cuda:90"

/* Returns the number after "cuda:" in ttg.target, 90; that of the default target when ttg.target is absent, 0 for a
 * target other than CUDA. */
int32_t nereid_ttg_compute_capability(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif
