/* tritongpu-pipeline: pipelines loops that have a schedule; tritongpu-test-pipeline-lower-loop: its first step alone.
 *
 *   for %i: %x = tt.load %p (stage 0); use %x (stage 2)
 *   ->
 *   copies for iterations 0 and 1
 *   for %i: wait for the copy of iteration %i; copy for iteration %i + 2; use the slot of iteration %i
 *
 * First, loads that a later stage uses become copies into rings (lower_loads.h). Then the loop is expanded
 * (expand_loop.h). At last, dots of warp groups become asynchronous (async_dots.h). A schedule that computes a value
 * after its use is an error. */
#include "passes/pass.h"
#include "passes/pipelining/dots/async_dots.h"
#include "passes/pipelining/dots/early_loads.h"
#include "passes/pipelining/expansion/expand_loop.h"
#include "passes/pipelining/expansion/loop_range.h"
#include "passes/pipelining/expansion/rematerialize.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/pipelining/lower_loads.h"
#include "passes/pipelining/schedule.h"

#include "analysis/axis/axis_info.h"
#include "dialects/ir.h"
#include "seam/ir.h"

typedef struct pipeline {
  nereid_pass_t *pass;
  nereid_operations_t loops; /* scheduled ones, outer ones first */
  nereid_axis_result_t axis;
} pipeline_t;

static bool begin(nereid_pass_t *pass, pipeline_t *out) {
  nereid_operations_t all = {0};
  *out = (pipeline_t){.pass = pass};
  if (!nereid_loop_collect(pass->op, pass->scratch, &all))
    return false;
  for (size_t i = 0; i < all.size; ++i)
    if (nereid_ir_integer(all.data[i], NEREID_ATTR_SCHEDULED_MAX_STAGE, 0) > 0)
      nereid_vector_push(pass->scratch, &out->loops, all.data[i]);
  return !pass->scratch->failed &&
         (!out->loops.size || nereid_axis_info_run(pass->op, pass->scratch, &out->axis) == NEREID_OK);
}

/* Whether the loop has a constant number of iterations that is too small for the schedule. */
static bool is_too_short(const nereid_schedule_t *schedule) {
  nereid_loop_range_t range;
  nereid_loop_range_read(schedule->loop, schedule->arena, &range);
  const int64_t count = nereid_loop_range_count(&range);
  return count >= 0 && count < nereid_loop_expand_peeled(schedule) && !nereid_loop_expand_unrolled(schedule);
}

/* Reads and verifies the schedule of a loop and lowers its loads. *out_loop is null for a loop that is not pipelined.
 * False after an error. */
static bool lower_loop(pipeline_t *pipeline, MlirOperation loop, MlirOperation *out_loop) {
  nereid_schedule_t schedule;
  *out_loop = (MlirOperation){NULL};
  if (!nereid_schedule_read(loop, pipeline->pass->scratch, &schedule) || !nereid_schedule_verify(&schedule))
    return false;
  if (is_too_short(&schedule)) {
    nereid_pass_remark_missed(pipeline->pass, loop, "pipeline", "not pipelined: it has fewer iterations than stages");
    nereid_schedule_remove(loop);
    return true;
  }
  *out_loop = nereid_loop_lower(pipeline->pass, &schedule, &pipeline->axis);
  return !mlirOperationIsNull(*out_loop);
}

static bool expand_loop(pipeline_t *pipeline, MlirOperation loop) {
  nereid_schedule_t schedule;
  if (!nereid_schedule_read(loop, pipeline->pass->scratch, &schedule))
    return false;
  loop = nereid_loop_rematerialize(&schedule);
  return !mlirOperationIsNull(loop) && nereid_schedule_read(loop, pipeline->pass->scratch, &schedule) &&
         nereid_loop_expand(&schedule);
}

/* Pipelines one loop. The ops that replace a loop in the body of a scheduled loop get its stage and cluster. False
 * after an error. */
static bool pipeline_loop(pipeline_t *pipeline, MlirOperation loop) {
  MlirBlock block = mlirOperationGetBlock(loop);
  MlirOperation before = nereidMlirOperationGetPrevInBlock(loop), after = mlirOperationGetNextInBlock(loop);
  const int64_t stage = nereid_ir_integer(loop, NEREID_ATTR_LOOP_STAGE, -1);
  const int64_t cluster = nereid_ir_integer(loop, NEREID_ATTR_LOOP_CLUSTER, -1);
  if (!lower_loop(pipeline, loop, &loop) || (!mlirOperationIsNull(loop) && !expand_loop(pipeline, loop)))
    return false;
  MlirOperation op =
      mlirOperationIsNull(before) ? mlirBlockGetFirstOperation(block) : mlirOperationGetNextInBlock(before);
  for (; stage >= 0 && !mlirOperationEqual(op, after); op = mlirOperationGetNextInBlock(op))
    nereid_schedule_set(op, stage, cluster);
  return true;
}

/* Issues small loads early in loops whose dots are all mma.sync; async_dots.h does in others. */
static bool issue_loads(nereid_pass_t *pass) {
  nereid_operations_t dots = {0};
  nereid_map_t seen;
  nereid_map_initialize(&seen, pass->scratch);
  if (!nereid_collect_kind(pass->op, NEREID_OP_TT_DOT, pass->scratch, &dots))
    return false;
  for (size_t i = 0; i < dots.size; ++i) {
    MlirBlock block = mlirOperationGetBlock(dots.data[i]);
    bool has_group = nereid_op_kind(mlirBlockGetParentOperation(block)) != NEREID_OP_SCF_FOR;
    if (nereid_map_find(&seen, block.ptr))
      continue;
    uintptr_t *entry = nereid_map_insert(&seen, block.ptr);
    if (!entry)
      return false;
    *entry = 1;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op) && !has_group;
         op = mlirOperationGetNextInBlock(op))
      has_group = nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT;
    if (!has_group)
      nereid_early_loads(pass, block);
  }
  return true;
}

MlirLogicalResult nereid_pass_tritongpu_pipeline(nereid_pass_t *pass) {
  pipeline_t pipeline;
  bool good = begin(pass, &pipeline);
  for (size_t i = pipeline.loops.size; good && i-- > 0;) /* inner loops first: outer ones contain them */
    good = pipeline_loop(&pipeline, pipeline.loops.data[i]);
  nereid_pass_statistic_add(pass, "loops", good ? (int64_t)pipeline.loops.size : 0);
  int64_t carried_dots = 0;
  good = good && nereid_async_dots(pass, &carried_dots) && issue_loads(pass);
  nereid_pass_statistic_add(pass, "async-dots", carried_dots);
  return good && !pass->scratch->failed ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

MlirLogicalResult nereid_pass_tritongpu_test_pipeline_lower_loop(nereid_pass_t *pass) {
  pipeline_t pipeline;
  bool good = begin(pass, &pipeline);
  for (size_t i = pipeline.loops.size; good && i-- > 0;)
    good = lower_loop(&pipeline, pipeline.loops.data[i], &pipeline.loops.data[i]);
  return good && !pass->scratch->failed ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
