/* tritongpu-partition-scheduling: divides the ops of loops between two partitions: of loops with tt.warp_specialize,
 * and of others where that is faster.
 *
 *   scf.for %k … {                                      scf.for %k … {
 *     %i = arith.muli %k, 64                              %i = arith.muli %k, 64         {ttg.partition = [1]}
 *     %x = tt.descriptor_load %d[%i]            ->        %x = tt.descriptor_load %d[%i] {ttg.partition = [1],
 *                                                                                         ttg.partition.slots = 3}
 *     %s = ttg.local_alloc %x                             %s = ttg.local_alloc %x        {ttg.partition = [0]}
 *     ttng.warp_group_dot … %s                            ttng.warp_group_dot … %s       {ttg.partition = [0]}
 *   } {tt.warp_specialize}                              } {ttg.warp_specialize.tag = 0}
 *
 * The producer, partition 1, executes loads through descriptors and what they depend on. The consumer executes the
 * rest. Scalars that both need, such as counters, are computed by both. Loads of nested loops are divided, too: a
 * persistent kernel's producer loads tiles while the consumer is in the epilogue of an earlier one.
 *
 * A load gets as many slots as shared memory has room for, at most num-stages + 1, outside of the innermost loops one.
 * A loop stays, with a remark, if none of its loads can move, or if an address depends on what the consumer
 * computes. */
#include "passes/warp_specialization/partitions.h"
#include "passes/warp_specialization/slice.h"

#include "base/target_facts.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "passes/pipelining/dots/chained_dots.h"
#include "passes/pipelining/memory_roots.h"
#include "passes/pipelining/ring.h"
#include "passes/pipelining/ring_budget.h"
#include "passes/support/descriptor.h"
#include "passes/support/loop.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

typedef struct scheduling {
  nereid_pass_t *pass;
  MlirOperation root;
  nereid_operations_t loads; /* loads of the producer */
  nereid_written_roots_t written;
  const char *obstacle; /* why the loop stays */
} scheduling_t;

/* --- the loads of the producer --- */

/* Whether all parents up to the root are scf.for. */
static bool is_in_nest(MlirOperation root, MlirOperation op) {
  while (!mlirOperationEqual(op, root)) {
    op = mlirOperationGetParentOperation(op);
    if (nereid_op_kind(op) != NEREID_OP_SCF_FOR)
      return false;
  }
  return true;
}

static bool is_used_in_iteration(MlirOperation load) {
  MlirBlock block = mlirOperationGetBlock(load);
  MlirOperation end = mlirBlockGetTerminator(block);
  MlirOpOperand use = mlirValueGetFirstUse(nereid_ir_result(load));
  if (mlirOpOperandIsNull(use))
    return false;
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (mlirOperationEqual(nereid_ir_ancestor_in(block, mlirOpOperandGetOwner(use)), end))
      return false;
  return true;
}

static bool can_move(const scheduling_t *scheduling, MlirOperation load) {
  MlirValue descriptor = nereid_tt_descriptor_load_get_desc(load);
  MlirOperation maker = mlirValueIsAOpResult(descriptor) ? mlirOpResultGetOwner(descriptor) : (MlirOperation){NULL};
  const bool made_inside = !mlirOperationIsNull(maker) && nereidMlirOperationIsProperAncestor(scheduling->root, maker);
  return is_in_nest(scheduling->root, load) && is_used_in_iteration(load) && !made_inside &&
         nereid_written_roots_permit_ahead(&scheduling->written, load,
                                           nereid_ir_has_attribute(scheduling->root, NEREID_ATTR_NUM_STAGES));
}

static void find_loads(scheduling_t *scheduling) {
  nereid_operations_t all = {0};
  nereid_collect_kind(scheduling->root, NEREID_OP_TT_DESCRIPTOR_LOAD, scheduling->pass->scratch, &all);
  for (size_t i = 0; i < all.size; ++i)
    if (can_move(scheduling, all.data[i]))
      nereid_vector_push(scheduling->pass->scratch, &scheduling->loads, all.data[i]);
  if (!scheduling->loads.size)
    scheduling->obstacle = "no load through a descriptor can be executed ahead of its use";
}

/* --- slices --- */

/* Whether the producer can execute the op: on scalars, without an effect. */
static const char *producer_obstacle(const scheduling_t *scheduling, MlirOperation op) {
  if (nereid_partition_is_load(op) || nereid_op_kind(op) == NEREID_OP_SCF_FOR)
    return NULL;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetResult(op, i))))
      return "the address of a load depends on a tensor";
  if (nereid_op_kind(op) == NEREID_OP_TT_LOAD)
    return nereid_written_roots_permit_ahead(&scheduling->written, op, false)
               ? NULL
               : "the address of a load depends on memory that the loop writes";
  return nereidMlirOperationIsMemoryEffectFree(op) ? NULL : "the address of a load depends on an op with side effects";
}

/* Calls `visit` for the ops in the bodies of the nest's loops, inner ones after the loop that contains them. */
static void visit_nest(MlirOperation loop, void (*visit)(MlirOperation op, void *data), void *data) {
  MlirBlock body = nereid_loop_body(loop);
  MlirOperation end = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    visit(op, data);
    if (nereid_op_kind(op) == NEREID_OP_SCF_FOR)
      visit_nest(op, visit, data);
  }
}

typedef struct division {
  scheduling_t *scheduling;
  nereid_partition_slice_t consumer, producer;
} division_t;

static void check_producer(MlirOperation op, void *data) {
  division_t *division = data;
  scheduling_t *scheduling = division->scheduling;
  if (!scheduling->obstacle && nereid_partition_slice_has(&division->producer, op))
    scheduling->obstacle = producer_obstacle(scheduling, op);
}

static void add_effects(MlirOperation op, void *data) {
  division_t *division = data;
  if (nereid_op_kind(op) != NEREID_OP_SCF_FOR && !nereidMlirOperationIsMemoryEffectFree(op))
    nereid_partition_slice_add(&division->consumer, op);
}

/* Ops without a use belong to the consumer. */
static void assign(MlirOperation op, void *data) {
  const division_t *division = data;
  const bool is_loop = nereid_op_kind(op) == NEREID_OP_SCF_FOR, is_load = nereid_partition_is_load(op);
  const bool produces = is_load || is_loop || nereid_partition_slice_has(&division->producer, op);
  const bool consumes = !is_load && (is_loop || !produces || nereid_partition_slice_has(&division->consumer, op));
  nereid_partition_set(op, consumes, produces);
}

static void divide(scheduling_t *scheduling) {
  division_t division = {.scheduling = scheduling};
  nereid_arena_t *arena = scheduling->pass->scratch;
  MlirOperation root = scheduling->root;
  nereid_partition_set_all(scheduling->loads.size, scheduling->loads.data, NEREID_PARTITION_PRODUCER);
  nereid_partition_slice_begin(&division.producer, arena, root, NULL);
  for (size_t i = 0; i < scheduling->loads.size; ++i)
    nereid_partition_slice_add(&division.producer, scheduling->loads.data[i]);
  visit_nest(root, check_producer, &division);
  if (scheduling->obstacle)
    return;
  nereid_partition_slice_begin(&division.consumer, arena, root, nereid_partition_is_load);
  visit_nest(root, add_effects, &division);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(root); ++i)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(root, i))))
      nereid_partition_slice_carry(&division.consumer, root, i);
  visit_nest(root, assign, &division);
}

/* --- slots --- */

static bool has_loop(MlirOperation loop) {
  for (MlirOperation op = mlirBlockGetFirstOperation(nereid_loop_body(loop)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_op_kind(op) == NEREID_OP_SCF_FOR)
      return true;
  return false;
}

static int64_t slots_of(MlirOperation load, int64_t most) {
  return has_loop(mlirOperationGetParentOperation(load)) ? 1 : most;
}

static int64_t stages_of(const scheduling_t *scheduling) {
  int64_t stages = nereid_pass_option_int(scheduling->pass, "num-stages");
  for (size_t i = 0; i < scheduling->loads.size; ++i)
    for (MlirOperation op = scheduling->loads.data[i]; !mlirOperationEqual(op, scheduling->root);) {
      op = mlirOperationGetParentOperation(op);
      const int64_t own = nereid_ir_integer(op, NEREID_ATTR_NUM_STAGES, 0);
      stages = own > 0 ? own : stages;
    }
  return stages;
}

/* Sets the slots of all rings: as many as fit, two at least. */
static void set_slots(scheduling_t *scheduling) {
  const nereid_operations_t *loads = &scheduling->loads;
  const int64_t available = nereid_ring_budget_available(scheduling->pass->op, scheduling->root, loads);
  const int64_t stages = stages_of(scheduling);
  for (int64_t slots = stages > 1 ? stages + 1 : 2; slots >= 2; --slots) {
    int64_t bytes = 0;
    for (size_t i = 0; i < loads->size; ++i)
      bytes += slots_of(loads->data[i], slots) * nereid_ring_budget_slot_bytes(loads->data[i]);
    if (bytes > available)
      continue;
    for (size_t i = 0; i < loads->size; ++i)
      nereid_ir_set_integer(loads->data[i], NEREID_ATTR_PARTITION_SLOTS, slots_of(loads->data[i], slots));
    nereid_pass_remark_passed(
        scheduling->pass, scheduling->root, "warp-specialize",
        "a producer warp executes %zu loads by TMA, up to %lld tiles ahead: %lld of %lld bytes of "
        "shared memory",
        loads->size, (long long)slots, (long long)bytes, (long long)available);
    return;
  }
  scheduling->obstacle = "two slots per load do not fit in shared memory";
}

/* --- loops --- */

static void clear(MlirOperation op, void *data) {
  (void)data;
  mlirOperationRemoveDiscardableAttributeByName(op, nereid_ir_ref(NEREID_ATTR_PARTITION));
}

static const char *loop_obstacle(const nereid_pass_t *pass, MlirOperation loop) {
  MlirOperation parent = mlirOperationGetParentOperation(loop);
  while (!mlirOperationIsNull(parent) && nereid_op_kind(parent) != NEREID_OP_TT_FUNC &&
         nereid_op_kind(parent) != NEREID_OP_TTG_WARP_SPECIALIZE)
    parent = mlirOperationGetParentOperation(parent);
  if (!nereid_target_has_async_proxy(nereid_ttg_compute_capability(pass->op)))
    return "the target has no TMA";
  if (mlirOperationIsNull(parent))
    return "it is not in a tt.func";
  if (nereid_op_kind(parent) != NEREID_OP_TT_FUNC)
    return "it is warp-specialized already";
  return nereidMlirFunctionIsPublic(parent) ? NULL : "its function is not a kernel";
}

/* Divides `loop`, if it can be; *tags counts the divided loops of the module. */
static void schedule(nereid_pass_t *pass, MlirOperation loop, int64_t *tags) {
  scheduling_t scheduling = {.pass = pass, .root = loop, .obstacle = loop_obstacle(pass, loop)};
  if (!scheduling.obstacle) {
    nereid_written_roots_read(loop, pass->scratch, &scheduling.written);
    find_loads(&scheduling);
  }
  if (!scheduling.obstacle)
    divide(&scheduling);
  if (!scheduling.obstacle)
    set_slots(&scheduling);
  if (!scheduling.obstacle) {
    nereid_ir_set_integer(loop, NEREID_ATTR_WARP_SPECIALIZE_TAG, (*tags)++);
    mlirOperationRemoveDiscardableAttributeByName(loop, nereid_ir_ref(NEREID_ATTR_FLATTEN));
    return;
  }
  visit_nest(loop, clear, NULL);
  nereid_pass_remark_missed(pass, loop, "warp-specialize", "not warp-specialized: %s", scheduling.obstacle);
}

/* --- which loops --- */

/* Whether the loop has tensors to load that the producer does not: its consumer would wait for these. */
static MlirWalkResult find_pointer_load(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found = *found ||
           (nereid_op_kind(op) == NEREID_OP_TT_LOAD && mlirTypeIsARankedTensor(mlirValueGetType(nereid_ir_result(op))));
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/* Whether a loop without a request is faster if it is divided: two groups of warps or more execute a chain of dots, in
 * which the softmax of one group overlaps the dots of the other. With a single dot, as in a matrix multiplication, or
 * independent ones, as in the backward pass of attention, the pipelined loop keeps tensor cores as busy
 * (docs/warp-specialization.md has measurements). */
static bool is_faster_divided(nereid_pass_t *pass, MlirOperation loop) {
  enum { GROUPS = 2, WARPS = 4 /* of a group */ };
  nereid_operations_t chains = {0};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  bool loads_pointers = false;
  mlirOperationWalk(loop, find_pointer_load, &loads_pointers, MlirWalkPreOrder);
  if (loads_pointers || nereid_ttg_num_warps(loop) < GROUPS * WARPS || !nereid_dots_are_chained(pass, body) ||
      loop_obstacle(pass, loop))
    return false;
  nereid_chained_dots_collect(pass, loop, &chains);
  return chains.size > 0;
}

static bool is_divided(MlirOperation op) {
  for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
    if (nereid_ir_has_attribute(op, NEREID_ATTR_WARP_SPECIALIZE_TAG))
      return true;
  return false;
}

static void visit_loop(nereid_pass_t *pass, MlirOperation loop, int64_t *tags) {
  const bool is_requested = nereid_ir_has_attribute(loop, NEREID_ATTR_WARP_SPECIALIZE);
  mlirOperationRemoveDiscardableAttributeByName(loop, nereid_ir_ref(NEREID_ATTR_WARP_SPECIALIZE));
  if (nereid_pass_option_bool(pass, "enable") && !is_divided(loop) && (is_requested || is_faster_divided(pass, loop)))
    schedule(pass, loop, tags);
}

MlirLogicalResult nereid_pass_tritongpu_partition_scheduling(nereid_pass_t *pass) {
  nereid_operations_t loops = {0}, divided = {0};
  if (!nereid_collect_kind(pass->op, NEREID_OP_SCF_FOR, pass->scratch, &loops) ||
      !nereid_partition_loops(pass->op, pass->scratch, &divided))
    return mlirLogicalResultFailure();
  int64_t tags = (int64_t)divided.size;
  for (size_t i = 0; i < loops.size; ++i) /* outer ones first */
    visit_loop(pass, loops.data[i], &tags);
  nereid_pass_statistic_add(pass, "loops", tags - (int64_t)divided.size);
  return pass->scratch->failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
