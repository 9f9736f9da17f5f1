/* Branches between warps; see dispatch.h.
 *
 *   header:   warp < 4 ? entry : work                 4 of 8 warps are the kernel's own
 *   entry:    …
 *             [states] = {1, 1, 2, 0}, [captures] = …   bar.sync 1   bar.sync 1   default region   bar.sync 1
 *             …
 *             [states] = {255, 255, 255, 255}           bar.sync 1   ret                 before each return
 *   work:     bar.sync 1
 *             [states + warp - 4] == 0 ? partition 0 : … == 1 ? partition 1 : … ret
 *   partition 0:  captures   bar.sync 1   its code      bar.sync 1   goto work
 *
 * One thread writes the captures and a byte for each other warp: the number of its partition in the kernel, or 255 to
 * return. All warps synchronize at barrier 1, which has no other use; again after the captures are read, as their bytes
 * may be reused then; and again when all regions have ended. Where partitions access the shared memory of other CTAs,
 * barrier.cluster takes the place of bar.sync 1: all warps of all CTAs synchronize.
 *
 * Registers are reallocated between the barriers where all regions begin and after the one where they end, so a warp
 * that releases registers does not wait for a warp that requests them. */
#include "conversion/ttg_to_llvm/dispatch/dispatch.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/function/warps.h"
#include "conversion/ttg_to_llvm/slots.h"
#include "dialects/ir.h"

#include "nereid/dialects/ttg.h"
#include "seam/effects.h"

#include <string.h>

static MlirRegion body_of(const nereid_dispatch_t *dispatch) {
  return mlirOperationGetRegion(dispatch->kernel, 0);
}

static MlirBlock append_block(const nereid_dispatch_t *dispatch) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(body_of(dispatch), block);
  return block;
}

/* --- the header --- */

static bool is_shuffle(MlirOperation op) {
  const char prefix[] = "llvm.nvvm.shfl.sync.";
  if (!mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), nereid_ir_ref("llvm.call_intrinsic")))
    return false;
  MlirStringRef name = mlirStringAttrGetValue(nereid_ir_attribute(op, "intrin"));
  return name.length >= sizeof prefix - 1 && !memcmp(name.data, prefix, sizeof prefix - 1);
}

/* Whether all warps may execute `op` of the entry in the header. Whole warps execute both, so a shuffle has the same
 * result. A buffer for prints must be allocated there, as elsewhere an allocation is repeated on each execution. */
static bool is_for_all(const nereid_dispatch_t *dispatch, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (mlirValueIsAOpResult(operand) &&
        !mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(operand)), dispatch->lower.group->prologue))
      return false;
  }
  return nereidMlirOperationIsPure(op) || is_shuffle(op) ||
         mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), nereid_ir_ref("llvm.alloca"));
}

static void move_to_header(const nereid_dispatch_t *dispatch, MlirBlock entry) {
  MlirOperation end = mlirBlockGetTerminator(dispatch->lower.group->prologue), last = mlirBlockGetTerminator(entry);
  for (MlirOperation op = mlirBlockGetFirstOperation(entry), next; !mlirOperationEqual(op, last); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!mlirOperationGetNumRegions(op) && is_for_all(dispatch, op))
      mlirOperationMoveBefore(op, end);
  }
}

/* A block before `entry` that takes the parameters. */
static MlirBlock create_header(const nereid_dispatch_t *dispatch, MlirBlock entry) {
  MlirBlock header = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockBefore(body_of(dispatch), entry, header);
  while (mlirBlockGetNumArguments(entry)) {
    MlirValue old = mlirBlockGetArgument(entry, 0);
    mlirValueReplaceAllUsesOfWith(old, mlirBlockAddArgument(header, mlirValueGetType(old), mlirValueGetLocation(old)));
    mlirBlockEraseArgument(entry, 0);
  }
  return header;
}

void nereid_dispatch_begin(nereid_dispatch_t *dispatch) {
  nereid_lower_t *lower = &dispatch->lower;
  MlirBlock entry = mlirRegionGetFirstBlock(body_of(dispatch)), header = create_header(dispatch, entry);
  lower->function->entry = lower->group->prologue = header;
  lower->builder = nereid_builder_at_end(lower->builder.location, header);
  lower->group->thread_id = nereid_emit(lower, "nvvm.read.ptx.sreg.tid.x", lower->types->i32, 0, NULL);
  dispatch->warp = nereid_warps_emit_number(lower);
  dispatch->work = append_block(dispatch);
  MlirValue own = nereid_emit_i32(lower, lower->group->grid.num_warps);
  nereid_emit_cond_branch(lower, nereid_emit_icmp(lower, NEREID_ICMP_ULT, dispatch->warp, own), entry, dispatch->work);
  move_to_header(dispatch, entry);
}

/* --- states --- */

/* The address of the states of warps in the kernel's frame. */
static MlirValue emit_states(nereid_dispatch_t *dispatch) {
  return nereid_slots_scratch(&dispatch->lower, dispatch->kernel);
}

static void store_states(nereid_dispatch_t *dispatch, const uint8_t *states) {
  nereid_lower_t *lower = &dispatch->lower;
  MlirValue base = emit_states(dispatch);
  for (int32_t warp = 0; warp < dispatch->others; ++warp) {
    MlirValue operands[] = {nereid_emit_int(lower, lower->types->i8, (int8_t)states[warp]),
                            nereid_emit_offset(lower, base, warp)};
    nereid_emit_op(lower, "llvm.store", 0, NULL, 2, operands, 0, NULL);
  }
}

/* A state per other warp, all dismissed. Null if out of memory. */
static uint8_t *dismissed(const nereid_dispatch_t *dispatch) {
  uint8_t *states = nereid_arena_new(dispatch->lower.arena, uint8_t, (size_t)dispatch->others);
  if (states)
    memset(states, NEREID_DISPATCH_DISMISSED, (size_t)dispatch->others);
  return states;
}

/* Sets the states of the warps of partitions to the numbers of these in the kernel. */
static bool assign(const nereid_dispatch_t *dispatch, MlirOperation op, uint8_t *states) {
  const intptr_t n = nereid_ttg_warp_specialize_get_partition_num_warps_count(op);
  const size_t first = dispatch->partitions.size;
  int32_t given = 0;
  if (first + (size_t)n > NEREID_DISPATCH_DISMISSED)
    return nereid_lower_error(op, "has more partitions than a byte can number: expected at most %d in a kernel",
                              NEREID_DISPATCH_DISMISSED);
  for (intptr_t i = 0; i < n; ++i) {
    const int64_t start =
        (int64_t)nereid_ttg_warp_specialize_get_warp_group_start_ids(op, i) - dispatch->lower.group->grid.num_warps;
    const int32_t warps = nereid_ttg_warp_specialize_get_partition_num_warps(op, i);
    for (int64_t w = start; w >= 0 && w < dispatch->others && w < start + warps; ++w)
      if (states[w] == NEREID_DISPATCH_DISMISSED) {
        states[w] = (uint8_t)(first + (size_t)i);
        ++given;
      }
    given -= warps;
  }
  for (int32_t w = 0; w < dispatch->others; ++w)
    given -= states[w] == NEREID_DISPATCH_DISMISSED;
  return given == 0 || nereid_lower_error(op, "leaves warps of the kernel without a partition, or gives them two: "
                                              "run tritongpu-allocate-warp-groups first");
}

/* --- synchronization --- */

static void synchronize(nereid_dispatch_t *dispatch) {
  if (dispatch->cluster)
    nereid_emit_cluster_barrier(&dispatch->lower);
  else
    nereid_emit_cta_barrier(&dispatch->lower, NEREID_WARPS_EVERYBODY);
}

/* Begins code for the first of the kernel's own threads, until nereid_lower_end_if(lower, result). */
static MlirBlock begin_first_thread(nereid_lower_t *lower) {
  return nereid_lower_begin_if(
      lower, nereid_emit_icmp(lower, NEREID_ICMP_EQ, lower->group->thread_id, nereid_emit_i32(lower, 0)));
}

void nereid_dispatch_dismiss(nereid_dispatch_t *dispatch, MlirOperation end) {
  nereid_lower_t *lower = &dispatch->lower;
  const uint8_t *states = dismissed(dispatch);
  if (!states)
    return;
  lower->builder = nereid_builder_at_end(mlirOperationGetLocation(end), mlirOperationGetBlock(end));
  mlirOperationRemoveFromParent(end);
  MlirBlock rest = begin_first_thread(lower);
  store_states(dispatch, states);
  nereid_lower_end_if(lower, rest);
  synchronize(dispatch);
  nereid_emit_insert_op(lower, end);
}

void nereid_dispatch_end(nereid_dispatch_t *dispatch) {
  nereid_lower_t *lower = &dispatch->lower;
  lower->builder = nereid_builder_at_end(mlirOperationGetLocation(dispatch->kernel), dispatch->work);
  synchronize(dispatch);
  MlirValue own = nereid_emit_i32(lower, lower->group->grid.num_warps);
  MlirValue index = nereid_emit_binary(lower, "llvm.sub", dispatch->warp, own);
  MlirValue at = nereid_emit_gep(lower, emit_states(dispatch), lower->types->i8, index);
  MlirValue state = nereid_emit_cast(lower, "llvm.load", lower->types->i8, at);
  for (size_t i = 0; i < dispatch->partitions.size; ++i) {
    MlirValue number = nereid_emit_int(lower, lower->types->i8, (int8_t)i);
    MlirBlock next = append_block(dispatch);
    nereid_emit_cond_branch(lower, nereid_emit_icmp(lower, NEREID_ICMP_EQ, state, number), dispatch->partitions.data[i],
                            next);
    lower->builder.block = next;
  }
  nereid_emit_op(lower, "llvm.return", 0, NULL, 0, NULL, 0, NULL);
}

/* --- regions --- */

/* Moves the blocks of `region` to the end of the kernel. Its ends, which are ops named `end`, become branches to `to`
 * with their operands. Returns the first block. */
static MlirBlock take_blocks(nereid_dispatch_t *dispatch, MlirRegion region, nereid_op_kind_t end, MlirBlock to) {
  nereid_lower_t lower = dispatch->lower;
  MlirBlock first = mlirRegionGetFirstBlock(region);
  for (MlirBlock block = first, next; !mlirBlockIsNull(block); block = next) {
    next = mlirBlockGetNextInRegion(block);
    mlirBlockDetach(block);
    mlirRegionAppendOwnedBlock(body_of(dispatch), block);
    MlirOperation last = mlirBlockGetTerminator(block);
    if (nereid_op_kind(last) != end)
      continue;
    nereid_values_t values = {0};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(last); ++i)
      nereid_vector_push(lower.arena, &values, mlirOperationGetOperand(last, i));
    lower.builder = nereid_builder_at_end(mlirOperationGetLocation(last), block);
    mlirOperationDestroy(last);
    nereid_emit_branch(&lower, to, (intptr_t)values.size, values.data);
  }
  return first;
}

/* Moves the ops after `op` to a new block, whose arguments replace the results of `op`. */
static MlirBlock split_after(const nereid_dispatch_t *dispatch, MlirOperation op) {
  MlirBlock rest = append_block(dispatch);
  for (MlirOperation moved = mlirOperationGetNextInBlock(op), next; !mlirOperationIsNull(moved); moved = next) {
    next = mlirOperationGetNextInBlock(moved);
    mlirOperationRemoveFromParent(moved);
    mlirBlockAppendOwnedOperation(rest, moved);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    mlirValueReplaceAllUsesOfWith(result,
                                  mlirBlockAddArgument(rest, mlirValueGetType(result), mlirOperationGetLocation(op)));
  }
  return rest;
}

/* The kernel's own warps: begins the partitions, executes the default region and waits for the others. */
static void convert_default(nereid_dispatch_t *dispatch, const nereid_dispatch_captures_t *captures,
                            const uint8_t *states) {
  nereid_lower_t *lower = &dispatch->lower;
  MlirOperation op = captures->op;
  MlirBlock rest = split_after(dispatch, op);
  MlirOperation following = mlirBlockGetFirstOperation(rest);
  lower->builder = nereid_builder_at_end(mlirOperationGetLocation(op), mlirOperationGetBlock(op));
  MlirBlock all = begin_first_thread(lower);
  store_states(dispatch, states);
  nereid_dispatch_store_captures(lower, captures);
  if (dispatch->cluster)
    nereid_emit_mbarrier_fence(lower);
  nereid_lower_end_if(lower, all);
  synchronize(dispatch);
  if (captures->any)
    nereid_emit_cta_barrier(lower, NEREID_WARPS_EVERYBODY);
  nereid_dispatch_emit_registers(lower, op, 0, true);
  nereid_emit_branch(
      lower, take_blocks(dispatch, nereid_ttg_warp_specialize_get_default_region(op), NEREID_OP_TTG_WARP_YIELD, rest),
      0, NULL);
  lower->builder.block = rest;
  lower->builder.before = following;
  synchronize(dispatch);
  nereid_dispatch_emit_registers(lower, op, 0, false);
}

/* The back edge to wait for work. Disables LICM: LLVM would hoist invariant values of all partitions to the start of
 * the warps, in registers that partitions do not have. */
static void go_back_to_work(nereid_dispatch_t *dispatch) {
  nereid_lower_t *lower = &dispatch->lower;
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("llvm.br"), lower->builder.location);
  MlirAttribute stay =
      mlirAttributeParseGet(lower->context, nereid_ir_ref("#llvm.loop_annotation<licm = <disable = true>>"));
  MlirNamedAttribute attribute = nereid_emit_attribute(lower, "loop_annotation", stay);
  mlirOperationStateAddSuccessors(&state, 1, &dispatch->work);
  mlirOperationStateAddAttributes(&state, 1, &attribute);
  nereid_emit_insert_op(lower, mlirOperationCreate(&state));
}

static bool convert_partition(nereid_dispatch_t *dispatch, const nereid_dispatch_captures_t *captures,
                              MlirRegion region, intptr_t i) {
  nereid_lower_t *lower = &dispatch->lower;
  MlirBlock end = append_block(dispatch);
  MlirBlock first = take_blocks(dispatch, region, NEREID_OP_TTG_WARP_RETURN, end);
  lower->builder.block = first;
  lower->builder.before = mlirBlockGetFirstOperation(first);
  lower->builder.location = mlirOperationGetLocation(captures->op);
  nereid_dispatch_load_captures(lower, captures, first);
  if (captures->any)
    nereid_emit_cta_barrier(lower, NEREID_WARPS_EVERYBODY);
  nereid_dispatch_emit_registers(lower, captures->op, i + 1, true);
  lower->builder = nereid_builder_at_end(lower->builder.location, end);
  synchronize(dispatch);
  nereid_dispatch_emit_registers(lower, captures->op, i + 1, false);
  go_back_to_work(dispatch);
  return nereid_vector_push(lower->arena, &dispatch->partitions, first);
}

bool nereid_dispatch_replace(nereid_dispatch_t *dispatch, MlirOperation op) {
  nereid_dispatch_captures_t captures;
  uint8_t *states = dismissed(dispatch);
  if (!states || !assign(dispatch, op, states) || !nereid_dispatch_place_captures(dispatch, op, &captures))
    return false;
  if (captures.any && !nereid_slots_check_scratch(op))
    return false;
  convert_default(dispatch, &captures, states);
  MlirBlock holder = mlirRegionGetFirstBlock(nereid_ttg_warp_specialize_get_partition_op_holder(op));
  MlirOperation partitions = mlirBlockGetFirstOperation(holder);
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(partitions); ++i)
    if (!convert_partition(dispatch, &captures, mlirOperationGetRegion(partitions, i), i))
      return false;
  mlirOperationDestroy(op);
  return true;
}
