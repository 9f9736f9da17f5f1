/* tritongpu-schedule-loops: assigns stages to the ops of a loop.
 *
 *   %a = tt.addptr …                          loop.stage = 0, loop.cluster = 1
 *   %x = tt.load %a {tt.latency = 3 : i32}    loop.stage = 0, loop.cluster = 1
 *   … %x …                                    loop.stage = 3, loop.cluster = 0       and tt.scheduled_max_stage = 3
 *
 * Stage s of iteration i runs at the same time as stage 0 of iteration i + s. Within one iteration of the pipelined
 * loop, clusters run in order. Loads with a latency and the ops that compute their addresses are stage 0; everything
 * else is the last stage. */
#include "dialects/ir.h"
#include "passes/pass.h"
#include "passes/pipelining/loop_stages.h"

#include "nereid/dialects/ops.h"

#include <mlir-c/BuiltinAttributes.h>

/* The latency that all `loads` share; 0 when they differ: all copies are issued together. */
static int64_t common_latency(const nereid_operations_t *loads) {
  const int64_t latency = loads->size ? nereid_loop_integer(loads->data[0], NEREID_ATTR_LATENCY, 0) : 0;
  for (size_t i = 1; i < loads->size; ++i)
    if (nereid_loop_integer(loads->data[i], NEREID_ATTR_LATENCY, 0) != latency)
      return 0;
  return latency;
}

static bool schedule(nereid_pass_t *pass, MlirOperation loop) {
  nereid_operations_t loads = {0};
  nereid_map_t slice, carried;
  if (!nereid_loop_collect_marked(loop, NEREID_ATTR_LATENCY, pass->scratch, &loads))
    return false;
  const int64_t latency = common_latency(&loads);
  if (latency < 1)
    return true;
  nereid_map_initialize(&slice, pass->scratch);
  nereid_map_initialize(&carried, pass->scratch);
  for (size_t i = 0; i < loads.size; ++i) {
    if (nereid_op_kind(loads.data[i]) != NEREID_OP_TT_LOAD || !nereid_loop_slice(loop, loads.data[i], &slice, &carried))
      return true;
    uintptr_t *place = nereid_map_insert(&slice, loads.data[i].ptr);
    if (place)
      *place = 1;
  }
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirOperation last = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, last);
       op = mlirOperationGetNextInBlock(op)) {
    const bool first = nereid_map_find(&slice, op.ptr) != NULL;
    nereid_loop_set_integer(op, NEREID_ATTR_LOOP_STAGE, first ? 0 : latency);
    nereid_loop_set_integer(op, NEREID_ATTR_LOOP_CLUSTER, first);
  }
  nereid_loop_set_integer(loop, NEREID_ATTR_SCHEDULED_MAX_STAGE, latency);
  return true;
}

MlirLogicalResult nereid_pass_tritongpu_schedule_loops(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  bool good = nereid_loop_collect(pass->op, pass->scratch, &loops);
  for (size_t i = 0; good && i < loops.size; ++i)
    good = schedule(pass, loops.data[i]);
  return good && !pass->scratch->failed ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
