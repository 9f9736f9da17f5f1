/* The choice between a loop and a sequence of wgmma; see wgmma_loop.h.
 *
 *   wgmma.fence                           again: wgmma.fence
 *   wgmma 0; wgmma 1; wgmma 2; wgmma 3    ->     wgmma 0; wgmma 1
 *   wgmma.commit_group                           wgmma.commit_group
 *                                                addresses of the second half; twice: bra again
 *
 * Most of the time of ptxas is spent on instructions with a hundred registers; a loop has half of them
 * (docs/compile-time.md). It cannot contain other code, and none is moved across it, so it is chosen only where
 * threads do nothing but copy while dots are in flight. Where 8-bit elements are transposed in registers, the loop
 * also makes kernels faster: without it, ptxas moves that code, which waits for global memory, before the first
 * instruction of the dot.
 *
 * ptxas lets instructions of a loop stay in flight only if each iteration commits its own group. All dots of a function
 * commit as many groups, so that waits can count them. */
#include "conversion/ttg_to_llvm/dot/wgmma_loop.h"

#include "conversion/ttg_to_llvm/types.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/matrix_descriptor.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum {
  BYTE = 8,
  LANES = 32,
  MIN_COLUMNS = 64,
  MIN_STEPS = 4,     /* along K */
  MAX_RESULTS = 192, /* elements per thread */
};

static int64_t bits_of(MlirType type) {
  return nereid_lower_memory_bits(mlirShapedTypeGetElementType(type));
}

/* Whether `block` is `other` or precedes it in their region. */
static bool is_at_or_before(MlirBlock block, MlirBlock other) {
  while (!mlirBlockIsNull(block) && !mlirBlockEqual(block, other))
    block = mlirBlockGetNextInRegion(block);
  return !mlirBlockIsNull(block);
}

static bool has_copies(MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_op_kind(op) == NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL)
      return true;
  return false;
}

/* Whether threads copy in later blocks of an iteration: those up to the next branch back to `block` or before it. */
static bool has_copies_after(MlirBlock block) {
  for (MlirBlock next = block; !mlirBlockIsNull(next); next = mlirBlockGetNextInRegion(next)) {
    if (!mlirBlockEqual(next, block) && has_copies(next))
      return true;
    MlirOperation last = mlirBlockGetTerminator(next);
    for (intptr_t i = 0; i < mlirOperationGetNumSuccessors(last); ++i)
      if (is_at_or_before(mlirOperationGetSuccessor(last, i), block))
        return false;
  }
  return false;
}

/* Whether the threads of the dot's block move no tensor between registers and shared memory, except 8-bit elements to
 * it, and copy before the dot: the addresses of later copies are computed while the dot is in flight. */
static bool only_copies_before(MlirOperation dot) {
  bool is_before = true;
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirOperationGetBlock(dot)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    is_before &= !mlirOperationEqual(op, dot);
    const nereid_op_kind_t kind = nereid_op_kind(op);
    const bool stores =
        kind == NEREID_OP_TTG_LOCAL_STORE || (kind == NEREID_OP_TTG_LOCAL_ALLOC && mlirOperationGetNumOperands(op) > 0);
    if ((kind == NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL && !is_before) || kind == NEREID_OP_TTG_LOCAL_LOAD ||
        kind == NEREID_OP_TTG_LOCAL_GATHER || kind == NEREID_OP_TTG_LOCAL_SCATTER ||
        kind == NEREID_OP_TTG_LOCAL_ATOMIC_SCATTER_RMW || kind == NEREID_OP_TTG_CONVERT_LAYOUT ||
        (stores && bits_of(mlirValueGetType(mlirOperationGetOperand(op, 0))) != BYTE))
      return false;
  }
  return !has_copies_after(mlirOperationGetBlock(dot));
}

/* The columns of the dot's instructions; 0: it has none. */
static int64_t columns_of(MlirOperation dot) {
  MlirAttribute encoding = nereid_ttg_encoding_of(nereid_ir_result(dot));
  if (!nereid_ttg_nvidia_mma_attr_isa(encoding))
    return 0;
  return mlirDenseI32ArrayGetElement(nereid_ttg_nvidia_mma_attr_get_instr_shape(encoding), 1);
}

/* Whether a thread can hold its elements of the result: otherwise ptxas spills some between instructions with different
 * rows, in a loop twice as often. */
static bool holds_result(MlirOperation dot) {
  const int64_t threads = (int64_t)nereid_ttg_num_warps(dot) * LANES;
  return nereid_ttg_num_elements(mlirValueGetType(nereid_ir_result(dot))) <= MAX_RESULTS * threads;
}

/* Whether the dot is asynchronous, reads both operands from shared memory and has so many instructions, with so many
 * registers, that a loop of them is worth it. */
static bool is_suitable(MlirOperation dot) {
  MlirType b = mlirValueGetType(nereid_ttng_warp_group_dot_get_b(dot));
  if (!nereid_ttng_warp_group_dot_get_is_async(dot) ||
      !nereid_ttg_memdesc_type_isa(mlirValueGetType(nereid_ttng_warp_group_dot_get_a(dot))))
    return false;
  const int64_t k = mlirShapedTypeGetDimSize(b, mlirShapedTypeGetRank(b) - 2);
  const int64_t steps = k * bits_of(b) / BYTE / NEREID_LAYOUT_MATRIX_K_BYTES;
  const bool in_parts = mlirTypeIsAFloat(mlirShapedTypeGetElementType(b)) && bits_of(b) == BYTE &&
                        nereid_ttng_warp_group_dot_get_max_num_imprecise_acc(dot) <= k;
  return steps >= MIN_STEPS && steps % NEREID_WGMMA_ITERATIONS == 0 && columns_of(dot) >= MIN_COLUMNS && !in_parts &&
         holds_result(dot) && only_copies_before(dot);
}

typedef struct found {
  bool dots_are_suitable, stay_in_flight;
} found_t;

static MlirWalkResult find(MlirOperation op, void *user_data) {
  found_t *found = user_data;
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind == NEREID_OP_TTNG_WARP_GROUP_DOT)
    found->dots_are_suitable &= is_suitable(op);
  else if (kind == NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT)
    found->stay_in_flight |= nereid_ttng_warp_group_dot_wait_get_pendings(op) > 0;
  return found->dots_are_suitable ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

int32_t nereid_wgmma_groups(nereid_lower_t *lower) {
  nereid_lower_function_t *function = lower->function;
  if (!function->wgmma_groups) {
    found_t found = {.dots_are_suitable = true};
    mlirOperationWalk(function->op, find, &found, MlirWalkPreOrder);
    function->wgmma_groups = found.dots_are_suitable && found.stay_in_flight ? NEREID_WGMMA_ITERATIONS : 1;
  }
  return function->wgmma_groups;
}
