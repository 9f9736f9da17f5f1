/* Recomputation; see rematerialize.h.
 *
 * The first walk plans: which values each stage recomputes, and which carried values it therefore carries itself. Then
 * the loop is replaced by one that carries them, and the ops are copied. */
#include "passes/pipelining/expansion/rematerialize.h"

#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/support/loop.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinTypes.h"

#include <assert.h>

typedef struct carried {
  intptr_t number; /* number of the body's argument */
  int32_t stage;
} carried_t;

typedef struct rematerialize {
  const nereid_schedule_t *schedule;
  nereid_arena_t *arena;
  MlirBlock body;
  MlirOperation yield;
  nereid_map_t inexpensive; /* value of the body -> 1: by inexpensive ops from the counter and from outside, 2: not */
  nereid_map_t *copies;     /* by stage: value -> 1 when planned, then the copy */
  int32_t *clusters;        /* by stage: the first one */
  NEREID_VECTOR(carried_t) carried;
} rematerialize_t;

/* --- which values --- */

static bool is_inexpensive_op(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_ARITH_ADDI:
  case NEREID_OP_ARITH_ANDI:
  case NEREID_OP_ARITH_CMPI:
  case NEREID_OP_ARITH_CONSTANT:
  case NEREID_OP_ARITH_EXTSI:
  case NEREID_OP_ARITH_EXTUI:
  case NEREID_OP_ARITH_INDEX_CAST:
  case NEREID_OP_ARITH_MAXSI:
  case NEREID_OP_ARITH_MINSI:
  case NEREID_OP_ARITH_MULI:
  case NEREID_OP_ARITH_ORI:
  case NEREID_OP_ARITH_SHLI:
  case NEREID_OP_ARITH_SUBI:
  case NEREID_OP_ARITH_TRUNCI:
  case NEREID_OP_ARITH_XORI:
  case NEREID_OP_TT_ADDPTR:
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_TT_EXPAND_DIMS:
  case NEREID_OP_TT_MAKE_RANGE:
  case NEREID_OP_TT_SPLAT:
    return true;
  default:
    return false;
  }
}

/* Whether `value` is computed outside of the loop, or by inexpensive ops as far as decided. */
static bool is_inexpensive(const rematerialize_t *remat, MlirValue value) {
  const uintptr_t *decided = nereid_map_find(&remat->inexpensive, value.ptr);
  return !decided || *decided == 1;
}

static bool are_operands_inexpensive(const rematerialize_t *remat, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!is_inexpensive(remat, mlirOperationGetOperand(op, i)))
      return false;
  return true;
}

/* Decides `value`; returns whether this is new. */
static bool decide(rematerialize_t *remat, MlirValue value, bool is_good) {
  const uintptr_t decision = is_good ? 1 : 2;
  uintptr_t *place = nereid_map_insert(&remat->inexpensive, value.ptr);
  if (!place || *place == decision)
    return false;
  *place = decision;
  return true;
}

/* Decides the values of the body with the decisions so far; returns whether one has changed. */
static bool decide_all(rematerialize_t *remat) {
  bool changed = decide(remat, mlirBlockGetArgument(remat->body, 0), true);
  for (intptr_t i = 1; i < mlirBlockGetNumArguments(remat->body); ++i)
    changed |= decide(remat, mlirBlockGetArgument(remat->body, i),
                      is_inexpensive(remat, mlirOperationGetOperand(remat->yield, i - 1)));
  for (MlirOperation op = mlirBlockGetFirstOperation(remat->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    const bool is_good = is_inexpensive_op(op) && are_operands_inexpensive(remat, op);
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
      changed |= decide(remat, mlirOperationGetResult(op, r), is_good);
  }
  return changed;
}

static void plan(rematerialize_t *remat, MlirValue value, int32_t stage) {
  uintptr_t *known = nereid_map_find(&remat->inexpensive, value.ptr);
  if (!known) /* from outside */
    return;
  uintptr_t *place = nereid_map_insert(&remat->copies[stage], value.ptr);
  if (!place || *place)
    return;
  *place = 1;
  if (mlirValueIsABlockArgument(value)) {
    const intptr_t number = mlirBlockArgumentGetArgNumber(value);
    if (number == 0)
      return;
    nereid_vector_push(remat->arena, &remat->carried, (carried_t){number, stage});
    plan(remat, mlirOperationGetOperand(remat->yield, number - 1), stage);
    return;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    plan(remat, mlirOperationGetOperand(op, i), stage);
}

/* Whether `user` recomputes its operand `value`: a tensor of an earlier stage. */
static bool is_recomputed(rematerialize_t *remat, const nereid_scheduled_op_t *user, MlirValue value) {
  if (!mlirValueIsAOpResult(value) || !mlirTypeIsARankedTensor(mlirValueGetType(value)))
    return false;
  const nereid_scheduled_op_t *from = nereid_schedule_find(remat->schedule, mlirOpResultGetOwner(value));
  return from && mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(value)), remat->body) &&
         from->stage < user->stage && is_inexpensive(remat, value);
}

/* Calls `visit` for each operand of an op of the body that is recomputed. */
static void for_each_use(rematerialize_t *remat,
                         void (*visit)(rematerialize_t *remat, const nereid_scheduled_op_t *user, intptr_t operand)) {
  for (size_t i = 0; i < remat->schedule->ops.size && !remat->arena->failed; ++i) {
    const nereid_scheduled_op_t *user = &remat->schedule->ops.data[i];
    for (intptr_t n = 0; user->stage > 0 && n < mlirOperationGetNumOperands(user->op); ++n)
      if (is_recomputed(remat, user, mlirOperationGetOperand(user->op, n)))
        visit(remat, user, n);
  }
}

static void plan_use(rematerialize_t *remat, const nereid_scheduled_op_t *user, intptr_t operand) {
  plan(remat, mlirOperationGetOperand(user->op, operand), user->stage);
}

/* --- copies --- */

/* The value that `stage` recomputes for `value`, created before `before` if it is new. */
static MlirValue copy_value(rematerialize_t *remat, MlirValue value, int32_t stage, MlirOperation before) {
  uintptr_t *place = nereid_map_find(&remat->copies[stage], value.ptr);
  if (!place || (mlirValueIsABlockArgument(value) && mlirBlockArgumentGetArgNumber(value) == 0))
    return value;
  if (*place != 1)
    return (MlirValue){(const void *)*place};
  MlirOperation op = mlirOpResultGetOwner(value);
  assert(is_inexpensive_op(op));
  NereidMlirIRMapping mapping = nereidMlirIRMappingCreate();
  MlirOperation copy = nereidMlirOperationCloneWithMapping(op, mapping);
  nereidMlirIRMappingDestroy(mapping);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(copy, i, copy_value(remat, mlirOperationGetOperand(op, i), stage, before));
  mlirBlockInsertOwnedOperationBefore(remat->body, before, copy);
  nereid_schedule_set(copy, stage, remat->clusters[stage]);
  *place = (uintptr_t)nereid_ir_result(copy).ptr;
  return nereid_ir_result(copy);
}

static void replace_use(rematerialize_t *remat, const nereid_scheduled_op_t *user, intptr_t operand) {
  MlirValue value = mlirOperationGetOperand(user->op, operand);
  mlirOperationSetOperand(user->op, operand, copy_value(remat, value, user->stage, user->op));
}

/* Lets the loop carry a second instance of the planned arguments. Values of the old body stay valid, except its
 * arguments, for which the maps get those of the new one. */
static MlirOperation carry(rematerialize_t *remat) {
  MlirOperation loop = remat->schedule->loop;
  const intptr_t old = mlirBlockGetNumArguments(remat->body);
  MlirValue *initial = nereid_arena_new(remat->arena, MlirValue, remat->carried.size);
  MlirValue *before = nereid_arena_new(remat->arena, MlirValue, (size_t)old);
  if (!initial || !before)
    return (MlirOperation){NULL};
  for (size_t i = 0; i < remat->carried.size; ++i)
    initial[i] = nereid_loop_initial(loop, remat->carried.data[i].number - 1);
  for (intptr_t i = 0; i < old; ++i)
    before[i] = mlirBlockGetArgument(remat->body, i);
  loop = nereid_loop_with_carried(loop, (intptr_t)remat->carried.size, initial);
  remat->body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  remat->yield = mlirBlockGetTerminator(remat->body);
  for (intptr_t i = 0; i < old; ++i) {
    MlirValue now = mlirBlockGetArgument(remat->body, i);
    const uintptr_t *known = nereid_map_find(&remat->inexpensive, before[i].ptr);
    const uintptr_t decided = known ? *known : 0;
    uintptr_t *place = nereid_map_insert(&remat->inexpensive, now.ptr);
    if (place)
      *place = decided ? decided : 2;
  }
  for (size_t i = 0; i < remat->carried.size; ++i) {
    const carried_t *carried = &remat->carried.data[i];
    uintptr_t *place =
        nereid_map_insert(&remat->copies[carried->stage], mlirBlockGetArgument(remat->body, carried->number).ptr);
    if (place)
      *place = (uintptr_t)mlirBlockGetArgument(remat->body, old + (intptr_t)i).ptr;
  }
  return loop;
}

static void yield_carried(rematerialize_t *remat) {
  for (size_t i = 0; i < remat->carried.size; ++i) {
    const carried_t *carried = &remat->carried.data[i];
    MlirValue next =
        copy_value(remat, mlirOperationGetOperand(remat->yield, carried->number - 1), carried->stage, remat->yield);
    nereidMlirOperationInsertOperands(remat->yield, mlirOperationGetNumOperands(remat->yield), 1, &next);
  }
}

MlirOperation nereid_loop_rematerialize(nereid_schedule_t *schedule) {
  rematerialize_t remat = {.schedule = schedule, .arena = schedule->arena, .body = schedule->body};
  const size_t stages = (size_t)schedule->max_stage + 1;
  remat.yield = mlirBlockGetTerminator(remat.body);
  remat.copies = nereid_arena_new(schedule->arena, nereid_map_t, stages);
  remat.clusters = nereid_arena_new(schedule->arena, int32_t, stages);
  nereid_map_initialize(&remat.inexpensive, schedule->arena);
  if (!remat.copies || !remat.clusters)
    return (MlirOperation){NULL};
  for (size_t i = 0; i < stages; ++i)
    nereid_map_initialize(&remat.copies[i], schedule->arena);
  for (size_t i = schedule->ops.size; i-- > 0;) /* the first op of each stage is the last one seen */
    remat.clusters[schedule->ops.data[schedule->order[i]].stage] = schedule->ops.data[schedule->order[i]].cluster;
  while (decide_all(&remat)) /* carried values count as inexpensive until an op on which they depend is not */
    ;
  for_each_use(&remat, plan_use);
  MlirOperation loop = schedule->loop;
  if (remat.carried.size) {
    loop = carry(&remat);
    schedule->loop = loop;
    schedule->body = remat.body;
  }
  if (mlirOperationIsNull(loop) || schedule->arena->failed)
    return (MlirOperation){NULL};
  for_each_use(&remat, replace_use);
  yield_carried(&remat);
  return schedule->arena->failed ? (MlirOperation){NULL} : loop;
}
