/* Lowers the regions of ttg.warp_specialize; the op stays, for convert-warp-specialize-to-llvm (dispatch/).
 *
 *   ttg.warp_specialize(%buffer, %n)                    ttg.warp_specialize(%n)
 *   default { D }                                ->     default { D' }
 *   partition0(%b, %m) num_warps(2) { P }               partition0(%m: i32) num_warps(2) {
 *     : (!ttg.memdesc<…>, i32) -> tensor<…>               %tid = tid.x - 128, %b = address     P' }
 *                                                         : (i32) -> (f32, f32)
 *
 * All that depends on the warps of a partition is final here, so that each region is ordinary code that can be edited:
 * it numbers its threads from its first warp and has its own barrier id; a single warp needs none. Layouts, scratch and
 * barriers inside are for its warps. What is left for the later pass are the branches between warps.
 *
 * Partitions compute addresses of buffers again. Other values from outside are captured, also those that lowering adds:
 * the pointer to global scratch, the buffer of prints. */
#include "analysis/allocation/scratch.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/function/blocks.h"
#include "conversion/ttg_to_llvm/function/function.h"
#include "conversion/ttg_to_llvm/function/warps.h"
#include "conversion/ttg_to_llvm/slots.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"

#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"

/* --- the op --- */

static MlirOperation partitions_of(MlirOperation op) {
  return mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(nereid_ttg_warp_specialize_get_partition_op_holder(op)));
}

static MlirWalkResult find_cluster_access(MlirOperation op, void *user_data) {
  bool *found = user_data;
  const nereid_op_kind_t kind = nereid_op_kind(op);
  *found =
      (kind == NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL &&
       nereid_ttng_async_tma_copy_global_to_local_get_multicast(op)) ||
      (kind == NEREID_OP_TTNG_ARRIVE_BARRIER && !mlirAttributeIsNull(nereid_ttng_arrive_barrier_get_ctas_attr(op)));
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/* Whether the function accesses the shared memory of other CTAs. */
static bool accesses_cluster(MlirOperation function) {
  bool found = false;
  mlirOperationWalk(function, find_cluster_access, &found, MlirWalkPreOrder);
  return found;
}

static void add_attributes(nereid_lower_t *lower, MlirOperation op, MlirOperationState *state) {
  const int64_t bytes = nereid_scratch_bytes(op);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    mlirOperationStateAddAttributes(state, 1, &attribute);
  }
  MlirNamedAttribute size =
      nereid_emit_attribute(lower, NEREID_ATTR_ALLOCATION_SIZE, mlirIntegerAttrGet(lower->types->i32, bytes));
  MlirNamedAttribute cluster =
      nereid_emit_attribute(lower, NEREID_ATTR_CLUSTER_BARRIER, mlirUnitAttrGet(lower->context));
  if (bytes)
    mlirOperationStateAddAttributes(state, 1, &size);
  if (accesses_cluster(lower->function->op))
    mlirOperationStateAddAttributes(state, 1, &cluster);
}

static void add_partitions(nereid_lower_t *lower, MlirOperation made, intptr_t count) {
  MlirOperationState state =
      mlirOperationStateGet(nereid_ir_ref("ttg.warp_specialize.partitions"), lower->builder.location);
  for (intptr_t i = 0; i < count; ++i) {
    MlirRegion region = mlirRegionCreate();
    mlirOperationStateAddOwnedRegions(&state, 1, &region);
  }
  MlirBlock holder = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(nereid_ttg_warp_specialize_get_partition_op_holder(made), holder);
  mlirBlockAppendOwnedOperation(holder, mlirOperationCreate(&state));
}

/* The lowered op, with empty regions and without captures; its results are those of `op`. Null if out of memory. */
static MlirOperation create_op(nereid_lower_t *lower, MlirOperation op) {
  nereid_types_t types = {0};
  intptr_t next = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!nereid_lower_append_types(lower, mlirValueGetType(mlirOperationGetResult(op, i)), &types))
      return (MlirOperation){NULL};
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("ttg.warp_specialize"), lower->builder.location);
  MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
  mlirOperationStateAddResults(&state, (intptr_t)types.size, types.data);
  mlirOperationStateAddOwnedRegions(&state, 2, regions);
  add_attributes(lower, op, &state);
  MlirOperation made = mlirOperationCreate(&state);
  add_partitions(lower, made, mlirOperationGetNumRegions(partitions_of(op)));
  nereid_emit_insert_op(lower, made);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    nereid_lowered_t lowered = nereid_lower_array(lower, nereid_lower_registers(lower, mlirValueGetType(result)));
    for (intptr_t r = 0; lowered.values && r < lowered.count; ++r)
      lowered.values[r] = mlirOperationGetResult(made, next++);
    nereid_lower_set(lower, result, lowered);
  }
  return made;
}

/* --- regions --- */

/* Appends blocks for those of `source` to `target`; `out_blocks` gets the former in the order of lowering. */
static bool create_blocks(nereid_lower_t *lower, MlirRegion source, MlirRegion target, nereid_blocks_t *out_blocks) {
  if (!nereid_lower_order_blocks(lower->arena, mlirRegionGetFirstBlock(source), out_blocks))
    return false;
  for (size_t i = 0; i < out_blocks->size; ++i)
    if (!nereid_lower_create_block(lower, out_blocks->data[i], i == 0, target))
      return false;
  return true;
}

static bool lower_blocks(nereid_lower_t *lower, const nereid_blocks_t *blocks) {
  for (size_t i = 0; i < blocks->size; ++i) {
    lower->builder.block = nereid_lower_block(lower, blocks->data[i]);
    lower->builder.before = (MlirOperation){NULL};
    if (!nereid_lower_ops(lower, blocks->data[i], (MlirOperation){NULL}))
      return false;
  }
  return true;
}

static bool lower_default(const nereid_lower_t *lower, MlirOperation op, MlirOperation made) {
  nereid_lower_t inside = *lower;
  nereid_blocks_t blocks = {0};
  return create_blocks(&inside, nereid_ttg_warp_specialize_get_default_region(op),
                       nereid_ttg_warp_specialize_get_default_region(made), &blocks) &&
         lower_blocks(&inside, &blocks);
}

/* Sets the partition's arguments to values from outside, which isolate() replaces. */
static void take_captures(nereid_lower_t *partition, MlirOperation op, MlirRegion source) {
  MlirBlock entry = mlirRegionGetFirstBlock(source);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue capture = mlirOperationGetOperand(op, i);
    nereid_lower_set_scalar(partition, mlirBlockGetArgument(entry, i),
                            nereid_scratch_is_own_buffer(capture)
                                ? nereid_slots_scratch(partition, mlirOpResultGetOwner(capture))
                                : nereid_lower_get(partition, capture).values[0]);
  }
}

/* The barrier of partition `i`: each concurrent partition with several warps has its own. The sixteen barriers suffice:
 * a CTA has at most thirty-two warps, at least four of them the kernel's own. */
static int32_t barrier_of(MlirOperation op, intptr_t i) {
  int32_t number = NEREID_WARPS_FIRST_PARTITION;
  for (intptr_t k = 0; k < i; ++k)
    number += nereid_ttg_warp_specialize_get_partition_num_warps(op, k) > 1;
  return number;
}

/* The partition's first block is its prologue. */
static bool lower_partition(const nereid_lower_t *lower, MlirOperation op, MlirRegion target, intptr_t i) {
  MlirRegion source = mlirOperationGetRegion(partitions_of(op), i);
  MlirBlock prologue = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(target, prologue);
  nereid_lower_warp_group_t group = nereid_lower_warp_group_at(lower->arena, prologue, lower->group->grid);
  nereid_lower_t partition = nereid_lower_at_end(lower, prologue);
  nereid_blocks_t blocks = {0};
  partition.group = &group;
  group.thread_id = nereid_emit(&partition, "nvvm.read.ptx.sreg.tid.x", lower->types->i32, 0, NULL);
  nereid_warps_set(&partition, nereid_emit_i32(&partition, nereid_ttg_warp_specialize_get_warp_group_start_ids(op, i)),
                   nereid_emit_i32(&partition, barrier_of(op, i)),
                   nereid_ttg_warp_specialize_get_partition_num_warps(op, i));
  take_captures(&partition, op, source);
  if (!create_blocks(&partition, source, target, &blocks))
    return false;
  nereid_emit_branch(&partition, nereid_lower_block(&partition, blocks.data[0]), 0, NULL);
  return lower_blocks(&partition, &blocks);
}

/* --- captures --- */

/* The values from outside that partitions use. */
typedef struct captures {
  nereid_arena_t *arena;
  nereid_values_t values;
  NEREID_VECTOR(bool) used;
  bool replace; /* replace them by the arguments of the partition */
} captures_t;

static MlirRegion region_of(MlirValue value) {
  return mlirBlockGetParentRegion(mlirValueIsABlockArgument(value)
                                      ? mlirBlockArgumentGetOwner(value)
                                      : mlirOperationGetBlock(mlirOpResultGetOwner(value)));
}

/* The position of `value` in the captures, to which it is added if it is new. */
static size_t position_of(captures_t *captures, MlirValue value, bool used) {
  size_t i = 0;
  while (i < captures->values.size && !mlirValueEqual(captures->values.data[i], value))
    ++i;
  if (i == captures->values.size) {
    nereid_vector_push(captures->arena, &captures->values, value);
    nereid_vector_push(captures->arena, &captures->used, false);
  }
  if (!captures->arena->failed)
    captures->used.data[i] |= used;
  return i;
}

static MlirWalkResult capture_operands(MlirOperation op, void *user_data) {
  captures_t *captures = user_data;
  MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(op));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (mlirRegionEqual(region_of(operand), region))
      continue;
    const size_t at = position_of(captures, operand, true);
    if (captures->replace)
      mlirOperationSetOperand(op, i, mlirBlockGetArgument(mlirRegionGetFirstBlock(region), (intptr_t)at));
  }
  return captures->arena->failed ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void drop_unused(captures_t *captures) {
  size_t kept = 0;
  for (size_t i = 0; i < captures->values.size; ++i)
    if (captures->used.data[i])
      captures->values.data[kept++] = captures->values.data[i];
  captures->values.size = kept;
}

/* Makes the values from outside that partitions use their captures: those of `op` in their order, then others. */
static bool isolate(nereid_lower_t *lower, MlirOperation op, MlirOperation made) {
  MlirOperation partitions = partitions_of(made);
  captures_t captures = {.arena = lower->arena};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    position_of(&captures, nereid_lower_operand(lower, op, i).values[0], false);
  mlirOperationWalk(partitions, capture_operands, &captures, MlirWalkPreOrder);
  if (lower->arena->failed)
    return false;
  drop_unused(&captures);
  mlirOperationSetOperands(made, (intptr_t)captures.values.size, captures.values.data);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(partitions); ++r)
    for (size_t i = 0; i < captures.values.size; ++i)
      mlirBlockAddArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(partitions, r)),
                           mlirValueGetType(captures.values.data[i]), mlirValueGetLocation(captures.values.data[i]));
  captures.replace = true;
  mlirOperationWalk(partitions, capture_operands, &captures, MlirWalkPreOrder);
  return true;
}

/* --- rows --- */

static bool check_captures(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
    if (mlirTypeIsARankedTensor(type) || nereid_ttg_async_token_type_isa(type))
      return nereid_lower_error(op, "captures a value of type %s: expected a scalar, a pointer or a buffer",
                                nereid_text_of_type(type).chars);
  }
  return true;
}

static bool check(nereid_lower_t *lower, MlirOperation op) {
  if (!lower->function->is_kernel)
    return nereid_lower_error(op, "is in a function that is not a kernel: only kernels have warps for partitions");
  if (!lower->function->has_other_warps ||
      mlirAttributeIsNull(nereid_ttg_warp_specialize_get_warp_group_start_ids_attr(op)))
    return nereid_lower_error(op, "has no warps for its partitions: run tritongpu-allocate-warp-groups first");
  return check_captures(op) && nereid_slots_check_scratch(lower->function->op) &&
         (!nereid_scratch_bytes(op) || nereid_slots_check_scratch(op));
}

static bool lower_specialize(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  if (!check(lower, op))
    return false;
  MlirOperation made = create_op(lower, op);
  if (mlirOperationIsNull(made) || !lower_default(lower, op, made))
    return false;
  MlirOperation partitions = partitions_of(made);
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(partitions); ++i)
    if (!lower_partition(lower, op, mlirOperationGetRegion(partitions, i), i))
      return false;
  return isolate(lower, op, made);
}

/* ttg.warp_yield and ttg.warp_return, `row->to`. */
static bool lower_end_of_region(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  nereid_values_t values = {0};
  if (!nereid_lower_flatten(lower, op, 0, mlirOperationGetNumOperands(op), &values))
    return false;
  nereid_emit_op(lower, row->to, 0, NULL, (intptr_t)values.size, values.data, 0, NULL);
  return true;
}

const nereid_lower_row_t nereid_lower_warp_specialize_rows[] = {
    {NEREID_OP_TTG_WARP_SPECIALIZE, lower_specialize, NULL},
    {NEREID_OP_TTG_WARP_YIELD, lower_end_of_region, "ttg.warp_yield"},
    {NEREID_OP_TTG_WARP_RETURN, lower_end_of_region, "ttg.warp_return"},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
