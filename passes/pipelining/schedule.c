/* Schedules of loops; see schedule.h. */
#include "passes/pipelining/schedule.h"

#include "dialects/defining_op.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "passes/pipelining/loop_stages.h"

#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

void nereid_schedule_set(MlirOperation op, int64_t stage, int64_t cluster) {
  nereid_ir_set_integer(op, NEREID_ATTR_LOOP_STAGE, stage);
  nereid_ir_set_integer(op, NEREID_ATTR_LOOP_CLUSTER, cluster);
}

void nereid_schedule_clear(MlirOperation op) {
  static const char *const names[] = {NEREID_ATTR_LOOP_STAGE, NEREID_ATTR_LOOP_CLUSTER, NEREID_ATTR_LATENCY};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    mlirOperationRemoveDiscardableAttributeByName(op, nereid_ir_ref(names[i]));
}

void nereid_schedule_remove(MlirOperation loop) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    nereid_schedule_clear(op);
  mlirOperationRemoveDiscardableAttributeByName(loop, nereid_ir_ref(NEREID_ATTR_SCHEDULED_MAX_STAGE));
  mlirOperationRemoveDiscardableAttributeByName(loop, nereid_ir_ref(NEREID_ATTR_LOOP_UNROLLED));
}

/* --- reading --- */

static bool read_op(nereid_schedule_t *schedule, MlirOperation op) {
  const int64_t stage = nereid_ir_integer(op, NEREID_ATTR_LOOP_STAGE, -1);
  const int64_t cluster = nereid_ir_integer(op, NEREID_ATTR_LOOP_CLUSTER, -1);
  if (stage < 0 || cluster < 0 || cluster > INT32_MAX) {
    nereid_diagnose(op, "in a scheduled loop expects non-negative integers loop.stage and loop.cluster; add them, or "
                        "remove tt.scheduled_max_stage from the loop");
    return false;
  }
  if (stage > schedule->max_stage) {
    nereid_diagnose(op, "has loop.stage %lld, expected at most tt.scheduled_max_stage of the loop, which is %d",
                    (long long)stage, schedule->max_stage);
    return false;
  }
  uintptr_t *place = nereid_map_insert(&schedule->index, op.ptr);
  if (!place ||
      !nereid_vector_push(schedule->arena, &schedule->ops,
                          (nereid_scheduled_op_t){.op = op, .stage = (int32_t)stage, .cluster = (int32_t)cluster}))
    return false;
  *place = schedule->ops.size;
  return true;
}

/* Sorts by cluster, stably. Clusters are few. */
static void sort(nereid_schedule_t *schedule) {
  const nereid_scheduled_op_t *ops = schedule->ops.data;
  uint32_t *order = schedule->order;
  uint32_t n = 0;
  int64_t last = -1;
  while (n < schedule->ops.size) { /* one round per cluster */
    int64_t next = INT64_MAX;
    for (size_t i = 0; i < schedule->ops.size; ++i)
      if (ops[i].cluster > last && ops[i].cluster < next)
        next = ops[i].cluster;
    for (uint32_t i = 0; i < schedule->ops.size; ++i)
      if (ops[i].cluster == next) {
        schedule->ops.data[i].position = n;
        order[n++] = i;
      }
    last = next;
  }
}

bool nereid_schedule_read(MlirOperation loop, nereid_arena_t *arena, nereid_schedule_t *out) {
  *out = (nereid_schedule_t){.loop = loop,
                             .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)),
                             .arena = arena,
                             .max_stage = (int32_t)nereid_ir_integer(loop, NEREID_ATTR_SCHEDULED_MAX_STAGE, 0)};
  nereid_map_initialize(&out->index, arena);
  MlirOperation yield = mlirBlockGetTerminator(out->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(out->body); !mlirOperationEqual(op, yield);
       op = mlirOperationGetNextInBlock(op))
    if (!read_op(out, op))
      return false;
  out->order = nereid_arena_new(arena, uint32_t, out->ops.size);
  if (!out->order)
    return false;
  sort(out);
  return true;
}

const nereid_scheduled_op_t *nereid_schedule_find(const nereid_schedule_t *schedule, MlirOperation op) {
  while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), schedule->body)) {
    if (mlirOperationEqual(op, schedule->loop))
      return NULL;
    op = mlirOperationGetParentOperation(op);
  }
  const uintptr_t *place = mlirOperationIsNull(op) ? NULL : nereid_map_find(&schedule->index, op.ptr);
  return place ? &schedule->ops.data[*place - 1] : NULL;
}

void nereid_schedule_normalize(nereid_schedule_t *schedule) {
  nereid_scheduled_op_t *ops = schedule->ops.data;
  int32_t cluster = -1, old = -1, stage = -1;
  for (size_t i = 0; i < schedule->ops.size; ++i) {
    nereid_scheduled_op_t *op = &ops[schedule->order[i]];
    cluster += op->cluster != old || op->stage != stage;
    old = op->cluster;
    stage = op->stage;
    op->cluster = cluster;
  }
  MlirOperation yield = mlirBlockGetTerminator(schedule->body);
  for (stage = 0; stage <= schedule->max_stage; ++stage)
    for (size_t i = 0; i < schedule->ops.size; ++i)
      if (ops[i].stage == stage)
        mlirOperationMoveBefore(ops[i].op, yield);
}

/* --- uses --- */

typedef struct uses {
  MlirBlock body;
  nereid_arena_t *arena;
  nereid_schedule_values_t *out;
  bool failed;
} uses_t;

static MlirWalkResult add_uses(MlirOperation op, void *user_data) {
  uses_t *uses = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    MlirBlock block = mlirValueIsABlockArgument(value) ? mlirBlockArgumentGetOwner(value)
                                                       : mlirOperationGetBlock(mlirOpResultGetOwner(value));
    bool found = !mlirBlockEqual(block, uses->body);
    for (size_t n = 0; n < uses->out->size && !found; ++n)
      found = mlirValueEqual(uses->out->data[n], value);
    if (!found && !nereid_vector_push(uses->arena, uses->out, value))
      uses->failed = true;
  }
  return uses->failed ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool nereid_schedule_uses(MlirOperation op, MlirBlock body, nereid_arena_t *arena, nereid_schedule_values_t *out) {
  uses_t uses = {.body = body, .arena = arena, .out = out};
  mlirOperationWalk(op, add_uses, &uses, MlirWalkPreOrder);
  return !uses.failed;
}

MlirOperation nereid_schedule_definition(MlirBlock body, MlirValue value, int *out_distance) {
  MlirOperation yield = mlirBlockGetTerminator(body);
  int distance = 0;
  for (; mlirValueIsABlockArgument(value) && distance < mlirBlockGetNumArguments(body); ++distance) {
    const intptr_t number = mlirBlockArgumentGetArgNumber(value);
    if (!mlirBlockEqual(mlirBlockArgumentGetOwner(value), body) || number == 0)
      break;
    value = mlirOperationGetOperand(yield, number - 1);
  }
  if (out_distance)
    *out_distance = distance;
  MlirOperation op = nereid_defining_op(value);
  return !mlirOperationIsNull(op) && mlirBlockEqual(mlirOperationGetBlock(op), body) ? op : (MlirOperation){NULL};
}

/* --- verification --- */

static bool verify_use(const nereid_schedule_t *schedule, const nereid_scheduled_op_t *user, MlirValue value) {
  int distance;
  MlirOperation op = nereid_schedule_definition(schedule->body, value, &distance);
  const nereid_scheduled_op_t *from = mlirOperationIsNull(op) ? NULL : nereid_schedule_find(schedule, op);
  if (!from || from->stage < user->stage + distance ||
      (from->stage == user->stage + distance && from->position < user->position))
    return true;
  const nereid_text_t name = nereid_text_of_string(mlirIdentifierStr(mlirOperationGetName(op)));
  if (from->stage > user->stage + distance)
    nereid_diagnose(user->op,
                    "is in stage %d, but uses the result of '%s' in stage %d%s; expected a stage of at least %d here, "
                    "or of at most %d there",
                    user->stage, name.chars, from->stage, distance ? " of the previous iteration" : "",
                    from->stage - distance, user->stage + distance);
  else
    nereid_diagnose(user->op,
                    "is in cluster %d, but uses the result of '%s', which a step of the pipelined loop computes later, "
                    "in cluster %d; expected a cluster of %s %d here, or a later stage",
                    user->cluster, name.chars, from->cluster, distance ? "more than" : "at least", from->cluster);
  return false;
}

bool nereid_schedule_verify(const nereid_schedule_t *schedule) {
  bool good = true;
  for (size_t i = 0; i < schedule->ops.size && !schedule->arena->failed; ++i) {
    const nereid_scheduled_op_t *user = &schedule->ops.data[i];
    nereid_schedule_values_t uses = {0};
    if (!nereid_schedule_uses(user->op, schedule->body, schedule->arena, &uses))
      return false;
    for (size_t n = 0; n < uses.size; ++n)
      good = verify_use(schedule, user, uses.data[n]) && good;
  }
  return good && !schedule->arena->failed;
}

void nereid_schedule_order_definitions(MlirBlock body, nereid_arena_t *arena) {
  MlirOperation op = nereidMlirOperationGetPrevInBlock(mlirBlockGetTerminator(body));
  for (; !mlirOperationIsNull(op); op = nereidMlirOperationGetPrevInBlock(op)) {
    const int64_t stage = nereid_ir_integer(op, NEREID_ATTR_LOOP_STAGE, -1);
    const int64_t cluster = nereid_ir_integer(op, NEREID_ATTR_LOOP_CLUSTER, -1);
    nereid_schedule_values_t uses = {0};
    nereid_schedule_uses(op, body, arena, &uses);
    for (size_t i = 0; i < uses.size; ++i) {
      MlirOperation from = nereid_defining_op(uses.data[i]);
      if (!mlirOperationIsNull(from) && nereid_ir_integer(from, NEREID_ATTR_LOOP_STAGE, -1) == stage &&
          nereid_ir_integer(from, NEREID_ATTR_LOOP_CLUSTER, -1) > cluster)
        nereid_schedule_set(from, stage, cluster);
    }
  }
}
