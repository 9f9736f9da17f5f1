/* The warp group that runs the lowered code, and the other warps of a kernel; see warps.h.
 *
 *   entry:   warp < 4 ? body : others      4 of 8 warps are the kernel's own; it has no ttg.warp_specialize
 *   others:  ret
 *
 * In a kernel with ttg.warp_specialize the entry branches to the body; its other warps get a branch of their own with
 * the code of partitions (dispatch/). */
#include "conversion/ttg_to_llvm/function/warps.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/shuffle.h"
#include "dialects/ttg/module.h"

void nereid_warps_set(nereid_lower_t *lower, MlirValue first, MlirValue barrier, int32_t count) {
  lower->group->grid.num_warps = count;
  lower->group->first_warp = first;
  lower->group->barrier = barrier;
  MlirValue before = nereid_emit_mul(lower, first, nereid_emit_i32(lower, lower->group->grid.threads_per_warp));
  lower->group->thread_id = nereid_emit_binary(lower, "llvm.sub", lower->group->thread_id, before);
}

MlirValue nereid_warps_emit_number(nereid_lower_t *lower) {
  MlirValue warp = nereid_emit_binary(lower, "llvm.udiv", lower->group->thread_id,
                                      nereid_emit_i32(lower, lower->group->grid.threads_per_warp));
  nereid_shuffle(lower, NEREID_SHUFFLE_INDEX, nereid_emit_i32(lower, 0), 1, &warp, &warp);
  return warp;
}

static bool specializes(const nereid_blocks_t *blocks) {
  for (size_t i = 0; i < blocks->size; ++i)
    for (MlirOperation op = mlirBlockGetFirstOperation(blocks->data[i]); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      if (nereid_op_kind(op) == NEREID_OP_TTG_WARP_SPECIALIZE)
        return true;
  return false;
}

/* Other warps than the kernel's own return: lower->builder is before the branch to `body`. */
static void return_others(nereid_lower_t *lower, MlirBlock body) {
  MlirBlock others = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(mlirBlockGetParentRegion(body), others);
  MlirValue own = nereid_emit_i32(lower, lower->group->grid.num_warps);
  MlirValue is_own = nereid_emit_icmp(lower, NEREID_ICMP_ULT, nereid_warps_emit_number(lower), own);
  mlirOperationDestroy(mlirBlockGetTerminator(lower->function->entry));
  lower->builder.before = (MlirOperation){NULL};
  nereid_emit_cond_branch(lower, is_own, body, others);
  nereid_lower_t end = nereid_lower_at_end(lower, others);
  nereid_emit_op(&end, "llvm.return", 0, NULL, 0, NULL, 0, NULL);
}

void nereid_warps_begin(nereid_lower_t *lower, const nereid_blocks_t *blocks) {
  const int32_t total = nereid_ttg_total_num_warps(lower->module->op), own = lower->group->grid.num_warps;
  MlirBlock body = nereid_lower_block(lower, blocks->data[0]);
  nereid_emit_branch(lower, body, 0, NULL);
  lower->builder.before = mlirBlockGetTerminator(lower->function->entry); /* constants go there */
  if (!mlirValueIsNull(lower->group->first_warp))
    nereid_warps_set(lower, lower->group->first_warp, lower->group->barrier, own);
  else if (total > nereid_ttg_num_warps(lower->module->op))
    lower->group->barrier = nereid_emit_i32(lower, 0);
  lower->function->has_other_warps = lower->function->is_kernel && total > own;
  if (lower->function->has_other_warps && !specializes(blocks))
    return_others(lower, body);
}
