/* convert-nv-gpu-to-llvm: prepares a lowered module for translation to LLVM IR.
 *
 *   llvm.func @k(%d: !llvm.ptr {tt.nv_tma_desc = 1 : i32}) …   ->   llvm.func @k(%d: !llvm.ptr {llvm.byval = …, …}) …
 *
 * In Triton the pass lowers ops that remain after the conversion; here none remain. This pass replaces the
 * argument attributes of kernels by their LLVM equivalents. An operation without a form in LLVM IR is a located error,
 * so a pipeline without a required pass fails here. Requires and keeps: llvm and nvvm only, except for
 * ttg.warp_specialize, which convert-warp-specialize-to-llvm replaces, as in Triton after this pass. */
#include "conversion/ttg_to_llvm/function/kernel_abi.h"
#include "dialects/ttg/module.h"
#include "passes/pass.h"

#include <stdio.h>
#include <string.h>

static bool is_dialect(MlirStringRef name, const char *dialect) {
  const size_t size = strlen(dialect);
  return name.length > size && memcmp(name.data, dialect, size) == 0 && name.data[size] == '.';
}

static MlirWalkResult check(MlirOperation op, void *data) {
  bool *good = data;
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
