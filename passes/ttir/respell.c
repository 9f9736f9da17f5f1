/* nereid-respell: rewrites operations to the forms that the given Triton version prints.
 *
 *   Left: 3.6. Right: 3.7 (barriers) and 3.9 (the others).
 *
 *   ttg.local_barrier                                       ttg.barrier local
 *   gpu.barrier                                             ttg.barrier all
 *   arith.divf %x, %y                                   <-  tt.approx_divf %x, %y
 *   tt.elementwise_inline_asm "griddepcontrol.wait; ..."  <-  tt.grid_dependency_wait
 *   ttg.convert_layout + tt.broadcast                   <-  tt.broadcast between two encodings
 *   ttng.cluster_arrive, ttng.cluster_wait              <-  ttng.cluster_barrier                        (3.7)
 *   ttng.async_tma_store_wait, {writes}                     ttng.async_tma_store_wait {read_only}, without attribute
 *   tt.elementwise_inline_asm "fence.mbarrier_init..."  <-  ttng.fence_mbarrier_init_release_cluster   (3.7)
 *
 * Types, encodings and cache policies need no rewriting: this pass sets the spelling in which the context prints them.
 * It runs last, before the text is written. */
#include "passes/ttir/respell.h"

#include "dialects/diagnose.h"
#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/ttg_hooks.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/gpu.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/pass.h"
#include "passes/support/collect.h"
#include "seam/context.h"
#include "seam/ir.h"
#include "seam/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum {
  OLDEST = 6,
  WITH_BARRIER = 7,
  WITH_CLUSTER_BARRIER = 7,
  WITH_IM2COL = 7,
  WITH_INDICES = 7,
  WITHOUT_BLOCK_POINTERS = 8,
  NEWEST = 9
};

int32_t nereid_triton_version_parse(MlirStringRef text) {
  if (text.length == 3 && text.data[0] == '3' && text.data[1] == '.' && text.data[2] >= '0' + OLDEST &&
      text.data[2] <= '0' + NEWEST)
    return text.data[2] - '0';
  return 0;
}

static void replace_division(MlirOperation op) {
  nereid_builder_t builder = nereid_builder_before(op);
  MlirOperation division = nereid_arith_divf_build(&builder, mlirOperationGetOperand(op, 0),
                                                   mlirOperationGetOperand(op, 1), NEREID_ARITH_FAST_MATH_FLAGS_NONE);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), mlirOperationGetResult(division, 0));
  mlirOperationDestroy(op);
}

/* Emits the instruction in the form of the front ends of 3.6 to 3.8: with an unused result. */
static void replace_by_assembly(MlirOperation op, const char *instruction) {
  nereid_builder_t builder = nereid_builder_before(op);
  MlirType i32 = mlirIntegerTypeGet(mlirOperationGetContext(op), 32);
  nereid_tt_elementwise_inline_asm_build(&builder, 1, &i32, 0, NULL, mlirStringRefCreateFromCString(instruction),
                                         mlirStringRefCreateFromCString("=r"), false, 1);
  mlirOperationDestroy(op);
}

static void convert_operand(MlirOperation broadcast) {
  MlirValue operand = mlirOperationGetOperand(broadcast, 0);
  MlirType from = mlirValueGetType(operand), to = mlirValueGetType(mlirOperationGetResult(broadcast, 0));
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(to);
  if (mlirAttributeEqual(mlirRankedTensorTypeGetEncoding(from), encoding))
    return;
  int64_t shape[32];
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(from); ++d)
    shape[d] = mlirShapedTypeGetDimSize(from, d);
  nereid_builder_t builder = nereid_builder_before(broadcast);
  MlirType converted =
      mlirRankedTensorTypeGet(mlirShapedTypeGetRank(from), shape, mlirShapedTypeGetElementType(from), encoding);
  MlirOperation conversion = nereid_ttg_convert_layout_build(&builder, converted, operand);
  mlirOperationSetOperand(broadcast, 0, mlirOperationGetResult(conversion, 0));
}

static void replace_barrier(MlirOperation op, int32_t minor) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  nereid_builder_t builder = nereid_builder_before(op);
  if (kind == NEREID_OP_TTG_BARRIER && minor < WITH_BARRIER) {
    if (nereid_ttg_barrier_get_addr_space(op) == NEREID_TT_ADDRESS_SPACES_LOCAL)
      nereid_ttg_local_barrier_build(&builder, false);
    else
      nereid_gpu_barrier_build(&builder);
  } else if (kind == NEREID_OP_TTG_LOCAL_BARRIER && minor >= WITH_BARRIER && !nereid_ttg_local_barrier_get_warp(op)) {
    nereid_ttg_barrier_build(&builder, NEREID_TT_ADDRESS_SPACES_LOCAL);
  } else if (kind == NEREID_OP_GPU_BARRIER && minor >= WITH_BARRIER) {
    nereid_ttg_barrier_build(&builder, NEREID_TT_ADDRESS_SPACES_ALL);
  } else {
    return;
  }
  mlirOperationDestroy(op);
}

/* Buffers of `deps` are known to Nereid only. */
static void replace_cluster_barrier(MlirOperation op, int32_t minor) {
  nereid_builder_t builder = nereid_builder_before(op);
  const bool relaxed = nereid_ttng_cluster_barrier_get_relaxed(op);
  mlirOperationSetOperands(op, 0, NULL);
  if (minor >= WITH_CLUSTER_BARRIER)
    return;
  nereid_ttng_cluster_arrive_build(&builder, mlirBoolAttrGet(mlirOperationGetContext(op), relaxed));
  nereid_ttng_cluster_wait_build(&builder);
  mlirOperationDestroy(op);
}

/* The attribute is required in 3.6. */
static void complete_arrival(MlirOperation op) {
  MlirStringRef name = mlirStringRefCreateFromCString("relaxed");
  if (mlirAttributeIsNull(nereid_ttng_cluster_arrive_get_relaxed_attr(op)))
    mlirOperationSetAttributeByName(op, name, mlirBoolAttrGet(mlirOperationGetContext(op), false));
}

/* 3.9 waits for writes unless the op is `read_only`, earlier versions for reads. */
static void respell_store_wait(MlirOperation op, int32_t minor) {
  const bool writes = nereid_ttng_async_tma_store_wait_get_writes(op);
  MlirStringRef read_only = mlirStringRefCreateFromCString("read_only");
  if (minor < NEWEST) {
    mlirOperationRemoveAttributeByName(op, read_only);
    return;
  }
  mlirOperationRemoveAttributeByName(op, mlirStringRefCreateFromCString("writes"));
  if (!writes)
    mlirOperationSetAttributeByName(op, read_only, mlirUnitAttrGet(mlirOperationGetContext(op)));
}

static bool is_of_cluster(nereid_op_kind_t kind) {
  return kind == NEREID_OP_TTNG_CLUSTER_ARRIVE || kind == NEREID_OP_TTNG_CLUSTER_BARRIER ||
         kind == NEREID_OP_TTNG_FENCE_MBARRIER_INIT_RELEASE_CLUSTER;
}

static void respell_cluster(MlirOperation op, int32_t minor) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind == NEREID_OP_TTNG_CLUSTER_BARRIER)
    replace_cluster_barrier(op, minor);
  else if (kind == NEREID_OP_TTNG_CLUSTER_ARRIVE)
    complete_arrival(op);
  else if (kind == NEREID_OP_TTNG_FENCE_MBARRIER_INIT_RELEASE_CLUSTER && minor < WITH_CLUSTER_BARRIER)
    replace_by_assembly(op, "fence.mbarrier_init.release.cluster; // dummy $0");
}

/* The first version with an operation that earlier ones cannot express; 0 for other operations. */
static int32_t first_version(nereid_op_kind_t kind) {
  switch (kind) {
  case NEREID_OP_TTG_LOCAL_GATHER:
  case NEREID_OP_TTG_LOCAL_SCATTER:
    return WITH_INDICES;
  case NEREID_OP_TT_ATOMIC_LOAD:
  case NEREID_OP_TT_ATOMIC_POLL:
  case NEREID_OP_TT_ATOMIC_STORE:
  case NEREID_OP_TTG_INLINE_ASM:
  case NEREID_OP_TTG_LOCAL_ATOMIC_SCATTER_RMW:
    return NEWEST;
  default:
    return 0;
  }
}

static bool respell(MlirOperation op, int32_t minor) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (minor >= WITHOUT_BLOCK_POINTERS && (kind == NEREID_OP_TT_MAKE_TENSOR_PTR || kind == NEREID_OP_TT_ADVANCE))
    return mlirLogicalResultIsSuccess(
        nereid_diagnose(op,
                        "has no form in Triton 3.%d, which has no block pointers: run triton-rewrite-tensor-pointer "
                        "first, or print the version 3.6 or 3.7",
                        minor));
  if (minor < WITH_IM2COL && kind == NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL &&
      nereid_ttng_tensordesc_im2col_type_isa(mlirValueGetType(mlirOperationGetOperand(op, 0))))
    return mlirLogicalResultIsSuccess(nereid_diagnose(
        op, "has no form in Triton 3.%d, which has no im2col mode: print the version 3.7 or later", minor));
  if (minor < first_version(kind))
    return mlirLogicalResultIsSuccess(
        nereid_diagnose(op, "has no form in Triton 3.%d: print the version 3.%d", minor, first_version(kind)));
  if (kind == NEREID_OP_TT_APPROX_DIVF && minor < NEWEST)
    replace_division(op);
  else if (kind == NEREID_OP_TT_GRID_DEPENDENCY_WAIT && minor < NEWEST)
    replace_by_assembly(op, "griddepcontrol.wait; // dummy $0");
  else if (kind == NEREID_OP_TT_GRID_DEPENDENCY_LAUNCH_DEPENDENTS && minor < NEWEST)
    replace_by_assembly(op, "griddepcontrol.launch_dependents; // dummy $0");
  else if (kind == NEREID_OP_TT_BROADCAST && minor < NEWEST)
    convert_operand(op);
  else if (kind == NEREID_OP_TTNG_ASYNC_TMA_STORE_WAIT)
    respell_store_wait(op, minor);
  else if (is_of_cluster(kind))
    respell_cluster(op, minor);
  else
    replace_barrier(op, minor);
  return true;
}

static bool has_swizzled_warps(MlirType type) {
  MlirAttribute encoding =
      mlirTypeIsARankedTensor(type) ? mlirRankedTensorTypeGetEncoding(type) : (MlirAttribute){NULL};
  while (!mlirAttributeIsNull(encoding) && nereid_ttg_slice_attr_isa(encoding))
    encoding = nereid_ttg_slice_attr_get_parent(encoding);
  return !mlirAttributeIsNull(encoding) && nereid_ttg_has_swizzled_warps(encoding);
}

/* Whether a tensor that `op` or one of its blocks defines has an encoding that only #ttg.generic_linear represents. */
static bool defines_swizzled_warps(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (has_swizzled_warps(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      for (intptr_t k = 0; k < mlirBlockGetNumArguments(block); ++k)
        if (has_swizzled_warps(mlirValueGetType(mlirBlockGetArgument(block, k))))
          return true;
  return false;
}

/* Other encodings have a spelling in each version. */
static bool check_encodings(MlirOperation root, int32_t minor, nereid_arena_t *arena) {
  nereid_operations_t ops = {0};
  if (minor >= NEREID_TTG_GENERIC_LINEAR_SINCE)
    return true;
  if (!nereid_collect(root, defines_swizzled_warps, arena, &ops))
    return false;
  return ops.size == 0 ||
         mlirLogicalResultIsSuccess(nereid_diagnose(
             ops.data[0],
             "has a tensor with a #ttg.generic_linear encoding whose warps move along several dimensions, which has no "
             "form in Triton 3.%d: convert its layout, or print the version 3.8 or 3.9",
             minor));
}

static bool is_spelled_by_version(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (first_version(kind))
    return true;
  switch (kind) {
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
  case NEREID_OP_TTNG_ASYNC_TMA_STORE_WAIT:
  case NEREID_OP_TTNG_CLUSTER_ARRIVE:
  case NEREID_OP_TTNG_CLUSTER_BARRIER:
  case NEREID_OP_TTNG_FENCE_MBARRIER_INIT_RELEASE_CLUSTER:
  case NEREID_OP_TTG_BARRIER:
  case NEREID_OP_TTG_LOCAL_BARRIER:
  case NEREID_OP_GPU_BARRIER:
  case NEREID_OP_TT_ADVANCE:
  case NEREID_OP_TT_APPROX_DIVF:
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_TT_GRID_DEPENDENCY_LAUNCH_DEPENDENTS:
  case NEREID_OP_TT_GRID_DEPENDENCY_WAIT:
  case NEREID_OP_TT_MAKE_TENSOR_PTR:
    return true;
  default:
    return false;
  }
}

bool nereid_respell(MlirOperation root, int32_t minor, nereid_arena_t *arena) {
  nereid_operations_t ops = {0};
  if (!check_encodings(root, minor, arena) || !nereid_collect(root, is_spelled_by_version, arena, &ops))
    return false;
  for (size_t i = 0; i < ops.size; ++i)
    if (!respell(ops.data[i], minor))
      return false;
  if (minor < NEWEST)
    mlirOperationRemoveAttributeByName(root, mlirStringRefCreateFromCString("ttng.two-ctas"));
  nereidMlirContextSetTritonMinor(mlirOperationGetContext(root), minor, true);
  return true;
}

MlirLogicalResult nereid_pass_respell(nereid_pass_t *pass) {
  MlirStringRef version = nereid_pass_option_string(pass, "version");
  const int32_t minor = nereid_triton_version_parse(version);
  if (minor == 0)
    return nereid_diagnose(pass->op, "cannot be printed as Triton '%.*s' does: expected version 3.6, 3.7, 3.8 or 3.9",
                           (int)version.length, version.data);
  return nereid_respell(pass->op, minor, pass->scratch) ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
