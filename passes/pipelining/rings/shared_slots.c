/* Slots that CTAs fill together; see shared_slots.h. */
#include "passes/pipelining/rings/shared_slots.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttng.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

static MlirWalkResult find_partitions(MlirOperation op, void *found) {
  *(bool *)found = *(bool *)found || nereid_op_kind(op) == NEREID_OP_TTG_WARP_SPECIALIZE;
  return *(bool *)found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool nereid_shared_slots_are_possible(MlirOperation module) {
  bool has_partitions = false;
  mlirOperationWalk(module, find_partitions, &has_partitions, MlirWalkPreOrder);
  return !has_partitions;
}

/* After the barrier other CTAs copy into this one: a fence orders what its threads have written to the same bytes. */
void nereid_shared_slots_synchronize(const nereid_builder_t *builder) {
  nereid_ttng_fence_async_shared_build(builder, /*b_cluster=*/false, /*global_memory=*/false);
  nereid_ttng_cluster_arrive_build(builder, mlirBoolAttrGet(mlirLocationGetContext(builder->location), false));
  nereid_ttng_cluster_wait_build(builder);
}

MlirOperation nereid_shared_slots_arrive(const nereid_builder_t *builder, const nereid_shared_slots_t *shared) {
  MlirType i32 = mlirIntegerTypeGet(mlirLocationGetContext(builder->location), 32);
  return nereid_ttng_arrive_barrier_build(builder, shared->empty, shared->predicate, shared->n, shared->slots, 1,
                                          /*per_warp=*/false, mlirIntegerAttrGet(i32, shared->ctas));
}

MlirOperation nereid_shared_slots_wait(const nereid_builder_t *builder, const nereid_shared_slots_t *shared) {
  return nereid_ttng_wait_barrier_build(builder, shared->empty, shared->phase, shared->predicate, 0, NULL,
                                        /*first_warp=*/true);
}
