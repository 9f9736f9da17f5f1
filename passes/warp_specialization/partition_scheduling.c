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
 * The producer, partition 1, executes loads through descriptors, loads through pointers on which a dot depends, and
 * what the addresses depend on. The consumer executes the rest. Values that both need, such as counters, are computed
 * by both. Loads of nested loops are divided, too: a persistent kernel's producer loads tiles while the consumer is in
 * the epilogue of an earlier one.
 *
 * Loads through pointers are copies by cp.async: four warps compute their addresses (ttg.partition.warps), if the
 * layouts have a form for four. Otherwise the producer has as many warps as the consumer. A load stays with the
 * consumer if cp.async cannot copy it, or if its address depends on what only the consumer can compute.
 *
 * A load gets as many slots as shared memory has room for, at most num-stages + 1, outside of the innermost loops one.
 * A loop stays, with a remark, if none of its loads can move, or if an address depends on what the consumer
 * computes. */
#include "passes/warp_specialization/partitions.h"
#include "passes/warp_specialization/relayout.h"
#include "passes/warp_specialization/slice.h"

#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "analysis/axis/axis_info.h"
#include "base/target_facts.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "passes/pipelining/dots/chained_dots.h"
#include "passes/pipelining/ring.h"
#include "passes/pipelining/ring_budget.h"
#include "passes/support/descriptor.h"
#include "passes/support/loop.h"
#include "passes/support/written_roots.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { GROUP_WARPS = 4 /* warps of a warp group */ };

typedef struct scheduling {
  nereid_pass_t *pass;
  MlirOperation root;
  nereid_operations_t loads; /* loads of the producer */
  size_t copies;             /* the loads among them that cp.async executes */
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

/* Whether the value of `load` has uses, and no loop of the nest carries it. */
static bool is_used_in_iteration(MlirOperation root, MlirOperation load) {
  MlirOpOperand use = mlirValueGetFirstUse(nereid_ir_result(load));
  if (mlirOpOperandIsNull(use))
    return false;
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(user) == NEREID_OP_SCF_YIELD && is_in_nest(root, user))
      return false;
  }
  return true;
}

static bool is_pointer_load(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_LOAD && mlirTypeIsARankedTensor(mlirValueGetType(nereid_ir_result(op)));
}

/* A load that the producer executes for the consumer. */
static bool is_chosen(MlirOperation op) {
  return nereid_ring_is_load(op) && nereid_ir_has_attribute(op, NEREID_ATTR_PARTITION_SLOTS);
}

static bool is_made_inside(const scheduling_t *scheduling, MlirValue value) {
  return mlirValueIsAOpResult(value) &&
         nereidMlirOperationIsProperAncestor(scheduling->root, mlirOpResultGetOwner(value));
}

static bool can_move(const scheduling_t *scheduling, MlirOperation load) {
  return is_in_nest(scheduling->root, load) && is_used_in_iteration(scheduling->root, load) &&
         nereid_written_roots_permit_ahead(&scheduling->written, load,
                                           nereid_ir_has_attribute(scheduling->root, NEREID_ATTR_NUM_STAGES));
}

static void add_load(scheduling_t *scheduling, MlirOperation load) {
  nereid_ir_set_integer(load, NEREID_ATTR_PARTITION_SLOTS, NEREID_PARTITION_SLOTS);
  nereid_vector_push(scheduling->pass->scratch, &scheduling->loads, load);
}

/* Finds the loads through descriptors that can move. The consumer creates a tensor map in a loop, and must know that
 * the copies through its predecessor are complete: then all loads stay, as some of them would not be executed
 * ahead. */
static void find_descriptor_loads(scheduling_t *scheduling) {
  nereid_operations_t all = {0};
  nereid_collect_kind(scheduling->root, NEREID_OP_TT_DESCRIPTOR_LOAD, scheduling->pass->scratch, &all);
  for (size_t i = 0; i < all.size; ++i)
    if (nereid_descriptor_is_made_in_loop(nereid_tt_descriptor_load_get_desc(all.data[i])))
      scheduling->obstacle = "a loop makes the descriptor of a load";
  for (size_t i = 0; i < all.size && !scheduling->obstacle; ++i)
    if (can_move(scheduling, all.data[i]) &&
        !is_made_inside(scheduling, nereid_tt_descriptor_load_get_desc(all.data[i])))
      add_load(scheduling, all.data[i]);
}

/* --- slices --- */

/* Why the producer cannot execute the op; null: it can. */
static const char *producer_obstacle(const scheduling_t *scheduling, MlirOperation op) {
  if (is_chosen(op) || nereid_op_kind(op) == NEREID_OP_SCF_FOR)
    return NULL;
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
  const char *obstacle;              /* why there can be no producer; null: there can be one */
  bool allows_tensors;               /* in the producer */
  bool (*is_good)(MlirOperation op); /* of ops before the loop that the producer computes again; null: all are */
} division_t;

static bool has_tensor_result(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

/* Whether the producer can compute again all tensors from outside of the loop that `op` uses. */
static bool gets_operands(const division_t *division, MlirOperation op) {
  const scheduling_t *scheduling = division->scheduling;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    MlirOperation owner = mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                                      : mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    const bool inside =
        mlirOperationEqual(owner, scheduling->root) || nereidMlirOperationIsProperAncestor(scheduling->root, owner);
    if (!inside && !nereid_partition_can_recompute(value, division->is_good))
      return false;
  }
  return true;
}

static MlirWalkResult check_operands(MlirOperation op, void *user_data) {
  division_t *division = user_data;
  if (!gets_operands(division, op))
    division->obstacle =
        "the address of a load depends on a tensor from before the loop that is not computed from scalars";
  return division->obstacle ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/* Whether the producer gets the initial values that a loop carries for it. */
static bool gets_initial_values(const division_t *division, MlirOperation loop) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i) {
    MlirValue initial = nereid_loop_initial(loop, i);
    if (nereid_partition_slice_carries(&division->producer, loop, i) &&
        !is_made_inside(division->scheduling, initial) && mlirValueIsAOpResult(initial) &&
        !nereid_partition_can_recompute(initial, division->is_good))
      return false;
  }
  return true;
}

static void check_producer(MlirOperation op, void *data) {
  division_t *division = data;
  if (division->obstacle || !nereid_partition_slice_has(&division->producer, op))
    return;
  division->obstacle = producer_obstacle(division->scheduling, op);
  if (!division->obstacle && nereid_op_kind(op) != NEREID_OP_SCF_FOR) {
    if (!division->allows_tensors && !is_chosen(op) && has_tensor_result(op))
      division->obstacle = "the address of a load depends on a tensor";
    else
      mlirOperationWalk(op, check_operands, division, MlirWalkPreOrder);
  } else if (!division->obstacle && !gets_initial_values(division, op)) {
    division->obstacle =
        "the address of a load depends on a tensor from before the loop that is not computed from scalars";
  }
}

static division_t begin_division(scheduling_t *scheduling, bool allows_tensors) {
  division_t division = {.scheduling = scheduling, .allows_tensors = allows_tensors};
  nereid_partition_slice_begin(&division.producer, scheduling->pass->scratch, scheduling->root, NULL);
  return division;
}

/* Why the producer cannot execute `load`; null: it can. */
static const char *slice_obstacle(scheduling_t *scheduling, MlirOperation load, bool allows_tensors) {
  division_t division = begin_division(scheduling, allows_tensors);
  nereid_partition_slice_add(&division.producer, load);
  visit_nest(scheduling->root, check_producer, &division);
  if (!division.obstacle && !gets_initial_values(&division, scheduling->root))
    division.obstacle =
        "the address of a load depends on a tensor from before the loop that is not computed from scalars";
  return division.obstacle;
}

/* --- loads through pointers --- */

/* Whether a dot of the same block depends on `value`. */
static bool feeds_dot(MlirBlock block, MlirValue value, int depth) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); depth > 0 && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const nereid_op_kind_t kind = nereid_op_kind(user);
    if (kind == NEREID_OP_TT_DOT || kind == NEREID_OP_TTNG_WARP_GROUP_DOT)
      return true;
    if (mlirBlockEqual(mlirOperationGetBlock(user), block) && mlirOperationGetNumResults(user) == 1 &&
        !nereid_ring_is_load(user) && feeds_dot(block, nereid_ir_result(user), depth - 1))
      return true;
  }
  return false;
}

/* Whether the producer uses the value of a chosen load itself, as an index. */
static bool is_used_by_producer(const division_t *division, MlirOperation load) {
  MlirValue value = nereid_ir_result(load);
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const intptr_t carried = (intptr_t)mlirOpOperandGetOperandNumber(use) - NEREID_LOOP_BOUNDS;
    if (nereid_op_kind(user) == NEREID_OP_SCF_FOR ? nereid_partition_slice_carries(&division->producer, user, carried)
                                                  : nereid_partition_slice_has(&division->producer, user))
      return true;
  }
  return false;
}

/* Why the load stays with the consumer; null: the producer copies it. */
static const char *copy_obstacle(scheduling_t *scheduling, MlirOperation load, const nereid_axis_result_t *axis) {
  if (!can_move(scheduling, load))
    return "a load of a dot's operand is not executed in each iteration, or the loop writes the memory that it reads";
  if (!nereid_ring_can_copy(load, nereid_ring_slot_type(load), axis))
    return "a load of a dot's operand moves less than 4 contiguous bytes at a time";
  return slice_obstacle(scheduling, load, true);
}

static void find_pointer_loads(scheduling_t *scheduling) {
  enum { DEPTH = 8 /* ops between a load and a dot */ };
  nereid_axis_result_t axis;
  nereid_operations_t all = {0};
  nereid_collect(scheduling->root, is_pointer_load, scheduling->pass->scratch, &all);
  if (all.size && nereid_ttg_num_ctas(scheduling->pass->op) > 1)
    scheduling->obstacle = "loads through pointers are not divided in clusters";
  if (!all.size || scheduling->obstacle ||
      nereid_axis_info_run(scheduling->pass->op, scheduling->pass->scratch, &axis) != NEREID_OK)
    return;
  for (size_t i = 0; i < all.size; ++i) {
    MlirOperation load = all.data[i];
    if (!feeds_dot(mlirOperationGetBlock(load), nereid_ir_result(load), DEPTH))
      continue;
    const char *obstacle = copy_obstacle(scheduling, load, &axis);
    scheduling->obstacle = obstacle ? obstacle : scheduling->obstacle;
    if (obstacle)
      continue;
    add_load(scheduling, load);
    ++scheduling->copies;
  }
}

static void find_loads(scheduling_t *scheduling) {
  find_descriptor_loads(scheduling);
  if (scheduling->obstacle)
    return;
  find_pointer_loads(scheduling);
  if (scheduling->loads.size)
    scheduling->obstacle = NULL;
  else if (!scheduling->obstacle)
    scheduling->obstacle = "no load through a descriptor, or of a dot's operand, can be executed ahead of its use";
}

/* --- the division --- */

static void add_effects(MlirOperation op, void *data) {
  division_t *division = data;
  if (nereid_op_kind(op) != NEREID_OP_SCF_FOR && !nereidMlirOperationIsMemoryEffectFree(op))
    nereid_partition_slice_add(&division->consumer, op);
}

/* Ops without a use belong to the consumer. */
static void assign(MlirOperation op, void *data) {
  const division_t *division = data;
  const bool is_loop = nereid_op_kind(op) == NEREID_OP_SCF_FOR, is_load = is_chosen(op);
  const bool produces = is_load || is_loop || nereid_partition_slice_has(&division->producer, op);
  const bool consumes = !is_load && (is_loop || !produces || nereid_partition_slice_has(&division->consumer, op));
  nereid_partition_set(op, (consumes ? nereid_partition_only(NEREID_PARTITION_CONSUMER) : 0) |
                               (produces ? nereid_partition_only(NEREID_PARTITION_PRODUCER) : 0));
}

/* Keeps a load whose value the producer needs, too, with the consumer. */
static void drop_shared_loads(division_t *division) {
  scheduling_t *scheduling = division->scheduling;
  nereid_operations_t kept = {0};
  for (size_t i = 0; i < scheduling->loads.size; ++i) {
    MlirOperation load = scheduling->loads.data[i];
    if (!is_used_by_producer(division, load)) {
      nereid_vector_push(scheduling->pass->scratch, &kept, load);
      continue;
    }
    mlirOperationRemoveDiscardableAttributeByName(load, nereid_ir_ref(NEREID_ATTR_PARTITION_SLOTS));
    scheduling->copies -= is_pointer_load(load);
  }
  scheduling->loads = kept;
  if (!kept.size)
    scheduling->obstacle = "the address of a load depends on a tile that is loaded for a dot";
}

/* Whether the layouts of the producer have a form for a group of warps. */
static bool fits_group(division_t *division) {
  division->is_good = nereid_relayout_is_possible;
  visit_nest(division->scheduling->root, check_producer, division);
  const bool fits =
      !division->obstacle && gets_initial_values(division, division->scheduling->root) &&
      mlirOperationIsNull(nereid_partition_slice_obstacle(&division->producer, nereid_relayout_is_possible));
  division->is_good = NULL;
  division->obstacle = NULL;
  return fits;
}

static void divide(scheduling_t *scheduling) {
  division_t division = begin_division(scheduling, scheduling->copies > 0);
  nereid_arena_t *arena = scheduling->pass->scratch;
  MlirOperation root = scheduling->root;
  for (size_t i = 0; i < scheduling->loads.size; ++i)
    nereid_partition_slice_add(&division.producer, scheduling->loads.data[i]);
  visit_nest(root, check_producer, &division);
  scheduling->obstacle = division.obstacle;
  if (scheduling->obstacle)
    return;
  drop_shared_loads(&division);
  nereid_partition_slice_begin(&division.consumer, arena, root, is_chosen);
  visit_nest(root, add_effects, &division);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(root); ++i)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(root, i))))
      nereid_partition_slice_carry(&division.consumer, root, i);
  visit_nest(root, assign, &division);
  if (scheduling->copies && nereid_ttg_num_warps(root) != GROUP_WARPS && fits_group(&division)) {
    const int32_t warps[] = {nereid_ttg_num_warps(root), GROUP_WARPS};
    nereid_ir_set_attribute(root, NEREID_ATTR_PARTITION_WARPS,
                            mlirDenseI32ArrayGet(scheduling->pass->context, 2, warps));
  }
}

/* --- slots --- */

static int64_t slots_of(MlirOperation load, int64_t most) {
  return nereid_loop_has(mlirOperationGetParentOperation(load), NEREID_OP_SCF_FOR) ? 1 : most;
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

static const char *producer_of(const scheduling_t *scheduling) {
  const int32_t warps = nereid_partition_warps(scheduling->root, NEREID_PARTITION_PRODUCER);
  const char *text = "a producer warp executes";
  if (scheduling->copies)
    text = nereid_arena_format(scheduling->pass->scratch, "%d producer warps execute", warps);
  return text ? text : "";
}

static const char *way_of(const scheduling_t *scheduling) {
  return !scheduling->copies ? "TMA" : scheduling->copies == scheduling->loads.size ? "cp.async" : "TMA and cp.async";
}

static int64_t most_slots(const scheduling_t *scheduling) {
  const int64_t stages = stages_of(scheduling);
  return stages > 1 ? stages + 1 : 2;
}

/* Bytes of the rings of all loads with at most `slots` slots. */
static int64_t bytes_of_slots(const nereid_operations_t *loads, int64_t slots) {
  int64_t bytes = 0;
  for (size_t i = 0; i < loads->size; ++i)
    bytes += slots_of(loads->data[i], slots) * nereid_ring_budget_slot_bytes(loads->data[i]);
  return bytes;
}

/* Sets the slots of all rings: as many as fit, two at least. */
static void set_slots(scheduling_t *scheduling) {
  const nereid_operations_t *loads = &scheduling->loads;
  const int64_t available = nereid_ring_budget_available(scheduling->pass->op, scheduling->root, loads);
  for (int64_t slots = most_slots(scheduling); slots >= 2; --slots) {
    const int64_t bytes = bytes_of_slots(loads, slots);
    if (bytes > available)
      continue;
    for (size_t i = 0; i < loads->size; ++i)
      nereid_ir_set_integer(loads->data[i], NEREID_ATTR_PARTITION_SLOTS, slots_of(loads->data[i], slots));
    nereid_pass_remark_passed(scheduling->pass, scheduling->root, "warp-specialize",
                              "%s %zu loads by %s, up to %lld tiles ahead: %lld of %lld bytes of shared memory",
                              producer_of(scheduling), loads->size, way_of(scheduling), (long long)slots,
                              (long long)bytes, (long long)available);
    return;
  }
  scheduling->obstacle = "two slots per load do not fit in shared memory";
}

/* --- loops --- */

static void clear(MlirOperation op, void *data) {
  (void)data;
  mlirOperationRemoveDiscardableAttributeByName(op, nereid_ir_ref(NEREID_ATTR_PARTITION));
  mlirOperationRemoveDiscardableAttributeByName(op, nereid_ir_ref(NEREID_ATTR_PARTITION_SLOTS));
}

/* Whether `op` may move elements between CTAs: also the result of an atomic that has scratch. */
static bool moves_in_cluster(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTG_CONVERT_LAYOUT:
    return nereid_conversion_path(op) == NEREID_CONVERSION_CLUSTER;
  case NEREID_OP_TT_REDUCE:
    return nereid_reduction_crosses_ctas(op);
  case NEREID_OP_TT_ATOMIC_RMW:
  case NEREID_OP_TT_ATOMIC_CAS:
  case NEREID_OP_TT_ATOMIC_LOAD:
  case NEREID_OP_TT_ATOMIC_POLL:
    return nereid_scratch_bytes(op) > 0;
  default:
    return false;
  }
}

static MlirWalkResult find_cluster_conversion(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found = *found || moves_in_cluster(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/* Whether the module has conversions between CTAs, in which all threads of a cluster take part: a kernel with
 * partitions cannot have them, nor can others in its module. */
static bool converts_in_cluster(MlirOperation module) {
  bool found = false;
  if (nereid_ttg_num_ctas(module) > 1)
    mlirOperationWalk(module, find_cluster_conversion, &found, MlirWalkPreOrder);
  return found;
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
  if (nereid_ttg_num_warps(loop) % GROUP_WARPS)
    return "the kernel has no group of four warps";
  if (converts_in_cluster(pass->op))
    return "the module moves elements between the CTAs of a cluster, in which all warps take part";
  if (nereid_op_kind(parent) != NEREID_OP_TT_FUNC)
    return "it is warp-specialized already";
  return nereidMlirFunctionIsPublic(parent) ? NULL : "its function is not a kernel";
}

/* Whether a multiprocessor executes two CTAs of the loop if it is pipelined instead, by registers and shared memory.
 * The dots of one CTA then overlap the softmax of the other, as those of two groups of warps beside a producer do, and
 * the warps are twice as many: the registers of a producer's kernel, 240 per consumer, leave room for one CTA. */
static bool has_second_cta(const scheduling_t *scheduling) {
  MlirOperation module = scheduling->pass->op;
  const int64_t others =
      nereid_allocation_limit(module) - nereid_ring_budget_available(module, scheduling->root, &scheduling->loads);
  const int64_t bytes = bytes_of_slots(&scheduling->loads, most_slots(scheduling)) + others;
  return nereid_ring_budget_ctas_by_registers(scheduling->root) > 1 &&
         nereid_target_ctas(nereid_ttg_compute_capability(module), bytes) > 1;
}

/* Divides `loop`, if it can be; *tags counts the divided loops of the module. */
static void schedule(nereid_pass_t *pass, MlirOperation loop, bool is_requested, int64_t *tags) {
  scheduling_t scheduling = {.pass = pass, .root = loop, .obstacle = loop_obstacle(pass, loop)};
  if (!scheduling.obstacle) {
    nereid_written_roots_read(loop, pass->scratch, &scheduling.written);
    find_loads(&scheduling);
  }
  if (!scheduling.obstacle && !is_requested && has_second_cta(&scheduling))
    scheduling.obstacle = "a multiprocessor executes two CTAs of the pipelined loop";
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
  mlirOperationRemoveDiscardableAttributeByName(loop, nereid_ir_ref(NEREID_ATTR_PARTITION_WARPS));
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
  enum { GROUPS = 2 };
  nereid_operations_t chains = {0};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  bool loads_pointers = false;
  mlirOperationWalk(loop, find_pointer_load, &loads_pointers, MlirWalkPreOrder);
  if (loads_pointers || nereid_ttg_num_warps(loop) < GROUPS * GROUP_WARPS || !nereid_dots_are_chained(pass, body) ||
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
    schedule(pass, loop, is_requested, tags);
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
