/* convert-nv-gpu-to-llvm: prepares a lowered module for translation to LLVM IR.
 *
 *   llvm.func @k(%d: !llvm.ptr {tt.nv_tma_desc = 1 : i32}) …   ->   llvm.func @k(%d: !llvm.ptr {llvm.byval = …, …}) …
 *
 * In Triton the pass lowers ops that remain after the conversion; here none remain. This pass replaces the
 * argument attributes of kernels by their LLVM equivalents. An operation without a form in LLVM IR is a located error,
 * so a pipeline without a required pass fails here. So is a pointer to an address space that NVPTX does not have.
 * Requires and keeps: llvm and nvvm only, except for ttg.warp_specialize, which convert-warp-specialize-to-llvm
 * replaces, as in Triton after this pass. */
#include "conversion/ttg_to_llvm/function/kernel_abi.h"
#include "dialects/ttg/module.h"
#include "passes/pass.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>
#include <string.h>

static bool is_dialect(MlirStringRef name, const char *dialect) {
  const size_t size = strlen(dialect);
  return name.length > size && memcmp(name.data, dialect, size) == 0 && name.data[size] == '.';
}

/* Generic, global, shared, constant and local memory, tensor memory, shared memory of the cluster, parameters. LLVM
 * keeps 24 bits of the number, and crashes for some of those that it cuts. */
static bool has_address_space(MlirType type) {
  enum { CLUSTER = 7, PARAMETER = 101 };
  if (!mlirTypeIsALLVMPointerType(type))
    return true;
  const unsigned space = mlirLLVMPointerTypeGetAddressSpace(type);
  return space <= CLUSTER || space == PARAMETER;
}

static bool check_type(MlirOperation op, MlirValue value) {
  if (has_address_space(mlirValueGetType(value)))
    return true;
  char text[128];
  snprintf(text, sizeof text, "a pointer to address space %d: NVPTX has 0 to 7 and 101",
           (int)mlirLLVMPointerTypeGetAddressSpace(mlirValueGetType(value)));
  mlirEmitError(mlirOperationGetLocation(op), text);
  return false;
}

/* The types of results, and of the arguments of blocks. */
static bool check_types(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!check_type(op, mlirOperationGetResult(op, i)))
      return false;
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
        if (!check_type(op, mlirBlockGetArgument(block, i)))
          return false;
  return true;
}

static MlirWalkResult check(MlirOperation op, void *data) {
  bool *good = data;
  if (!check_types(op)) {
    *good = false;
    return MlirWalkResultSkip;
  }
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  if (is_dialect(name, "llvm") || is_dialect(name, "nvvm") ||
      mlirStringRefEqual(name, mlirStringRefCreateFromCString("builtin.module")) || nereid_ttg_is_warp_specialize(op))
    return MlirWalkResultAdvance;
  char text[256];
  snprintf(text, sizeof text, "'%.*s' cannot become LLVM IR; convert-triton-gpu-to-llvm lowers ops in a tt.func only",
           (int)name.length, name.data);
  mlirEmitError(mlirOperationGetLocation(op), text);
  *good = false;
  return MlirWalkResultSkip;
}

MlirLogicalResult nereid_pass_convert_nv_gpu_to_llvm(nereid_pass_t *pass) {
  bool good = true;
  mlirOperationWalk(pass->op, check, &good, MlirWalkPreOrder);
  good = good && nereid_kernel_abi_finish(pass->op);
  return good ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
