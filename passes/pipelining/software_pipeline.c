/* tritongpu-pipeline: pipelines loops that have a schedule.
 *
 *   for %i: %x = tt.load %p (stage 0); use %x (stage 2)
 *   ->
 *   copies for iterations 0 and 1
 *   for %i: wait for the copy of iteration %i; copy for iteration %i + 2; use the slot of iteration %i
 *
 * First, loads that a later stage uses become copies into rings (lower_loads.h). Then the loop is expanded
 * (expand_loop.h). At last, dots of warp groups become asynchronous (async_dots.h). A schedule that computes a value after
 * its use is an error. */
#include "passes/pass.h"
#include "passes/pipelining/async_dots.h"
#include "passes/pipelining/expand_loop.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/pipelining/lower_loads.h"
#include "passes/pipelining/schedule.h"

#include "analysis/axis/axis_info.h"
#include "dialects/ir.h"

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
    if (nereid_loop_integer(all.data[i], NEREID_ATTR_SCHEDULED_MAX_STAGE, 0) > 0)
      nereid_vector_push(pass->scratch, &out->loops, all.data[i]);
  return !pass->scratch->failed &&
         (!out->loops.size || nereid_axis_info_run(pass->op, pass->scratch, &out->axis) == NEREID_OK);
}

/* Removes the schedule of a loop that is not pipelined. */
static void unschedule(const nereid_schedule_t *schedule) {
  for (size_t i = 0; i < schedule->ops.size; ++i)
    nereid_schedule_clear(schedule->ops.data[i].op);
  mlirOperationRemoveDiscardableAttributeByName(schedule->loop, nereid_ir_ref(NEREID_ATTR_SCHEDULED_MAX_STAGE));
}

/* Lowers and expands one loop; false after an error. */
static bool pipeline_loop(pipeline_t *pipeline, MlirOperation loop) {
  nereid_schedule_t schedule;
  if (!nereid_schedule_read(loop, pipeline->pass->scratch, &schedule) || !nereid_schedule_verify(&schedule))
    return false;
  if (nereid_loop_expand_peeled(&schedule) > 0) {
    nereid_pass_remark_missed(pipeline->pass, loop, "pipeline",
                              "not pipelined: an operation before the last stage cannot be predicated");
    unschedule(&schedule);
    return true;
  }
  loop = nereid_loop_lower(pipeline->pass, &schedule, &pipeline->axis);
  if (mlirOperationIsNull(loop) || !nereid_schedule_read(loop, pipeline->pass->scratch, &schedule))
    return false;
  return !mlirOperationIsNull(nereid_loop_expand(&schedule));
}

MlirLogicalResult nereid_pass_tritongpu_pipeline(nereid_pass_t *pass) {
  pipeline_t pipeline;
  bool good = begin(pass, &pipeline);
  for (size_t i = pipeline.loops.size; good && i-- > 0;) /* inner loops first: outer ones contain them */
    good = pipeline_loop(&pipeline, pipeline.loops.data[i]);
  nereid_pass_statistic_add(pass, "loops", good ? (int64_t)pipeline.loops.size : 0);
  int64_t carried_dots = 0;
  good = good && nereid_async_dots(pass, &carried_dots);
  nereid_pass_statistic_add(pass, "async-dots", carried_dots);
  return good && !pass->scratch->failed ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
