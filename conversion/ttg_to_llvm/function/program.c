/* Lowers ops on the program instance and its CTA: ids, grid sizes, barriers, assumptions.
 *
 *   tt.get_program_id x : i32   ->   nvvm.read.ptx.sreg.ctaid.x, or clusterid.x when a cluster is one program
 *
 * With num-ctas > 1 the CTAs of a cluster are one program, so the grid counts clusters. */
#include "conversion/ttg_to_llvm/function/program.h"

#include "dialects/ir.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/lower.h"

#include "base/target_facts.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"

#include "mlir-c/BuiltinAttributes.h"

static const char *const program_id[2][3] = {
    {"nvvm.read.ptx.sreg.ctaid.x", "nvvm.read.ptx.sreg.ctaid.y", "nvvm.read.ptx.sreg.ctaid.z"},
    {"nvvm.read.ptx.sreg.clusterid.x", "nvvm.read.ptx.sreg.clusterid.y", "nvvm.read.ptx.sreg.clusterid.z"},
};

static const char *const num_programs[2][3] = {
    {"nvvm.read.ptx.sreg.nctaid.x", "nvvm.read.ptx.sreg.nctaid.y", "nvvm.read.ptx.sreg.nctaid.z"},
    {"nvvm.read.ptx.sreg.nclusterid.x", "nvvm.read.ptx.sreg.nclusterid.y", "nvvm.read.ptx.sreg.nclusterid.z"},
};

static MlirValue emit_sreg(nereid_lower_t *lower, const char *const names[2][3], int axis) {
  return nereid_emit(lower, names[lower->group->grid.num_ctas > 1][axis], lower->types->i32, 0, NULL);
}

MlirValue nereid_lower_program_id(nereid_lower_t *lower, int axis) {
  return emit_sreg(lower, program_id, axis);
}

static bool lower_program_id(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  nereid_lower_set_scalar(lower, mlirOperationGetResult(op, 0),
                          emit_sreg(lower, program_id, (int)nereid_tt_get_program_id_get_axis(op)));
  return true;
}

static bool lower_num_programs(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  nereid_lower_set_scalar(lower, mlirOperationGetResult(op, 0),
                          emit_sreg(lower, num_programs, (int)nereid_tt_get_num_programs_get_axis(op)));
  return true;
}

static bool lower_barrier(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  if (nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_BARRIER && nereid_ttg_local_barrier_get_warp(op))
    nereid_emit_warp_barrier(lower);
  else
    nereid_emit_barrier(lower);
  return true;
}

static bool has_clusters(const nereid_lower_t *lower, MlirOperation op) {
  return nereid_target_has_async_proxy(lower->module->options.capability) ||
         nereid_lower_error(op, "requires sm_90: earlier targets have no clusters");
}

static bool is_relaxed(MlirOperation op) {
  if (nereid_op_kind(op) == NEREID_OP_TTNG_CLUSTER_BARRIER)
    return nereid_ttng_cluster_barrier_get_relaxed(op);
  MlirAttribute relaxed = nereid_ttng_cluster_arrive_get_relaxed_attr(op);
  return !mlirAttributeIsNull(relaxed) && mlirBoolAttrGetValue(relaxed);
}

/* A barrier of the cluster or one of its halves. The first half makes initialized mbarriers visible; the whole follows
 * a fence where that is required. */
static bool lower_cluster_barrier(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (!has_clusters(lower, op))
    return false;
  if (lower->function->has_other_warps)
    return nereid_lower_error(op, "waits for all warps of the CTA, but some run partitions of ttg.warp_specialize");
  if (kind == NEREID_OP_TTNG_CLUSTER_ARRIVE)
    nereid_emit_mbarrier_fence(lower);
  if (kind != NEREID_OP_TTNG_CLUSTER_WAIT)
    nereid_emit_intrinsic(lower, is_relaxed(op) ? "llvm.nvvm.barrier.cluster.arrive.relaxed.aligned" : row->to,
                          (MlirType){NULL}, 0, NULL);
  if (kind != NEREID_OP_TTNG_CLUSTER_ARRIVE)
    nereid_emit_intrinsic(lower, "llvm.nvvm.barrier.cluster.wait.aligned", (MlirType){NULL}, 0, NULL);
  return true;
}

/* All threads fence, as any of them may have initialized an mbarrier. */
static bool lower_mbarrier_fence(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  if (!has_clusters(lower, op))
    return false;
  nereid_emit_mbarrier_fence(lower);
  return true;
}

/* Programmatic dependent launch: `name` is the intrinsic. */
static bool lower_grid_dependency(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  if (!nereid_target_has_dependent_launch(lower->module->options.capability))
    return nereid_lower_error(op, "requires sm_90: earlier targets have no programmatic dependent launch");
  nereid_emit_intrinsic(lower, row->to, (MlirType){NULL}, 0, NULL);
  return true;
}

/* llvm.intr.assume %c : i1 is an LLVM op already; its operand is not. */
static bool lower_assume(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue condition = nereid_lower_operand(lower, op, 0).values[0];
  MlirNamedAttribute sizes =
      nereid_emit_attribute(lower, "op_bundle_sizes", mlirDenseI32ArrayGet(lower->context, 0, NULL));
  nereid_emit_op(lower, "llvm.intr.assume", 0, NULL, 1, &condition, 1, &sizes);
  return true;
}

static bool lower_global_scratch_alloc(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  const int64_t offset = nereid_ir_integer(op, NEREID_ATTR_GLOBAL_SCRATCH_OFFSET, -1);
  if (offset < 0 || nereid_ir_integer(lower->module->op, NEREID_ATTR_GLOBAL_SCRATCH_SIZE, -1) < 0)
    return nereid_lower_error(op, "has no offset in global scratch: run "
                                  "tritongpu-global-scratch-memory-allocation first");
  nereid_lower_set_scalar(lower, mlirOperationGetResult(op, 0), nereid_lower_scratch_pointer(lower, offset));
  return true;
}

const nereid_lower_row_t nereid_lower_program_rows[] = {
    {NEREID_OP_TTG_GLOBAL_SCRATCH_ALLOC, lower_global_scratch_alloc, NULL},
    {NEREID_OP_TT_GET_PROGRAM_ID, lower_program_id, NULL},
    {NEREID_OP_TT_GET_NUM_PROGRAMS, lower_num_programs, NULL},
    {NEREID_OP_GPU_BARRIER, lower_barrier, NULL},
    {NEREID_OP_TTG_LOCAL_BARRIER, lower_barrier, NULL},
    {NEREID_OP_TTG_BARRIER, lower_barrier, NULL},
    {NEREID_OP_TTNG_CLUSTER_ARRIVE, lower_cluster_barrier, "llvm.nvvm.barrier.cluster.arrive.aligned"},
    {NEREID_OP_TTNG_CLUSTER_WAIT, lower_cluster_barrier, NULL},
    {NEREID_OP_TTNG_CLUSTER_BARRIER, lower_cluster_barrier, "llvm.nvvm.barrier.cluster.arrive.aligned"},
    {NEREID_OP_TTNG_FENCE_MBARRIER_INIT_RELEASE_CLUSTER, lower_mbarrier_fence, NULL},
    {NEREID_OP_TT_GRID_DEPENDENCY_WAIT, lower_grid_dependency, "llvm.nvvm.griddepcontrol.wait"},
    {NEREID_OP_TT_GRID_DEPENDENCY_LAUNCH_DEPENDENTS, lower_grid_dependency,
     "llvm.nvvm.griddepcontrol.launch.dependents"},
    {NEREID_OP_LLVM_INTR_ASSUME, lower_assume, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
