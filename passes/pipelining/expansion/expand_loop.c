/* Expansion of scheduled loops; see expand_loop.h.
 *
 * A node is a value of the body: the result of an op, or a carried value. Its age in a step is the number of steps
 * since it was computed: a value of stage s that stage t uses has age t - s. The history of a node has its instance of
 * each age that is used. The kernel carries the instances of age 1 and more:
 *
 *   for … iter_args(%x.1, %x.2): %x = …; … yield %x, %x.1
 *
 * A carried value, the argument %a of the body with the yielded operand %y, is assigned the earliest possible stage:
 * the stage of %y minus one. Then %a of iteration i is computed in the same step as %y of iteration i - 1 and is equal
 * to it; only its older instances are carried. Where %y is in stage 0, so is %a, one step later, and is carried
 * itself. */
#include "passes/pipelining/expansion/expand_loop.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "passes/dot/register_pressure.h"
#include "passes/pipelining/expansion/loop_range.h"
#include "passes/pipelining/expansion/predicate.h"
#include "passes/support/loop.h"
#include "passes/support/scalar.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

typedef struct node {
  MlirValue value;
  int32_t stage, max_age; /* max_age -1: unused */
  MlirValue *history;     /* indexed by age */
  bool carried;           /* an argument of the body other than the counter */
  bool waits;             /* carried, and equal to what the previous step yielded, not this one */
  MlirValue next;         /* waiting node: its instance in the next step */
} node_t;

typedef NEREID_VECTOR(MlirValue) values_t;

typedef enum phase { PROLOGUE, KERNEL, EPILOGUE } phase_t;

typedef struct expand {
  const nereid_schedule_t *schedule;
  nereid_arena_t *arena;
  MlirOperation yield;
  intptr_t arguments;          /* arguments of the body, with the counter */
  NEREID_VECTOR(node_t) nodes; /* arguments first */
  nereid_map_t index;          /* value -> index into `nodes`, plus 1 */
  nereid_loop_range_t range;
  int32_t peeled;   /* steps of the epilogue */
  int32_t unrolled; /* iterations of a loop of which all steps are in the prologue; 0 if there is a kernel */
  /* the current step */
  phase_t phase;
  int32_t step; /* step of the prologue, from 0, or of the epilogue, from 1 */
  nereid_builder_t builder;
  MlirValue counter;   /* counter of the kernel loop; in the epilogue that of the first iteration after the loop */
  MlirValue *counters; /* by stage, null until needed */
  NereidMlirIRMapping *mappings; /* indexed by stage */
} expand_t;

/* --- nodes --- */

static node_t *node_of(const expand_t *expand, MlirValue value) {
  const uintptr_t *place = mlirValueIsNull(value) ? NULL : nereid_map_find(&expand->index, value.ptr);
  return place ? &expand->nodes.data[*place - 1] : NULL;
}

/* The yielded operand of a carried node. */
static MlirValue yielded(const expand_t *expand, const node_t *node) {
  return mlirOperationGetOperand(expand->yield, mlirBlockArgumentGetArgNumber(node->value) - 1);
}

static void add_node(expand_t *expand, MlirValue value, int32_t stage, bool carried) {
  uintptr_t *place = nereid_map_insert(&expand->index, value.ptr);
  const node_t node = {.value = value, .stage = stage, .max_age = -1, .carried = carried};
  if (place && nereid_vector_push(expand->arena, &expand->nodes, node))
    *place = expand->nodes.size;
}

static void add_nodes(expand_t *expand) {
  const nereid_schedule_t *schedule = expand->schedule;
  for (intptr_t i = 0; i < expand->arguments; ++i)
    add_node(expand, mlirBlockGetArgument(schedule->body, i), 0, i > 0);
  for (size_t i = 0; i < schedule->ops.size; ++i)
    for (intptr_t r = 0; r < mlirOperationGetNumResults(schedule->ops.data[i].op); ++r)
      add_node(expand, mlirOperationGetResult(schedule->ops.data[i].op, r), schedule->ops.data[i].stage, false);
}

/* Assigns the earliest stage to each carried node. Stages only grow and are bounded; cycles of arguments stay at 0. */
static void assign_stages(expand_t *expand) {
  for (bool changed = true; changed;) {
    changed = false;
    for (intptr_t i = 1; i < expand->arguments; ++i) {
      node_t *node = &expand->nodes.data[i];
      const node_t *from = node_of(expand, yielded(expand, node));
      const int32_t stage = from && from->stage > 0 ? from->stage - 1 : 0;
      node->waits = !from || from->stage == 0;
      changed = changed || stage > node->stage;
      node->stage = stage;
    }
  }
}

static void raise_age(node_t *node, int32_t age) {
  if (node && age > node->max_age)
    node->max_age = age;
}

/* Computes the maximum ages from the uses and the results of the loop. */
static bool assign_ages(expand_t *expand) {
  const nereid_schedule_t *schedule = expand->schedule;
  for (size_t i = 0; i < schedule->ops.size; ++i) {
    nereid_schedule_values_t uses = {0};
    if (!nereid_schedule_uses(schedule->ops.data[i].op, schedule->body, expand->arena, &uses))
      return false;
    for (size_t n = 0; n < uses.size; ++n) {
      node_t *node = node_of(expand, uses.data[n]);
      raise_age(node, schedule->ops.data[i].stage - node->stage);
    }
  }
  for (intptr_t i = 1; i < expand->arguments; ++i) {
    node_t *node = &expand->nodes.data[i];
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(schedule->loop, i - 1))))
      raise_age(node, schedule->max_stage - node->stage);
  }
  for (bool changed = true; changed;) { /* what a used node yields must have a history */
    changed = false;
    for (intptr_t i = 1; i < expand->arguments; ++i) {
      node_t *node = &expand->nodes.data[i], *from = node_of(expand, yielded(expand, node));
      if (node->max_age < 0 || !from || from->max_age >= 0)
        continue;
      from->max_age = 0;
      changed = true;
    }
  }
  for (size_t i = 0; i < expand->nodes.size; ++i)
    expand->nodes.data[i].history =
        nereid_arena_new(expand->arena, MlirValue, (size_t)(expand->nodes.data[i].max_age + 1));
  return !expand->arena->failed;
}

/* --- a step --- */

/* The current instance of a node, of age 0. */
static MlirValue current(const expand_t *expand, const node_t *node) {
  while (node->carried && !node->waits && (expand->phase != PROLOGUE || expand->step > node->stage)) {
    const node_t *from = node_of(expand, yielded(expand, node));
    node = from;
  }
  return node->history[0];
}

/* The counter of the iteration whose stage `stage` this step executes. */
static MlirValue counter_of(expand_t *expand, int32_t stage) {
  MlirValue *counter = &expand->counters[stage];
  if (mlirValueIsNull(*counter)) {
    MlirValue from = expand->phase == PROLOGUE ? expand->range.lower : expand->counter;
    const int32_t ahead = expand->schedule->max_stage - stage;
    const int32_t distance = expand->phase == PROLOGUE ? expand->step - stage
                             : expand->phase == KERNEL ? ahead
                                                       : ahead + expand->step - 1;
    *counter = nereid_loop_range_advance(&expand->range, &expand->builder, from, distance);
  }
  return *counter;
}

static bool is_counter(const node_t *node) {
  return !node->carried && mlirValueIsABlockArgument(node->value);
}

static MlirValue resolve(expand_t *expand, MlirValue value, int32_t stage) {
  const node_t *node = node_of(expand, value);
  if (is_counter(node))
    return counter_of(expand, stage);
  const int32_t age = stage - node->stage;
  return age ? node->history[age] : current(expand, node);
}

/* An i1: the iteration whose stage `stage` this step executes exists; null when it always does. */
static MlirValue predicate_of(expand_t *expand, int32_t stage) {
  const int32_t ahead = expand->schedule->max_stage - stage;
  if (expand->phase == PROLOGUE)
    return nereid_loop_range_contains(&expand->range, &expand->builder, expand->step - stage);
  if (expand->phase == EPILOGUE || ahead <= expand->peeled)
    return (MlirValue){NULL};
  return nereid_loop_range_continues(&expand->range, &expand->builder, expand->counter, ahead);
}

static void insert(const nereid_builder_t *builder, MlirOperation op) {
  if (mlirOperationIsNull(builder->before))
    mlirBlockAppendOwnedOperation(builder->block, op);
  else
    mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, op);
}

/* Folds a copy of a scalar op in the prologue, such as the slot of a ring; false when it does not fold. */
static bool fold(MlirOperation copy, MlirValue *out) {
  if (mlirOperationGetNumResults(copy) != 1 || mlirOperationGetNumRegions(copy) ||
      !mlirTypeIsAInteger(mlirValueGetType(nereid_ir_result(copy))) || !nereidMlirOperationTryFold(copy, out))
    return false;
  nereidMlirOperationErase(copy);
  return true;
}

/* Removes the value of excluded elements from an asynchronous copy without a mask. With it, a copy of the prologue
 * fills the slot of an iteration that does not exist with zeros. The assembler would make a branch around each copy
 * there that a predicate disables. Later in the loop, they remain under predicates, and write nothing. */
static MlirOperation without_excluded(MlirOperation copy) {
  const nereid_builder_t builder = nereid_builder_before(copy);
  if (nereid_op_kind(copy) != NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL ||
      !mlirValueIsNull(nereid_ttg_async_copy_global_to_local_get_mask(copy)) ||
      mlirValueIsNull(nereid_ttg_async_copy_global_to_local_get_other(copy)))
    return copy;
  MlirOperation plain = nereid_ttg_async_copy_global_to_local_build(
      &builder, nereid_ttg_async_copy_global_to_local_get_src(copy),
      nereid_ttg_async_copy_global_to_local_get_result(copy), (MlirValue){NULL}, (MlirValue){NULL},
      nereid_ttg_async_copy_global_to_local_get_cache(copy), nereid_ttg_async_copy_global_to_local_get_evict(copy),
      nereid_ttg_async_copy_global_to_local_get_is_volatile(copy),
      nereid_ttg_async_copy_global_to_local_get_contiguity(copy));
  mlirValueReplaceAllUsesOfWith(nereid_ir_result(copy), nereid_ir_result(plain));
  nereidMlirOperationErase(copy);
  return plain;
}

static void emit(expand_t *expand, const nereid_scheduled_op_t *scheduled) {
  NereidMlirIRMapping mapping = expand->mappings[scheduled->stage];
  nereid_schedule_values_t uses = {0};
  if (!nereid_schedule_uses(scheduled->op, expand->schedule->body, expand->arena, &uses))
    return;
  for (size_t i = 0; i < uses.size; ++i)
    if (mlirValueIsNull(nereidMlirIRMappingLookupValue(mapping, uses.data[i])))
      nereidMlirIRMappingMapValue(mapping, uses.data[i], resolve(expand, uses.data[i], scheduled->stage));
  MlirValue predicate = {NULL};
  if (scheduled->stage < expand->schedule->max_stage && nereid_predicate_is_needed(scheduled->op))
    predicate = predicate_of(expand, scheduled->stage);
  MlirOperation copy = nereidMlirOperationCloneWithMapping(scheduled->op, mapping);
  nereid_schedule_clear(copy);
  insert(&expand->builder, copy);
  if (mlirValueIsNull(predicate) || expand->phase != PROLOGUE)
    copy = without_excluded(copy);
  if (!mlirValueIsNull(predicate))
    copy = nereid_predicate_apply(copy, predicate);
  MlirValue folded = {NULL};
  const bool is_folded = expand->phase == PROLOGUE && fold(copy, &folded);
  for (intptr_t r = 0; r < mlirOperationGetNumResults(scheduled->op); ++r) {
    MlirValue value = mlirOperationGetResult(scheduled->op, r);
    MlirValue made = is_folded ? folded : mlirOperationGetResult(copy, r);
    node_t *node = node_of(expand, value);
    nereidMlirIRMappingMapValue(mapping, value, made);
    if (node->max_age >= 0)
      node->history[0] = made;
  }
}

/* The instance of a waiting node in the next step: what this one yields, which the first stage has computed. */
static MlirValue next_of(expand_t *expand, const node_t *node) {
  const node_t *from = node_of(expand, yielded(expand, node));
  if (!from)
    return yielded(expand, node);
  return is_counter(from) ? counter_of(expand, 0) : current(expand, from);
}

/* Ages all nodes by one step. */
static void shift(expand_t *expand) {
  for (intptr_t i = 1; i < expand->arguments; ++i) {
    node_t *node = &expand->nodes.data[i];
    if (node->max_age >= 0)
      node->next = node->waits ? next_of(expand, node) : current(expand, node);
  }
  for (size_t i = 0; i < expand->nodes.size; ++i) {
    node_t *node = &expand->nodes.data[i];
    if (node->max_age < 0)
      continue;
    if (node->carried && !node->waits)
      node->history[0] = node->next;
    for (int32_t age = node->max_age; age > 0; --age)
      node->history[age] = node->history[age - 1];
    if (node->waits)
      node->history[0] = node->next;
  }
}

/* Whether the current step executes the stage: not in the prologue if its iteration is negative, nor in the epilogue or
 * an unrolled loop if it is past the end. */
static bool is_active(const expand_t *expand, int32_t stage) {
  if (expand->phase == EPILOGUE)
    return stage >= expand->schedule->max_stage - expand->peeled + expand->step;
  return expand->phase == KERNEL ||
         (stage <= expand->step && (!expand->unrolled || expand->step - stage < expand->unrolled));
}

/* Emits what a step still needs of an inactive op. Each step commits the same number of groups, so empty groups are
 * committed. The wait of an iteration past the end is kept, because another stage may rely on it for its copies. */
static void emit_inactive(expand_t *expand, const nereid_scheduled_op_t *scheduled) {
  const nereid_op_kind_t kind = nereid_op_kind(scheduled->op);
  const bool past_the_end = expand->phase == EPILOGUE || scheduled->stage <= expand->step;
  if (kind == NEREID_OP_TTG_ASYNC_COMMIT_GROUP)
    nereid_ttg_async_commit_group_build(&expand->builder, 0, NULL);
  else if (kind == NEREID_OP_TTG_ASYNC_WAIT && past_the_end)
    nereid_ttg_async_wait_build(&expand->builder, 0, NULL, nereid_ttg_async_wait_get_num(scheduled->op));
}

/* Executes the ops of a step. */
static void run_step(expand_t *expand) {
  const nereid_schedule_t *schedule = expand->schedule;
  for (int32_t stage = 0; stage <= schedule->max_stage; ++stage) {
    expand->counters[stage] = (MlirValue){NULL};
    expand->mappings[stage] = nereidMlirIRMappingCreate();
  }
  for (size_t i = 0; i < schedule->ops.size && !expand->arena->failed; ++i) {
    const nereid_scheduled_op_t *op = &schedule->ops.data[schedule->order[i]];
    if (is_active(expand, op->stage))
      emit(expand, op);
    else
      emit_inactive(expand, op);
  }
  for (int32_t stage = 0; stage <= schedule->max_stage; ++stage)
    nereidMlirIRMappingDestroy(expand->mappings[stage]);
}

static void run_prologue(expand_t *expand) {
  MlirOperation loop = expand->schedule->loop;
  const int32_t steps = expand->schedule->max_stage + expand->unrolled;
  expand->phase = PROLOGUE;
  expand->builder = nereid_builder_before(loop);
  for (expand->step = 0; expand->step < steps; ++expand->step) {
    for (intptr_t i = 1; i < expand->arguments; ++i)
      if (expand->nodes.data[i].stage == expand->step && expand->nodes.data[i].max_age >= 0)
        expand->nodes.data[i].history[0] = nereid_loop_initial(loop, i - 1);
    run_step(expand);
    shift(expand);
  }
}

/* --- the kernel --- */

/* The ages of a node that the kernel carries begin with this one. */
static int32_t first_carried(const node_t *node) {
  return node->waits ? 0 : 1;
}

/* Appends the instances that the kernel carries, in order, and with peeled steps the counter of the next iteration. */
static void collect_instances(const expand_t *expand, MlirValue next_counter, values_t *out) {
  for (size_t i = 1; i < expand->nodes.size; ++i)
    for (int32_t age = first_carried(&expand->nodes.data[i]); age <= expand->nodes.data[i].max_age; ++age)
      nereid_vector_push(expand->arena, out, expand->nodes.data[i].history[age]);
  if (expand->peeled)
    nereid_vector_push(expand->arena, out, next_counter);
}

/* Replaces the instances that the kernel carries by its arguments or results. */
static void replace_instances(expand_t *expand, MlirValue (*get)(MlirOperation loop, intptr_t i), MlirOperation loop) {
  intptr_t n = 0;
  for (size_t i = 1; i < expand->nodes.size; ++i)
    for (int32_t age = first_carried(&expand->nodes.data[i]); age <= expand->nodes.data[i].max_age; ++age)
      expand->nodes.data[i].history[age] = get(loop, n++);
  if (expand->peeled)
    expand->counter = get(loop, n);
}

/* An empty loop like the old one that carries `initial`. */
static MlirOperation create_kernel(const expand_t *expand, MlirValue upper, const values_t *initial) {
  MlirOperation old = expand->schedule->loop;
  MlirLocation location = mlirOperationGetLocation(old);
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("scf.for"), location);
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, block);
  MlirValue bounds[] = {expand->range.lower, upper, expand->range.step};
  mlirOperationStateAddOperands(&state, 3, bounds);
  mlirOperationStateAddOperands(&state, (intptr_t)initial->size, initial->data);
  mlirBlockAddArgument(block, mlirValueGetType(bounds[0]),
                       mlirValueGetLocation(mlirBlockGetArgument(expand->schedule->body, 0)));
  for (size_t i = 0; i < initial->size; ++i) {
    MlirType type = mlirValueGetType(initial->data[i]);
    mlirOperationStateAddResults(&state, 1, &type);
    mlirBlockAddArgument(block, type, location);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(old); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(old, i);
    MlirStringRef name = mlirIdentifierStr(attribute.name);
    if (!mlirStringRefEqual(name, nereid_ir_ref(NEREID_ATTR_SCHEDULED_MAX_STAGE)) &&
        !mlirStringRefEqual(name, nereid_ir_ref(NEREID_ATTR_LOOP_UNROLLED)))
      mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirOperation kernel = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(old), old, kernel);
  return kernel;
}

static bool run_kernel(expand_t *expand) {
  values_t initial = {0}, next = {0};
  collect_instances(expand, expand->range.lower, &initial);
  if (expand->arena->failed)
    return false;
  MlirValue upper = nereid_loop_range_shortened(&expand->range, &expand->builder, expand->peeled);
  MlirOperation kernel = create_kernel(expand, upper, &initial);
  if (!nereid_loop_range_prepare(&expand->range, kernel, expand->schedule->max_stage))
    return false;
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel, 0));
  expand->phase = KERNEL;
  expand->builder = nereid_builder_at_end(mlirOperationGetLocation(kernel), block);
  replace_instances(expand, nereid_loop_argument, kernel);
  expand->counter = mlirBlockGetArgument(block, 0);
  run_step(expand);
  shift(expand);
  collect_instances(expand,
                    expand->peeled ? nereid_loop_range_advance(&expand->range, &expand->builder, expand->counter, 1)
                                   : expand->counter,
                    &next);
  nereid_scf_yield_build(&expand->builder, (intptr_t)next.size, next.data);
  replace_instances(expand, mlirOperationGetResult, kernel);
  return true;
}

static void run_epilogue(expand_t *expand) {
  expand->phase = EPILOGUE;
  expand->builder = nereid_builder_before(expand->schedule->loop);
  for (expand->step = 1; expand->step <= expand->peeled; ++expand->step) {
    run_step(expand);
    shift(expand);
  }
}

/* --- the whole --- */

/* Of the results, carried value j of iteration N: in the step after the last one, of age max_stage - stage. */
static void replace_results(expand_t *expand) {
  MlirOperation old = expand->schedule->loop;
  for (intptr_t i = 1; i < expand->arguments; ++i) {
    const node_t *node = &expand->nodes.data[i];
    MlirValue result = mlirOperationGetResult(old, i - 1);
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(result)))
      mlirValueReplaceAllUsesOfWith(result, node->history[expand->schedule->max_stage - node->stage]);
  }
  nereidMlirOperationErase(old);
}

int32_t nereid_loop_expand_peeled(const nereid_schedule_t *schedule) {
  int32_t peeled = 0;
  for (size_t i = 0; i < schedule->ops.size; ++i) {
    const int32_t early = schedule->max_stage - schedule->ops.data[i].stage;
    if (early > peeled && !nereid_predicate_is_possible(schedule->ops.data[i].op))
      peeled = early;
  }
  return peeled;
}

/* Whether a dot of warp groups in `stage` reads `buffer`. */
static bool is_read_in(const nereid_schedule_t *schedule, MlirValue buffer, int32_t stage) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const nereid_scheduled_op_t *scheduled = nereid_schedule_find(schedule, user);
    if (nereid_op_kind(user) == NEREID_OP_TTNG_WARP_GROUP_DOT && scheduled && scheduled->stage == stage)
      return true;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(user); ++r)
      if (nereid_ttg_memdesc_type_isa(mlirValueGetType(mlirOperationGetResult(user, r))) &&
          is_read_in(schedule, mlirOperationGetResult(user, r), stage))
        return true;
  }
  return false;
}

/* Whether `op` stores an operand that its stage computes, for a dot of warp groups in that stage. */
static bool stores_operand(const nereid_schedule_t *schedule, const nereid_scheduled_op_t *op) {
  if (nereid_op_kind(op->op) != NEREID_OP_TTG_LOCAL_ALLOC || mlirValueIsNull(nereid_ttg_local_alloc_get_src(op->op)))
    return false;
  MlirOperation from = nereid_defining_op(nereid_ttg_local_alloc_get_src(op->op));
  const nereid_scheduled_op_t *source = mlirOperationIsNull(from) ? NULL : nereid_schedule_find(schedule, from);
  return source && source->stage == op->stage && is_read_in(schedule, nereid_ir_result(op->op), op->stage);
}

static bool carries_tensors(MlirOperation loop) {
  for (intptr_t r = 0; r < mlirOperationGetNumResults(loop); ++r)
    if (mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetResult(loop, r))))
      return true;
  return false;
}

/* Whether tensors are in so many registers that ptxas spills more of them without the loop. Iterations that pass on no
 * tensors gain more than that by overlapping. */
static bool spills_unrolled(const nereid_schedule_t *schedule) {
  enum { MORE_REGISTERS = 40 }; /* addresses and conditions of a second iteration */
  nereid_register_pressure_t pressure;
  MlirOperation loop = schedule->loop;
  return carries_tensors(loop) &&
         nereid_register_pressure_find(nereid_ir_function_of(loop), schedule->arena, &pressure) &&
         nereid_register_pressure_between(&pressure, loop, loop) + MORE_REGISTERS >
             nereid_register_pressure_limit(loop);
}

int32_t nereid_loop_expand_unrolled(const nereid_schedule_t *schedule) {
  nereid_loop_range_t range;
  const int64_t decided = nereid_ir_integer(schedule->loop, NEREID_ATTR_LOOP_UNROLLED, -1);
  if (decided >= 0)
    return (int32_t)decided;
  nereid_loop_range_read(schedule->loop, schedule->arena, &range);
  const int64_t count = nereid_loop_range_count(&range);
  bool unrolls = count > 0 && count <= schedule->max_stage;
  for (size_t i = 0; unrolls && i < schedule->ops.size; ++i)
    unrolls = !stores_operand(schedule, &schedule->ops.data[i]);
  return unrolls && !spills_unrolled(schedule) ? (int32_t)count : 0;
}

/* --- the condition for peeled loops --- */

static MlirWalkResult wait_for_all(MlirOperation op, void *user_data) {
  (void)user_data;
  if (nereid_op_kind(op) == NEREID_OP_TTG_ASYNC_WAIT)
    nereid_ir_set_integer(op, "num", 0);
  return MlirWalkResultAdvance;
}

/* What is executed when fewer iterations exist than are peeled: none (null), or the loop one iteration after the
 * other. */
static MlirBlock create_alternative(const expand_t *expand) {
  if (expand->peeled == 1)
    return (MlirBlock){NULL};
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  NereidMlirIRMapping mapping = nereidMlirIRMappingCreate();
  MlirOperation copy = nereidMlirOperationCloneWithMapping(expand->schedule->loop, mapping);
  nereidMlirIRMappingDestroy(mapping);
  mlirBlockAppendOwnedOperation(block, copy);
  mlirOperationWalk(copy, wait_for_all, NULL, MlirWalkPreOrder);
  nereid_schedule_remove(copy);
  nereid_loop_yield_results(block, copy);
  return block;
}

/* Moves the loop into an scf.if that is executed if all peeled iterations exist. */
static void guard(expand_t *expand) {
  MlirOperation loop = expand->schedule->loop;
  const nereid_builder_t builder = nereid_builder_before(loop);
  MlirValue exists = nereid_loop_range_contains(&expand->range, &builder, expand->peeled - 1);
  if (mlirValueIsNull(exists))
    return;
  nereid_loop_branch_around(loop, exists, create_alternative(expand));
  expand->range.known = expand->peeled;
  expand->range.span = (MlirValue){NULL};
}

bool nereid_loop_expand(nereid_schedule_t *schedule) {
  expand_t expand = {.schedule = schedule,
                     .arena = schedule->arena,
                     .yield = mlirBlockGetTerminator(schedule->body),
                     .arguments = mlirBlockGetNumArguments(schedule->body),
                     .unrolled = nereid_loop_expand_unrolled(schedule)};
  expand.peeled = expand.unrolled ? 0 : nereid_loop_expand_peeled(schedule);
  nereid_map_initialize(&expand.index, schedule->arena);
  expand.counters = nereid_arena_new(schedule->arena, MlirValue, (size_t)schedule->max_stage + 1);
  expand.mappings = nereid_arena_new(schedule->arena, NereidMlirIRMapping, (size_t)schedule->max_stage + 1);
  nereid_loop_range_read(schedule->loop, schedule->arena, &expand.range);
  add_nodes(&expand);
  if (schedule->arena->failed)
    return false;
  assign_stages(&expand);
  if (expand.peeled)
    guard(&expand);
  if (!assign_ages(&expand))
    return false;
  run_prologue(&expand);
  if (!expand.unrolled && !run_kernel(&expand))
    return false;
  run_epilogue(&expand);
  replace_results(&expand);
  return !schedule->arena->failed;
}
