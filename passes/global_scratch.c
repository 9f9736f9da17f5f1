/* tritongpu-global-scratch-memory-allocation: gives every ttg.global_scratch_alloc its place in the CTA's global
 * scratch.
 *
 *   %p = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32}
 *   ->
 *   %p = ttg.global_scratch_alloc {ttg.global_scratch_memory_offset = 256 : i32, …}
 *   module {ttg.global_scratch_memory_size = 384 : i32, ttg.global_scratch_memory_alignment = 128 : i32}
 *
 * Places are never shared: what a descriptor was written to may be read long after. The size is a multiple of the
 * alignment, as the scratch of one CTA follows that of another (docs/abi.md). */
#include "passes/loop_stages.h"
#include "passes/pass.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

typedef struct scratch {
  int64_t size, alignment, count;
} scratch_t;

static int64_t round_up(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

static MlirWalkResult place(MlirOperation op, void *user_data) {
  scratch_t *scratch = user_data;
  if (nereid_op_kind(op) != NEREID_OP_TTG_GLOBAL_SCRATCH_ALLOC)
    return MlirWalkResultAdvance;
  const int64_t alignment = nereid_ttg_global_scratch_alloc_get_alignment(op);
  scratch->size = round_up(scratch->size, alignment);
  nereid_loop_set_integer(op, "ttg.global_scratch_memory_offset", scratch->size);
  scratch->size += nereid_ttg_global_scratch_alloc_get_nbytes(op);
  scratch->alignment = alignment > scratch->alignment ? alignment : scratch->alignment;
  ++scratch->count;
  return MlirWalkResultAdvance;
}

MlirLogicalResult nereid_pass_tritongpu_global_scratch_memory_allocation(nereid_pass_t *pass) {
  scratch_t scratch = {.alignment = 1};
  mlirOperationWalk(pass->op, place, &scratch, MlirWalkPreOrder);
  if (scratch.size > INT32_MAX) {
    mlirEmitError(mlirOperationGetLocation(pass->op), "more than 2 GiB of global scratch for one CTA");
    return mlirLogicalResultFailure();
  }
  if (scratch.count) {
    nereid_loop_set_integer(pass->op, "ttg.global_scratch_memory_size", round_up(scratch.size, scratch.alignment));
    nereid_loop_set_integer(pass->op, "ttg.global_scratch_memory_alignment", scratch.alignment);
  }
  nereid_pass_statistic_add(pass, "bytes", scratch.size);
  return mlirLogicalResultSuccess();
}
