/* tritongpu-assign-latencies: assigns to loads of a loop the number of iterations by which they are issued ahead of
 * their use.
 *
 *   scf.for … { %x = tt.load %p … } {tt.num_stages = 4 : i32}
 *   ->
 *   scf.for … { %x = tt.load %p {tt.latency = 3 : i32} … } {tt.num_stages = 4 : i32}
 *
 * A loop without a dot is pipelined only if it has tt.num_stages. The attribute also asserts that no iteration loads
 * what a recent iteration stores. A load can be issued ahead if its address does not depend on another load and
 * cp.async can copy it: at least 4 bytes at a time. The copies in flight must fit in shared memory. */
#include "passes/pass.h"
#include "passes/pipelining/loop_stages.h"

#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "analysis/axis/axis_info.h"
#include "dialects/ir.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/tt.h"
#include "seam/context.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { LEFT_FOR_OTHERS = 8192 /* bytes of shared memory */, LEAST_BYTES = 4 };

typedef struct assign {
  nereid_pass_t *pass;
  nereid_axis_result_t axis;
  int64_t limit, count;
} assign_t;

/* Why the load cannot be issued ahead; null when it can. */
static const char *obstacle(assign_t *assign, MlirOperation loop, MlirOperation load) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(load, 0));
  nereid_layout_t layout;
  if (!mlirTypeIsARankedTensor(type) || nereid_layout_from_type(type, &layout) != NEREID_OK)
    return "it is not a tensor with a layout";
  MlirType element = mlirShapedTypeGetElementType(type);
  if (nereid_tt_load_get_is_volatile(load) || !(mlirTypeIsAInteger(element) || mlirTypeIsAFloat(element)))
    return "it is volatile, or loads pointers";
  if (nereid_axis_info_access_width(&assign->axis, &layout, nereid_tt_load_get_ptr(load),
                                    nereid_tt_load_get_mask(load)) *
          nereid_scratch_element_bytes(type) <
      LEAST_BYTES)
    return "less than 4 bytes are contiguous and aligned";
  nereid_map_t slice, carried;
  nereid_map_initialize(&slice, assign->pass->scratch);
  nereid_map_initialize(&carried, assign->pass->scratch);
  return nereid_loop_slice(loop, load, &slice, &carried)
             ? NULL
             : "its address depends on an operation that cannot be executed ahead";
}

/* A loop in which loads are not issued ahead: all, or all except those in its own block. */
typedef struct staying {
  const assign_t *assign;
  MlirOperation loop;
  const char *reason; /* null: only loads in nested regions */
} staying_t;

static MlirWalkResult remark_staying(MlirOperation op, void *user_data) {
  const staying_t *staying = user_data;
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind == NEREID_OP_SCF_FOR && !mlirOperationEqual(op, staying->loop))
    return MlirWalkResultSkip; /* a loop of its own */
  if (kind != NEREID_OP_TT_LOAD)
    return MlirWalkResultAdvance;
  const bool nested = !mlirOperationEqual(mlirOperationGetParentOperation(op), staying->loop);
  if (staying->reason || nested)
    nereid_pass_remark_missed(staying->assign->pass, op, "latency", "not pipelined: %s",
                              staying->reason ? staying->reason : "it is not executed in every iteration");
  return MlirWalkResultAdvance;
}

/* Why no load of the loop can be pipelined; null when some may be. */
static const char *loop_obstacle(MlirOperation loop, int64_t stages) {
  (void)loop;
  return stages < 2 ? "its loop does not request it: tt.num_stages is less than 2 or missing" : NULL;
}

static void assign_loop(assign_t *assign, MlirOperation loop) {
  const bool has_dot = nereid_loop_has_dot(loop);
  const int64_t stages = nereid_loop_integer(loop, NEREID_ATTR_NUM_STAGES,
                                             has_dot ? nereid_pass_option_int(assign->pass, "num-stages") : 1);
  int64_t bytes = 0;
  staying_t staying = {assign, loop, loop_obstacle(loop, stages)};
  mlirOperationWalk(loop, remark_staying, &staying, MlirWalkPreOrder);
  if (staying.reason)
    return;
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (nereid_op_kind(op) != NEREID_OP_TT_LOAD)
      continue;
    const char *reason = obstacle(assign, loop, op);
    const int64_t ring =
        reason ? 0 : (stages - !has_dot) * nereid_scratch_tensor_bytes(mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!reason && bytes + ring > assign->limit)
      reason = "there is not enough shared memory";
    if (reason) {
      nereid_pass_remark_missed(assign->pass, op, "latency", "not pipelined: %s", reason);
      continue;
    }
    bytes += ring;
    nereid_loop_set_integer(op, NEREID_ATTR_LATENCY, stages - 1);
    nereid_pass_remark_passed(assign->pass, op, "latency", "loads %ld iterations ahead", (long)(stages - 1));
    ++assign->count;
  }
}

/* Remarks loads in loops without a trip count, which no pass pipelines. */
static MlirWalkResult remark_uncounted(MlirOperation op, void *user_data) {
  const nereid_pass_t *pass = user_data;
  if (nereid_op_kind(op) != NEREID_OP_TT_LOAD)
    return MlirWalkResultAdvance;
  MlirOperation loop = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(loop) && nereid_op_kind(loop) != NEREID_OP_SCF_FOR &&
         nereid_op_kind(loop) != NEREID_OP_SCF_WHILE)
    loop = mlirOperationGetParentOperation(loop);
  if (!mlirOperationIsNull(loop) && nereid_op_kind(loop) == NEREID_OP_SCF_WHILE)
    nereid_pass_remark_missed(pass, op, "latency", "not pipelined: its loop may end after any iteration");
  return MlirWalkResultAdvance;
}

MlirLogicalResult nereid_pass_tritongpu_assign_latencies(nereid_pass_t *pass) {
  assign_t assign = {.pass = pass, .limit = nereid_allocation_limit(pass->op) - LEFT_FOR_OTHERS};
  nereid_operations_t loops = {0};
  if (!nereid_loop_collect(pass->op, pass->scratch, &loops) ||
      (loops.size && nereid_axis_info_run(pass->op, pass->scratch, &assign.axis) != NEREID_OK))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < loops.size; ++i)
    assign_loop(&assign, loops.data[i]);
  if (nereidMlirRemarksEnabled(pass->context))
    mlirOperationWalk(pass->op, remark_uncounted, pass, MlirWalkPreOrder);
  nereid_pass_statistic_add(pass, "loads", assign.count);
  return pass->scratch->failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
