/* What a module says about the machine it is for: warps, threads, CTAs, target.
 *
 *   module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:90",
 *                      "ttg.threads-per-warp" = 32 : i32}
 *
 * Each function takes any operation inside the module (or the module). Pure; they follow parents, so ask once per
 * function and not once per operation. */
#ifndef NEREID_DIALECTS_TTG_MODULE_H
#define NEREID_DIALECTS_TTG_MODULE_H

#include <mlir-c/IR.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The builtin.module that encloses `op` most closely, or is it; null when there is none. (While text is parsed, another
 * one may be around it.) */
MlirOperation nereid_ttg_module(MlirOperation op);

/* Warps that execute `op`: those of the partition of ttg.warp_specialize it is in, else ttg.num-warps of the function,
 * else of the module. -1 when nothing says. For operations inside a partition, `op` being the ttg.warp_specialize
 * itself counts as outside. */
int32_t nereid_ttg_num_warps(MlirOperation op);

/* Warps that execute the operations of `region`. */
int32_t nereid_ttg_region_num_warps(MlirRegion region);

/* ttg.total-num-warps: all warps of a CTA, those of partitions included; ttg.num-warps when it is absent. */
int32_t nereid_ttg_total_num_warps(MlirOperation op);

/* ttg.threads-per-warp, 32 when absent; ttg.num-ctas, 1 when absent. */
int32_t nereid_ttg_threads_per_warp(MlirOperation op);
int32_t nereid_ttg_num_ctas(MlirOperation op);

/* ttg.maxnreg: most registers of a thread; 0 when absent. */
int32_t nereid_ttg_maxnreg(MlirOperation op);

/* ttg.target, "cuda:90"; null data and length 0 when absent. Memory of the context. */
MlirStringRef nereid_ttg_target(MlirOperation op);

/* The target of a module without ttg.target, and of a compilation that is not given one. The only place that names it:
 * limits (shared memory) and code follow from nereid_ttg_compute_capability. */
#define NEREID_TTG_DEFAULT_TARGET "cuda:90"

/* The number after "cuda:" in ttg.target, 90; that of the default target when ttg.target is absent, 0 when it is not a
 * CUDA target. */
int32_t nereid_ttg_compute_capability(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif
