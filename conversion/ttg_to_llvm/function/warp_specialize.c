/* Lowers ttg.warp_specialize: assigns partitions to waiting warps (warps.c).
 *
 *   tt.func public @k …                       entry:   warp < 4 ? body : work
 *     ttg.warp_specialize(%x)                 body:    [states] = {1, 1, 2, 0}, [captures] = %x
 *     default { D }                  ->                bar.sync 1     bar.sync 1     D     bar.sync 1     …
 *     partition0(%a) num_warps(2) { P }                [states] = {255 …}     bar.sync 1     ret
 *     partition1(%a) num_warps(1) { Q }       work:    bar.sync 1
 *     …                                                switch [states + warp - 4]  {0: …, 1: P', 2: Q'}, else: ret
 *                                             P':      %a = [captures]     bar.sync 1   P   bar.sync 1   goto work
 *
 * The kernel is launched with more warps than run its function (passes/memory/allocate_warp_groups.c). One thread
 * writes the captures and a byte for each other warp: the number of its partition in the kernel. All warps synchronize
 * at barrier 1, which has no other use; again after the captures are read, as their bytes may be reused then; and
 * again when all regions have ended. Values available at the entry of the function (its arguments, constants,
 * addresses of buffers) are not passed through memory: a partition recomputes them.
 *
 * A partition numbers its threads from its first warp and has its own barrier id; a single warp needs none.
 * Layouts, scratch and barriers inside are for its warps. Registers are reallocated between the barriers where all
 * regions begin and after the one where they end, so a warp that releases registers does not wait for a warp that
 * requests them. */
#include "analysis/allocation/scratch.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/function/blocks.h"
#include "conversion/ttg_to_llvm/function/function.h"
#include "conversion/ttg_to_llvm/function/warps.h"
#include "conversion/ttg_to_llvm/slots.h"
#include "dialects/diagnose.h"
#include "dialects/ttg/module.h"

#include "nereid/dialects/ttg.h"

#include "mlir-c/Dialect/LLVM.h"

/* --- captures --- */

/* A capture that is available at the function entry: an argument, a constant. */
static bool is_in_entry(const nereid_lower_t *lower, MlirValue value) {
  MlirBlock block = mlirValueIsABlockArgument(value) ? mlirBlockArgumentGetOwner(value)
                                                     : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  return mlirBlockEqual(block, lower->function->entry);
}

static bool is_buffer_of_kernel(MlirValue capture) {
  return mlirValueIsAOpResult(capture) && nereid_op_kind(mlirOpResultGetOwner(capture)) == NEREID_OP_TTG_LOCAL_ALLOC;
}

static bool is_stored(nereid_lower_t *lower, MlirValue capture) {
  return !is_buffer_of_kernel(capture) && !is_in_entry(lower, nereid_lower_get(lower, capture).values[0]);
}

static bool stores_captures(nereid_lower_t *lower, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (is_stored(lower, mlirOperationGetOperand(op, i)))
      return true;
  return false;
}

static MlirType memory_type(nereid_lower_t *lower, MlirType type) {
  return mlirTypeIsALLVMPointerType(type) ? type : nereid_slots_memory_type(lower, type);
}

static MlirNamedAttribute alignment_at(nereid_lower_t *lower, MlirOperation op, int64_t offset) {
  const int64_t known = offset | nereid_scratch_alignment(op);
  return nereid_emit_attribute(lower, "alignment", mlirIntegerAttrGet(lower->types->i64, known & -known));
}

static void store_captures(nereid_lower_t *lower, MlirOperation op) {
  int64_t offset = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue capture = mlirOperationGetOperand(op, i);
    if (is_stored(lower, capture)) {
      MlirValue value = nereid_lower_get(lower, capture).values[0];
      MlirNamedAttribute alignment = alignment_at(lower, op, offset);
      MlirValue at = nereid_emit_offset(lower, nereid_slots_scratch(lower, op), offset);
      value = nereid_slots_to_memory(lower, memory_type(lower, mlirValueGetType(value)), value);
      nereid_emit_op(lower, "llvm.store", 0, NULL, 2, (MlirValue[]){value, at}, 1, &alignment);
    }
    offset += nereid_scratch_capture_bytes(mlirValueGetType(capture));
  }
}

/* The value of the capture in partitions. */
static MlirValue take_capture(nereid_lower_t *lower, MlirOperation op, MlirValue capture, int64_t offset) {
  MlirValue value = nereid_lower_get(lower, capture).values[0];
  MlirType type = mlirValueGetType(value), in_memory = memory_type(lower, type);
  if (is_buffer_of_kernel(capture))
    return nereid_slots_scratch(lower, mlirOpResultGetOwner(capture));
  if (!is_stored(lower, capture))
    return value;
  MlirNamedAttribute alignment = alignment_at(lower, op, offset);
  MlirValue at = nereid_emit_offset(lower, nereid_slots_scratch(lower, op), offset);
  value = mlirOperationGetResult(nereid_emit_op(lower, "llvm.load", 1, &in_memory, 1, &at, 1, &alignment), 0);
  return nereid_slots_from_memory(lower, type, value);
}

static void take_captures(nereid_lower_t *lower, MlirOperation op, MlirRegion partition) {
  MlirBlock entry = mlirRegionGetFirstBlock(partition);
  int64_t offset = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue capture = mlirOperationGetOperand(op, i);
    nereid_lower_set_scalar(lower, mlirBlockGetArgument(entry, i), take_capture(lower, op, capture, offset));
    offset += nereid_scratch_capture_bytes(mlirValueGetType(capture));
  }
}

/* --- registers --- */

/* The registers per thread in region `region`: 0 the default region, i + 1 partition i; 0 if unspecified. */
static int32_t registers_at(MlirOperation op, intptr_t region) {
  return mlirAttributeIsNull(nereid_ttg_warp_specialize_get_actual_registers_attr(op)) ||
                 region >= nereid_ttg_warp_specialize_get_actual_registers_count(op)
             ? 0
             : nereid_ttg_warp_specialize_get_actual_registers(op, region);
}

static void emit_registers(nereid_lower_t *lower, MlirOperation op, intptr_t region, bool begins) {
  const int32_t actual = registers_at(op, region), launched = (nereid_ttg_maxnreg(op) + 7) / 8 * 8;
  const int32_t from = begins ? launched : actual, to = begins ? actual : launched;
  if (!actual || !launched || from == to)
    return;
  MlirValue number = nereid_emit_i32(lower, to);
  nereid_emit_intrinsic(
      lower, to > from ? "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32" : "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32",
      (MlirType){NULL}, 1, &number);
}

/* --- regions --- */

/* Lowers the blocks of `region` after lower->builder; its end branches to lower->group->after. */
static bool lower_region(nereid_lower_t *lower, MlirRegion region) {
  nereid_blocks_t blocks = {0};
  if (!nereid_lower_order_blocks(lower->arena, mlirRegionGetFirstBlock(region), &blocks))
    return false;
  for (size_t i = 0; i < blocks.size; ++i)
    if (!nereid_lower_create_block(lower, blocks.data[i], i == 0, mlirBlockGetParentRegion(lower->function->entry)))
      return false;
  nereid_emit_branch(lower, nereid_lower_block(lower, blocks.data[0]), 0, NULL);
  for (size_t i = 0; i < blocks.size; ++i) {
    lower->builder.block = nereid_lower_block(lower, blocks.data[i]);
    lower->builder.before = (MlirOperation){NULL};
    if (!nereid_lower_ops(lower, blocks.data[i], (MlirOperation){NULL}))
      return false;
  }
  return true;
}

/* The block after the default region: its arguments are the results. */
static bool make_rest(nereid_lower_t *lower, MlirOperation op, MlirBlock *out_rest) {
  MlirBlock rest = nereid_warps_append_block(lower);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    nereid_types_t types = {0};
    if (!nereid_lower_append_types(lower, mlirValueGetType(result), &types))
      return false;
    nereid_lowered_t lowered = nereid_lower_array(lower, (intptr_t)types.size);
    for (intptr_t r = 0; lowered.values && r < lowered.count; ++r)
      lowered.values[r] = mlirBlockAddArgument(rest, types.data[r], lower->builder.location);
    nereid_lower_set(lower, result, lowered);
  }
  *out_rest = rest;
  return !lower->arena->failed;
}

static bool lower_default(nereid_lower_t *lower, MlirOperation op) {
  MlirBlock rest;
  if (!make_rest(lower, op, &rest))
    return false;
  lower->group->after = rest;
  emit_registers(lower, op, 0, true);
  if (!lower_region(lower, nereid_ttg_warp_specialize_get_default_region(op)))
    return false;
  lower->builder.block = rest;
  lower->builder.location = mlirOperationGetLocation(op);
  nereid_warps_synchronize(lower);
  emit_registers(lower, op, 0, false);
  return true;
}

/* The barrier of partition `i`: each concurrent partition with several warps has its own. The sixteen barriers suffice:
 * a CTA has at most thirty-two warps, at least four of them the kernel's own. */
static int32_t barrier_of(MlirOperation op, intptr_t i) {
  int32_t number = NEREID_WARPS_FIRST_PARTITION;
  for (intptr_t k = 0; k < i; ++k)
    number += nereid_ttg_warp_specialize_get_partition_num_warps(op, k) > 1;
  return number;
}

/* The back edge to wait for work. Disables LICM: LLVM would hoist invariant values of all partitions to the start of
 * the warps, in registers that partitions do not have. */
static void go_back_to_work(nereid_lower_t *lower) {
  MlirOperationState state = mlirOperationStateGet(mlirStringRefCreateFromCString("llvm.br"), lower->builder.location);
  MlirAttribute stay = mlirAttributeParseGet(
      lower->context, mlirStringRefCreateFromCString("#llvm.loop_annotation<licm = <disable = true>>"));
  MlirNamedAttribute attribute = nereid_emit_attribute(lower, "loop_annotation", stay);
  mlirOperationStateAddSuccessors(&state, 1, &lower->function->workers->work);
  mlirOperationStateAddAttributes(&state, 1, &attribute);
  nereid_emit_insert_op(lower, mlirOperationCreate(&state));
}

static bool lower_partition(nereid_lower_t *lower, MlirOperation op, MlirRegion region, intptr_t i) {
  MlirBlock first = nereid_warps_append_block(lower), body = nereid_warps_append_block(lower),
            end = nereid_warps_append_block(lower);
  const bool waits = stores_captures(lower, op);
  if (!nereid_vector_push(lower->arena, &lower->function->workers->partitions, first))
    return false;
  nereid_lower_warp_group_t group = nereid_lower_warp_group_at(lower->arena, first, lower->group->grid);
  nereid_lower_t partition = nereid_lower_at_end(lower, first);
  group.thread_id = lower->group->thread_id;
  group.after = end;
  partition.group = &group;
  nereid_emit_branch(&partition, body, 0, NULL);
  partition.builder.before = mlirBlockGetTerminator(first);
  nereid_warps_set(&partition, nereid_emit_i32(&partition, nereid_ttg_warp_specialize_get_warp_group_start_ids(op, i)),
                   nereid_emit_i32(&partition, barrier_of(op, i)),
                   nereid_ttg_warp_specialize_get_partition_num_warps(op, i));
  take_captures(&partition, op, region);
  if (waits)
    nereid_emit_cta_barrier(&partition, NEREID_WARPS_EVERYBODY);
  emit_registers(&partition, op, i + 1, true);
  partition.builder = nereid_builder_at_end(partition.builder.location, body);
  if (!lower_region(&partition, region))
    return false;
  partition.builder = nereid_builder_at_end(mlirOperationGetLocation(op), end);
  nereid_warps_synchronize(&partition);
  emit_registers(&partition, op, i + 1, false);
  go_back_to_work(&partition);
  return true;
}

static MlirOperation partitions_of(MlirOperation op) {
  return mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(nereid_ttg_warp_specialize_get_partition_op_holder(op)));
}

static bool lower_partitions(nereid_lower_t *lower, MlirOperation op) {
  MlirOperation partitions = partitions_of(op);
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(partitions); ++i)
    if (!lower_partition(lower, op, mlirOperationGetRegion(partitions, i), i))
      return false;
  return true;
}

/* --- the op --- */

/* Fills `states`: by warp that runs partitions, the number of its partition in the kernel. */
static bool assign(nereid_lower_t *lower, MlirOperation op, uint8_t *states) {
  const nereid_lower_workers_t *workers = lower->function->workers;
  const intptr_t n = nereid_ttg_warp_specialize_get_partition_num_warps_count(op);
  const size_t first = workers->partitions.size;
  int32_t given = 0;
  if (first + (size_t)n > NEREID_WARPS_DISMISSED)
    return nereid_lower_error(op, "has more partitions than a byte can number: expected %d in a kernel",
                              NEREID_WARPS_DISMISSED);
  for (intptr_t i = 0; i < n; ++i) {
    const int64_t start =
        (int64_t)nereid_ttg_warp_specialize_get_warp_group_start_ids(op, i) - lower->group->grid.num_warps;
    const int32_t warps = nereid_ttg_warp_specialize_get_partition_num_warps(op, i);
    for (int64_t w = start; w >= 0 && w < workers->count && w < start + warps; ++w)
      if (states[w] == NEREID_WARPS_DISMISSED) {
        states[w] = (uint8_t)(first + (size_t)i);
        ++given;
      }
    given -= warps;
  }
  for (int32_t w = 0; w < workers->count; ++w)
    given -= states[w] == NEREID_WARPS_DISMISSED;
  return given == 0 || nereid_lower_error(op, "leaves warps of the kernel without a partition, or gives them two: "
                                              "tritongpu-allocate-warp-groups comes first");
}

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
    return nereid_lower_error(op, "is in a function that is not a kernel: other warps wait in kernels only");
  if (!lower->function->workers || mlirAttributeIsNull(nereid_ttg_warp_specialize_get_warp_group_start_ids_attr(op)))
    return nereid_lower_error(op, "has no warps for its partitions: tritongpu-allocate-warp-groups comes first");
  return check_captures(op) &&
         (!nereid_scratch_bytes(op) || !mlirValueIsNull(nereid_slots_scratch(lower, op))); /* the captures' */
}

static bool lower_specialize(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  if (!check(lower, op))
    return false;
  uint8_t *states = nereid_arena_new(lower->arena, uint8_t, (size_t)lower->function->workers->count);
  if (!states)
    return false;
  memset(states, NEREID_WARPS_DISMISSED, (size_t)lower->function->workers->count);
  if (!assign(lower, op, states))
    return false;
  MlirBlock rest = nereid_warps_begin_first_thread(lower);
  nereid_warps_store_states(lower, states);
  store_captures(lower, op);
  if (lower->function->workers->cluster)
    nereid_emit_mbarrier_fence(lower);
  nereid_lower_end_if(lower, rest);
  nereid_warps_synchronize(lower);
  if (stores_captures(lower, op))
    nereid_emit_cta_barrier(lower, NEREID_WARPS_EVERYBODY);
  return lower_default(lower, op) && lower_partitions(lower, op);
}

static bool lower_end_of_region(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  nereid_values_t values = {0};
  if (!nereid_lower_flatten(lower, op, 0, mlirOperationGetNumOperands(op), &values))
    return false;
  nereid_emit_branch(lower, lower->group->after, (intptr_t)values.size, values.data);
  return true;
}

const nereid_lower_row_t nereid_lower_warp_specialize_rows[] = {
    {NEREID_OP_TTG_WARP_SPECIALIZE, lower_specialize, NULL},
    {NEREID_OP_TTG_WARP_YIELD, lower_end_of_region, NULL},
    {NEREID_OP_TTG_WARP_RETURN, lower_end_of_region, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
