/* Addresses in the function's frames; see frames.h. */
#include "conversion/ttg_to_llvm/frames.h"

#include "dialects/ir.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/globals.h"

MlirValue nereid_lower_shared_pointer(nereid_lower_t *lower, int64_t offset) {
  if (mlirValueIsNull(lower->group->shared_base)) {
    MlirStringRef symbol = nereid_lower_shared_memory(lower);
    nereid_lower_t prologue = nereid_lower_in_prologue(lower);
    MlirNamedAttribute name =
        nereid_emit_attribute(lower, "global_name", mlirFlatSymbolRefAttrGet(lower->context, symbol));
    lower->group->shared_base = mlirOperationGetResult(
        nereid_emit_op(&prologue, "llvm.mlir.addressof", 1, &lower->types->ptr_shared, 0, NULL, 1, &name), 0);
  }
  return nereid_emit_offset(lower, lower->group->shared_base, offset);
}

/* i32: the index of this CTA in the grid, x first. */
static MlirValue emit_cta_index(nereid_lower_t *lower) {
  static const char *const ids[] = {"nvvm.read.ptx.sreg.ctaid.x", "nvvm.read.ptx.sreg.ctaid.y",
                                    "nvvm.read.ptx.sreg.ctaid.z"};
  static const char *const sizes[] = {"nvvm.read.ptx.sreg.nctaid.x", "nvvm.read.ptx.sreg.nctaid.y"};
  MlirValue index = {NULL};
  for (int axis = 2; axis >= 0; --axis) {
    MlirValue id = nereid_emit(lower, ids[axis], lower->types->i32, 0, NULL);
    if (axis < 2) {
      MlirValue size = nereid_emit(lower, sizes[axis], lower->types->i32, 0, NULL);
      id = nereid_emit_add(lower, nereid_emit_mul(lower, index, size), id);
    }
    index = id;
  }
  return index;
}

/* The CTA's part of the launcher's allocation: the last argument but one of a kernel (docs/abi.md). */
static MlirValue emit_own_scratch(nereid_lower_t *lower) {
  MlirValue base = mlirBlockGetArgument(lower->function->entry, mlirBlockGetNumArguments(lower->function->entry) - 2);
  MlirValue index = nereid_emit_cast(lower, "llvm.zext", lower->types->i64, emit_cta_index(lower));
  const int64_t size = nereid_ir_integer(lower->module->op, NEREID_ATTR_GLOBAL_SCRATCH_SIZE, -1);
  return nereid_emit_gep(lower, base, lower->types->i8, nereid_emit_mul(lower, index, nereid_emit_i64(lower, size)));
}

MlirValue nereid_lower_scratch_pointer(nereid_lower_t *lower, int64_t offset) {
  if (mlirValueIsNull(lower->group->scratch_base)) {
    nereid_lower_t prologue = nereid_lower_in_prologue(lower);
    lower->group->scratch_base = emit_own_scratch(&prologue);
  }
  return nereid_emit_offset(lower, lower->group->scratch_base, offset);
}
