/* tritongpu-automatic-warp-specialization: warp-specializes the loops that request it, in four steps that are passes of
 * their own, with IR between them that can be edited:
 *
 *   tritongpu-partition-scheduling               divides the ops of a loop between a producer and a consumer
 *   tritongpu-rewrite-partition-dependencies     passes tiles through rings with full and empty barriers
 *   tritongpu-partition-loops                    splits the loop into the regions of a ttg.warp_specialize
 *   tritongpu-optimize-partition-warps           reduces the warps and registers of the producer
 *
 * tritongpu-hoist-tmem-alloc is accepted for pipelines of Triton; sm_80 to sm_90 have no tensor memory. */
#include "passes/pass.h"

MlirLogicalResult nereid_pass_tritongpu_automatic_warp_specialization(nereid_pass_t *pass) {
  static const nereid_pass_run_t steps[] = {
      nereid_pass_tritongpu_partition_scheduling,
      nereid_pass_tritongpu_rewrite_partition_dependencies,
      nereid_pass_tritongpu_partition_loops,
      nereid_pass_tritongpu_optimize_partition_warps,
  };
  for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i)
    if (mlirLogicalResultIsFailure(steps[i](pass)))
      return mlirLogicalResultFailure();
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_pass_tritongpu_hoist_tmem_alloc(nereid_pass_t *pass) {
  (void)pass;
  return mlirLogicalResultSuccess();
}
