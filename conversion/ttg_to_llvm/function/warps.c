/* The warp group that runs the lowered code, and the warps of a kernel that wait for partitions; see warps.h.
 *
 *   entry:   warp < 4 ? body : work                 4 of 8 warps are the kernel's own
 *   work:    bar.sync 1
 *            [states + warp - 4] == 0 ? partition 0 : … == 1 ? partition 1 : … ret
 *   …        [states] = {255, 255, 255, 255}; bar.sync 1; ret        before each return of the kernel
 *
 * One thread writes a byte for each of the others: the number of its partition in the kernel, or 255 to return
 * (warp_specialize.c). Where partitions access the shared memory of other CTAs, barrier.cluster takes the place of
 * bar.sync 1: all warps of all CTAs synchronize. */
#include "conversion/ttg_to_llvm/function/warps.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/shuffle.h"
#include "conversion/ttg_to_llvm/slots.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/ttng.h"

/* --- the current warp group --- */

MlirBlock nereid_warps_append_block(nereid_lower_t *lower) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(mlirBlockGetParentRegion(lower->function->entry), block);
  return block;
}

void nereid_warps_set(nereid_lower_t *lower, MlirValue first, MlirValue barrier, int32_t count) {
  lower->group->grid.num_warps = count;
  lower->group->first_warp = first;
  lower->group->barrier = barrier;
  MlirValue before = nereid_emit_mul(lower, first, nereid_emit_i32(lower, lower->group->grid.threads_per_warp));
  lower->group->thread_id = nereid_emit_binary(lower, "llvm.sub", lower->group->thread_id, before);
}

/* --- the kernel's other warps --- */

static MlirWalkResult read_needs(MlirOperation op, void *user_data) {
  nereid_lower_workers_t *workers = user_data;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTG_WARP_SPECIALIZE:
    workers->specialize = true;
    break;
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
    workers->cluster = workers->cluster || nereid_ttng_async_tma_copy_global_to_local_get_multicast(op);
    break;
  case NEREID_OP_TTNG_ARRIVE_BARRIER:
    workers->cluster = workers->cluster || !mlirAttributeIsNull(nereid_ttng_arrive_barrier_get_ctas_attr(op));
    break;
  default:
    break;
  }
  return MlirWalkResultAdvance;
}

/* The warp's number, from its first lane, so that it is uniform for the assembler. */
static MlirValue emit_warp(nereid_lower_t *lower) {
  MlirValue warp = nereid_emit_binary(lower, "llvm.udiv", lower->group->thread_id,
                                      nereid_emit_i32(lower, lower->group->grid.threads_per_warp));
  nereid_shuffle(lower, NEREID_SHUFFLE_INDEX, nereid_emit_i32(lower, 0), 1, &warp, &warp);
  return warp;
}

/* The address of the states of warps in the function's frame. */
static MlirValue emit_states(nereid_lower_t *lower) {
  return nereid_slots_scratch(lower, lower->function->op);
}

bool nereid_warps_begin(nereid_lower_t *lower, MlirBlock body) {
  const int32_t total = nereid_ttg_total_num_warps(lower->module->op), own = lower->group->grid.num_warps;
  nereid_emit_branch(lower, body, 0, NULL);
  lower->builder.before = mlirBlockGetTerminator(lower->function->entry); /* constants go there */
  if (!mlirValueIsNull(lower->group->first_warp))
    nereid_warps_set(lower, lower->group->first_warp, lower->group->barrier, own);
  else if (total > nereid_ttg_num_warps(lower->module->op))
    lower->group->barrier = nereid_emit_i32(lower, 0);
  if (!lower->function->is_kernel || total <= own)
    return true;
  nereid_lower_workers_t *workers = nereid_arena_new(lower->arena, nereid_lower_workers_t, 1);
  if (!workers)
    return false;
  mlirOperationWalk(lower->function->op, read_needs, workers, MlirWalkPreOrder);
  lower->function->workers = workers;
  if (workers->specialize && mlirValueIsNull(emit_states(lower)))
    return false;
  workers->count = total - own;
  workers->warp = emit_warp(lower);
  workers->work = nereid_warps_append_block(lower);
  MlirValue is_own = nereid_emit_icmp(lower, NEREID_ICMP_ULT, workers->warp, nereid_emit_i32(lower, own));
  mlirOperationDestroy(mlirBlockGetTerminator(lower->function->entry));
  lower->builder.before = (MlirOperation){NULL};
  nereid_emit_cond_branch(lower, is_own, body, workers->work);
  return true;
}

void nereid_warps_store_states(nereid_lower_t *lower, const uint8_t *states) {
  MlirValue base = emit_states(lower);
  for (int32_t warp = 0; warp < lower->function->workers->count; ++warp) {
    MlirValue operands[] = {nereid_emit_int(lower, lower->types->i8, (int8_t)states[warp]),
                            nereid_emit_offset(lower, base, warp)};
    nereid_emit_op(lower, "llvm.store", 0, NULL, 2, operands, 0, NULL);
  }
}

MlirBlock nereid_warps_begin_first_thread(nereid_lower_t *lower) {
  return nereid_lower_begin_if(
      lower, nereid_emit_icmp(lower, NEREID_ICMP_EQ, lower->group->thread_id, nereid_emit_i32(lower, 0)));
}

void nereid_warps_synchronize(nereid_lower_t *lower) {
  if (lower->function->workers->cluster)
    nereid_emit_cluster_barrier(lower);
  else
    nereid_emit_cta_barrier(lower, NEREID_WARPS_EVERYBODY);
}

void nereid_warps_dismiss(nereid_lower_t *lower) {
  if (!lower->function->workers || !lower->function->workers->specialize)
    return;
  uint8_t *states = nereid_arena_new(lower->arena, uint8_t, (size_t)lower->function->workers->count);
  if (!states)
    return;
  memset(states, NEREID_WARPS_DISMISSED, (size_t)lower->function->workers->count);
  MlirBlock rest = nereid_warps_begin_first_thread(lower);
  nereid_warps_store_states(lower, states);
  nereid_lower_end_if(lower, rest);
  nereid_warps_synchronize(lower);
}

static MlirValue load_state(nereid_lower_t *lower) {
  MlirValue own = nereid_emit_i32(lower, lower->group->grid.num_warps);
  MlirValue index = nereid_emit_binary(lower, "llvm.sub", lower->function->workers->warp, own);
  MlirValue at = nereid_emit_gep(lower, emit_states(lower), lower->types->i8, index);
  return nereid_emit_cast(lower, "llvm.load", lower->types->i8, at);
}

void nereid_warps_end(nereid_lower_t *lower) {
  const nereid_lower_workers_t *workers = lower->function->workers;
  if (!workers)
    return;
  lower->builder.location = mlirOperationGetLocation(lower->function->op);
  lower->builder.block = workers->work;
  lower->builder.before = (MlirOperation){NULL};
  if (workers->specialize) {
    nereid_warps_synchronize(lower);
    MlirValue state = load_state(lower);
    for (size_t i = 0; i < workers->partitions.size; ++i) {
      MlirValue number = nereid_emit_int(lower, lower->types->i8, (int8_t)i);
      MlirBlock next = nereid_warps_append_block(lower);
      nereid_emit_cond_branch(lower, nereid_emit_icmp(lower, NEREID_ICMP_EQ, state, number),
                              workers->partitions.data[i], next);
      lower->builder.block = next;
    }
  }
  nereid_emit_op(lower, "llvm.return", 0, NULL, 0, NULL, 0, NULL);
}
